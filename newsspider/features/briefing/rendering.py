"""Shows a briefing: as lines of 80 columns, as JSON, or by a Jinja template of ``forms`` or of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from newsspider.core.text.terminal_columns import column_count, cut_to_columns, wrap_text
from newsspider.features.alerts.chat_robots import chat_link, plain_chat_text
from newsspider.features.briefing.content import Blame, Briefing, BriefingKind, Count, EventGroup, Item

SCREEN_WIDTH = 80
NAME_WIDTH = 24  # columns of a name in the table of attention
HTML, OFFICE = ".html", ".docx"
CHAT = ".chat"  # the form for the services of chats, which is no file
FORMS = {HTML: "briefing.html", ".md": "briefing.md", CHAT: "chat.md"}  # the templates of newsspider
PDF = ".pdf"
SUFFIXES = (HTML, ".md", ".json", ".txt", OFFICE, PDF)
FIELDS = {"all": "全部", "subtopic": "领域", "region": "地区"}
HEADINGS = {
    "headlines": "要闻",
    "policies": "政策文件",
    "subtopics": "分领域",
    "regions": "分地区",
    "criticism": "批评性报道",
    "attention": "关注度（与上周同期相比）",
    "silent": "没有新稿的信源",
}
VOICES = {"article": "报道", "post": "帖文", "comment": "评论"}


class FormError(Exception):
    """A template cannot be used; the text is one sentence for people."""


def briefing_lines(briefing: Briefing) -> Iterator[str]:
    """The briefing in lines of 80 columns."""
    yield from wrap_text(briefing_heading(briefing), SCREEN_WIDTH)
    yield from wrap_text(news_line(briefing), SCREEN_WIDTH)
    for part, title in HEADINGS.items():
        lines = list(_part_lines(briefing, part))
        if lines:
            yield from ("", title, *lines)
    if not briefing.items():
        yield from ("", "这段时间没有新的报道。")


def _part_lines(briefing: Briefing, part: str) -> Iterator[str]:
    """The lines of one part; none if it is empty."""
    several: Sequence[Any] = getattr(briefing, part)
    for place, one in enumerate(several, 1):
        match one:
            case Item():
                yield from _item_lines(one, f"{place:2}. ")
            case EventGroup():
                yield f"  {one.name}"
                for item in one.items:
                    yield from _item_lines(item, "  - ")
            case Blame():
                yield from _indented(f"“{one.sentence}”" if "“" not in one.sentence else one.sentence, f"{place:2}. ")
                yield from _indented(f"{one.title}（{blame_facts(one)}）", "    ")
                yield from _indented(one.url, "    ")
            case Count():
                name = cut_to_columns(count_name(one), NAME_WIDTH)
                blanks = " " * (NAME_WIDTH - column_count(name))
                figures = (
                    f"{one.articles:>6} 篇{one.stories:>6} 件，上周 {one.articles_before} 篇 {one.stories_before} 件"
                )
                yield f"  {name}{blanks}{figures}"
            case _:
                yield from _indented(f"{one.site}：{'、'.join(one.channels)}，自 {one.since or '-'}", "  - ")


def _item_lines(item: Item, mark: str) -> Iterator[str]:
    yield from _indented(f"{item_label(item)}{item.title}", mark)
    for quote in item.quotes:
        of = "" if quote.article == item.article else f"（{quote.source}，编号{quote.article}）"
        yield from _indented(f"{quote.sentence}{of}", "    ")
    if item.note:
        yield from _indented(f"按：{item.note}", "    ")
    yield from _indented(f"{item_facts(item)}，编号{item.article}", "    ")
    yield from _indented(item.url, "    ")


def _indented(text: str, mark: str) -> Iterator[str]:
    for number, line in enumerate(wrap_text(text, SCREEN_WIDTH - 4)):
        yield f"{' ' * 4 if number else mark}{line}"


def briefing_heading(briefing: Briefing) -> str:
    """The title with the number of the issue, and what it is about. A special briefing has no number."""
    number = "" if briefing.kind is BriefingKind.SPECIAL else f"（{issue_number(briefing)}）"
    about = scope_line(briefing)
    return f"{briefing.title}{number}{'：' if about else ''}{about}"


def issue_number(briefing: Briefing) -> str:
    """The number of a daily or weekly briefing in its year."""
    return f"{briefing.until[:4]}年第{briefing.number}期"


def scope_line(briefing: Briefing) -> str:
    """The topic, region and query that it was asked for."""
    return "，".join(filter(None, (briefing.topic, briefing.region, briefing.query)))


def news_line(briefing: Briefing) -> str:
    """The time that it covers, what is new since the last one, and how much of it a model wrote."""
    time = f"{moment(briefing.since)} 至 {moment(briefing.until)}"
    last = f"，上期截至 {moment(briefing.last)}" if briefing.last else ""
    grown = f"，有进展的事件 {briefing.grown_events} 件" if briefing.last else ""
    words = f"。{briefing.words}" if briefing.words else ""
    return f"{time}{last}。新事件 {briefing.new_events} 件{grown}{words}"


def moment(at: str) -> str:
    """A moment as people read it; a day alone stays one.

    >>> moment("2026-11-25T09:05+08:00"), moment("2026-11-25")
    ('11-25 09:05', '11-25')
    """
    return at[5:16].replace("T", " ")


def item_label(item: Item) -> str:
    """What stands before a title: that it is a policy document, or that the event was told and grew."""
    return f"{'【政策】' if item.policy else ''}{'【进展】' if item.grown is not None else ''}"


def item_facts(item: Item) -> str:
    """The source and time of an item, its reprints, and the size of its event."""
    reprints = f"，转载 {item.reprints} 篇" if item.reprints else ""
    grown = f"，上次之后 {item.grown} 篇" if item.grown is not None else ""
    size = f"，事件 {item.event} 共 {item.pages} 篇 {item.sites} 家{grown}" if item.pages > 1 else ""
    return f"{item.source or '-'} {moment(item.at)}{reprints}{size}"


def blame_facts(blame: Blame) -> str:
    """Who said it, where and when, and how many say alike."""
    alike = f"，相似 {blame.alike} 句" if blame.alike > 1 else ""
    reprints = f"，转载 {blame.reprints} 篇" if blame.reprints else ""
    return f"{VOICES[blame.voice]}，{blame.source or '-'} {moment(blame.at)}{reprints}{alike}，编号{blame.article}"


def count_name(count: Count) -> str:
    """What was counted."""
    return f"{FIELDS[count.field]} {count.name}".strip()


def briefing_document(briefing: Briefing, suffix: str, template: Path | None, link: str = "") -> str:
    """The briefing as a text file with this suffix, by a template of one's own if there is one; ``link`` leads to it in
    the console.

    Raises :exc:`FormError` for a template that cannot be used, and :exc:`ImportError` without Jinja2.
    """
    if template is not None:
        return _rendered(briefing, template.read_text("utf-8"), str(template), link)
    if suffix == ".json":
        return json.dumps(briefing.record(), ensure_ascii=False, indent=2) + "\n"
    if suffix in FORMS:
        name = FORMS[suffix]
        return _rendered(
            briefing, files("newsspider.features.briefing").joinpath("forms", name).read_text("utf-8"), name, link
        )
    return "".join(f"{line}\n" for line in briefing_lines(briefing))


def _rendered(briefing: Briefing, source: str, name: str, link: str) -> str:
    from jinja2 import Environment, StrictUndefined, TemplateError

    from newsspider.library.export_formats import without_markdown

    filters = {
        "heading": briefing_heading,
        "news_line": news_line,
        "moment": moment,
        "label": item_label,
        "facts": item_facts,
        "blame_facts": blame_facts,
        "count_name": count_name,
        "markdown": without_markdown,
        "chat": plain_chat_text,
        "chat_link": chat_link,
    }
    environment = Environment(
        autoescape=name.endswith((".html", ".htm")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= filters
    try:
        return environment.from_string(source).render(briefing=briefing, headings=HEADINGS, link=link)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        raise FormError(f"{name}{f', line {line}' if line else ''}: {error.message}") from None
    except Exception as error:  # whatever an expression of the template raises
        raise FormError(f"{name}: {error}") from None

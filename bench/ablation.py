"""``python -m bench.ablation [--write] [MANIFEST ...]``: what each rule of the reader and the list finder brings.

A rule is a function, a method, or a regular expression of a module. Each is switched off alone: it then answers what stands for
"nothing" (``False``, ``None``, an empty list, its input). Every page is read with and without it. Counted are the pages that read
differently, and of the fields whose right value is known, those that the rule makes right and those that it makes wrong.

Pages come from the demo portal, from manifests (JSON lines with path, url, and perhaps content_type, now, expect: title,
published_at, source, author, body, no, kind, kind_not, items) and, where it is there, from ``../shared``: saved pages with their
answers, cases, and pages with a sentence inserted into their text. ``--write`` writes the functions into the table of
``docs/reader-rules.md``.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from lxml import html

import newsspider.core.dates
import newsspider.core.extraction
import newsspider.core.links
from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.guard_page import guard_line
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.model import LinkKind

MOST_TRIED = 60  # pages on which a rule is tried, of those on which it speaks
ENOUGH_CHANGED = 40  # pages: a rule that changes as many is not tried on more
PAGE_OF_RULES = Path(__file__).parents[1] / "docs/reader-rules.md"
SHARED = Path(__file__).parents[2] / "shared"  # pages that are not the project's
PARAGRAPH = 12  # characters of a line of a known text that must be read
NOW = "2026-11-28T12:00:00+08:00"
EMPTY: dict[str, Callable[[], Any]] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "tuple": tuple,
    "set": set,
    "dict": dict,
    "frozenset": frozenset,
    "Iterator": lambda: iter(()),
    "Iterable": tuple,
    "Sequence": tuple,
    "Mapping": dict,
}

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Sample:
    """A page, and what is known to be right about it."""

    body: bytes
    url: str
    content_type: str | None = None
    now: str = NOW
    expect: Value = field(default_factory=dict)


@dataclass
class Rule:
    """A function, a method or a regular expression, and every module or class that has it under its name."""

    module: ModuleType
    name: str
    value: Any
    lines: int
    holders: list[tuple[Any, str]]
    neutral: Callable[..., Any]

    @property
    def place(self) -> str:
        """Its module within the core, and its name."""
        return f"{self.module.__name__.removeprefix('newsspider.core.')}.{self.name}"

    def put(self, value: Any) -> None:
        """Put something else, or the rule itself, in its place everywhere."""
        for module, name in self.holders:
            setattr(module, name, value)


class Silent:
    """A regular expression that never matches, or that notes whether one did."""

    def __init__(self, pattern: re.Pattern[str], note: Callable[[], None] | None = None) -> None:
        self.pattern, self.note = pattern, note

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.pattern, name)
        if name not in ("match", "search", "fullmatch", "finditer", "findall", "sub", "split"):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.note is None:
                return {"finditer": iter(()), "findall": [], "sub": args[-1], "split": [args[0]]}.get(name)
            if self.pattern.search(args[1] if name == "sub" else args[0]):
                self.note()
            return method(*args, **kwargs)

        return call


def answers(sample: Sample) -> dict[str, Any]:
    """All that is read on a page."""
    now = datetime.fromisoformat(sample.now)
    try:
        page = parse(sample.body, sample.url, sample.content_type)
        article = extract_article(page, now)
        links = page_links(page)
        kind = page_type_of(page, article, links).name.lower()
        guard = guard_line(page, article, len(links))
        listed = links_of(page, now=now)
    except UnreadablePageError as error:
        return {"error": str(error)}
    except Exception as error:  # a rule that others cannot do without
        return {"error": repr(error)}
    fields = {name: getattr(article, name) for name in article.__slots__}
    items = [link for link in listed if link.kind is LinkKind.ARTICLE]
    return fields | {"kind": kind, "guard": guard, "links": listed, "items": len(items)}


def squeeze(text: str | None) -> str:
    """A text without its spaces."""
    return "".join((text or "").split())


def is_right(expect: Value, answer: Value) -> dict[str, bool]:
    """Field by field, whether what was read is what the manifest expects."""
    if "error" in answer:
        return dict.fromkeys(expect, False)
    moment = answer["published_at"]
    written = moment.astimezone(SHANGHAI).isoformat() if moment else ""
    text = squeeze(answer["text"])
    verdicts = {
        "title": lambda want: squeeze(answer["title"]) == squeeze(want),
        "published_at": lambda want: written.startswith(want) if want else not moment,
        "source": lambda want: answer["source"] in want if want else not answer["source"],
        "author": lambda want: sorted(answer["authors"]) == sorted(want),
        "body": lambda want: all(squeeze(part) in text for part in want),
        "no": lambda want: not any(squeeze(part) in text for part in want),
        "length": lambda want: len(text) <= 1.06 * want + 25,
        "kind": lambda want: answer["kind"] == want,
        "kind_not": lambda want: answer["kind"] != want,
        "items": lambda want: answer["items"] >= want,
    }
    return {name: verdicts[name](want) for name, want in expect.items() if name in verdicts}


def modules() -> list[ModuleType]:
    """The modules of the reader and of the list finder."""
    packages = (newsspider.core.dates, newsspider.core.extraction, newsspider.core.links)
    names = (
        info.name for package in packages for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    )
    return [importlib.import_module(name) for name in names]


def rules() -> Iterator[Rule]:
    """Every rule, with what stands for nothing."""
    read_modules, places = modules(), dict[int, list[tuple[Any, str]]]()
    for module in [module for name, module in sys.modules.items() if name.startswith("newsspider")]:
        for name, value in vars(module).items():
            places.setdefault(id(value), []).append((module, name))
    for module in read_modules:
        for node in ast.parse(inspect.getsource(module)).body:
            named = node.targets[0] if isinstance(node, ast.Assign) else node
            name = str(getattr(named, "id", "") or getattr(named, "name", ""))
            value = getattr(module, name, None)
            if isinstance(value, re.Pattern):
                yield Rule(module, name, value, length_of(node), places[id(value)], Silent(value))  # type: ignore[arg-type]
            elif (
                isinstance(value, FunctionType)
                and value.__module__ == module.__name__
                and (neutral := neutral_of(value))
            ):
                yield Rule(module, name, value, length_of(node), places[id(value)], neutral)
            elif isinstance(node, ast.ClassDef) and isinstance(value, type):
                for method in (part for part in node.body if isinstance(part, ast.FunctionDef)):
                    function = vars(value).get(method.name)
                    if isinstance(function, FunctionType) and (neutral := neutral_of(function)):
                        yield Rule(
                            module,
                            f"{name}.{method.name}",
                            function,
                            length_of(method),
                            [(value, method.name)],
                            neutral,
                        )


def length_of(node: ast.stmt) -> int:
    """The lines of a statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def neutral_of(function: FunctionType) -> Callable[..., Any] | None:
    """What a rule answers that says nothing: an input of the same type, if there is one."""
    types = dict(inspect.get_annotations(inspect.unwrap(function)))
    returned = str(types.pop("return", ""))
    kind = re.split(r"\W", returned)[0]
    names = list(inspect.signature(function).parameters)
    same = [names.index(name) for name, of in types.items() if of == returned]
    if same and kind in ("str", "list", "tuple", "Sequence"):
        return lambda *args, **kwargs: args[same[0]] if same[0] < len(args) else EMPTY[kind]()
    if returned.endswith("| None"):
        return lambda *args, **kwargs: None
    if kind in EMPTY:
        return lambda *args, **kwargs: EMPTY[kind]()
    made = function.__globals__.get(kind)  # a value of the reader's own, like a body without lines
    if not isinstance(made, type) or not made.__module__.startswith("newsspider"):
        return None
    has_defaults = all(each.default is not each.empty for each in inspect.signature(made).parameters.values())
    return (lambda *args, **kwargs: made()) if has_defaults else None


def caches() -> list[Any]:
    """The caches of the modules, which remember what rules answer before."""
    ours = [module for name, module in sys.modules.items() if name.startswith("newsspider")]
    values = (value for module in ours for value in vars(module).values())
    cells = (
        cell.cell_contents for value in values if isinstance(value, FunctionType) for cell in value.__closure__ or ()
    )
    return [value for value in cells if hasattr(value, "cache_clear")]


def watched(rule: Rule, note: Callable[[], None]) -> Any:
    """The rule, which also notes that it had something to say."""
    if isinstance(rule.value, re.Pattern):
        return Silent(rule.value, note)

    def call(*args: Any, **kwargs: Any) -> Any:
        result = rule.value(*args, **kwargs)
        if inspect.isgenerator(result):
            result = iter(list(result))
            note()
            return result
        if result != rule.neutral(*args, **kwargs):
            note()
        return result

    return call


def portal_samples() -> Iterator[Sample]:
    """Pages of the demo portal."""
    from bench.reader import PAGES, sample_pages

    yield from (Sample(body, "http://www.example.cn/2025/0616/c1.html") for body in sample_pages(PAGES))


def manifest_samples(path: Path) -> Iterator[Sample]:
    """The pages of a manifest."""
    for row in rows_of(path):
        body = (path.parent / row["path"]).read_bytes()
        yield Sample(body, row["url"], row.get("content_type"), row.get("now") or NOW, row.get("expect") or {})


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def shared_samples(folder: Path) -> Iterator[Sample]:
    """Saved pages with their answers, cases, pages with an inserted sentence, and saved pages without answers."""
    for row in rows_of(folder / "cases/cases.jsonl"):
        named = {name: row["expect"][name] for name in ("source", "author") if name in row["expect"]}
        lists = {name: [value] if isinstance(value, str) else value or [] for name, value in named.items()}
        yield Sample(
            (folder / "cases" / row["file"]).read_bytes(), row["url"], "text/html", row["now"], row["expect"] | lists
        )
    sentences = [
        line for line in (folder / "eval/inserted.txt").read_text("utf-8").splitlines() if line and line[0] != "#"
    ]
    for number, row in enumerate(rows_of(folder / "data/real-pages/gold.jsonl")):
        body, expect = (folder / "data/real-pages" / row["file"]).read_bytes(), real_answer(row)
        yield Sample(body, row["url"], expect=expect)
        if expect.get("body") and (page := inserted(body, row["body_lines"][-1], sentences[number % len(sentences)])):
            yield Sample(
                page, row["url"], "text/html; charset=utf-8", expect={"body": [sentences[number % len(sentences)]]}
            )
    real = folder / "data/real-pages"
    for path in sorted((folder / "data").rglob("*.*htm*")):
        if real not in path.parents:
            yield Sample(path.read_bytes(), f"http://{path.parent.name}.example.cn/2024/0520/c1.html")


def real_answer(row: Value) -> Value:
    """What the answer to a saved page expects."""
    if row.get("excluded"):
        return {}
    if row["id"][0] == "L":
        return {"items": row["article_items"]}
    day = row["published_at"] or ""
    minute = f"T{row['minute']}" if row.get("minute") and row["minute"] != "00:00" else ""
    expect = {
        "title": row["title"],
        "published_at": day + minute,
        "source": row["source"],
        "author": row["author"],
        "kind": row["kind"],
    }
    lines = row.get("body_lines", ()) if "start" in row else ()
    known = {
        "body": [line for line in lines if len(line) >= PARAGRAPH],
        "length": sum(len(squeeze(line)) for line in lines),
    }
    return expect | known if lines else expect


def inserted(body: bytes, line: str, sentence: str) -> bytes | None:
    """A page with a sentence as a paragraph before the one of a line; ``None`` if it has no such paragraph."""
    tree = html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    block = next(
        (element for element in tree.iter("p") if squeeze("".join(map(str, element.itertext()))) == squeeze(line)), None
    )
    if block is None:
        return None
    more = copy.copy(block)
    more.clear()
    more.text = sentence
    block.addprevious(more)
    return bytes(html.tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>"))


@dataclass(frozen=True)
class Finding:
    """What a rule brings."""

    rule: Rule
    changed: int  # pages, of those on which it speaks
    better: int
    worse: int


def findings(chosen: Sequence[Rule], samples: Sequence[Sample]) -> Iterator[Finding]:
    """What each rule brings, one after the other."""
    remembered = caches()

    def forget() -> None:
        for cached in remembered:
            cached.cache_clear()

    spoke: dict[int, set[int]] = {at: set() for at in range(len(chosen))}
    reading = [0]  # the page that is read, for the rules that note it
    plain = [answers(sample) for sample in samples]
    for at, rule in enumerate(chosen):
        rule.put(watched(rule, lambda at=at: spoke[at].add(reading[0])))  # type: ignore[misc]
    for number, sample in enumerate(samples):
        reading[0] = number
        forget()
        answers(sample)
    for rule in chosen:
        rule.put(rule.value)
    for at, rule in enumerate(chosen):
        rule.put(rule.neutral)
        changed = better = worse = 0
        spoken = sorted(spoke[at])
        for number in spoken[:: 1 + len(spoken) // MOST_TRIED]:
            forget()
            answer = answers(samples[number])
            if answer == plain[number]:
                continue
            changed += 1
            with_it, without_it = (
                is_right(samples[number].expect, plain[number]),
                is_right(samples[number].expect, answer),
            )
            better += sum(with_it[name] and not without_it[name] for name in with_it)
            worse += sum(without_it[name] and not with_it[name] for name in with_it)
            if changed == ENOUGH_CHANGED:
                break
        rule.put(rule.value)
        yield Finding(rule, changed, better, worse)


def row_of(finding: Finding) -> str | None:
    """The row of a function in the table of the docs; ``None`` for a regular expression."""
    if isinstance(finding.rule.value, re.Pattern):
        return None
    sentence = " ".join((finding.rule.value.__doc__ or "").split()).partition(". ")[0].rstrip(".:").replace("|", "\\|")
    more = "+" if finding.changed == ENOUGH_CHANGED else ""
    cells = (sentence, f"`{finding.rule.place}`", f"{finding.changed}{more}", str(finding.better), str(finding.worse))
    return f"| {' | '.join(cells)} |"


def with_table(text: str, rows: Sequence[str], pages: int) -> str:
    """The page of the docs with these rows in its table, and the number of pages above it."""
    head, mark, _ = text.partition("| rule | function |")
    head = re.sub(r"on \d+ pages", f"on {pages} pages", head)
    return "\n".join((f"{head}{mark} pages | right | wrong |", "| --- | --- | --- | --- | --- |", *rows, ""))


def main() -> int:
    """Print a line a rule: changed pages, fields that it makes right and wrong, lines, name."""
    parser = argparse.ArgumentParser(prog="python -m bench.ablation", description="what each rule of the reader brings")
    parser.add_argument("manifests", nargs="*", type=Path, help="JSON lines of pages, besides those of the demo portal")
    parser.add_argument("--only", default="", help="rules whose name contains this")
    parser.add_argument("--write", action="store_true", help=f"write the table of {PAGE_OF_RULES.name}")
    options = parser.parse_args()
    samples = [*portal_samples(), *(shared_samples(SHARED) if SHARED.is_dir() else ())]
    for path in options.manifests:
        samples += manifest_samples(path)
    print(f"# {len(samples)} pages", file=sys.stderr)
    rows = []
    for finding in findings([rule for rule in rules() if options.only in rule.place], samples):
        print(
            finding.changed, finding.better, finding.worse, finding.rule.lines, finding.rule.place, sep="\t", flush=True
        )
        rows.append(row_of(finding))
    if options.write:
        table = with_table(PAGE_OF_RULES.read_text("utf-8"), [row for row in rows if row], len(samples))
        PAGE_OF_RULES.write_text(table, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

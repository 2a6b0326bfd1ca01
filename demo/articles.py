"""Writes the stories of the portal: what is told, by whom, when, and whether it is about education."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from demo.grammar import Theme, Voice, themes

# Shares of the generator's choices. A headline is hard if it hides what the story is about.
HARD_TITLE = {True: 0.36, False: 0.42}
PASSING = {True: 0.3, False: 0.4}
WITH_AUTHOR = 0.6
DAYS = 6  # the oldest story is that many days older than the portal's start


@dataclass(frozen=True, slots=True)
class Story:
    """One piece of news as its first newsroom wrote it. ``paragraphs`` is the body, a byline in it included."""

    number: int
    theme: str
    label: str
    relevant: bool
    hard: bool
    title: str
    paragraphs: tuple[str, ...]
    author: str | None
    source: str
    published_at: datetime
    comments: tuple[str, ...]

    @property
    def text(self) -> str:
        """The body, a paragraph a line."""
        return "\n".join(self.paragraphs)


class Newsroom:
    """Writes stories, each from its own random source, so that the number alone decides what is told."""

    def __init__(self, seed: int, start: datetime) -> None:
        self.seed, self.start = seed, start
        self.themes = {relevant: [t for t in themes() if t.relevant is relevant] for relevant in (True, False)}
        self._titles: set[str] = set()

    def story(self, number: int, relevant: bool, published_at: datetime | None = None) -> Story:
        """Story ``number``; published some days before the start unless a time is given."""
        random = Random(f"{self.seed} story {number} {relevant}")
        theme = random.choice(self.themes[relevant])
        when = published_at or self._moment(random)
        voice = _voice(theme, random, when)
        hard = random.random() < HARD_TITLE[relevant]
        title = self._title(voice, "hard" if hard else "title")
        author = voice.one("person") if random.random() < WITH_AUTHOR else None
        paragraphs = _paragraphs(voice, relevant)
        reporter = None
        if author:
            reporter = Voice({}, random).one("person")
            paragraphs = _signed(paragraphs, reporter, random)
        comments = Voice({}, random)
        return Story(
            number,
            theme.name,
            theme.label,
            relevant,
            hard,
            title,
            tuple(paragraphs),
            reporter,
            f"{voice.one('prov0')}{Voice({}, random).one('media')}",
            when,
            tuple(comments.say("<comment>") for _ in range(random.randint(4, 22))),
        )

    def lengthened(self, story: Story, paragraphs: int) -> Story:
        """The story told at such a length, on the same theme; it ends as it did."""
        random = Random(f"{self.seed} long {story.number} {story.relevant}")
        theme = next(theme for theme in self.themes[story.relevant] if theme.name == story.theme)
        all_paragraphs = dict.fromkeys(story.paragraphs[:-1])
        while len(all_paragraphs) < paragraphs - 1:
            all_paragraphs |= dict.fromkeys(
                _paragraphs(_voice(theme, random, story.published_at), story.relevant)[1:-1]
            )
        return replace(story, paragraphs=(*list(all_paragraphs)[: paragraphs - 1], story.paragraphs[-1]))

    def _moment(self, random: Random) -> datetime:
        minutes = random.randint(20, DAYS * 24 * 60)
        return (self.start - timedelta(minutes=minutes)).replace(second=0, microsecond=0)

    def _title(self, voice: Voice, slot: str) -> str:
        """A headline that no other story has; one that was used is told again of another place."""
        title = voice.one(slot)
        while title in self._titles:
            place = Voice({}, voice.random).one("city").removesuffix("市")
            title = f"{place}{voice.random.choice('：|｜')}{voice.one(slot)}"
        self._titles.add(title)
        return title


def shortened(story: Story, random: Random) -> Story:
    """An edited reprint: another headline's punctuation, one or two paragraphs left out, one sentence cut."""
    paragraphs = list(story.paragraphs)
    for _ in range(random.randint(1, 2)):
        if len(paragraphs) > 5:
            paragraphs.pop(random.randrange(2, len(paragraphs)))
    sentences = re.findall(r"[^。]+。[”]?", paragraphs[1])
    if len(sentences) > 1:
        paragraphs[1] = "".join(sentences[:-1])
    return replace(story, title=retitled(story.title), paragraphs=tuple(paragraphs))


def retitled(title: str) -> str:
    """The headline as another desk would punctuate it."""
    return title.replace("，", " ").replace("：", "——") if "，" in title or "：" in title else f"{title}（图）"


def updated(story: Story) -> Story:
    """The story after a correction: a new last paragraph and a mark in the headline."""
    added = f"更新：截至发稿时，{story.paragraphs[0][:18].rstrip('，。“”：')}一事又有新的进展，本报将持续报道。"
    return replace(story, title=f"{story.title}（更新）", paragraphs=(*story.paragraphs, added))


def _voice(theme: Theme, random: Random, when: datetime) -> Voice:
    voice = Voice(theme.phrases, random)
    voice.bound["md"] = f"{when.month}月{when.day}日"
    voice.bound["year"] = str(when.year)
    return voice


def _paragraphs(voice: Voice, relevant: bool) -> list[str]:
    random = voice.random
    facts = [voice.say(fact) for fact in voice.some("fact", random.randint(6, 10))]
    if random.random() < PASSING[relevant]:
        facts.insert(random.randint(2, len(facts)), voice.one("passing-on" if relevant else "passing-off"))
    paragraphs = [voice.one("lead")]
    while facts:
        take = random.randint(1, 2)
        paragraphs.append("".join(facts[:take]))
        del facts[:take]
    for quote in voice.some("quote", random.randint(1, 3)):
        paragraphs.insert(random.randint(2, len(paragraphs)), voice.say(quote))
    if random.random() < 0.8:
        paragraphs.append(voice.one(random.choice(("end", "end-any"))))
    return paragraphs


def _signed(paragraphs: list[str], reporter: str, random: Random) -> list[str]:
    """The byline in the lead or behind the last sentence, as papers do; on some pages only beside the date."""
    style = random.randint(0, 3)
    if style == 0:
        return [f"本报讯（记者 {reporter}）{paragraphs[0]}", *paragraphs[1:]]
    if style == 1:
        return [*paragraphs[:-1], f"{paragraphs[-1]}（记者 {reporter}）"]
    return paragraphs

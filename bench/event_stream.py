"""A generated stream of education news whose truth is known: which articles tell of one happening, who had it first, which words burst.

All of it follows from a seed. A happening has places, people and figures of its own; each source words it in its own way, tells only
some of the facts, and comes back days later with what is new. Confusers: half of the happenings have a twin of the same kind in another
place within days, papers of the ministry come again and again, reports of one form differ in place and figures, and the noise speaks of
the same schools and cities.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from bench import event_texts as texts
from newsspider.core.query.query_dates import ZONE
from newsspider.features.events.rules.terms import content_words as words_of

START = datetime(2026, 9, 1, tzinfo=ZONE)
MINUTE, HOUR, DAY = 60, 3600, 86_400
SITES = (  # name, media class, priority
    ("新华教育", "central", 9),
    ("人民教育网", "central", 9),
    ("中教在线", "trade", 8),
    ("教育部官网", "official", 9),
    ("晨报", "local", 5),
    ("都市晚报", "local", 5),
    ("江南网", "portal", 6),
    ("搜知网", "portal", 6),
    ("大河在线", "portal", 6),
    ("校园观察", "trade", 5),
    ("学子论坛", "forum", 2),
    ("教师博客", "blog", 2),
    ("南方早报", "local", 6),
    ("北方新闻", "local", 5),
    ("西部教育", "local", 4),
)
# by which slots a reader tells two happenings of a kind apart, where it is not the city
WHOLE = {
    "paper": ("paper",),
    "science": ("science", "uni"),
    "contest": ("contest", "city", "school"),
    "local": ("city", "rule"),
}
OWN = (  # slots whose words tell a happening
    "city",
    "school",
    "uni",
    "person",
    "rule",
    "paper",
    "science",
    "contest",
    "dish",
    "cause",
    "other",
    "donor",
)
SLOT = re.compile(r"\{\w+\}")
FORMS_A_DAY = 20  # pages of noise for each form that three pages fill in
FILLER = ("本报讯", "据了解，", "记者采访时了解到，", "", "")


class Page(NamedTuple):
    """One page of the stream. ``happening`` is empty in noise, ``copy_of`` in what is no reprint; a ``form`` is noise of which others have
    the words."""

    url: str
    site: str
    media_class: str
    priority: int
    title: str
    text: str
    source: str | None
    published: int
    crawled: int
    happening: int | None = None
    copy_of: str | None = None
    form: bool = False


@dataclass
class Happening:
    """What happened: the slots of its texts, its own words, and its pages."""

    number: int
    kind: str
    began: int
    slots: dict[str, str]
    words: set[str]
    pages: list[Page] = field(default_factory=list)

    @property
    def first(self) -> Page:
        """The page that had it first."""
        return min(self.pages, key=lambda page: page.published)


class Stream(NamedTuple):
    """The pages in the order of crawling, the happenings, and the planted words of each day."""

    pages: list[Page]
    happenings: list[Happening]
    bursts: Mapping[int, frozenset[str]]


def stream(days: int = 60, happenings_a_day: float = 6, noise_a_day: int = 40, seed: int = 26) -> Stream:
    """So many days of news."""
    maker = _Maker(random.Random(seed))
    for number in range(round(days * happenings_a_day)):
        maker.happen(number, START_SECONDS + round(maker.chance.uniform(0, days - 0.2) * DAY))
    bursts: dict[int, set[str]] = {}
    for day, words in maker.plan_bursts(days):
        bursts.setdefault(day, set()).update(words)
        maker.burst(day, words, max(noise_a_day // 4, 8))
    for day in range(days):
        for _ in range(noise_a_day):
            maker.noise(START_SECONDS + day * DAY)
        for _ in range(noise_a_day // FORMS_A_DAY):
            maker.form(START_SECONDS + day * DAY)
    pages = sorted(maker.pages, key=lambda page: (page.crawled, page.url))
    return Stream(pages, maker.happenings, {day: frozenset(words) for day, words in bursts.items()})


START_SECONDS = int(START.timestamp())


class _Maker:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.pages: list[Page] = []
        self.happenings: list[Happening] = []

    def slots(self, began: int) -> dict[str, str]:
        """Places, people and figures."""
        chance = self.chance
        province = chance.choice(list(texts.PROVINCES))
        city = chance.choice(texts.PROVINCES[province].split())
        level = chance.choice(("小学", "中学", "小学", "中学", "幼儿园"))
        date = datetime.fromtimestamp(began, ZONE)
        return {
            "province": province,
            "city": city,
            "school": chance.choice(texts.SCHOOLS).format(level),
            "uni": f"{city}{chance.choice(texts.FIELDS)}大学",
            "person": self.person(),
            "other": self.person(),
            "n": str(chance.randrange(11, 900)),
            "m": str(chance.randrange(20, 3000)),
            "k": str(chance.randrange(2, 12)),
            "b": chance.choice("五六七"),
            "hour": str(date.hour),
            "date": f"{date.month}月{date.day}日",
            "year": str(date.year + 1),
            "rule": chance.choice(texts.LOCAL_RULES),
            "paper": chance.choice(texts.PAPERS),
            "science": chance.choice(texts.SCIENCE),
            "contest": chance.choice(texts.CONTESTS),
            "dish": chance.choice(texts.DISHES),
            "cause": chance.choice(texts.CAUSES),
            "donor": chance.choice(texts.DONORS),
            "theme": chance.choice(texts.THEMES),
        }

    def person(self) -> str:
        """A name of two or three characters."""
        given_name = self.chance.sample(texts.GIVEN, self.chance.choice((1, 2, 2)))
        return self.chance.choice(texts.SURNAMES) + "".join(given_name)

    def happen(self, number: int, began: int) -> None:
        """A happening and its pages; one in two has a kind that has just been there."""
        chance = self.chance
        near = [other for other in self.happenings if abs(other.began - began) < 5 * DAY]
        kind, slots = "", dict[str, str]()
        while not kind or any(_same(slots, kind, began, other) for other in self.happenings):
            kind = chance.choice(near).kind if near and chance.random() < 0.5 else chance.choice(list(texts.KINDS))
            slots = self.slots(began)
        used = str(texts.KINDS[kind])
        words = (
            {slots[name] for name in OWN if "{" + name + "}" in used}
            | set(texts.KINDS[kind].words)
            | WORDS_OF_KIND[kind]
        )
        happening = Happening(number, kind, began, slots, words)
        self.happenings.append(happening)
        size = min(2 + int(chance.paretovariate(1.1) * 1.6), 40)
        stages = texts.KINDS[kind].stages
        later = size // 3 if size >= 4 else 0
        self._tell(happening, stages[0], began, size - later)
        at = began
        for stage in stages[1:]:
            at += round(chance.uniform(0.8, 3) * DAY)
            self._tell(happening, stage, at, later)

    def _tell(self, happening: Happening, stage: texts.Stage, at: int, count: int) -> None:
        """The pages of a stage: its own reports, and reprints of them."""
        chance = self.chance
        own: list[Page] = []
        for site in [chance.choice(SITES) for _ in range(count)]:
            moment = at + (0 if not own else round(chance.expovariate(1 / (4 * HOUR))) + 2 * MINUTE)
            if own and chance.random() < 0.35:
                page = self._reprint(chance.choice(own), site, moment, happening.number)
            else:
                page = self._report(happening, stage, site, moment)
                own.append(page)
            self.pages.append(page)
            happening.pages.append(page)

    def _report(self, happening: Happening, stage: texts.Stage, site: tuple[str, str, int], moment: int) -> Page:
        chance = self.chance
        slots = dict(happening.slots)
        if chance.random() < 0.25:  # a source counts otherwise
            slots["n"] = str(int(slots["n"]) + chance.randrange(1, 9))
        first, *rest = stage.facts
        facts = [first, *chance.sample(rest, min(len(rest), chance.randrange(1, 6)))]
        lines = [chance.choice(FILLER) + chance.choice(fact).format(**slots) for fact in facts]
        lines += [chance.choice(texts.NOISE_LINES).format(**self.slots(moment)) for _ in range(chance.randrange(0, 3))]
        title = chance.choice(stage.titles).format(**slots)
        return self._page(site, title, "\n".join(lines), None, moment, happening.number)

    def _reprint(self, page: Page, site: tuple[str, str, int], moment: int, number: int) -> Page:
        """Another site's copy: its own headline now and then, a line less or more."""
        chance = self.chance
        lines = page.text.split("\n")
        if len(lines) > 2 and chance.random() < 0.3:
            lines.pop()
        if chance.random() < 0.3:
            lines.append(f"（来源：{page.site}）")
        title = page.title if chance.random() < 0.8 else page.title.replace(" ", "，") + "（图）"
        later = max(moment, page.published + 5 * MINUTE)
        return self._page(
            site, title, "\n".join(lines), page.site if chance.random() < 0.8 else None, later, number, page.url
        )

    def _page(
        self,
        site: tuple[str, str, int],
        title: str,
        text: str,
        source: str | None,
        published: int,
        happening: int | None = None,
        copy_of: str | None = None,
    ) -> Page:
        crawled = published + round(self.chance.expovariate(1 / (4 * MINUTE))) + 20
        url = f"http://{SITES.index(site)}.example.cn/{len(self.pages)}.html"
        return Page(url, *site, title, text, source, published - published % MINUTE, crawled, happening, copy_of)

    def noise(self, midnight: int) -> None:
        """A page of no happening."""
        chance = self.chance
        moment = midnight + round(chance.triangular(0, DAY - HOUR, DAY / 2))
        slots = self.slots(moment)
        lines = [
            *chance.sample(texts.THEME_LINES, chance.randrange(2, 5)),
            *chance.sample(texts.NOISE_LINES, chance.randrange(2, 5)),
        ]
        lines = [line.format(**slots) for line in lines]
        title = chance.choice(texts.NOISE_TITLES).format(**slots)
        self.pages.append(self._page(chance.choice(SITES), title, "\n".join(lines), None, moment))

    def form(self, midnight: int) -> None:
        """Pages of one form on one day, each of its own matter: of other cities, and of one city with other figures."""
        chance = self.chance
        form, cities = chance.choice(texts.FORMS), [self.slots(midnight)["city"] for _ in range(2)]
        for city in (*cities, cities[0]):
            moment = midnight + round(chance.triangular(0, DAY - HOUR, DAY / 2))
            slots = self.slots(moment) | {"city": city}
            lines = [line.format(**slots) for line in form.lines]
            lines += [line.format(**self.slots(moment)) for line in chance.sample(texts.NOISE_LINES, 2)]
            page = self._page(chance.choice(SITES), form.title.format(**slots), "\n".join(lines), None, moment)
            self.pages.append(page._replace(form=True))

    def plan_bursts(self, days: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """On which days the planted words burst: two or three pairs at a time, for two days each."""
        for number, words in enumerate(texts.BURSTS):
            begins = 5 + number * max(days - 8, 1) // len(texts.BURSTS)
            for day in (begins, begins + 1):
                if day < days:
                    yield day, words

    def burst(self, day: int, words: tuple[str, ...], count: int) -> None:
        """So many pages that have the words, each of its own matter."""
        a, b = words
        for _ in range(count):
            moment = START_SECONDS + day * DAY + round(self.chance.triangular(0, DAY - HOUR, DAY / 2))
            slots = self.slots(moment)
            first, second = self.chance.sample(texts.BURST_LINES, 2)
            lines = [line.format(**slots | {"a": a, "b": b}) for line in (first, second)]
            lines += [line.format(**slots) for line in self.chance.sample(texts.NOISE_LINES, 3)]
            title = lines[0].rstrip("。") if len(lines[0]) < 28 else lines[0].rstrip("。").rpartition("，")[0]
            self.pages.append(self._page(self.chance.choice(SITES), title, "\n".join(lines), None, moment))


def _words_of_kinds() -> Mapping[str, frozenset[str]]:
    """The words that the reports of one kind use, and neither those of another kind nor other pages."""
    forms = [line for form in texts.FORMS for line in form.lines]
    other = (*forms, *texts.BURST_LINES, *texts.NOISE_TITLES, *texts.NOISE_LINES, *texts.THEME_LINES)
    used = {kind: _words(str(phrases)) for kind, phrases in texts.KINDS.items()}
    used[""] = _words("".join(other))
    counts = Counter(word for words in used.values() for word in words)
    return {kind: frozenset(word for word in words if counts[word] == 1) for kind, words in used.items()}


def _words(text: str) -> set[str]:
    return {word for word, _ in words_of(SLOT.sub("，", text))}


WORDS_OF_KIND = _words_of_kinds()


def _same(slots: Mapping[str, str], kind: str, began: int, other: Happening) -> bool:
    """Whether two happenings could not be told apart even by a reader."""
    if kind != other.kind or abs(other.began - began) > 20 * DAY:
        return False
    return all(slots[name] == other.slots[name] for name in WHOLE.get(kind, ("city",)))

"""Decides what stands where: which site prints which story under which address, and what is the matter with it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from itertools import zip_longest
from random import Random

from demo.articles import Newsroom, Story, retitled, shortened, updated
from demo.clock import Clock
from demo.makes import MAKES, Column, Make
from demo.traditional import story_in_traditional

EXACT, EDITED = 0.09, 0.06  # shares of reprints among all articles
ROLLING = 120  # stories that the agency publishes while the clock runs
ROLLING_SECONDS = (15, 45)  # between two of them
CHANGES_AFTER, VANISHES_AFTER = (120, 600), (300, 900)  # portal seconds
IN_PARTS, IN_PARTS_AT_LEAST = 0.03, 12  # articles on several pages
PARTS = (3, 2, 5, 4)
PARAGRAPHS_A_PART = 4
FIRST_ID = 10086


class Fate(StrEnum):
    """What happens to whoever asks for an article."""

    FINE = "fine"
    SLOW = "slow"  # first byte within the limit
    TOO_SLOW = "too_slow"
    ERROR_ONCE = "error_once"  # 500, then fine
    ERROR_ALWAYS = "error_always"
    LIMITED_ONCE = "limited_once"  # 429 with Retry-After, then fine
    RESET = "reset"
    TRUNCATED = "truncated"
    MOVED = "moved"  # 301 to its address
    FOUND = "found"  # 302 to its address
    MISSING = "missing"  # 404
    GONE = "gone"  # 410
    VANISHING = "vanishing"  # 410 after a while
    CHANGING = "changing"  # another headline and one more paragraph after a while
    NOINDEX = "noindex"
    FORBIDDEN = "forbidden"  # by robots.txt


WELL_BEHAVED = (Fate.MOVED, Fate.FOUND, Fate.NOINDEX, Fate.FORBIDDEN)  # what remains in the plain portal
SERVED = frozenset(
    (Fate.FINE, Fate.SLOW, Fate.ERROR_ONCE, Fate.LIMITED_ONCE, Fate.MOVED, Fate.FOUND, Fate.VANISHING, Fate.CHANGING)
)
PER_THOUSAND = {
    Fate.SLOW: 4,
    Fate.TOO_SLOW: 3,
    Fate.ERROR_ONCE: 6,
    Fate.ERROR_ALWAYS: 3,
    Fate.LIMITED_ONCE: 3,
    Fate.RESET: 3,
    Fate.TRUNCATED: 3,
    Fate.MOVED: 9,
    Fate.FOUND: 6,
    Fate.MISSING: 8,
    Fate.GONE: 4,
    Fate.VANISHING: 4,
    Fate.CHANGING: 6,
    Fate.NOINDEX: 9,
    Fate.FORBIDDEN: 11,
}


@dataclass(slots=True, eq=False)
class Post:
    """A story on a site, under ``path``; lists link to ``link``, which differs where the page has moved."""

    number: int
    outlet: Outlet
    column: Column
    story: Story
    group: int  # the same for all posts with this very body
    origin: int  # the same for all posts of one story, edited ones too
    reprint: str = ""  # "exact", "edited"
    fate: Fate = Fate.FINE
    appears_at: float = float("-inf")  # portal seconds
    turns_at: float = float("inf")  # when it changes or vanishes
    attachments: tuple[tuple[str, str], ...] = ()
    image: bool = False
    parts: int = 1  # pages that it stands on
    path: str = field(init=False)
    link: str = field(init=False)

    def __post_init__(self) -> None:
        path = self.outlet.make.article.format(date=self.story.published_at, id=FIRST_ID + self.number)
        self.path = self.link = path

    def meet(self, fate: Fate, random: Random) -> None:
        """Makes the page what its fate wants."""
        self.fate = fate
        if fate is Fate.FORBIDDEN:
            self.path = self.link = f"/internal{self.path}"
        elif fate in (Fate.MOVED, Fate.FOUND):
            self.link = f"/old{self.path}"
        elif fate is Fate.CHANGING:
            self.turns_at = float(random.randint(*CHANGES_AFTER))
        elif fate is Fate.VANISHING:
            self.turns_at = float(random.randint(*VANISHES_AFTER))

    def told(self, seconds: float) -> Story:
        """What the page says at this portal second."""
        return updated(self.story) if self.fate is Fate.CHANGING and seconds >= self.turns_at else self.story

    def part_path(self, part: int) -> str:
        """The path of one of its pages, counted from 1."""
        if part == 1 or self.outlet.make.parts is None:
            return self.path
        return self.outlet.make.parts.format(
            date=self.story.published_at, id=FIRST_ID + self.number, page=part, index=part - 1
        )

    def part(self, seconds: float, part: int) -> Story:
        """What one of its pages says at this portal second: its share of the paragraphs."""
        story = self.told(seconds)
        count = len(story.paragraphs)
        start, end = (count * number // self.parts for number in (part - 1, part))
        return replace(story, paragraphs=story.paragraphs[start:end])

    @property
    def url(self) -> str:
        """Its own absolute address."""
        return self.outlet.base + self.path


@dataclass(slots=True, eq=False)
class Outlet:
    """A site at work: its make, its address with the port, its posts."""

    make: Make
    base: str
    clock: Clock
    posts: list[Post] = field(default_factory=list, repr=False)
    others: list[Outlet] = field(default_factory=list, repr=False)
    crowded: bool = False  # with as much around its articles as a large portal has

    def shown(self, column: Column | None = None) -> list[Post]:
        """The posts of a column, or of the site, that are published by now, newest first."""
        now = self.clock.seconds
        posts = [p for p in self.posts if p.appears_at <= now and (column is None or p.column is column)]
        return sorted(posts, key=lambda post: (post.story.published_at, post.number), reverse=True)

    def pages(self, column: Column) -> int:
        """How many list pages the column has."""
        return max(1, -(-len(self.shown(column)) // column.per_page))

    def page(self, column: Column, number: int) -> list[Post]:
        """The posts of one list page, counted from 1."""
        return self.shown(column)[(number - 1) * column.per_page : number * column.per_page]


class Portal:
    """All sites and posts of one seed. The same arguments give the same portal."""

    def __init__(
        self, port: int, clock: Clock, articles: int = 720, seed: int = 7, plain: bool = False, crowded: bool = False
    ) -> None:
        self.port, self.clock, self.seed, self.plain = port, clock, seed, plain
        self.outlets = [Outlet(make, f"http://{make.host}:{port}", clock, crowded=crowded) for make in MAKES]
        for outlet in self.outlets:
            outlet.others = [other for other in self.outlets if other is not outlet]
        self._random = Random(f"{seed} portal")
        self._newsroom = Newsroom(seed, clock.start)
        self.posts: list[Post] = []
        self._bodies: dict[str, int] = {}  # the first post with a body gives its group the number
        self._print(articles)
        self._assign_fates()
        if not self.plain:
            self._part()
        self._schedule_rolling()
        self._events = sorted(
            at for post in self.posts for at in (post.appears_at, post.turns_at) if 0 <= at < float("inf")
        )

    @property
    def edition(self) -> int:
        """How often the portal has changed by now."""
        return bisect_right(self._events, self.clock.seconds)

    def _print(self, articles: int) -> None:
        reprints = round(articles * (EXACT + EDITED))
        exact = round(articles * EXACT)
        places = self._places(articles)
        self._random.shuffle(places)
        later = [place for place in places if _may_reprint(place[0])][:reprints]
        for outlet, column in [place for place in places if not _in(place, later)]:
            number = len(self.posts)
            relevant = self._random.random() < column.education
            story = self._newsroom.story(number, relevant)
            if outlet.make.traditional:
                story = story_in_traditional(story)
            self._post(outlet, column, story, number)
        originals = [post for post in self.posts if _may_reprint(post.outlet)]
        for index, (outlet, column) in enumerate(later):
            self._reprint(outlet, column, originals, index < exact)

    def _places(self, articles: int) -> list[tuple[Outlet, Column]]:
        """Where the articles stand: each site its share, the first columns of a site more than the last."""
        places = []
        for outlet in self.outlets:
            columns = outlet.make.columns
            weights = [0.35 if column.nofollow else 1.0 + 0.6 * (index == 0) for index, column in enumerate(columns)]
            chosen = self._random.choices(columns, weights, k=round(articles * outlet.make.share))
            places += [(outlet, column) for column in chosen]
        return places

    def _reprint(self, outlet: Outlet, column: Column, originals: list[Post], exact: bool) -> None:
        is_relevant = self._random.random() < max(column.education, 0.1)
        original = self._random.choice(
            [p for p in originals if p.story.relevant == is_relevant and p.outlet is not outlet]
        )
        last = self.clock.start - timedelta(minutes=5)
        when = min(original.story.published_at + timedelta(minutes=self._random.randint(30, 1500)), last)
        story = replace(original.story, published_at=when)
        if not exact:
            story = shortened(story, self._random)
        elif self._random.random() < 0.4:
            story = replace(story, title=retitled(story.title))
        post = self._post(outlet, column, story, original.origin)
        post.reprint = "exact" if exact else "edited"

    def _post(self, outlet: Outlet, column: Column, story: Story, origin: int) -> Post:
        group = self._bodies.setdefault(story.text, len(self.posts))
        post = Post(len(self.posts), outlet, column, story, group, origin)
        post.image = self._random.random() < 0.5
        if self._random.random() < (0.5 if column.key == "tzgg" else 0.06):
            name = f"{FIRST_ID + post.number}"
            post.attachments = ((f"/files/{name}.pdf", "附件1.pdf"), (f"/files/{name}.doc", "附件2：申报表.doc"))
        outlet.posts.append(post)
        self.posts.append(post)
        return post

    def _assign_fates(self) -> None:
        fates = WELL_BEHAVED if self.plain else tuple(PER_THOUSAND)
        posts = self._random.sample(self.posts, len(self.posts))
        for fate in fates:
            for _ in range(max(1, round(PER_THOUSAND[fate] * len(self.posts) / 1000))):
                post = posts.pop()
                while fate is Fate.FORBIDDEN and post.outlet.make.robots is None:
                    post = posts.pop()
                post.meet(fate, self._random)

    def _part(self) -> None:
        """Lets some long articles stand on several pages: of each make in turn, two to five; nobody reprints them."""
        random, copies = Random(f"{self.seed} parts"), Counter(post.origin for post in self.posts)
        makes = [
            [post for post in outlet.posts if _may_part(post) and copies[post.origin] == 1]
            for outlet in self.outlets
            if outlet.make.parts
        ]
        for posts in makes:
            random.shuffle(posts)
        in_turn = [post for turn in zip_longest(*makes) for post in turn if post is not None]
        count = max(IN_PARTS_AT_LEAST, round(IN_PARTS * len(self.posts)))
        for number, post in enumerate(in_turn[:count]):
            self._lengthen(post, PARTS[(number + number // len(makes)) % len(PARTS)])

    def _lengthen(self, post: Post, parts: int) -> None:
        length = max(len(post.story.paragraphs), PARAGRAPHS_A_PART * parts)
        story = self._newsroom.lengthened(post.story, length)
        post.story = story_in_traditional(story) if post.outlet.make.traditional else story
        post.parts = parts

    def _schedule_rolling(self) -> None:
        outlet = next(outlet for outlet in self.outlets if outlet.make.calendar)
        column = outlet.make.columns[0]
        at = 0.0
        for number in range(ROLLING):
            at += self._random.randint(*ROLLING_SECONDS)
            when = (self.clock.start + timedelta(seconds=at)).replace(second=0, microsecond=0)
            relevant = self._random.random() < 0.5
            story = self._newsroom.story(1_000_000 + number, relevant, when)
            self._post(outlet, column, story, len(self.posts)).appears_at = at


def _may_part(post: Post) -> bool:
    """Whether a crawl must find it, and nothing else is the matter with it."""
    return (
        post.story.relevant and post.fate is Fate.FINE and not post.column.nofollow and post.column.weight is not None
    )


def _may_reprint(outlet: Outlet) -> bool:
    """A forum's first post and a page in other characters are no exact reprints of anything."""
    return not outlet.make.traditional and outlet.make.kind != "forum"


def _in(place: tuple[Outlet, Column], places: list[tuple[Outlet, Column]]) -> bool:
    return any(place is other for other in places)

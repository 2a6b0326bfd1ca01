"""``schedule.toml``: which jobs start when, and on which scrapyd."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import datetime, timedelta
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader

from newsspider.cli.command import CommandError
from newsspider.core.scheduling.article_revisits import steps_of
from newsspider.crawl.wrong_use import reason_of, wrong_use
from newsspider.features.schedule.scrapyd_node import url_without_login

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

ANY = "any"
SOME_SEED = "http://www.example.org/"  # in place of a file that need not be here
SHORTEST_SECONDS = 60.0  # between two runs of an entry
SOME_MOMENT = datetime(2026, 1, 1)  # noqa: DTZ001 -- a cron line has moments before and after any, or none

NODE = re.compile(r"https?://[^\s/?#]+/?")
Scalar = str | int | float | bool


def _node_url(url: str) -> str:
    if not NODE.fullmatch(url):
        raise ValueError("say a URL like http://10.0.0.1:6800; in a password %23 stands for #, %3F for ?, %2F for /")
    return url


NodeUrl = Annotated[str, AfterValidator(_node_url)]


class ScheduleEntry(BaseModel):
    """One job. It starts by ``cron`` (five fields, in the settings' time zone) or once in the span of ``every``."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: Annotated[str, Field(pattern=r"^[\w.-]{1,80}$")]
    cron: str = ""
    every: str = ""
    spider: Annotated[str, Field(min_length=1)] = "education"
    arguments: dict[str, Scalar] = {}
    settings: dict[str, Scalar] = {}
    node: str = ANY  # the URL of a scrapyd of `nodes`, or any

    @field_validator("cron")
    @classmethod
    def _check_cron(cls, cron: str) -> str:
        if cron and (len(cron.split()) != 5 or not _croniter().is_valid(cron)):
            raise ValueError(f"{cron!r} is no cron line of five fields, as '5 * * * *'")
        if cron:
            try:
                _croniter()(cron, SOME_MOMENT).get_next()
                _croniter()(cron, SOME_MOMENT).get_prev()
            except ValueError:
                raise ValueError(f"{cron!r} has no moment at which it is due") from None
        return cron

    @field_validator("every")
    @classmethod
    def _check_every(cls, every: str) -> str:
        if every and steps_of([every])[0] < SHORTEST_SECONDS:
            raise ValueError("say at least 1m")
        return every

    @model_validator(mode="after")
    def _check_both(self) -> ScheduleEntry:
        if bool(self.cron) == bool(self.every):
            raise ValueError("say either cron or every")
        if "job" in self.arguments or "_job" in self.arguments:
            raise ValueError("its name is the argument job already")
        return self

    def latest(self, now: datetime) -> datetime:
        """The last moment up to ``now`` at which it was due."""
        if self.every:
            seconds = steps_of([self.every])[0]
            return datetime.fromtimestamp(now.timestamp() // seconds * seconds, now.tzinfo)
        moment: datetime = _croniter()(self.cron, now + timedelta(seconds=1)).get_prev(datetime)
        return moment

    def following(self, now: datetime) -> Iterator[datetime]:
        """The moments after ``now`` at which it is due."""
        if self.every:
            seconds, moment = steps_of([self.every])[0], self.latest(now).timestamp()
            while True:
                moment += seconds  # not of the wall clock, which summer time moves
                yield datetime.fromtimestamp(moment, now.tzinfo)
        moments = _croniter()(self.cron, now)
        while True:
            yield moments.get_next(datetime)


class Schedule(BaseModel):
    """All jobs, and the scrapyds that may run them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    project: str = "newsspider"
    nodes: Annotated[tuple[NodeUrl, ...], Field(min_length=1)] = ("http://127.0.0.1:6800",)
    jobs: Annotated[tuple[ScheduleEntry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> Schedule:
        names = [entry.name for entry in self.jobs]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two jobs are called {twice}")
        for entry in self.jobs:
            if entry.node not in (ANY, *self.nodes):
                raise ValueError(f"the node of {entry.name} is not among the nodes: {url_without_login(entry.node)}")
        return self


class ScheduleFile:
    """The file of a service that runs: read again when it has changed."""

    def __init__(self, path: str, settings: BaseSettings) -> None:
        self.path = path
        self.settings = settings
        self._state = self._now()
        self.schedule = load_schedule(path, settings)

    def changed(self) -> Schedule | None:
        """The new schedule; ``None`` if the file is as it was. Raises ``UsageError`` once for an unusable one."""
        before, self._state = self._state, self._now()
        return None if self._state == before else load_schedule(self.path, self.settings)

    def _now(self) -> tuple[int, ...]:
        try:
            status = Path(self.path).stat()
        except OSError:
            return ()
        return status.st_mtime_ns, status.st_size, status.st_ino


def load_schedule(path: str, settings: BaseSettings) -> Schedule:
    """The schedule of a file; raises ``UsageError`` with one sentence for one that cannot be used, also for a spider
    that the project of the settings does not have, or an argument that the spider does not take."""
    try:
        content: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        schedule = Schedule.model_validate(content)
        for entry in schedule.jobs:
            _check_spider(entry, settings)
        return schedule
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise wrong_use(f"{path}: {f'{place}: ' if place else ''}{what}") from None
    except UsageError as error:
        raise wrong_use(f"{path}: {error}") from None
    except (OSError, ValueError) as error:
        raise wrong_use(f"{path}: {reason_of(error)}") from None


def _check_spider(entry: ScheduleEntry, settings: BaseSettings) -> None:
    """Reject an unknown spider, and arguments that it does not take. Files that they name are on the nodes."""
    spiders = get_spider_loader(settings)
    try:
        spider_class: Any = spiders.load(entry.spider)
    except KeyError:
        there = f"in this project; there are {', '.join(sorted(spiders.list()))}"
        raise wrong_use(f"{entry.name}: there is no spider {entry.spider!r} {there}") from None
    arguments = {name: text_of(value) for name, value in entry.arguments.items()} | {"job": entry.name}
    try:
        if hasattr(spider_class, "check"):  # of ours: they do nothing but read their arguments
            spider_class(**arguments | ({"seeds": SOME_SEED} if "seeds" in arguments else {}))
        else:
            signature(spider_class).bind(**arguments)
    except (UsageError, TypeError) as error:
        raise wrong_use(f"{entry.name}: the spider {entry.spider}: {error}") from None


def text_of(value: object) -> str:
    """A value of TOML as an argument of a job.

    >>> text_of(True), text_of(20)
    ('1', '20')
    """
    return str(int(value)) if isinstance(value, bool) else str(value)


def now_in(zone: str, moment: float) -> datetime:
    """A Unix time in a time zone."""
    return datetime.fromtimestamp(moment, ZoneInfo(zone))


def _croniter() -> Any:
    try:
        from croniter import croniter
    except ImportError:
        raise CommandError("schedules need croniter: pip install 'newsspider[schedule]'") from None
    return croniter

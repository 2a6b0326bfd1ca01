"""What polls teach of the lists and sites, and when a list that was polled is due again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from newsspider.core import profile, rates
from newsspider.core.dead import asked_again, gone
from newsspider.core.model import LinkKind, PageResult, Reason
from newsspider.core.profile import Profile, Seen
from newsspider.core.revisit import Polled, Polling, next_poll, next_try
from newsspider.core.ticks import Span
from newsspider.store import queues
from newsspider.store.ledger.offers import New
from newsspider.store.statement import Statement, rows_among
from newsspider.store.tables import PUT_OFF, channels, rhythms, urls

READ = frozenset({Reason.POLLED, Reason.UNCHANGED})

_KNOWN = """
    SELECT site, name, key, belief, seen_at, found_since FROM channels WHERE key IN ({keys}) [ORDER BY site, name FOR UPDATE]
"""
_LEARN = Statement(
    """
    UPDATE channels SET belief = :belief, rate = :rate, seen_at = :now, found_since = found_since - :counted
    WHERE site = :site AND name = :name AND key = :key
    """
)
_FOUND_FURTHER = Statement("UPDATE channels SET found_since = found_since + :found WHERE site = :site AND name = :name")
_DUE = Statement("UPDATE urls SET due_at = :due_at WHERE key = :key")
_SEEN = "SELECT site, seen FROM rhythms WHERE site IN ({keys}) [ORDER BY site FOR UPDATE]"
_KEEP = Statement("INSERT INTO rhythms (site, seen) VALUES (:site, :seen) ON CONFLICT (site) DO UPDATE SET seen = excluded.seen")


class Lesson(NamedTuple):
    """What a poll teaches of the hours of its site: the time since the one before, and how many items it found."""

    profile: Profile
    spans: Sequence[Span]
    now: float
    new: int


def polled(conn: Connection, polls: Iterable[tuple[PageResult, float, New]]) -> dict[int, Lesson]:
    """Learn from the settled visits to lists, each with its moment and how many new URLs it found, and set when they are due.

    Returns by key what they teach of their sites, to be given to :func:`note`. What is found on the further pages of a channel
    that were read before counts at the next poll of the channel itself.
    """
    watched = [_Poll(result, result.polling, now, new) for result, now, new in polls if result.polling is not None]
    own = [poll for poll in watched if poll.result.lease.update_cycle is not None]
    known = {(row.site, row.name, row.key): row for row in rows_among(conn, _KNOWN, [poll.result.lease.key for poll in own])}
    _found_further(conn, [poll for poll in watched if poll.result.lease.update_cycle is None])
    lessons: dict[int, Lesson] = {}
    learned: list[dict[str, Any]] = []
    due: list[dict[str, Any]] = []
    for poll in own:
        lease, settlement = poll.result.lease, poll.result.settlement
        row = known.get((lease.site, lease.channel, lease.key))
        if row is None:
            continue  # it is no channel any more
        belief = rates.belief_of(row.belief)
        if settlement.reason in READ:
            if row.seen_at is not None and not lease.failures and poll.now > row.seen_at:
                lesson = lessons[lease.key] = poll.lesson(row)
                full = 0 < poll.shown <= sum(poll.new)
                belief = rates.learned(belief, poll.now - row.seen_at, lesson.profile.days(lesson.spans), lesson.new, full=full)
            learned.append(
                {
                    "site": lease.site, "name": lease.channel, "key": lease.key, "now": poll.now, "counted": row.found_since,
                    "belief": rates.text_of(belief), "rate": belief.rate,
                }
            )  # fmt: skip
        if poll.polling.decides and settlement.reason not in PUT_OFF:
            due.append({"key": lease.key, "due_at": poll.due_at(belief)})
    _LEARN.change_many(conn, learned)
    _DUE.change_many(conn, due)
    if due:
        queues.refresh(conn, {poll.result.lease.host for poll in own}, [each["key"] for each in due])
    return lessons


class _Poll(NamedTuple):
    """A visit to a list, its moment, and what it found."""

    result: PageResult
    polling: Polling
    now: float
    new: New

    @property
    def shown(self) -> int:
        """How many articles the list shows."""
        return sum(link.kind is LinkKind.ARTICLE for link in self.result.links)

    def lesson(self, row: Any) -> Lesson:
        shape = self.polling.plan.profile(self.result.lease.site)
        return Lesson(shape, list(shape.spans(row.seen_at, self.now)), self.now, self.new.wanted + row.found_since)

    def due_at(self, belief: rates.Belief) -> float:
        lease, settlement = self.result.lease, self.result.settlement
        if gone(lease.kind, settlement.reason, settlement.status, settlement.failures):
            return asked_again(self.now, settlement.failures)
        due = next_poll(self.now, self.polling.weight, belief, lease.site, lease.host, self.polling.plan, self.polling.limits)
        return due if settlement.reason in READ else min(due, next_try(self.now, settlement.failures))


def _found_further(conn: Connection, polls: Iterable[_Poll]) -> None:
    """Count what further pages brought; those that were never read before bring what is old."""
    further: defaultdict[tuple[str, str], int] = defaultdict(int)
    for poll in polls:
        if poll.result.lease.fetch_count and poll.new.wanted:
            further[poll.result.lease.site, poll.result.lease.channel] += poll.new.wanted
    rows = [{"site": site, "name": name, "found": found} for (site, name), found in sorted(further.items())]
    _FOUND_FURTHER.change_many(conn, rows)


def note(conn: Connection, lessons: Iterable[tuple[str, Lesson]]) -> None:
    """Add what polls teach of the hours of their sites; the rows of the sites are shared, so this comes last in a transaction."""
    of_site: defaultdict[str, list[Lesson]] = defaultdict(list)
    for site, lesson in lessons:
        of_site[site].append(lesson)
    known = {row.site: profile.seen_of(row.seen) for row in rows_among(conn, _SEEN, sorted(of_site))}
    rows = []
    for site, found in sorted(of_site.items()):
        seen = known.get(site, profile.NOTHING)
        for lesson in found:
            seen = profile.seen(seen, lesson.profile, lesson.spans, lesson.now, lesson.new)
        rows.append({"site": site, "seen": profile.text_of(seen)})
    _KEEP.change_many(conn, rows)


def lists(conn: Connection, sites: Set[str]) -> list[Polled]:
    """The channels of these sites that are polled; those that were never polled have the time 0."""
    query = select(
        urls.c.host, channels.c.site, channels.c.weight, func.coalesce(channels.c.rate, rates.UNKNOWN.rate).label("rate"),
        func.coalesce(urls.c.last_fetched_at, 0.0).label("polled_at"), func.coalesce(urls.c.due_at, 0.0).label("due_at"),
    ).join_from(channels, urls, channels.c.key == urls.c.key)  # fmt: skip
    return [Polled(*row) for row in conn.execute(query.where(urls.c.update_cycle.is_not(None))) if row.site in sites]


def hours(conn: Connection) -> Mapping[str, Seen]:
    """What is known of the hours of each site."""
    return {row.site: profile.seen_of(row.seen) for row in conn.execute(select(rhythms))}

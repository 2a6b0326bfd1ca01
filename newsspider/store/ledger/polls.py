"""What polls teach about lists and sites, and when a polled list is due again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from sqlalchemy import Connection, func, select

from newsspider.core.crawling.outcome import planned_poll
from newsspider.core.crawling.visit import Pages, Saved
from newsspider.core.links.followable import followed_links
from newsspider.core.model import LinkKind, Reason, State
from newsspider.core.scheduling import publication_profile, publication_rate
from newsspider.core.scheduling.poll_schedule import MOST_HICCUPS, Polled, Polling, next_poll
from newsspider.core.scheduling.publication_profile import Lesson, Observations, active_seconds, observations_of
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import Due
from newsspider.store.tables import PUT_OFF, channels, hosts, publication_profiles, urls

# the links of a redirecting list are on its further page
READ_REASONS = frozenset({Reason.POLLED, Reason.UNCHANGED, Reason.REDIRECT})
AS_SETTLED = frozenset({*PUT_OFF, Reason.RELEASED})
LONGEST_GAP = 60 * publication_rate.DAY  # a longer pause between two polls teaches only about its end

_KNOWN = """
    SELECT site, name, key, rate_posterior, seen_at, found_since FROM channels WHERE site IN ({keys})
    [ORDER BY site, name FOR UPDATE]
"""
_LEARN = Statement(
    """
    UPDATE channels SET rate_posterior = :belief, rate = :rate, seen_at = :now, found_since = found_since - :counted
    WHERE site = :site AND name = :name AND key = :key
    """
)
_FOUND_FURTHER = Statement("UPDATE channels SET found_since = found_since + :found WHERE site = :site AND name = :name")
_SEEN = "SELECT site, counts FROM publication_profiles WHERE site IN ({keys}) [ORDER BY site FOR UPDATE]"
_WATCHED = channels.join(urls, channels.c.key == urls.c.key).outerjoin(hosts, hosts.c.host == urls.c.host)
_KEEP = Statement(
    "INSERT INTO publication_profiles (site, counts) VALUES (:site, :counts) "
    "ON CONFLICT (site) DO UPDATE SET counts = excluded.counts"
)

_MULTIPLIERS = Statement("SELECT host, factor FROM poll_multipliers WHERE topic = :topic")
_KEEP_MULTIPLIER = Statement(
    "INSERT INTO poll_multipliers (topic, host, factor) VALUES (:topic, :host, :factor)"
    " ON CONFLICT (topic, host) DO UPDATE SET factor = excluded.factor"
)
_DROP_MULTIPLIER = Statement("DELETE FROM poll_multipliers WHERE topic = :topic AND host = :host")


_POLLED = Statement(
    """
    UPDATE channels SET polls = polls + 1, last_polled_at = :now, last_status = :status, last_new = :new,
                        last_links = CASE WHEN :status = 304 THEN last_links ELSE :links END
    WHERE site = :site AND name = :name AND key = :key
    """
)


def learn(conn: Connection, pages: Pages[Polling]) -> None:
    """Learn the publication rates of lists from settled polls, and set when they are due.

    Lessons about the hours of sites are left to :func:`note`. New links on further pages of a channel that were read
    before count at the next poll of the channel itself.
    """
    own = [(page, polling) for page, polling in pages if page.lease.update_cycle is not None]
    sites = {page.lease.site for page, _ in pages}
    channel_rows = {(row.site, row.name, row.key): row for row in rows_among(conn, _KNOWN, sorted(sites))}
    _found_further(conn, [page for page, _ in pages if page.lease.update_cycle is None])
    learned: list[dict[str, Any]] = []
    due: list[Due] = []
    for page, polling in own:
        lease, settlement = page.lease, page.result.settlement
        row = channel_rows.get((lease.site, lease.channel, lease.key))
        if row is None:
            continue  # it is no longer a channel
        belief = publication_rate.belief_of(row.rate_posterior)
        if settlement.reason in READ_REASONS:
            if row.seen_at is not None and page.now > row.seen_at and lease.failures <= MOST_HICCUPS:
                lesson = page.lesson = _lesson(page, polling, row)
                full = 0 < _shown(page) <= page.offered + page.refused
                days = active_seconds(lesson.spans) / publication_rate.DAY
                belief = publication_rate.learned(belief, page.now - row.seen_at, days, lesson.new, full=full)
            learned.append(
                {
                    "site": lease.site,
                    "name": lease.channel,
                    "key": lease.key,
                    "now": page.now,
                    "counted": row.found_since,
                    "belief": publication_rate.text_of(belief),
                    "rate": belief.rate,
                }
            )
        if polling.decides and settlement.reason not in AS_SETTLED:
            due.append(Due(lease.key, planned_poll(lease, settlement, belief, polling, page.now)))
    _LEARN.change_many(conn, learned)
    due_times.postpone(conn, due)


def _shown(page: Saved) -> int:
    """The number of articles that a list shows."""
    return sum(link.kind is LinkKind.ARTICLE for link in followed_links(page.result.links))


def _lesson(page: Saved, polling: Polling, row: Any) -> Lesson:
    shape = polling.plan.profile(page.lease.site)
    since = max(row.seen_at, page.now - LONGEST_GAP)
    return Lesson(shape, list(shape.spans(since, page.now)), page.now, page.offered + row.found_since)


def _found_further(conn: Connection, pages: Iterable[Saved]) -> None:
    """Count the new links of further pages; pages that were never read before bring old ones."""
    found_of_channel: defaultdict[tuple[str, str], int] = defaultdict(int)
    for page in pages:
        if page.lease.fetch_count and page.offered:
            found_of_channel[page.lease.site, page.lease.channel] += page.offered
    rows = [
        {"site": site, "name": name, "found": new_links} for (site, name), new_links in sorted(found_of_channel.items())
    ]
    _FOUND_FURTHER.change_many(conn, rows)


def note(conn: Connection, pages: Pages[Polling]) -> None:
    """Add what polls teach about the hours of their sites. All writers share the rows of sites, so this comes last in a
    transaction."""
    lessons_of_site: defaultdict[str, list[Lesson]] = defaultdict(list)
    for page, _ in pages:
        if page.lesson is not None:
            lessons_of_site[page.lease.site].append(page.lesson)
    stored = rows_among(conn, _SEEN, sorted(lessons_of_site))
    observed_hours = {row.site: observations_of(row.counts) for row in stored}
    rows = []
    for site, lessons in sorted(lessons_of_site.items()):
        observations = observed_hours.get(site, publication_profile.NO_OBSERVATIONS)
        for lesson in lessons:
            observations = publication_profile.observed(
                observations, lesson.profile, lesson.spans, lesson.now, lesson.new
            )
        rows.append({"site": site, "counts": publication_profile.text_of(observations)})
    _KEEP.change_many(conn, rows)


def count(conn: Connection, pages: Pages[Polling]) -> None:
    """Count the polls of channels, and the links that they showed."""
    for page, _ in pages:
        lease, status = page.lease, page.result.settlement.status
        if lease.kind.polled and status is not None:
            figures = {"status": status, "links": len(followed_links(page.result.links)), "new": page.offered}
            values = {"site": lease.site, "name": lease.channel, "key": lease.key, "now": page.now}
            _POLLED.change(conn, values | figures)


def lists(conn: Connection, sites: Set[str]) -> list[Polled]:
    """The polled channels of these sites; those that were never polled have the time 0."""
    query = select(
        urls.c.host,
        channels.c.site,
        channels.c.weight,
        func.coalesce(channels.c.rate, publication_rate.UNKNOWN.rate).label("rate"),
        func.coalesce(urls.c.last_fetched_at, 0.0).label("polled_at"),
        func.coalesce(urls.c.due_at, 0.0).label("due_at"),
        func.coalesce(hosts.c.delay, 0.0).label("delay"),
    ).select_from(_WATCHED)
    return [Polled(*row) for row in conn.execute(query.where(urls.c.update_cycle.is_not(None))) if row.site in sites]


def advance(
    conn: Connection, sites: Set[str], polling: Callable[[int], Polling], now: float, *, lost_only: bool = False
) -> int:
    """Bring the due times of lists forward where the present plan asks for them sooner; returns how many moved.

    Weights, limits or the time of day may have changed since their last poll. ``lost_only`` moves only those that are
    never due, or later than any plan allows.
    """
    query = (
        select(
            urls.c.key,
            urls.c.host,
            urls.c.due_at,
            urls.c.last_fetched_at,
            channels.c.site,
            channels.c.weight,
            channels.c.rate_posterior,
        )
        .select_from(_WATCHED)
        .where(
            urls.c.update_cycle.is_not(None),
            urls.c.state != State.PROCESSING,
            urls.c.reason.not_in(AS_SETTLED),
            urls.c.failures == 0,
        )
    )
    earlier: list[Due] = []
    for row in conn.execute(query):
        if row.site not in sites:
            continue
        list_polling = polling(row.weight)
        polled_at = now if row.last_fetched_at is None else min(row.last_fetched_at, now)
        lost = row.due_at is None or row.due_at > polled_at + list_polling.limits.longest
        if lost_only and not lost:
            continue
        due = next_poll(
            polled_at,
            list_polling.weight,
            publication_rate.belief_of(row.rate_posterior),
            row.site,
            row.host,
            list_polling.plan,
            list_polling.limits,
        )
        if row.due_at is None or due < row.due_at:
            earlier.append(Due(row.key, due))
    return len(due_times.postpone(conn, earlier))


def hours(conn: Connection) -> Mapping[str, Observations]:
    """The observed hours of each site."""
    return {row.site: observations_of(row.counts) for row in conn.execute(select(publication_profiles))}


def multipliers(conn: Connection, topic: str) -> dict[str, float]:
    """The last budget multipliers of the crawls for a topic: for all lists (the empty host) and for each busy host."""
    return {row.host: row.factor for row in _MULTIPLIERS.run(conn, {"topic": topic})}


def keep_multipliers(conn: Connection, topic: str, factors: Mapping[str, float]) -> None:
    """Replace the budget multipliers with which the next crawl for a topic begins."""
    _DROP_MULTIPLIER.change_many(
        conn, [{"topic": topic, "host": host} for host in sorted(multipliers(conn, topic).keys() - factors.keys())]
    )
    _KEEP_MULTIPLIER.change_many(
        conn, [{"topic": topic, "host": host, "factor": factor} for host, factor in sorted(factors.items())]
    )

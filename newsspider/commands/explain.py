"""``scrapy explain``: everything known about a URL, in plain lines. The sentence of each reason stands in
``core/model.py``."""

from __future__ import annotations

import shlex
import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, print_lines, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from newsspider.sites.model import Site
    from newsspider.store.url_history import History

MIDNIGHT = "T00:00:00+08:00"  # of a page that states only a day
LINKS_SHOWN = 5  # links that are printed


class Command(DataCommand):
    """Shows the state of a URL and the reason for it, the page and anchor text that led to it, past visits and the next
    one, the list pages that show it, the explore crawls that know it, its host and its article (whether it has changed,
    is missing or has vanished), and the weight that links give the page. For the home page of a watched site that is no
    channel, or that you type with https instead of http or the other way round, it shows what the registry has.

    For a URL that was never offered to a crawl it shows which pages link to it, and why no crawl follows these links
    with the present settings: nofollow, outside the site, no link to an article, on the page of an article, a suffix, a
    trap, or an address that is never fetched. Exit code 1 if the URL is not known and no page links to it."""

    summary = (
        "Show all that is known about a URL: its state and why, when and where it was found, its host, its article"
    )
    usage = "URL"
    examples = "  scrapy explain http://www.moe.gov.cn/jyb_xwfb/\n"

    def work(self, args: list[str], opts: Namespace) -> int:
        from newsspider.commands.export import reading_store
        from newsspider.store.url_history import histories_of

        url = one_url(args, "explain")
        with reading_store(self) as conn:
            histories = histories_of(conn, url)
            if not histories:
                return self._explain_unknown(conn, url)
        for number, history in enumerate(histories):
            print_lines([*([""] if number else []), *lines(history, time.time())])
        return 0

    def _explain_unknown(self, conn: Connection, url: str) -> int:
        """Print what there is of a URL that was never offered."""
        from newsspider.actions.unknown_url import site_at
        from newsspider.store.engine.clock import Clock

        site = site_at(conn, url)
        about = _site_lines(url, site) if site else _linked_lines(conn, url, self.settings, Clock().utc().date())
        if answer := list(about):
            print_lines(answer)
            return 0
        print_note(f"{url} is not known: no page of the store links to it, and nobody submitted it")
        return 1


def one_url(args: list[str], command: str) -> str:
    """The canonical form of the only argument of a command."""
    from newsspider.core.url import canonical

    if len(args) != 1:
        raise wrong_use(f"say one URL: scrapy {command} URL")
    url = canonical(args[0])
    if url is None:
        raise wrong_use(f"{args[0]!r} is not an http or https URL")
    return url


def lines(history: History, now: float) -> Iterator[str]:
    from newsspider.core.model import Reason, State

    url = history.url
    state = State(url["state"]).sentence + ("; before that" if url["state"] == State.PROCESSING else "")
    yield url["url"]
    yield f"  state      {state}: {Reason(url['reason']).sentence} ({url['reason']})"
    if url["detail"]:
        yield f"  detail     {url['detail']}"
    if url["topic"]:
        yield f"  topic      {url['topic']}"
    yield f"  kind       {url['kind']}, depth {url['depth']}, priority {url['priority']}"
    yield f"  found      {shown_moment(url['found_at'])}" + (f" on {history.parent}" if history.parent else "")
    if url["anchor"]:
        yield f"  anchor     {url['anchor']}"
    if url["site"] or url["channel"]:
        yield f"  site       {url['site'] or '-'}, channel {url['channel'] or '-'}"
    yield from _visits(url, now)
    yield from _rates(history.channel)
    for word, fact in history.facts:
        yield f"  {word:<10} {fact}"
    for page in history.shown_by:
        yield f"  link       {page.url}" + (f" as {page.anchor}" if page.anchor else "")
    if history.host is not None:
        yield from _host(history.host, now)
    if history.article is not None:
        yield from _article(history.article)
    if history.absence is not None:
        yield f"  {_absence(history.absence)}"
    for revision in history.revisions:
        parts = ", ".join(revision["parts"])
        yield f"  changed    {shown_moment(revision['changed_at'])}: {parts}; scrapy changes {shlex.quote(url['url'])}"


def _visits(url: Mapping[str, Any], now: float) -> Iterator[str]:
    if url["last_fetched_at"] is None:
        yield "  fetched    never"
    else:
        status = "" if url["last_status"] is None else f", HTTP status {url['last_status']}"
        yield f"  fetched    {shown_moment(url['last_fetched_at'])}{status}"
        yield (
            f"  visits     {url['fetch_count']} answered, {url['change_count']} with a change, "
            f"{url['failures']} failures since the last good one"
        )
    if url["state"] == "processing":
        yield f"  lease      of {url['lease_worker']} until {shown_moment(url['lease_ends_at'])}"
    elif url["due_at"] is None:
        yield "  due        not again"
    else:
        looks = url["state"] == "error" and not url["update_cycle"]
        why = ", in case its article is there by then" if looks else ""
        yield f"  due        {shown_moment(url['due_at'])}" + (" (now)" if url["due_at"] <= now else "") + why
    if url["update_cycle"]:
        yield f"  cycle      {url['update_cycle']:g} s at the longest"
    if url["deaths"]:
        yield f"  deaths     {url['deaths']} workers died while they held it"


def _rates(channel: Mapping[str, Any] | None) -> Iterator[str]:
    if channel is not None and channel["rate"] is not None:
        last_poll = f"{channel['last_new']} at the last poll"
        yield f"  rate       {channel['rate']:.1f} new URLs a day are expected of it, {last_poll}"


def _host(host: Mapping[str, Any], now: float) -> Iterator[str]:
    from newsspider.core.fetching.politeness import is_distrusted

    delay = "none yet" if host["delay"] is None else f"{host['delay']:.2f} s because of {host['delay_reason'] or '-'}"
    yield f"  host       {host['host']}, {host['pages']} pages, delay {delay}"
    free_at = max(host["next_at"], host["paused_until"])
    if free_at > now:
        yield f"  host rests until {shown_moment(free_at)}, {host['failures']} failures in a row"
    if is_distrusted(host["wrong_304_at"], now):
        doubted = shown_moment(host["wrong_304_at"])
        yield f"  validators not named: at {doubted} it answered 304 for a page that had changed"
    if host["robots_fetched_at"] is None:
        yield "  robots     not read yet"
    else:
        status = "could not be had" if host["robots_status"] is None else f"HTTP status {host['robots_status']}"
        yield f"  robots     read {shown_moment(host['robots_fetched_at'])}: {status}"
    if host["robots_good_at"] is not None:
        serves = ", which serves meanwhile" if host["robots_good_at"] != host["robots_fetched_at"] else ""
        yield f"  rules      of {shown_moment(host['robots_good_at'])}, {len(host['robots_text'] or b'')} bytes{serves}"


def _article(article: Mapping[str, Any]) -> Iterator[str]:
    yield f"  article    {article['title']}"
    published = (article["published_at"] or "unknown").removesuffix(MIDNIGHT)
    yield f"  published  {published}, by {article['source'] or 'unknown'}"
    yield f"  relevance  {article['score']:.2f} for {article['topic'] or '-'} ({article['model'] or '-'})"
    if article["urls"] > 1:
        yield f"  urls       {article['urls']} URLs have this text; the first was {article['url']}"
    yield f"  snapshot   {article['snapshot'] or 'none'}"


def _absence(row: Mapping[str, Any]) -> str:
    if row["vanished_at"] is not None:
        deleted_at = row["snapshots_deleted_at"]
        removal = "" if deleted_at is None else f"; snapshot removed {shown_moment(deleted_at)}"
        since = f"missing since {shown_moment(row['missing_since'])}"
        return f"vanished   {shown_moment(row['vanished_at'])}: {row['absence']}, {since}{removal}"
    if row["missing_since"] is not None:
        misses = f"{row['absence']}, {row['misses']} misses that count"
        return f"missing    since {shown_moment(row['missing_since'])}: {misses}"
    times = f"it was missing {row['return_count']} times and came back"
    return (
        f"returned   {shown_moment(row['returned_at'])}; {times}"
        if row["returned_at"] is not None
        else f"flickers   {times}"
    )


def shown_moment(moment: float) -> str:
    """A moment for people, in China's time."""
    from datetime import datetime

    from newsspider.core.query.query_dates import ZONE

    return datetime.fromtimestamp(moment, ZONE).strftime("%Y-%m-%d %H:%M:%S")


def _site_lines(url: str, site: Site) -> Iterator[str]:
    """What the registry has of the site."""
    yield url
    other = "" if url == site.home else f", which newsspider knows as {site.home}"
    yield f"  home page  of the watched site {site.name}{other}; not fetched as such"
    state = "enabled" if site.enabled else "disabled: it is not polled"
    yield f"  site       weight {site.weight}, {site.media_class}, {state}"
    for channel in site.channels:
        yield f"  channel    {channel.name}, weight {channel.weight}, {channel.kind}: {channel.url}"
    yield "  more       scrapy explain URL of a channel shows when it is polled"


def _linked_lines(conn: Connection, url: str, settings: BaseSettings, today: date) -> Iterator[str]:
    """What is known of the links to a canonical URL; nothing if there are none."""
    from newsspider.actions.unknown_url import MOST_LINKS_JUDGED, judged_links_to

    links = judged_links_to(conn, url, settings, today)
    if links is None:
        return
    yield url
    yield "  state      never offered: no link to it is followed"
    yield f"  linked     on {_counted(links.pages, 'page')}, {_counted(links.lists, 'list')} among them"
    for why, count in links.because:
        of_first = f" of the first {MOST_LINKS_JUDGED}" if links.pages > MOST_LINKS_JUDGED else ""
        yield f"  because    {why}: {_counted(count, 'link')}{of_first}"
    for link in links.links[:LINKS_SHOWN]:
        mark = ", nofollow" if link.nofollow else ""
        yield (
            f"  link       {link.page}"
            + (f" as {link.anchor}" if link.anchor else "")
            + f" ({link.kind} in {link.region}{mark})"
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

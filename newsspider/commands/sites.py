"""``scrapy sites``: the registry of watched sites; a running crawl takes every change up."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, emit, print_line, print_lines, print_note, print_text
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterable

    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection, Engine

    from newsspider.core.fetching.addresses import Exceptions
    from newsspider.core.strategies.suggestions import Suggested, Thresholds
    from newsspider.download.probe import Guest
    from newsspider.sites.model import Site

# Action: its arguments, how many of them at least and at most, and the options that are its own.
ACTIONS: dict[str, tuple[str, int, int | None, frozenset[str]]] = {
    "list": ("[--json]", 0, 0, frozenset({"json"})),
    "show": ("NAME", 1, 1, frozenset()),
    "add": ("FILE.toml|URL... [options]", 1, None, frozenset({"replace", "name", "weight", "delay", "delay_reason"})),
    "weight": ("NAME 1-10", 2, 2, frozenset()),
    "enable": ("NAME...", 1, None, frozenset()),
    "disable": ("NAME...", 1, None, frozenset()),
    "remove": ("NAME...", 1, None, frozenset()),
    "relearn": ("NAME...", 1, None, frozenset()),
    "test": ("NAME|FILE.toml|URL", 1, 1, frozenset()),
    "import": ("FILE.toml|FOLDER", 1, 1, frozenset()),
    "export": ("FOLDER|-", 1, 1, frozenset()),
    "suggest": (
        "[options]",
        0,
        0,
        frozenset({"json", "crawl", "toml", "min_share", "min_articles", "min_rate", "limit"}),
    ),
}
OPTIONS = (
    "json", "replace", "name", "weight", "delay", "delay_reason", "crawl", "toml", "min_share", "min_articles", "min_rate", "limit",
)  # fmt: skip
LINKS_SHOWN = 5
SITES_SUGGESTED = 20


class Command(DataCommand):
    """Each action is one transaction: either all that was named is changed or nothing is."""

    examples = """\
  scrapy sites list
  scrapy sites add http://edu.example.cn/ --weight 7     its home page; the lists on it are found
  scrapy sites add my-site.toml --replace
  scrapy sites test my-site.toml                         what its channels give; nothing is stored
  scrapy sites weight 教育部 9
  scrapy sites disable jw.beijing.gov.cn                 by name, or by the host of its home page
  scrapy sites export my-sites/
  scrapy sites suggest --toml found/                     what explore crawls found, as files for `add`

actions:
""" + "\n".join(f"  {action:8}{arguments}" for action, (arguments, *_) in ACTIONS.items())

    def syntax(self) -> str:
        return "ACTION [arguments] [options]"

    def short_desc(self) -> str:
        return "List, show, add, re-weight, switch, test and remove the watched sites; suggest new ones"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="list: one JSON object a site; suggest: one a list")
        parser.add_argument("--replace", action="store_true", help="add: a site of that name may be replaced")
        parser.add_argument("--name", help="add: its name (default: that of the file, or the host)")
        parser.add_argument("--weight", help="add: 1-10, 10 is the heaviest")
        parser.add_argument("--delay", help="add: seconds between two requests")
        parser.add_argument("--delay-reason", help="add: why it may be below 1 second")
        parser.add_argument("--crawl", metavar="NAME", help="suggest: what this explore crawl found (default: all)")
        parser.add_argument(
            "--toml", metavar="FOLDER", help="suggest: write one file a site there, each for scrapy sites add"
        )
        parser.add_argument(
            "--min-share", metavar="0-1", help="suggest: least share on topic, cautiously estimated (default: 0.3)"
        )
        parser.add_argument(
            "--min-articles", metavar="N", help="suggest: so many articles of a list were read (default: 5)"
        )
        parser.add_argument(
            "--min-rate", metavar="N", help="suggest: least new articles on topic a day (default: 0.03)"
        )
        parser.add_argument("--limit", metavar="N", help="suggest: at most so many sites (default: 20)")

    def work(self, args: list[str], opts: Namespace) -> int | None:
        from newsspider.sites.loader import BadSite

        action, words = _checked(args, opts)
        try:
            with self.store() as engine:
                return self._act(engine, action, words, opts)
        except BadSite as error:
            raise wrong_use(str(error)) from None

    def _act(self, engine: Engine, action: str, words: list[str], opts: Namespace) -> int | None:
        from newsspider.store import sites as registry
        from newsspider.store.articles import boilerplate_lines
        from newsspider.store.engine.database import reading, writable, writing
        from newsspider.store.ledger import list_positions, trap_budgets, validators

        with reading(engine) as conn:
            known, behind = registry.sites(conn), registry.shipped_changed(conn)
        if behind and writable(engine):
            with writing(engine) as conn:
                registry.sync_shipped(conn, time.time())
                known = registry.sites(conn)
        if action == "list":
            _list(known, opts.json)
        elif action == "show":
            site = _named(known, words[0])
            with reading(engine) as conn:
                _show(
                    site,
                    list_positions.of_site(conn, site.name),
                    boilerplate_lines.of_site(conn, site.name),
                    validators.liars(conn, site.name),
                )
                _show_traps(site.name, trap_budgets.spent(conn, site.name))
        elif action == "export":
            _export(known, words[0])
        elif action == "suggest":
            _suggest(engine, known, opts)
        elif action == "test":
            return self._test(known, words[0])
        else:
            with writing(engine) as conn:
                done = list(_change(conn, known, action, words, opts, self._allowed()))
            for line in done:
                print_note(line)
        return None

    def _allowed(self) -> Exceptions:
        from newsspider.core.fetching.addresses import Exceptions

        assert self.settings is not None
        return Exceptions.read(self.settings.getlist("ALLOWED_ADDRESSES"))

    def _test(self, known: list[Site], target: str) -> int:
        """Exit code 1 if no channel gave an article link."""
        from newsspider.pages.site_trial import trials

        assert self.settings is not None
        site = _asked(target)[0] if _is_file_or_url(target) else _named(known, target)
        found = 0
        for trial in trials(site, _guest(self.settings)):
            found += len(trial.links)
            print_line(
                f"{trial.channel.name} {trial.channel.url}: {trial.problem or f'{len(trial.links)} article links'}"
            )
            for link in trial.links[:LINKS_SHOWN]:
                print_line(f"  {link.text or '-'}  {link.url}")
            sys.stdout.flush()
        return 0 if found else 1


def _checked(args: list[str], opts: Namespace) -> tuple[str, list[str]]:
    """The action and its arguments, if they fit."""
    if not args or args[0] not in ACTIONS:
        asked = f"there is no action {args[0]!r}" if args else "an action is missing"
        raise wrong_use(f"{asked}; there are {', '.join(ACTIONS)}")
    action, *words = args
    arguments, least, most, own = ACTIONS[action]
    if len(words) < least or (most is not None and len(words) > most):
        raise wrong_use(f"say: scrapy sites {action} {arguments}")
    for option in OPTIONS:
        if getattr(opts, option) not in (None, False) and option not in own:
            raise wrong_use(f"--{option.replace('_', '-')} is no option of scrapy sites {action}")
    if opts.name is not None and len(words) > 1:
        raise wrong_use("--name is for one site")
    return action, words


def _guest(settings: BaseSettings) -> Guest:
    from newsspider.core.fetching.addresses import Exceptions
    from newsspider.core.fetching.politeness import DelayLimits
    from newsspider.download.probe import Guest

    return Guest(
        user_agent=settings["USER_AGENT"],
        robots_agent=settings["ROBOTS_AGENT"],
        # A handful of requests, asked for by a person: the lower bound, not the factor.
        limits=DelayLimits(
            0,
            settings.getfloat("DELAY_MIN_SECONDS"),
            settings.getfloat("DELAY_MAX_SECONDS"),
            settings.getfloat("CRAWL_DELAY_MAX_SECONDS"),
        ),
        first_byte_seconds=settings.getfloat("DOWNLOAD_FIRST_BYTE_SECONDS"),
        timeout_seconds=settings.getfloat("DOWNLOAD_TIMEOUT"),
        most_bytes=settings.getint("DOWNLOAD_MAXSIZE"),
        most_redirects=settings.getint("REDIRECT_MAX_TIMES"),
        default_charset=settings["DEFAULT_CHARSET"],
        allowed=Exceptions.read(settings.getlist("ALLOWED_ADDRESSES")),
    )


def _list(known: Iterable[Site], as_json: bool) -> None:
    from newsspider.sites.listing import record, table

    if as_json:
        for site in known:
            emit(record(site))
    else:
        print_lines(table(known))


def _show(site: Site, learned: list[dict[str, Any]], around: list[str], liars: list[dict[str, Any]]) -> None:
    """The site's TOML; in comments, where its lists stand, what is left out around the texts of its articles, and
    which of its hosts are asked without validators."""
    from newsspider.sites.listing import layout_lines
    from newsspider.sites.loader import site_toml

    print_text(site_toml(site))
    for line in layout_lines(learned):
        print_line(f"# {line}")
    for line in around:
        print_line(f"# left out around the texts of articles: {line}")
    for host in liars:
        print_line(f"# validators of {host['host']} are not named: {host['lie']}")


def _show_traps(site: str, spent: list[dict[str, Any]]) -> None:
    """Which URLs of the site are not fetched any more."""
    from newsspider.sites.listing import trap_lines

    for line in trap_lines(spent):
        print_line(f"# {line}")
    if spent:
        print_line(f"# scrapy sites relearn {site} has them fetched again")


def _export(known: list[Site], target: str) -> None:
    from newsspider.sites.listing import file_names
    from newsspider.sites.loader import site_toml

    if not target:
        raise wrong_use("name a folder, or - for stdout: scrapy sites export FOLDER|-")
    if target != "-":
        _write(known, target)
        return
    for name, site in file_names(known).items():
        print_line(f"# ---- {name}")
        print_text(f"{site_toml(site)}\n")


def _write(sites: list[Site], folder: str) -> None:
    """One file a site."""
    from pathlib import Path

    from newsspider.sites.listing import file_names
    from newsspider.sites.loader import site_toml

    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, site in file_names(sites).items():
            Path(folder, name).write_text(site_toml(site), "utf-8")
    except OSError as error:
        raise wrong_use(f"{folder}: {error.strerror}") from None
    print_note(f"{len(sites)} sites written to {folder}")


def _suggest(engine: Engine, known: list[Site], opts: Namespace) -> None:
    """What explore crawls found that is worth watching; how many lists are not, and why, goes to stderr."""
    from datetime import UTC, datetime

    from newsspider.sites.suggested import proposals, record, table
    from newsspider.store.engine.database import reading
    from newsspider.store.exploring import suggestions

    at_least, limit = _thresholds(opts)
    if opts.toml == "":
        raise wrong_use("--toml: name a folder")
    with reading(engine) as conn:
        crawls = suggestions.crawls_of(conn, opts.crawl)
        if not crawls:
            asked = (
                "no explore crawl was begun; say"
                if opts.crawl is None
                else f"there is no crawl {opts.crawl!r}; begin it with"
            )
            raise wrong_use(f"{asked} scrapy crawl explore -a strategy=focused -a seeds=FILE")
        chosen = suggestions.worth_watching(conn, crawls, known, at_least, datetime.now(UTC).date())
    proposed = proposals(chosen.sites[:limit], known)
    if opts.json:
        for proposal in proposed:
            for channel, listed in proposal.pairs():
                emit(record(proposal, channel, listed))
    elif proposed:
        print_lines(table(proposed))
    if opts.toml is not None:
        _write([proposal.site for proposal in proposed], opts.toml)
    _tell(chosen, limit)


def _tell(chosen: Suggested, limit: int) -> None:
    lists, domains = sum(map(len, chosen.sites)), len(chosen.sites)
    shown = f" (shown: {limit})" if domains > limit else ""
    reasons = sorted(chosen.left_out.items(), key=lambda each: (-each[1], each[0]))
    why = f" ({', '.join(f'{count} {reason}' for reason, count in reasons)})" if reasons else ""
    print_note(f"worth watching: {lists} lists of {domains} domains{shown}; left out: {chosen.left_out.total()}{why}")


def _thresholds(opts: Namespace) -> tuple[Thresholds, int]:
    """What a list must have, and how many sites are told."""
    from newsspider.core.strategies.suggestions import Thresholds

    usual = Thresholds()
    share = (
        usual.share if opts.min_share is None else _number(opts.min_share, float, "min-share", "a number from 0 to 1")
    )
    articles = (
        usual.articles
        if opts.min_articles is None
        else _number(opts.min_articles, int, "min-articles", "a whole number")
    )
    a_day = usual.a_day if opts.min_rate is None else _number(opts.min_rate, float, "min-rate", "articles a day")
    limit = SITES_SUGGESTED if opts.limit is None else _number(opts.limit, int, "limit", "a whole number")
    if not 0 <= share <= 1:
        raise wrong_use(f"min-share {opts.min_share}: say a number from 0 to 1")
    if not (articles >= 1 and limit >= 1 and a_day >= 0):
        raise wrong_use("say a min-articles and a limit of 1 or more, and a min-rate of 0 or more")
    return Thresholds(share, int(articles), a_day), int(limit)


def _change(
    conn: Connection, known: list[Site], action: str, words: list[str], opts: Namespace, allowed: Exceptions
) -> Iterable[str]:
    """Do the action and say what was done."""
    from newsspider.store import ledger
    from newsspider.store import sites as registry
    from newsspider.store.articles import boilerplate_lines
    from newsspider.store.ledger import trap_budgets, validators

    now = time.time()
    if action in ("enable", "disable"):
        for site in [_named(known, word) for word in words]:
            registry.enable(conn, site.name, action == "enable", now)
            yield f"{action}d {site.name}"
    elif action == "remove":
        for site in [_named(known, word) for word in words]:
            registry.remove(conn, site.name, now)
            yield f"removed {site.name}"
    elif action == "relearn":
        for site in [_named(known, word) for word in words]:
            count = boilerplate_lines.forget(conn, site.name)
            validators.believe(conn, site.name)
            ledger.ask_failing(conn, site.name, now)
            waiting = trap_budgets.forget(conn, site.name, now)
            registry.put(conn, site, now)
            yield f"{site.name}: {count} line{'s'[: count != 1]} around its articles forgotten"
            if waiting:
                yield f"{site.name}: {waiting} URL{'s'[: waiting != 1]} that brought nothing are fetched again"
    elif action == "weight":
        site = _overridden(_named(known, words[0]), Namespace(weight=words[1]))
        registry.put(conn, site, now)
        yield f"{site.name} now weighs {site.weight}"
    else:
        sites = [_overridden(site, opts) for word in words for site in _asked(word)]
        names = {site.name for site in known}
        for site in sites:
            _refuse_private(site, allowed)
            if site.name in names and not (opts.replace or action == "import"):
                raise wrong_use(f"there is a site {site.name!r} already; say --replace to replace it")
            registry.put(conn, site, now)
            yield f"{'replaced' if site.name in names else 'added'} {site.name}"
            names.add(site.name)


def _refuse_private(site: Site, allowed: Exceptions) -> None:
    """Refuse a site with a URL at an address that is never asked."""
    from newsspider.core.fetching.addresses import refused_host
    from newsspider.core.url import host_of

    for url in (site.home, *(channel.url for channel in site.channels)):
        if reason := refused_host(host_of(url), allowed):
            raise wrong_use(f"{url} is never fetched: {reason}; name it in ALLOWED_ADDRESSES if it is meant")


def _named(known: list[Site], word: str) -> Site:
    """The site of this name, or the only one whose home page is on this host, however that is written."""
    from newsspider.core.url import host_of

    host = host_of(f"http://{word}/")
    found = [site for site in known if site.name == word] or [site for site in known if host_of(site.home) == host]
    if len(found) == 1:
        return found[0]
    if found:
        raise wrong_use(f"{word} is the host of {' and '.join(site.name for site in found)}; say which")
    raise wrong_use(f"there is no site {word!r}; see scrapy sites list")


def _is_file_or_url(word: str) -> bool:
    from pathlib import Path

    return "://" in word or word.endswith(".toml") or Path(word).exists()


def _asked(word: str) -> list[Site]:
    """The site of a URL, or those of a file or folder."""
    from newsspider.core.url import canonical
    from newsspider.sites.loader import load_sites
    from newsspider.sites.model import from_home

    if not _is_file_or_url(word):
        raise wrong_use(f"{word!r} is neither a file nor a URL with http:// or https://")
    if "://" not in word:
        return load_sites(word)
    home = canonical(word)
    if home is None:
        raise wrong_use(f"{word!r} is not an http or https URL")
    return [from_home(home)]


def _overridden(site: Site, opts: Namespace) -> Site:
    """The site with what the options say of it, proven as a site file is."""
    from dataclasses import replace

    from newsspider.sites.loader import load_site, site_toml
    from newsspider.sites.model import reweighted

    name, weight, delay, reason = (getattr(opts, key, None) for key in ("name", "weight", "delay", "delay_reason"))
    if weight is not None:
        site = reweighted(site, int(_number(weight, int, "weight", "a whole number from 1 to 10")))
    if delay is not None:
        site = replace(site, delay_seconds=_number(delay, float, "delay", "a number of seconds"))
    site = replace(site, name=site.name if name is None else name, delay_reason=reason or site.delay_reason)
    return load_site(site_toml(site), "options")


def _number(value: str, number: Callable[[str], float], name: str, told: str) -> float:
    try:
        return number(value)
    except ValueError:
        raise wrong_use(f"{name} {value}: say {told}") from None

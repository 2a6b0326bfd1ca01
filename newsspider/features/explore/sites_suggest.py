"""``scrapy sites suggest``: which lists that explore crawls found are worth watching."""

from __future__ import annotations

from argparse import Namespace

from newsspider.actions.sites import option_number
from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.cli.command_group import CommandGroup
from newsspider.cli.site_arguments import registered_sites
from newsspider.cli.site_views import write_sites
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.explore.rules.suggestions import Suggested, Thresholds
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading
from newsspider.store.sites import usable_site

SITES_SUGGESTED = 20


def add_actions(group: CommandGroup) -> None:
    """Add the action to ``scrapy sites``."""
    summary = "Show lists found by explore crawls that are worth watching"
    parser = group.add_action("suggest", suggest, "[options]", summary, "--toml found/")
    parser.add_argument("--json", action="store_true", help="one JSON object a list")
    parser.add_argument("--crawl", metavar="NAME", help="what this explore crawl, or query:WORDS, found (default: all)")
    parser.add_argument("--toml", metavar="FOLDER", help="write one file a site there, for scrapy sites add")
    parser.add_argument("--min-share", metavar="0-1", help="least share on topic, cautiously estimated (default: 0.3)")
    parser.add_argument("--min-articles", metavar="N", help="lists of which at least N articles were read (default: 5)")
    parser.add_argument("--min-rate", metavar="N", help="least new articles on topic a day (default: 0.03)")
    parser.add_argument("--limit", metavar="N", help="at most N sites (default: 20)")


def suggest(command: DataCommand, opts: Namespace) -> None:
    """Print the lists that are worth watching; how many are not, and why, goes to stderr.

    Nothing is changed. What the columns mean, and what is left out: docs/how-to/add-a-site.md. An object of ``--json``
    has site, new (whether the site is), name, url, kind, weight, share, least_share, on_topic, read, shown (articles on
    the list, read or not), a_day, original.
    """
    from newsspider.features.explore import suggested_lists
    from newsspider.features.explore.site_files import proposal_record, proposals_table, propose_channels

    thresholds, limit = _thresholds(opts)
    if opts.toml == "":
        raise wrong_use("--toml: name a folder")
    with command.store() as engine:
        sites = [usable_site(site) for site in registered_sites(engine)]
        with reading(engine) as conn:
            crawls = suggested_lists.crawls_of(conn, opts.crawl)
            if not crawls:
                raise wrong_use(_no_crawl(opts.crawl))
            chosen = suggested_lists.worth_watching(conn, crawls, sites, thresholds, Clock().utc().date())
    proposed = propose_channels(chosen.sites[:limit], sites)
    if opts.toml is not None:  # before anything is printed: the reader of stdout may have gone, as in `... | head`
        write_sites([proposal.site for proposal in proposed], opts.toml)
    if opts.json:
        for proposal in proposed:
            for channel, listed in proposal.pairs():
                print_record(proposal_record(proposal, channel, listed))
    elif proposed:
        print_lines(proposals_table(proposed))
    print_note(_summary(chosen, limit))


def _no_crawl(name: str | None) -> str:
    begin = "scrapy crawl explore -a strategy=focused -a seeds=FILE"
    if name is None:
        return f"no explore crawl was begun; say {begin}"
    return f"there is no crawl {name!r}; begin it with {begin}"


def _summary(chosen: Suggested, limit: int) -> str:
    lists, domains = sum(map(len, chosen.sites)), len(chosen.sites)
    limit_note = f" (shown: {limit})" if domains > limit else ""
    counts = sorted(chosen.left_out.items(), key=lambda item: (-item[1], item[0]))
    reasons = f" ({', '.join(f'{count} {reason}' for reason, count in counts)})" if counts else ""
    left_out = chosen.left_out.total()
    return f"worth watching: {lists} lists of {domains} domains{limit_note}; left out: {left_out}{reasons}"


def _thresholds(opts: Namespace) -> tuple[Thresholds, int]:
    """What a list must have, and how many sites are shown at most."""
    options, usual = vars(opts), Thresholds()

    def value(name: str, kind: type[int] | type[float], default: float, allowed: str) -> float:
        text = options[name.replace("-", "_")]
        return default if text is None else option_number(text, kind, name, allowed)

    share = value("min-share", float, usual.share, "a number from 0 to 1")
    articles = value("min-articles", int, usual.articles, "a whole number")
    a_day = value("min-rate", float, usual.a_day, "articles a day")
    limit = value("limit", int, SITES_SUGGESTED, "a whole number")
    if not 0 <= share <= 1:
        raise wrong_use(f"min-share {opts.min_share}: say a number from 0 to 1")
    if not (articles >= 1 and limit >= 1 and a_day >= 0):
        raise wrong_use("say a min-articles and a limit of 1 or more, and a min-rate of 0 or more")
    return Thresholds(share, int(articles), a_day), int(limit)

"""The tables of the store, the same on SQLite and PostgreSQL; migrations bring a database to this shape.

Moments of the ledger are seconds since the epoch. ``urls.queue`` is worked out by the database itself and says in which
queue of its host a row stands, so that no statement can forget to: 0 waiting or put off, 1 to be visited again, 2
suspected of killing workers, 3 a stored article to be visited again, NULL not claimable. A row of ``queues`` sums up
one queue of one site on one host: ``due_at`` is never later than its first due row, ``gate`` never later than the
moment at which the host may be asked. A claim looks at these few rows instead of at millions, and sets right what it
finds too early.
"""

from newsspider.store.tables.articles import (
    article_part_snapshots,
    article_urls,
    articles,
    boilerplate_lines,
    fingerprints,
    keywords,
    labels,
    reprints,
    snapshots,
    subtopics,
)
from newsspider.store.tables.columns import metadata
from newsspider.store.tables.exploring import (
    explore_crawls,
    explore_hosts,
    explore_pages,
    links,
    ranks,
    strategy_counters,
)
from newsspider.store.tables.fleet import assigned_hosts, workers
from newsspider.store.tables.ledger import (
    ARTICLES,
    PUT_OFF,
    SUSPECT_DEATHS,
    addresses,
    hosts,
    queues,
    url_deletions,
    url_equivalences,
    url_patterns,
    urls,
)
from newsspider.store.tables.revisits import missing_articles, revision_part_snapshots, revisions, revisit_counters
from newsspider.store.tables.runs import batch_jobs, runs
from newsspider.store.tables.sites import channels, poll_multipliers, publication_profiles, sites

__all__ = [
    "ARTICLES", "PUT_OFF", "SUSPECT_DEATHS", "addresses", "article_part_snapshots", "article_urls", "articles",
    "assigned_hosts", "batch_jobs", "boilerplate_lines", "channels", "explore_crawls", "explore_hosts",
    "explore_pages", "fingerprints", "hosts", "keywords", "labels", "links", "metadata", "missing_articles",
    "poll_multipliers", "publication_profiles", "queues", "ranks", "reprints", "revision_part_snapshots",
    "revisions", "revisit_counters", "runs", "sites", "snapshots", "strategy_counters", "subtopics",
    "url_deletions", "url_equivalences", "url_patterns", "urls", "workers",
]  # fmt: skip

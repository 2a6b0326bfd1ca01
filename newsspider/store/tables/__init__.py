"""The tables of the store, the same on SQLite and PostgreSQL; migrations bring a database to this shape.

Moments of the ledger are seconds since the epoch. ``urls.queue`` is worked out by the database itself and says in which
queue of its host a row stands, so that no statement can forget to: 0 waiting or put off, 1 to be visited again, 2
suspected of killing workers, 3 a stored article to be visited again, NULL not claimable. A row of ``queues`` sums up
one queue of one site on one host: ``due_at`` is never later than its first due row, ``gate`` never later than the
moment at which the host may be asked. A claim looks at these few rows instead of at millions, and sets right what it
finds too early.
"""

from newsspider.store.tables.articles import (
    article_urls,
    articles,
    boilerplate,
    fingerprints,
    keywords,
    labels,
    part_snapshots,
    reprints,
    snapshots,
    subtopics,
)
from newsspider.store.tables.columns import metadata
from newsspider.store.tables.exploring import explorations, explored_hosts, explored_pages, lessons, links, ranks
from newsspider.store.tables.fleet import assigned_hosts, workers
from newsspider.store.tables.ledger import (
    ARTICLES,
    PUT_OFF,
    SUSPECT_DEATHS,
    addresses,
    forgets,
    hosts,
    patterns,
    places,
    queues,
    urls,
)
from newsspider.store.tables.revisits import absences, further_snapshots, revisions, revisited
from newsspider.store.tables.runs import passes, runs
from newsspider.store.tables.sites import channels, prices, rhythms, sites

__all__ = [
    "ARTICLES",
    "PUT_OFF",
    "SUSPECT_DEATHS",
    "absences",
    "addresses",
    "article_urls",
    "articles",
    "assigned_hosts",
    "boilerplate",
    "channels",
    "explorations",
    "explored_hosts",
    "explored_pages",
    "fingerprints",
    "forgets",
    "further_snapshots",
    "hosts",
    "keywords",
    "labels",
    "lessons",
    "links",
    "metadata",
    "part_snapshots",
    "passes",
    "patterns",
    "places",
    "prices",
    "queues",
    "ranks",
    "reprints",
    "revisions",
    "revisited",
    "rhythms",
    "runs",
    "sites",
    "snapshots",
    "subtopics",
    "urls",
    "workers",
]

"""The tables of the store, the same on SQLite and PostgreSQL. A new store is created from them; migrations change older
stores to match them.

The database computes ``urls.queue``, so that no statement can forget it. A row of ``queues`` sums up one queue of one
site on one host, and is never too late. A claim reads these few rows instead of millions, and corrects early ones.
"""

from newsspider.store.tables.articles import (
    article_part_snapshots,
    article_urls,
    articles,
    boilerplate_lines,
    fingerprints,
    held_articles,
    keywords,
    labels,
    missing_articles,
    reprints,
    revision_part_snapshots,
    revisions,
    revisit_counters,
    snapshots,
    subtopics,
)
from newsspider.store.tables.columns import metadata
from newsspider.store.tables.ledger import (
    ARTICLE_KINDS,
    PUT_OFF,
    SUSPECT_DEATHS,
    addresses,
    distinct_links,
    explore_crawls,
    hosts,
    link_lists,
    list_links,
    page_links,
    queues,
    url_deletions,
    url_equivalences,
    url_patterns,
    urls,
)
from newsspider.store.tables.runs import assigned_hosts, audit_trail, batch_jobs, jobs, runs, workers
from newsspider.store.tables.search import search_entries
from newsspider.store.tables.sites import channels, poll_multipliers, publication_profiles, sites

__all__ = [
    "ARTICLE_KINDS",
    "PUT_OFF",
    "SUSPECT_DEATHS",
    "addresses",
    "article_part_snapshots",
    "article_urls",
    "articles",
    "assigned_hosts",
    "audit_trail",
    "batch_jobs",
    "boilerplate_lines",
    "channels",
    "distinct_links",
    "explore_crawls",
    "fingerprints",
    "held_articles",
    "hosts",
    "jobs",
    "keywords",
    "labels",
    "link_lists",
    "list_links",
    "metadata",
    "missing_articles",
    "page_links",
    "poll_multipliers",
    "publication_profiles",
    "queues",
    "reprints",
    "revision_part_snapshots",
    "revisions",
    "revisit_counters",
    "runs",
    "search_entries",
    "sites",
    "snapshots",
    "subtopics",
    "url_deletions",
    "url_equivalences",
    "url_patterns",
    "urls",
    "workers",
]

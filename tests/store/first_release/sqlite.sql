CREATE TABLE urls (
    "key" INTEGER NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    site TEXT DEFAULT '' NOT NULL,
    channel TEXT DEFAULT '' NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT DEFAULT '' NOT NULL,
    depth SMALLINT DEFAULT '0' NOT NULL,
    hops SMALLINT DEFAULT '0' NOT NULL,
    parent BIGINT,
    anchor TEXT DEFAULT '' NOT NULL,
    priority INTEGER DEFAULT '0' NOT NULL,
    strategy_state TEXT DEFAULT '' NOT NULL,
    partial_article TEXT DEFAULT '' NOT NULL,
    meta TEXT DEFAULT '' NOT NULL,
    found_at FLOAT NOT NULL,
    due_at FLOAT,
    update_cycle FLOAT,
    last_fetched_at FLOAT,
    last_status SMALLINT,
    fetch_count INTEGER DEFAULT '0' NOT NULL,
    change_count INTEGER DEFAULT '0' NOT NULL,
    failures INTEGER DEFAULT '0' NOT NULL,
    deaths SMALLINT DEFAULT '0' NOT NULL,
    internal_errors SMALLINT DEFAULT '0' NOT NULL,
    etag TEXT,
    last_modified TEXT,
    body_hash TEXT,
    bytes_hash TEXT,
    stale_validators BOOLEAN DEFAULT false NOT NULL,
    topic TEXT,
    lease_worker TEXT,
    lease_token INTEGER DEFAULT '0' NOT NULL,
    lease_ends_at FLOAT,
    lease_state TEXT,
    queue SMALLINT GENERATED ALWAYS AS (CASE WHEN due_at IS NULL OR state = 'processing' THEN NULL WHEN deaths >= 3 THEN 2 WHEN state = 'waiting' OR reason IN ('retry', 'rate_limited', 'no_robots') THEN 0 WHEN state = 'done' AND update_cycle IS NULL AND kind IN ('article', 'blog', 'forum') THEN 3 ELSE 1 END) STORED,
    PRIMARY KEY ("key")
);

CREATE INDEX ix_urls_detail ON urls (site, detail) WHERE reason IN ('redirect', 'duplicate');

CREATE INDEX ix_urls_due ON urls (host, site, queue, due_at) WHERE queue IS NOT NULL;

CREATE INDEX ix_urls_explore_depth ON urls (site, depth) WHERE channel = 'explore';

CREATE INDEX ix_urls_explore_waiting ON urls (site, priority DESC, found_at) WHERE channel = 'explore' AND queue = 0;

CREATE INDEX ix_urls_internal_errors ON urls (site) WHERE internal_errors > 0;

CREATE INDEX ix_urls_off_topic ON urls (topic, last_fetched_at) WHERE reason = 'off_topic';

CREATE INDEX ix_urls_polled ON urls (site) WHERE update_cycle IS NOT NULL;

CREATE INDEX ix_urls_refused_body ON urls (body_hash) WHERE reason = 'off_topic' AND body_hash IS NOT NULL;

CREATE INDEX ix_urls_failing ON urls (failures) WHERE failures > 0;

CREATE INDEX ix_urls_state ON urls (state, reason, found_at);

CREATE INDEX ix_urls_suspect ON urls (due_at) WHERE queue = 2;

CREATE INDEX ix_urls_trapped ON urls (site, detail, found_at) WHERE reason = 'trap';

CREATE INDEX ix_urls_waiting ON urls (host, site, priority DESC, due_at, found_at) WHERE queue = 0;

CREATE TABLE hosts (
    host TEXT NOT NULL,
    next_at FLOAT DEFAULT '0' NOT NULL,
    paused_until FLOAT DEFAULT '0' NOT NULL,
    last_visit_at FLOAT,
    pages INTEGER DEFAULT '0' NOT NULL,
    addresses TEXT DEFAULT '' NOT NULL,
    address TEXT DEFAULT '' NOT NULL,
    delay FLOAT,
    delay_reason TEXT DEFAULT '' NOT NULL,
    latency FLOAT,
    failures INTEGER DEFAULT '0' NOT NULL,
    robots_status SMALLINT,
    robots_text BLOB,
    robots_fetched_at FLOAT,
    robots_good_status SMALLINT,
    robots_good_at FLOAT,
    page_at FLOAT,
    article_at FLOAT,
    wrong_304_at FLOAT,
    busy_key BIGINT,
    busy_until FLOAT,
    PRIMARY KEY (host)
);

CREATE INDEX ix_hosts_address ON hosts (address) WHERE address <> '';

CREATE TABLE addresses (
    address TEXT NOT NULL,
    next_at FLOAT DEFAULT '0' NOT NULL,
    busy_key BIGINT,
    PRIMARY KEY (address)
);

CREATE INDEX ix_addresses_busy ON addresses (busy_key) WHERE busy_key IS NOT NULL;

CREATE TABLE queues (
    host TEXT NOT NULL,
    site TEXT NOT NULL,
    queue SMALLINT NOT NULL,
    due_at FLOAT,
    top_priority INTEGER DEFAULT '0' NOT NULL,
    host_ready_at FLOAT DEFAULT '0' NOT NULL,
    revision BIGINT DEFAULT '0' NOT NULL,
    PRIMARY KEY (host, site, queue)
)
 WITHOUT ROWID;

CREATE TABLE url_patterns (
    "key" INTEGER NOT NULL,
    site TEXT NOT NULL,
    pattern TEXT NOT NULL,
    wasted INTEGER NOT NULL,
    debt INTEGER NOT NULL,
    yielded BOOLEAN NOT NULL,
    spent_at FLOAT,
    tries INTEGER NOT NULL,
    retry_at FLOAT,
    probe BIGINT,
    holds BOOLEAN NOT NULL,
    quarantined BOOLEAN NOT NULL,
    PRIMARY KEY ("key")
);

CREATE INDEX ix_url_patterns_spent ON url_patterns (site) WHERE spent_at IS NOT NULL;

CREATE TABLE url_equivalences (
    "key" INTEGER NOT NULL,
    PRIMARY KEY ("key")
);

CREATE TABLE url_deletions (
    id SMALLINT NOT NULL,
    total BIGINT NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE workers (
    worker TEXT NOT NULL,
    scope TEXT NOT NULL,
    heartbeats BIGINT NOT NULL,
    seen_at FLOAT NOT NULL,
    PRIMARY KEY (worker)
);

CREATE TABLE assigned_hosts (
    scope TEXT NOT NULL,
    host TEXT NOT NULL,
    worker TEXT NOT NULL,
    PRIMARY KEY (scope, host)
)
 WITHOUT ROWID;

CREATE INDEX ix_assigned_hosts_worker ON assigned_hosts (worker, host);

CREATE TABLE sites (
    name TEXT NOT NULL,
    toml TEXT NOT NULL,
    origin TEXT DEFAULT '' NOT NULL,
    origin_hash TEXT DEFAULT '' NOT NULL,
    enabled BOOLEAN NOT NULL,
    removed BOOLEAN DEFAULT false NOT NULL,
    weight INTEGER NOT NULL,
    media_class TEXT DEFAULT '' NOT NULL,
    region TEXT DEFAULT '' NOT NULL,
    added_at FLOAT NOT NULL,
    changed_at FLOAT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE channels (
    site TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    "key" BIGINT NOT NULL,
    weight INTEGER NOT NULL,
    kind TEXT NOT NULL,
    polls INTEGER DEFAULT '0' NOT NULL,
    last_polled_at FLOAT,
    last_status SMALLINT,
    last_links INTEGER,
    last_new INTEGER,
    list_paths TEXT DEFAULT '' NOT NULL,
    list_learned_at FLOAT,
    list_moves INTEGER DEFAULT '0' NOT NULL,
    list_lost_at FLOAT,
    rate_posterior TEXT DEFAULT '' NOT NULL,
    rate FLOAT,
    seen_at FLOAT,
    found_since INTEGER DEFAULT '0' NOT NULL,
    PRIMARY KEY (site, name),
    FOREIGN KEY(site) REFERENCES sites (name) ON DELETE CASCADE
);

CREATE TABLE poll_multipliers (
    topic TEXT NOT NULL,
    host TEXT NOT NULL,
    factor FLOAT NOT NULL,
    PRIMARY KEY (topic, host)
);

CREATE TABLE publication_profiles (
    site TEXT NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (site)
);

CREATE TABLE articles (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" BIGINT NOT NULL,
    url TEXT NOT NULL,
    canonical_url TEXT NOT NULL,
    site TEXT NOT NULL,
    channel TEXT NOT NULL,
    media_class TEXT NOT NULL,
    anchor TEXT NOT NULL,
    title TEXT NOT NULL,
    authors TEXT NOT NULL,
    source TEXT,
    published_at TEXT,
    published_ts BIGINT,
    crawled_at TEXT NOT NULL,
    crawled_ts BIGINT NOT NULL,
    meta_keywords TEXT NOT NULL,
    meta_description TEXT,
    summary TEXT NOT NULL,
    language TEXT,
    charset TEXT NOT NULL,
    kind TEXT NOT NULL,
    link_count INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    region TEXT NOT NULL,
    places TEXT NOT NULL,
    topic TEXT NOT NULL,
    score FLOAT NOT NULL,
    terms TEXT NOT NULL,
    model TEXT NOT NULL,
    attachments TEXT NOT NULL,
    body_md5 TEXT,
    snapshot TEXT NOT NULL,
    text TEXT NOT NULL,
    editors TEXT NOT NULL,
    images TEXT NOT NULL,
    comments TEXT NOT NULL,
    parts TEXT NOT NULL,
    modified_at TEXT,
    UNIQUE (body_md5)
);

CREATE INDEX ix_articles_crawled ON articles (crawled_ts);

CREATE INDEX ix_articles_published ON articles (published_ts);

CREATE INDEX ix_articles_site ON articles (site);

CREATE INDEX ix_articles_snapshot ON articles (snapshot) WHERE snapshot <> '';

CREATE INDEX ix_articles_topic ON articles (topic, crawled_ts);

CREATE TABLE article_urls (
    "key" INTEGER NOT NULL,
    article_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    canonical_url TEXT NOT NULL,
    site TEXT NOT NULL,
    channel TEXT NOT NULL,
    noindex BOOLEAN DEFAULT false NOT NULL,
    title TEXT DEFAULT '' NOT NULL,
    source TEXT,
    published_ts BIGINT,
    priority INTEGER DEFAULT '0' NOT NULL,
    added_at FLOAT NOT NULL,
    PRIMARY KEY ("key"),
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE CASCADE
);

CREATE INDEX ix_article_urls_article_id ON article_urls (article_id);
CREATE INDEX ix_article_urls_noindex ON article_urls (article_id) WHERE noindex;

CREATE TABLE keywords (
    article_id INTEGER NOT NULL,
    position SMALLINT NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (article_id, position),
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE subtopics (
    article_id INTEGER NOT NULL,
    position SMALLINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (article_id, position),
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE UNIQUE INDEX ix_subtopics_name ON subtopics (name, article_id);

CREATE TABLE boilerplate_lines (
    site TEXT NOT NULL,
    line TEXT NOT NULL,
    learned_at FLOAT NOT NULL,
    PRIMARY KEY (site, line)
)
 WITHOUT ROWID;

CREATE TABLE snapshots (
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE article_part_snapshots (
    article_id INTEGER NOT NULL,
    snapshot TEXT NOT NULL,
    PRIMARY KEY (article_id, snapshot),
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_article_part_snapshots_snapshot ON article_part_snapshots (snapshot);

CREATE TABLE fingerprints (
    value INTEGER NOT NULL,
    article_id INTEGER NOT NULL,
    PRIMARY KEY (value, article_id)
)
 WITHOUT ROWID;

CREATE TABLE reprints (
    article_id INTEGER NOT NULL,
    group_id BIGINT NOT NULL,
    is_first BOOLEAN NOT NULL,
    closest_id BIGINT,
    containment FLOAT,
    resemblance FLOAT,
    PRIMARY KEY (article_id),
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE CASCADE
);

CREATE INDEX ix_reprints_group_id ON reprints (group_id);

CREATE TABLE held_articles (
    "key" INTEGER NOT NULL,
    topic TEXT NOT NULL,
    score FLOAT NOT NULL,
    borderline BOOLEAN NOT NULL,
    held_at FLOAT NOT NULL,
    article TEXT NOT NULL,
    PRIMARY KEY ("key")
);

CREATE INDEX ix_held_articles_borderline ON held_articles (topic, score) WHERE borderline;

CREATE TABLE labels (
    topic TEXT NOT NULL,
    "key" BIGINT NOT NULL,
    relevant BOOLEAN NOT NULL,
    labelled_at FLOAT NOT NULL,
    url TEXT DEFAULT '' NOT NULL,
    title TEXT DEFAULT '' NOT NULL,
    text TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (topic, "key")
)
 WITHOUT ROWID;

CREATE TABLE missing_articles (
    "key" INTEGER NOT NULL,
    absence TEXT NOT NULL,
    misses INTEGER NOT NULL,
    missing_since FLOAT,
    last_missed_at FLOAT,
    return_count INTEGER NOT NULL,
    returned_at FLOAT,
    vanished_at FLOAT,
    last_vanished_at FLOAT,
    snapshots_deleted_at FLOAT,
    PRIMARY KEY ("key"),
    FOREIGN KEY("key") REFERENCES article_urls ("key") ON DELETE CASCADE
);

CREATE INDEX ix_missing_articles_vanished ON missing_articles (vanished_at) WHERE vanished_at IS NOT NULL;

CREATE TABLE revisions (
    id INTEGER NOT NULL,
    "key" BIGINT NOT NULL,
    url TEXT NOT NULL,
    site TEXT NOT NULL,
    changed_at FLOAT NOT NULL,
    parts TEXT NOT NULL,
    edits TEXT NOT NULL,
    title TEXT NOT NULL,
    published_at TEXT,
    crawled_at TEXT NOT NULL,
    text TEXT NOT NULL,
    charset TEXT NOT NULL,
    snapshot TEXT NOT NULL,
    further TEXT DEFAULT '[]' NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX ix_revisions_changed ON revisions (changed_at);

CREATE INDEX ix_revisions_key ON revisions ("key");

CREATE INDEX ix_revisions_snapshot ON revisions (snapshot) WHERE snapshot <> '';

CREATE TABLE revision_part_snapshots (
    revision_id INTEGER NOT NULL,
    snapshot TEXT NOT NULL,
    PRIMARY KEY (revision_id, snapshot),
    FOREIGN KEY(revision_id) REFERENCES revisions (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_revision_part_snapshots_snapshot ON revision_part_snapshots (snapshot);

CREATE TABLE revisit_counters (
    site TEXT NOT NULL,
    visits INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    PRIMARY KEY (site)
);

CREATE TABLE distinct_links (
    id INTEGER NOT NULL,
    form BIGINT,
    dst BIGINT NOT NULL,
    url TEXT NOT NULL,
    anchor TEXT NOT NULL,
    kind TEXT NOT NULL,
    region TEXT NOT NULL,
    PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_distinct_links_form ON distinct_links (form, dst);

CREATE TABLE link_lists (
    id INTEGER NOT NULL,
    src BIGINT NOT NULL,
    channel TEXT NOT NULL,
    PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_link_lists_src ON link_lists (src, channel);

CREATE TABLE list_links (
    list INTEGER NOT NULL,
    dst BIGINT NOT NULL,
    link INTEGER NOT NULL,
    found_at FLOAT NOT NULL,
    nofollow BOOLEAN DEFAULT false NOT NULL,
    PRIMARY KEY (list, dst)
)
 WITHOUT ROWID;

CREATE INDEX ix_list_links_shown ON list_links (dst, list) WHERE NOT nofollow;

CREATE TABLE page_links (
    src BIGINT NOT NULL,
    found_at FLOAT NOT NULL,
    links BLOB NOT NULL,
    PRIMARY KEY (src, found_at)
)
 WITHOUT ROWID;

CREATE TABLE ranks (
    "key" INTEGER NOT NULL,
    pagerank FLOAT NOT NULL,
    hub FLOAT NOT NULL,
    authority FLOAT NOT NULL,
    weight FLOAT NOT NULL,
    indegree INTEGER NOT NULL,
    parent_indegree INTEGER NOT NULL,
    mirrors INTEGER NOT NULL,
    ranked_at FLOAT NOT NULL,
    PRIMARY KEY ("key")
);

CREATE TABLE explore_crawls (
    site TEXT NOT NULL,
    strategy TEXT NOT NULL,
    visits BIGINT DEFAULT '0' NOT NULL,
    hosts INTEGER DEFAULT '0' NOT NULL,
    began_at FLOAT NOT NULL,
    resumed_at FLOAT NOT NULL,
    PRIMARY KEY (site)
);

CREATE TABLE explore_hosts (
    site TEXT NOT NULL,
    host TEXT NOT NULL,
    hosts_before INTEGER NOT NULL,
    lowest_priority BIGINT NOT NULL,
    PRIMARY KEY (site, host)
)
 WITHOUT ROWID;

CREATE TABLE explore_pages (
    "key" INTEGER NOT NULL,
    title TEXT NOT NULL,
    markup_errors TEXT DEFAULT '[]' NOT NULL,
    PRIMARY KEY ("key")
);

CREATE TABLE strategy_counters (
    crawl TEXT NOT NULL,
    name TEXT NOT NULL,
    first FLOAT NOT NULL,
    second FLOAT NOT NULL,
    PRIMARY KEY (crawl, name)
)
 WITHOUT ROWID;

CREATE TABLE batch_jobs (
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    arguments TEXT NOT NULL,
    last_done_id BIGINT DEFAULT '0' NOT NULL,
    last_id BIGINT NOT NULL,
    figures TEXT DEFAULT '{}' NOT NULL,
    began_at FLOAT NOT NULL,
    finished_at FLOAT,
    PRIMARY KEY (id)
);

CREATE TABLE runs (
    id INTEGER NOT NULL,
    spider TEXT NOT NULL,
    worker TEXT DEFAULT '' NOT NULL,
    arguments TEXT DEFAULT '{}' NOT NULL,
    started_at FLOAT NOT NULL,
    finished_at FLOAT,
    reason TEXT,
    figures TEXT DEFAULT '{}' NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE jobs (
    name TEXT NOT NULL,
    holder TEXT,
    started_at FLOAT NOT NULL,
    held_until FLOAT NOT NULL,
    due_at FLOAT,
    PRIMARY KEY (name)
) WITHOUT ROWID;

CREATE TABLE accounts (
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    added_at FLOAT NOT NULL,
    changed_at FLOAT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE account_tokens (
    hash TEXT NOT NULL,
    account TEXT NOT NULL,
    scope TEXT DEFAULT '' NOT NULL,
    label TEXT NOT NULL,
    made_at FLOAT NOT NULL,
    used_at FLOAT NOT NULL,
    ends_at FLOAT,
    PRIMARY KEY (hash),
    FOREIGN KEY(account) REFERENCES accounts (name) ON DELETE CASCADE
);

CREATE INDEX ix_account_tokens_account ON account_tokens (account);

CREATE TABLE audit_trail (
    id INTEGER NOT NULL,
    at FLOAT NOT NULL,
    account TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    "before" TEXT DEFAULT '' NOT NULL,
    "after" TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE alerts (
    id INTEGER NOT NULL,
    owner TEXT DEFAULT '' NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    "query" TEXT DEFAULT '' NOT NULL,
    pages INTEGER DEFAULT '0' NOT NULL,
    once TEXT DEFAULT 'event' NOT NULL,
    channels TEXT NOT NULL,
    rhythm TEXT DEFAULT 'immediately' NOT NULL,
    quiet TEXT DEFAULT '' NOT NULL,
    muted_from FLOAT DEFAULT '0' NOT NULL,
    muted_until FLOAT DEFAULT '0' NOT NULL,
    token TEXT NOT NULL,
    created_at FLOAT NOT NULL,
    checked_at FLOAT DEFAULT '0' NOT NULL,
    details TEXT DEFAULT '{}' NOT NULL,
    error TEXT DEFAULT '' NOT NULL,
    tried_at FLOAT DEFAULT '0' NOT NULL,
    PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_alerts_name ON alerts (owner, name);

CREATE TABLE alert_stories (
    id INTEGER NOT NULL,
    alert_id BIGINT NOT NULL,
    subject TEXT NOT NULL,
    article_id BIGINT,
    story TEXT NOT NULL,
    noted_at FLOAT NOT NULL,
    told_in TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY(alert_id) REFERENCES alerts (id) ON DELETE CASCADE,
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE SET NULL
);

CREATE INDEX ix_alert_stories_article ON alert_stories (article_id);

CREATE INDEX ix_alert_stories_new ON alert_stories (alert_id, noted_at) WHERE told_in IS NULL;

CREATE UNIQUE INDEX ix_alert_stories_subject ON alert_stories (alert_id, subject);

CREATE TABLE alert_deliveries (
    "key" TEXT NOT NULL,
    alert_id BIGINT NOT NULL,
    channel INTEGER NOT NULL,
    message TEXT NOT NULL,
    state TEXT DEFAULT 'waiting' NOT NULL,
    tries INTEGER DEFAULT '0' NOT NULL,
    pieces INTEGER DEFAULT '0' NOT NULL,
    due_at FLOAT NOT NULL,
    leased_until FLOAT DEFAULT '0' NOT NULL,
    lease TEXT DEFAULT '' NOT NULL,
    error TEXT DEFAULT '' NOT NULL,
    created_at FLOAT NOT NULL,
    sent_at FLOAT,
    about TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY ("key"),
    FOREIGN KEY(alert_id) REFERENCES alerts (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_alert_deliveries_created ON alert_deliveries (created_at);

CREATE INDEX ix_alert_deliveries_figures ON alert_deliveries (alert_id, created_at, state, sent_at);

CREATE INDEX ix_alert_deliveries_state ON alert_deliveries (state, created_at);

CREATE INDEX ix_alert_deliveries_due ON alert_deliveries (due_at) WHERE state = 'waiting';

CREATE INDEX ix_alert_deliveries_about ON alert_deliveries (about) WHERE about <> '';

CREATE TABLE collections (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    owner TEXT DEFAULT '' NOT NULL,
    "query" TEXT DEFAULT '' NOT NULL,
    note TEXT DEFAULT '' NOT NULL,
    made_at FLOAT NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE collection_articles (
    collection_id BIGINT NOT NULL,
    article_id BIGINT NOT NULL,
    added_at FLOAT NOT NULL,
    verdict TEXT DEFAULT '' NOT NULL,
    note TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (collection_id, article_id),
    FOREIGN KEY(collection_id) REFERENCES collections (id) ON DELETE CASCADE,
    FOREIGN KEY(article_id) REFERENCES articles (id) ON DELETE CASCADE
);

CREATE INDEX ix_collection_articles_article_id ON collection_articles (article_id);

CREATE VIEW unchecked_url AS
    SELECT key AS "URL_id", url AS "URL", update_cycle AS "UpdateCycle",
           CASE WHEN state IN ('done', 'error') THEN 0 ELSE 1 END AS checked
    FROM urls;

CREATE VIEW page_index AS
    SELECT a.id AS "Index_id", a.url AS "URL", a.snapshot AS content, a.title AS "Title",
    (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 1) AS "Key1", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 2) AS "Key2", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 3) AS "Key3", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 4) AS "Key4", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 5) AS "Key5", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 6) AS "Key6", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 7) AS "Key7", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 8) AS "Key8", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 9) AS "Key9", (SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = 10) AS "Key10", a.text AS "Body", a.link_count AS "Priority"
    FROM articles a;

CREATE VIEW links_of_lists AS
    SELECT src, l.dst, url, anchor, kind, region, channel, found_at, nofollow
    FROM list_links l JOIN link_lists p ON p.id = l.list JOIN distinct_links d ON d.id = l.link;

CREATE TABLE search_counts (
    day TEXT NOT NULL,
    "query" TEXT NOT NULL,
    searches INTEGER NOT NULL,
    PRIMARY KEY (day, "query")
)
 WITHOUT ROWID;

CREATE TABLE channel_days (
    site TEXT NOT NULL,
    channel TEXT NOT NULL,
    day INTEGER NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (site, channel, day)
)
 WITHOUT ROWID;


"""The views of a store."""

# For users of the classical tables of focused crawlers: the URLs still to be checked, and the index of pages. The
# last is what queries for links read.
VIEWS = (
    """
    CREATE VIEW unchecked_url AS
    SELECT key AS "URL_id", url AS "URL", update_cycle AS "UpdateCycle",
           CASE WHEN state IN ('done', 'error') THEN 0 ELSE 1 END AS checked
    FROM urls
    """,
    """
    CREATE VIEW page_index AS
    SELECT a.id AS "Index_id", a.url AS "URL", a.snapshot AS content, a.title AS "Title",
    """
    + ", ".join(
        f'(SELECT word FROM keywords k WHERE k.article_id = a.id AND k.position = {n}) AS "Key{n}"'
        for n in range(1, 11)
    )
    + """, a.text AS "Body", a.link_count AS "Priority"
    FROM articles a
    """,
    """
    CREATE VIEW links_of_lists AS
    SELECT src, l.dst, url, anchor, kind, region, channel, found_at, nofollow
    FROM list_links l JOIN link_lists p ON p.id = l.list JOIN distinct_links d ON d.id = l.link
    """,
)

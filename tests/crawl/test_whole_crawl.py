"""One command over the whole sample portal: what is found, what is kept, what is asked for."""

import json
from collections import Counter
from datetime import datetime
from urllib.parse import urlsplit

from tests.crawl.conftest import Crawled
from tests.support.portal import rows, scrapy


def test_a_round_ends_by_itself_with_nothing_left_undone(crawled: Crawled) -> None:
    assert crawled.done.returncode == 0, crawled.done.stderr[-3000:]
    assert rows(crawled.database, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing')") == [(0,)]
    assert rows(crawled.database, "SELECT reason FROM runs") == [("finished",)]


def test_nearly_all_reachable_articles_about_education_are_found(crawled: Crawled) -> None:
    expected = {url for url, page in crawled.pages.items() if page["relevant"] and page["reachable"]}
    assert len(expected) > 200
    assert len(expected & crawled.by_url.keys()) >= 0.98 * len(expected)


def test_nearly_all_that_is_stored_is_about_education(crawled: Crawled) -> None:
    verdicts = [crawled.pages[article["url"]]["relevant"] for article in crawled.articles]
    assert sum(verdicts) >= 0.98 * len(verdicts) > 200


def test_no_article_is_stored_twice(crawled: Crawled) -> None:
    assert max(Counter(article["body_md5"] for article in crawled.articles).values()) == 1
    assert max(Counter(url for article in crawled.articles for url in article["urls"]).values()) == 1
    origins = Counter(
        page["origin"] for article in crawled.articles if not (page := crawled.pages[article["url"]])["reprint"]
    )
    assert max(origins.values()) == 1


def test_a_page_that_asks_not_to_be_found_is_kept_but_no_search_shows_it(crawled: Crawled) -> None:
    hidden = [article for article in crawled.articles if article["noindex"]]
    unlisted = {url for url, page in crawled.pages.items() if page["noindex"]}
    assert hidden
    assert all(set(article["urls"]) <= unlisted for article in hidden)
    answer = scrapy(crawled.database, "search", hidden[0]["title"], "--json")
    assert hidden[0]["url"] not in answer.stdout


def test_an_exact_reprint_is_one_more_url_of_its_article(crawled: Crawled) -> None:
    groups: dict[int, set[str]] = {}
    for url, page in crawled.pages.items():
        if url in crawled.by_url and page["reprint"] in ("", "exact"):
            groups.setdefault(page["origin"], set()).add(url)
    reprinted = [urls for urls in groups.values() if len(urls) > 1]
    assert len(reprinted) > 10
    assert all(urls <= set(crawled.by_url[url]["urls"]) for urls in reprinted for url in urls)


def test_no_page_that_robots_forbids_was_asked_for(crawled: Crawled) -> None:
    forbidden = {page["url"] for page in crawled.truth["pages"] if page.get("forbidden")}
    requested = {f"http://{hit['host']}{hit['path']}" for hit in crawled.hits}
    assert forbidden
    assert not forbidden & requested
    assert rows(crawled.database, "SELECT count(*) FROM urls WHERE reason = 'robots'")[0][0] > 0


def test_robots_is_asked_once_a_host_and_before_anything_else(crawled: Crawled) -> None:
    first: dict[str, str] = {}
    for hit in crawled.hits:
        first.setdefault(hit["host"], hit["path"])
    assert set(first.values()) == {"/robots.txt"}
    assert set(Counter(hit["host"] for hit in crawled.hits if hit["path"] == "/robots.txt").values()) == {1}


def test_every_request_names_the_project_and_says_that_no_contact_was_given(crawled: Crawled) -> None:
    agents = {hit["user_agent"] for hit in crawled.hits}
    assert agents == {"newsspider/0.1 (no contact given)"}


def test_files_whose_suffix_says_that_they_are_no_page_are_never_asked_for(crawled: Crawled) -> None:
    suffixes = {urlsplit(hit["path"]).path.rpartition(".")[2].lower() for hit in crawled.hits}
    assert not suffixes & {"pdf", "doc", "docx", "jpg", "png", "mp4", "zip", "css", "js"}


def test_articles_keep_their_own_characters_whatever_header_and_meta_say(crawled: Crawled) -> None:
    lied_to = [
        (crawled.by_url[url], page)
        for url, page in crawled.pages.items()
        if url in crawled.by_url and page["charset"]["codec"].lower() != str(page["charset"]["header"]).lower()
    ]
    assert len(lied_to) > 20
    wrong = [page["url"] for article, page in lied_to if "\ufffd" in article["title"] + article["text"]]
    assert not wrong
    same = [squeezed(article["title"]) == squeezed(page["title"]) for article, page in lied_to]
    assert sum(same) >= 0.9 * len(same)


def test_records_hold_what_the_pages_say(crawled: Crawled) -> None:
    pairs = [(article, crawled.pages[article["url"]]) for article in crawled.articles]
    title = [squeezed(article["title"]) == squeezed(page["title"]) for article, page in pairs]
    day = [
        article["published_at"] is not None
        and datetime.fromisoformat(article["published_at"]).date() == datetime.fromisoformat(page["published_at"]).date()
        for article, page in pairs
    ]
    assert sum(title) >= 0.9 * len(pairs)
    assert sum(day) >= 0.9 * len(pairs)
    for article, _ in pairs:
        assert article["site"]
        assert article["channel"]
        assert article["media_class"]
        assert article["summary"]
        assert 1 <= len(article["keywords"]) <= 10
        assert article["terms"]
        assert article["model"]
        assert article["snapshot"]


def test_every_article_was_found_by_a_link_whose_text_stays_with_it(crawled: Crawled) -> None:
    assert sum(bool(article["anchor"]) for article in crawled.articles) >= 0.98 * len(crawled.articles)


def test_every_fetch_ended_in_exactly_one_outcome_and_each_trouble_has_its_own(crawled: Crawled) -> None:
    reasons = dict(rows(crawled.database, "SELECT reason, count(*) FROM urls GROUP BY reason"))
    expected = {"stored", "duplicate", "off_topic", "polled", "redirect", "robots", "robots_read", "http_status"}
    assert expected <= set(reasons)
    assert {"timeout", "connection", "truncated"} <= set(reasons), "slow, reset and truncated pages"
    fetched = rows(crawled.database, "SELECT count(*) FROM urls WHERE last_fetched_at IS NOT NULL")[0][0]
    assert fetched <= len(crawled.hits)


def test_a_host_that_answers_429_is_left_alone_for_as_long_as_it_says(crawled: Crawled) -> None:
    limited = [hit for hit in crawled.hits if hit["status"] == 429]
    assert limited
    for hit in limited:
        later = [other["t"] for other in crawled.hits if other["host"] == hit["host"] and other["t"] > hit["t"]]
        assert min(later) - hit["t"] >= 0.9  # the portal's shortest Retry-After is 1 s


def test_one_host_is_asked_one_page_at_a_time_and_not_faster_than_its_delay(crawled: Crawled) -> None:
    moments: dict[str, list[float]] = {}
    for hit in crawled.hits:
        moments.setdefault(hit["host"], []).append(hit["t"])
    assert len(moments) == 10
    for times in moments.values():  # the site files ask for 0.05 s from request to request
        assert max(times) - min(times) >= 0.95 * 0.05 * (len(times) - 1)


def test_traps_do_not_hold_the_crawl(crawled: Crawled) -> None:
    assert len(crawled.hits) <= 1.15 * len(crawled.truth["known"])


def test_the_ledger_knows_what_the_lists_of_the_portal_show(crawled: Crawled) -> None:
    ledger = {url for (url,) in rows(crawled.database, "SELECT url FROM urls")}
    listed = set(crawled.truth["known"])
    assert len(listed - ledger) <= 0.01 * len(listed)
    assert len(ledger - listed) <= 0.05 * len(listed)


def test_few_articles_are_asked_for_that_are_not_about_the_topic(crawled: Crawled) -> None:
    query = "SELECT reason, count(*) FROM urls WHERE kind IN ('article', 'blog', 'forum') AND last_fetched_at IS NOT NULL GROUP BY reason"
    counts = dict(rows(crawled.database, query))
    stored = counts["stored"] + counts["duplicate"]
    assert stored + counts["off_topic"] <= 1.32 * stored
    expected = {url for url, page in crawled.pages.items() if page["relevant"] and page["reachable"]}
    assert len(expected & crawled.by_url.keys()) >= 0.99 * len(expected)


def test_a_second_crawl_asks_only_for_what_may_be_new(crawled: Crawled) -> None:
    hits_before = len(crawled.portal.hits())
    again = scrapy(crawled.database, "crawl", "education", "-a", f"sites={crawled.portal.sites}")
    assert again.returncode == 0, again.stderr[-3000:]
    requested = [f"http://{hit['host']}{hit['path']}" for hit in crawled.portal.hits()[hits_before:]]
    polled = {url for (url,) in rows(crawled.database, "SELECT url FROM urls WHERE kind IN ('list', 'feed', 'sitemap')")}
    assert requested
    assert not [url for url in requested if url not in polled and not url.endswith("/robots.txt")]


def test_articles_can_be_taken_by_the_part_of_the_field_that_they_belong_to(crawled: Crawled) -> None:
    expected = [article["url"] for article in crawled.articles if "高考" in article["subtopics"]]
    assert 0 < len(expected) < len(crawled.articles)
    assert len({name for article in crawled.articles for name in article["subtopics"]}) >= 5
    answer = scrapy(crawled.database, "export", "--subtopic", "高考")
    assert [json.loads(line)["url"] for line in answer.stdout.splitlines()] == expected


def test_status_and_explain_say_what_happened(crawled: Crawled) -> None:
    status = scrapy(crawled.database, "status", "--json")
    summary = json.loads(status.stdout)
    assert summary["urls"] == sum(summary["states"].values())
    assert summary["articles"] == len(crawled.articles)
    text = scrapy(crawled.database, "status").stdout
    assert max(map(len, text.splitlines())) <= 80
    url = next(url for url, page in crawled.pages.items() if page.get("forbidden"))
    assert "robots" in scrapy(crawled.database, "explain", url).stdout


def squeezed(text: str) -> str:
    return "".join(text.split())

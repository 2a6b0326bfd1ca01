"""The articles of the sample portal that stand on several pages, after one crawl of all of it."""

from demo.show import in_parts, not_joined
from tests.crawl.conftest import Crawled
from tests.support.portal import rows


def test_each_split_article_is_stored_once_and_joined_exactly(crawled: Crawled) -> None:
    assert len(in_parts(crawled.truth)) >= 20
    assert not_joined(crawled.truth, crawled.articles) == []


def test_each_split_article_names_its_further_pages_which_are_settled_as_joined(crawled: Crawled) -> None:
    further = {url: page["parts"][1:] for url, page in in_parts(crawled.truth).items()}
    assert {url: crawled.by_url[url]["parts"] for url in further} == further
    settled = dict(rows(crawled.database, "SELECT url, detail FROM urls WHERE reason = 'joined'"))
    assert settled == {part: url for url, parts in further.items() for part in parts}

"""How a crawl ends, and its exit code."""

from newsspider.core.crawling.finish_reasons import ENDINGS, CrawlLimits, Finish, ending_of_reason


def test_only_a_crawl_with_nothing_left_undone_exits_0() -> None:
    assert [reason for reason in Finish if ENDINGS[reason].exit_code == 0] == [Finish.FINISHED]


def test_every_ending_has_a_sentence_and_a_code_of_its_own() -> None:
    assert set(ENDINGS) == set(Finish)
    codes = [entry.exit_code for entry in ENDINGS.values()]
    assert len(set(codes)) == len(codes)
    assert all(entry.sentence for entry in ENDINGS.values())


def test_a_reason_that_is_not_ours_is_a_failure() -> None:
    assert ending_of_reason("enough").exit_code == 1
    assert ending_of_reason(None).exit_code == 1


def test_a_scrapy_limit_that_the_user_set_is_not_a_failure() -> None:
    assert ending_of_reason("closespider_errorcount").exit_code == 0
    assert "CLOSESPIDER_ERRORCOUNT" in ending_of_reason("closespider_errorcount").sentence


def test_each_limit_is_reached_at_its_figure_and_not_before() -> None:
    assert CrawlLimits(pages=5).reached(4, 99, 9e9) is None
    assert CrawlLimits(pages=5).reached(5, 0, 0) is Finish.PAGES
    assert CrawlLimits(articles=5).reached(99, 5, 0) is Finish.ARTICLES
    assert CrawlLimits(minutes=2).reached(0, 0, 119.9) is None
    assert CrawlLimits(minutes=2).reached(0, 0, 120.0) is Finish.MINUTES

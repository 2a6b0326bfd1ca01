"""Which page copied a text from which."""

from newsspider.core.duplicates.first_source import Copy
from newsspider.features.events.headlines import HALF_LIFE, headline_score
from newsspider.features.events.rules.propagation import Edge, Way, propagation_edges

AGENCY = Copy("http://x.cn/1", "新华教育", None, 1000.0)
REPRINT = Copy("http://y.cn/1", "江南网", "新华教育", 2000.0)
REWRITTEN = Copy("http://z.cn/1", "晨报", "新华教育", 3000.0)
OWN = Copy("http://w.cn/1", "校园观察", None, 2500.0)
FOREIGN = Copy("http://v.cn/1", "搜知网", "某通讯社", 2600.0)


def test_reprints_and_credits_lead_to_the_page_that_had_it_and_own_reports_to_none():
    groups = {1: [REPRINT, AGENCY], 2: [REWRITTEN], 3: [OWN], 4: [FOREIGN]}
    assert propagation_edges(groups) == [
        Edge(AGENCY.url, REPRINT.url, Way.REPRINT),
        Edge(AGENCY.url, REWRITTEN.url, Way.CREDIT),
    ]


def test_nobody_takes_from_what_came_later():
    early = Copy("http://z.cn/1", "晨报", "新华教育", 500.0)
    assert propagation_edges({1: [AGENCY], 2: [early]}) == []


def test_weight_number_and_freshness_of_the_sources_make_a_headline():
    assert headline_score([9], 0) > headline_score([5, 5], 0) > headline_score([5], 0)
    assert headline_score([9], HALF_LIFE) == headline_score([9], 0) / 2
    assert headline_score([9], -5) == headline_score([9], 0)

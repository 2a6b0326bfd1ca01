"""What a report holds, and when the fault is probably on this side."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from newsspider.features.health.check import stored_results
from newsspider.features.health.check.faults import ADVICE, SiteFault
from newsspider.features.health.check.result_views import html_page, mostly_unanswered, public_report, record
from newsspider.features.health.check.site_check import Repair, SiteCheck, SiteFinding
from newsspider.features.health.check.stored_results import RECORD
from newsspider.sites.model import from_home

NOW = datetime(2026, 11, 29, 8, tzinfo=UTC)
FINDING = SiteFinding(SiteFault.MOVED, "新闻", "it leads to http://intranet.local/<b>")
KNOWN = SiteCheck(
    "教育部", "http://www.moe.gov.cn/", 9, 8, 90, 80, "2026-11-28", "utf-8",
    findings=(FINDING,), repairs=(Repair("新闻", "url", ("http://www.moe.gov.cn/a/",), ("http://www.moe.gov.cn/b/",)),),
)  # fmt: skip
PRIVATE = replace(KNOWN, name="内网", home="http://10.0.0.1/", repairs=())


def test_a_report_has_sites_of_the_catalogue_without_evidence_and_counts_the_others() -> None:
    report = public_report([KNOWN, PRIVATE], frozenset({KNOWN.home}), "0.1.0", NOW)
    (site,) = report["sites"]
    assert (site["name"], site["verdict"], site["found"]) == ("教育部", "moved", 8)
    assert site["repairs"] == [{"channel": "新闻", "key": "url", "new": ["http://www.moe.gov.cn/b/"]}]
    assert report["other_sites"] == {"moved": 1}
    text = json.dumps(report, ensure_ascii=False)
    assert not [word for word in ("intranet", "内网", "10.0.0.1") if word in text]


def test_a_result_is_read_back_as_it_was_kept() -> None:
    assert RECORD.validate_json(RECORD.dump_json(KNOWN)) == KNOWN
    assert record(KNOWN)["verdict"] == "moved"


def test_the_last_result_of_a_site_counts_for_a_day_unless_nothing_was_requested(conn) -> None:
    sites = [replace(from_home("http://a.cn/"), name=name) for name in ("a", "b")]
    stored_results.keep(conn, sites[0], replace(KNOWN, name="a"), 1000.0)
    closed = replace(KNOWN, name="b", findings=(SiteFinding(SiteFault.NOT_PUBLIC, "新闻", "see ALLOWED_ADDRESSES"),))
    stored_results.keep(conn, sites[1], closed, 1000.0)
    assert list(stored_results.fresh(conn, sites, 2000.0)) == ["a"]
    assert stored_results.fresh(conn, sites, 1001.0 + stored_results.FRESH_SECONDS) == {}
    assert {name: check.at for name, check in stored_results.last_visits(conn).items()} == {"a": 1000.0, "b": 1000.0}
    conn.exec_driver_sql("UPDATE site_checks SET result = replace(result, 'not_public', 'of_another_release')")
    assert list(stored_results.last_visits(conn)) == ["a"]


def test_the_page_escapes_what_sites_say() -> None:
    page = html_page([KNOWN], NOW)
    assert "http://intranet.local/&lt;b&gt;" in page
    assert "有问题 1 个" in page


@pytest.mark.parametrize(("silent", "expected"), [(3, False), (4, False), (5, True)])
def test_the_fault_is_probably_here_if_most_sites_do_not_answer(silent: int, expected: bool) -> None:
    down = replace(KNOWN, findings=(SiteFinding(SiteFault.DNS, "新闻", ""),))
    assert mostly_unanswered([down] * silent + [KNOWN] * 4) is expected


def test_each_fault_has_advice_and_a_chinese_name() -> None:
    assert list(ADVICE) == list(SiteFault)
    assert len({fault.chinese for fault in SiteFault}) == len(SiteFault)

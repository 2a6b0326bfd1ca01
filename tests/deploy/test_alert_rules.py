"""Each alert for Prometheus fires while its fault lasts and ends after it, as ``promtool`` evaluates the rules."""

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.portal import ROOT
from tests.support.servers import promtool

yaml = pytest.importorskip("yaml")

PAGE = "https://github.com/newsspider/newsspider/blob/main/docs/how-to/incidents.md"
RULES = ROOT / "deploy/monitoring/alerts.yml"
WORKER = 'instance="w:9410", job="newsspider", spider="education"'


class Fault(NamedTuple):
    """Series with a value a minute, and the minutes at which the alert is off, fires, and is off again."""

    series: dict[str, str]
    before: int
    during: int
    after: int


def worker(name: str, values: str, more: str = "") -> dict[str, str]:
    return {f"newsspider_{name}{{{WORKER}{more}}}": values}


FAULTS = {
    "NewsspiderDown": Fault({'up{job="newsspider", instance="w:9410"}': "1x10 0x10 1x30"}, 10, 15, 25),
    "NewsspiderNotReady": Fault(worker("problems", "0x10 1x10 0x30"), 10, 15, 25),
    "NewsspiderNoPages": Fault(
        worker("pages_total", "0+10x30 300x40 300+10x60") | worker("leases_held", "0x140")
        | worker("next_due_timestamp_seconds", "60+60x30 1800x40 4260+60x60"), 30, 65, 90,
    ),
    "NewsspiderNoArticles": Fault(
        worker("last_article_timestamp_seconds", "60x430 25800x60") | worker("start_timestamp_seconds", "0x500"), 300, 420, 440
    ),
    "NewsspiderSourceProblem": Fault(
        {f'newsspider_source_health{{{WORKER}, site="教育部", state="blocked"}}': "_x10 1x20 stale"}, 10, 20, 35
    ),
    "NewsspiderManyErrors": Fault(
        worker("errors_total", "0x30 0+8x60 480x60", ', reason="timeout"') | worker("outcomes_total", "0+10x200", ', reason="stored"'),
        30, 80, 130,
    ),
    "NewsspiderInternalErrors": Fault(worker("internal_errors_total", "0x30 1x120"), 30, 35, 100),
    "NewsspiderStoreSlow": Fault(worker("commit_retries_total", "0x20 0+10x20 200x40"), 20, 38, 60),
    "NewsspiderLoopBlocked": Fault(worker("loop_delay_seconds", "0.1x10 9x20 0.1x30"), 10, 25, 40),
    "NewsspiderMemory": Fault(worker("memory_bytes", "3e8x10 1e9x30 3e8x30"), 10, 35, 50),
    "NewsspiderPublicationLag": Fault(
        worker("publication_lag_seconds_bucket", "0+1x60 60x1000", ', le="3600"')
        | worker("publication_lag_seconds_bucket", "0+1x60 60+10x400 4060+0x600", ', le="14400"')
        | worker("publication_lag_seconds_bucket", "0+1x60 60+10x400 4060+0x600", ', le="+Inf"'),
        60, 400, 900,
    ),
}  # fmt: skip

EVERY_TEN_MINUTES = " ".join(f"{count}x9" for count in range(60))

# What is no fault of a worker that watches little, or of one among several.
QUIET = {
    "nothing is due for hours, though the links of a host that rests, or of another crawl, wait": (
        "NewsspiderNoPages",
        worker("pages_total", "100x240") | worker("leases_held", "0x240") | worker("next_due_timestamp_seconds", "18000x240")
        | worker("queue_urls", "5000x240", ', state="waiting"'),
    ),
    "nothing is left": (
        "NewsspiderNoPages",
        worker("pages_total", "100x240") | worker("leases_held", "0x240") | worker("next_due_timestamp_seconds", "0x240"),
    ),
    "a page every ten minutes fails": (
        "NewsspiderManyErrors",
        worker("errors_total", EVERY_TEN_MINUTES, ', reason="timeout"') | worker("outcomes_total", EVERY_TEN_MINUTES, ', reason="retry"'),
    ),
    "another worker stores articles": (
        "NewsspiderNoArticles",
        worker("last_article_timestamp_seconds", "60x600") | worker("start_timestamp_seconds", "0x600")
        | {'newsspider_last_article_timestamp_seconds{instance="v:9410", job="newsspider", spider="education"}': "60+60x600"},
    ),
}  # fmt: skip


def rules() -> dict[str, dict]:
    (group,) = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def test_every_alert_has_a_fault() -> None:
    assert set(FAULTS) == set(rules())


@pytest.mark.parametrize("alert", FAULTS)
def test_an_alert_fires_while_its_fault_lasts_and_clears_after(alert: str, tmp_path: Path) -> None:
    fault = FAULTS[alert]
    for minute, count in ((fault.before, 0), (fault.during, 1), (fault.after, 0)):
        assert firing(alert, fault, minute, tmp_path) == count, f"{alert} at minute {minute}"


def test_a_worker_that_holds_pages_and_asks_for_none_fires(tmp_path: Path) -> None:
    series = worker("pages_total", "100x90") | worker("leases_held", "8x90") | worker("next_due_timestamp_seconds", "9000x90")
    assert firing("NewsspiderNoPages", Fault(series, 0, 0, 0), 60, tmp_path) == 1


@pytest.mark.parametrize("why", QUIET)
def test_an_alert_keeps_quiet(why: str, tmp_path: Path) -> None:
    alert, series = QUIET[why]
    for minute in (60, 120, 230, 500):
        assert firing(alert, Fault(series, 0, 0, 0), minute, tmp_path) == 0, f"{alert} at minute {minute}, though {why}"


def firing(alert: str, fault: Fault, minute: int, folder: Path) -> int:
    """How many alerts of this name fire at a minute: promtool compares, and prints what it got instead of none."""
    test = {
        "rule_files": [str(RULES)], "evaluation_interval": "1m",
        "tests": [{
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in fault.series.items()],
            "alert_rule_test": [{"alertname": alert, "eval_time": f"{minute}m", "exp_alerts": []}],
        }],
    }  # fmt: skip
    file = folder / f"{minute}.yml"
    file.write_text(yaml.safe_dump(test, allow_unicode=True), "utf-8")
    ran = subprocess.run([promtool(), "test", "rules", str(file)], capture_output=True, text=True, check=False)
    output = ran.stdout + ran.stderr
    assert ran.returncode == 0 or "exp:[" in output.replace(" ", ""), output
    return 0 if ran.returncode == 0 else output.count("Labels:{alertname=")


def test_every_alert_leads_to_its_section_of_the_incidents() -> None:
    rules = yaml.safe_load(RULES.read_text("utf-8"))["groups"][0]["rules"]
    pages = {rule["alert"]: rule["annotations"]["runbook_url"] for rule in rules}
    heads = [line[3:].strip() for line in (ROOT / "docs/how-to/incidents.md").read_text("utf-8").splitlines() if line.startswith("## ")]
    assert pages == {head: f"{PAGE}#{head.lower()}" for head in heads}

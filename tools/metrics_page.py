"""The reference page of the metrics, from their declarations."""

from __future__ import annotations

from newsspider.extensions.metrics import METRIC_PREFIX, METRICS

NOTE = "<!-- Written by `make docs` from newsspider/extensions/metrics.py, not by hand. -->"
INTRO = """
What a worker shows to Prometheus ([how to monitor](../how-to/monitor.md)). All have the label `spider`, a named job `job_name`.
Counters begin at 0 with each worker, and their names end in `_total`.
"""


def metrics_page() -> str:
    """Every metric in a table."""
    lines = [NOTE, f"\n# Metrics\n{INTRO}", "| metric | type | meaning | label |", "| --- | --- | --- | --- |"]
    for metric in METRICS:
        name = f"{METRIC_PREFIX}{metric.name}{'_total' if metric.kind == 'counter' else ''}"
        label = f"`{metric.label}`" if metric.label else ""
        lines.append(f"| `{name}` | {metric.kind} | {metric.sentence} | {label} |")
    return "\n".join([*lines, ""])

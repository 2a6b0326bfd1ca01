"""The results of ``scrapy sites check`` as a table, as JSON, as a page of HTML and as a report for the project."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import Any

from newsspider.features.health.check.faults import ADVICE, SiteFault
from newsspider.features.health.check.site_check import ArticleRead, Repair, SiteCheck
from newsspider.features.health.check.stored_results import RECORD
from newsspider.sites.site_lines import cells_line

OK = "ok"
# Columns of the table and their widths; with one blank between them they fill 80.
COLUMNS = (("site", 28), ("lists", 7), ("items", 5), ("dated", 5), ("article", 7), ("charset", 8), ("verdict", 14))
_LETTERS = {"title": "t", "date": "d", "source": "s", "author": "a", "body": "b"}
_STYLE = (
    ":root{color-scheme:light dark}.bad{color:light-dark(#a40000,#ff8f8f)}.good{color:light-dark(#0a6b2d,#7fd49b)}"
    "body{font:15px/1.6 sans-serif;margin:2em auto;max-width:72em;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;text-align:left;vertical-align:top}"
    "tr{border-bottom:1px solid #8886}td{overflow-wrap:anywhere}th,td:nth-child(6){white-space:nowrap}"
    "td:first-child,.bad,.good{min-width:6em}small{color:light-dark(#555,#aaa)}"
    # a narrow page has a block a site, whose figures name themselves
    "@media(max-width:45em){tr:first-child{display:none}tr,td{display:block}tr{padding:.6em 0}td{padding:0}td:empty{display:none}"
    "td:nth-child(-n+4):nth-child(n+2),td:nth-child(6){display:inline-block;margin-right:1em}"
    "td:nth-child(2)::before{content:'列表 '}td:nth-child(3)::before{content:'条目 '}td:nth-child(4)::before{content:'有日期 '}}"
)


def record(result: SiteCheck) -> dict[str, Any]:
    """A result for JSON."""
    verdict = str(result.fault or OK)
    return {"verdict": verdict, **RECORD.dump_python(result, mode="json")}


def table(results: Sequence[SiteCheck]) -> Iterator[str]:
    """A line a site, and below those with a fault a line a finding, with what to do."""
    yield cells_line([head for head, _ in COLUMNS], COLUMNS)
    for result in results:
        article = "-" if result.article is None else _letters(result.article)
        dated = f"{result.dated / result.items:.0%}" if result.items else "-"
        lists = f"{result.found}/{result.lists}"
        cells = [result.name, lists, str(result.items), dated, article, result.charset or "-"]
        yield cells_line([*cells, str(result.fault or OK)], COLUMNS)
        for finding in result.findings:
            yield f"  {finding.fault} {finding.channel or '-'}: {finding.evidence}"
        yield from (f"  repair: {repair_line(repair)}" for repair in result.repairs)
        for fault in dict.fromkeys(finding.fault for finding in result.findings):
            yield f"  do ({fault}): {ADVICE[fault].replace('NAME', shlex.quote(result.name))}"


def counts(results: Sequence[SiteCheck]) -> str:
    """How many sites have each verdict, the most frequent first."""
    verdicts = Counter(str(result.fault or OK) for result in results).most_common()
    return f"{len(results)} sites: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts)


def repair_line(repair: Repair) -> str:
    """What a repair changes, on one line."""
    of = f"{repair.channel} " if repair.channel else ""
    return f"{of}{repair.key}: {' '.join(repair.new) or 'none, the general reader finds the list'}"


def html_page(results: Sequence[SiteCheck], now: datetime) -> str:
    """A page for people."""
    rows = "\n".join(map(_row, results))
    bad = sum(result.fault is not None for result in results)
    return (
        f'<!doctype html>\n<html lang="zh-CN"><head><meta charset="utf-8"><title>来源检查</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>\n<h1>来源检查</h1>'
        f"<p>{now:%Y-%m-%d %H:%M}，共 {len(results)} 个来源，正常 {len(results) - bad} 个，有问题 {bad} 个。</p>\n"
        "<table><tr><th>来源<th>列表<th>条目<th>有日期<th>文章<th>编码<th>结论<th>依据</tr>\n"
        f"{rows}\n</table></body></html>\n"
    )


def _row(result: SiteCheck) -> str:
    fault = result.fault
    verdict = f'<td class="bad">{fault.chinese}<br><small>{fault}</small>' if fault else '<td class="good">正常'
    lines = [f"{finding.channel}：{finding.evidence}".lstrip("：") for finding in result.findings]
    lines += [f"可修：{repair_line(repair)}" for repair in result.repairs]
    article = "" if result.article is None else result.article.title or result.article.url
    cells = [
        f'<td><a href="{escape(result.home)}">{escape(result.name)}</a>',
        f"<td>{result.found}/{result.lists}<td>{result.items}<td>{result.dated}",
        f"<td>{escape(article)}<td>{escape(result.charset or '')}",
        verdict,
        f"<td>{'<br>'.join(map(escape, lines))}",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def public_report(results: Sequence[SiteCheck], public: frozenset[str], version: str, now: datetime) -> dict[str, Any]:
    """What the project may know: of sites that it names itself (``public``, by their home pages) the verdict of each
    channel, counts and new addresses on the same site; of others only how many there are. Nothing of the machine, the
    user, the contact or the evidence, which may quote a network's own names."""
    known = [result for result in results if result.home in public]
    return {
        "newsspider": version,
        "day": f"{now:%Y-%m-%d}",
        "sites": [
            {
                "name": result.name,
                "home": result.home,
                "verdict": str(result.fault or OK),
                "lists": result.lists,
                "found": result.found,
                "items": result.items,
                "dated": result.dated,
                "newest": result.newest,
                "charset": result.charset,
                "fields": list(result.article.fields) if result.article else [],
                "faults": [{"channel": finding.channel, "fault": str(finding.fault)} for finding in result.findings],
                "repairs": [
                    {"channel": repair.channel, "key": repair.key, "new": list(repair.new)} for repair in result.repairs
                ],
            }
            for result in known
        ],
        "other_sites": dict(Counter(str(result.fault or OK) for result in results if result.home not in public)),
    }


def mostly_unanswered(results: Sequence[SiteCheck]) -> bool:
    """Whether so many sites do not answer that the fault is probably on this side."""
    silent = sum(result.fault in (SiteFault.DNS, SiteFault.UNREACHABLE, SiteFault.TIMEOUT) for result in results)
    return silent >= 4 and 2 * silent > len(results)


def _letters(article: ArticleRead) -> str:
    """The first letters of the fields that an article has."""
    return "".join(_LETTERS[name] for name in article.fields) or "none"

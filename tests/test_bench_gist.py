"""The measure of keywords and summaries against what editors wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import gist
from bench.gist import Told, recall, rouge_l, told_by

LINES = (
    "江南省教育厅昨天发布新版中小学作息时间表，小学上午上课时间不早于8点20分。新表从秋季学期起施行。",
    "教育厅负责人说，调整作息时间是为了让学生睡得更够。调查显示，全省近六成小学生睡眠不足九小时。",
    "多所学校表示，将同步调整校车和早餐供应，课后服务时间不变。家长可以通过学校的公众号查询新的作息时间表。",
    "专家认为，睡眠时间与学习效率有关，学校应当减少早读和晚自习的安排，让孩子有更多的时间休息和运动。",
)
ABOUT_THE_SITE = "某某网是江南省最大的新闻门户网站，为您提供最新最快的新闻资讯和服务。"


def page(folder: Path, name: str, keywords: str = "", description: str = "") -> None:
    body = "".join(f"<p>{line}</p>" for line in LINES * 2)
    meta = f'<meta name=keywords content="{keywords}"><meta name=description content="{description}">'
    (folder / name).write_text(
        f"<html><head><meta charset=utf-8>{meta}<title>江南省发布新版作息时间表</title></head><body><h1>江南省发布新版作息时间表</h1>"
        f"<div>2025-06-01 10:00 来源：江南日报</div><div>{body}</div></body></html>",
        "utf-8",
    )


def told(folder: Path, keywords: str = "", description: str = "") -> Told:
    page(folder, "a.html", keywords, description)
    (result,) = told_by([folder / "a.html"])
    return result


def test_words_of_the_article_count_and_those_of_the_site_do_not(tmp_path: Path) -> None:
    assert told(tmp_path, "作息时间表,睡眠,门户网站").words == ("作息时间表", "睡眠")
    assert told(tmp_path, "作息时间表,门户网站,新闻资讯").words == ()


def test_a_description_counts_that_stands_in_the_text(tmp_path: Path) -> None:
    assert told(tmp_path, description=f"{LINES[0][:40]}...").description == LINES[0][:40]
    assert told(tmp_path, description=ABOUT_THE_SITE).description == ""
    assert told(tmp_path, description="江南省发布新版作息时间表").description == ""


def test_a_short_page_is_no_article(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text("<h1>标题</h1><p>一句话。</p>", "utf-8")
    assert told_by([tmp_path / "b.html"]) == []


def test_recall_is_of_the_wanted_words_and_rouge_is_one_for_the_same_text() -> None:
    assert recall(["NBA", "高考"], ["nba", "中考"]) == 0.5
    assert (rouge_l("高考改革", "高考改革"), rouge_l("", "高考"), rouge_l("高考", "改革")) == (1.0, 0.0, 0.0)
    assert rouge_l("高考的改革", "高考改革") == pytest.approx(8 / 9)


@pytest.mark.parametrize(("keywords", "code"), [(["作息时间表", "睡眠"], 0), (["别的词"], 1)])
def test_the_figures_are_printed_and_ours_must_be_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], keywords: list[str], code: int
) -> None:
    page(tmp_path, "a.html", "作息时间表,睡眠", LINES[0])
    chosen = {"newsspider": lambda _: keywords, "TF-IDF": lambda _: ["作息时间表"]}
    monkeypatch.setattr(gist, "KEYWORDS", chosen)
    assert gist.main([str(tmp_path)]) == code
    printed = capsys.readouterr().out
    assert "1 articles, 1 with keywords of an editor, 1 with a description" in printed
    assert f"newsspider {1.0 if code == 0 else 0.0:.3f}, TF-IDF 0.500" in printed


def test_pages_without_an_editors_words_are_too_few(tmp_path: Path) -> None:
    page(tmp_path, "a.html")
    assert gist.main([str(tmp_path)]) == 1

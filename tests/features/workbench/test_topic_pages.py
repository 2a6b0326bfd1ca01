"""Topics in the console: what they are made of, testing a text, deciding on articles."""

import re
from importlib.resources import files
from urllib.parse import urlencode

import pytest
from scrapy.exceptions import UsageError
from sqlalchemy import Engine, text

from newsspider.core.crawling.visit import HeldArticle
from newsspider.core.relevance.scoring import score
from newsspider.core.url import url_key
from newsspider.features.console.display import precision_recall
from newsspider.features.console.pages.labelling import profile_of
from newsspider.features.workbench import precision_and_recall
from newsspider.features.workbench.topic_pages import FEWEST_MEASURED
from newsspider.store import audit_trail
from newsspider.store.articles import held_articles, labels
from newsspider.store.articles.article_records import article_at, export_records
from newsspider.store.engine.database import reading, writing
from tests.features.console.conftest import TODAY
from tests.features.console.consoles import client, console_of, send
from tests.features.workbench.topic_drafts import hold
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["HeldArticle", "client"]

HELD = "http://held.cn/1"


@pytest.fixture
def undecided(filled: Engine) -> Engine:
    """A held article of the topic education."""
    hold(filled, HELD, "待定的<b>一篇</b>")
    return filled


def test_every_topic_is_listed_and_shown(client) -> None:
    page = client.get("/topics").text
    for name in ("education", "flood", "railway"):
        assert f'href="/topics/{name}"' in page
        answer = client.get(f"/topics/{name}")
        assert answer.status_code == 200
        assert "规则" in answer.text
    assert client.get("/topics/nope").status_code == 404


def test_a_topic_of_ones_own_goes_before_the_shipped_one_of_its_name(filled, tmp_path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('name = "education"\ntitle = "我的教育"\nmodel = "boolean"\n[terms.a]\n"高考" = 0.9\n', "utf-8")
    client = console_of(filled, TOPIC=str(own))
    titles = {topic["name"]: topic["title"] for topic in client.get("/api/v1/topics").json()["topics"]}
    assert (titles["education"], "flood" in titles) == ("我的教育", True)
    assert client.get("/topics/education/draft").status_code == 200


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "my-topic.toml"])
def test_a_request_names_a_topic_and_never_a_file(client, name) -> None:
    assert client.get(f"/topics/{name}").status_code == 404
    assert send(client, f"/topics/{name}/test", title="x").status_code == 404


def test_a_text_is_tested_with_what_each_part_says(client) -> None:
    page = send(client, "/topics/education/test", title="教育部公布高考改革方案<script>", text="").text
    assert "<b>相关</b>" in page
    assert re.search(r"训练</th><td>[+-]\d", page)
    assert "<mark>高考改革</mark>" in page or "<mark>高考</mark>" in page
    assert "<script>" not in page
    assert "（只有标题时用的）" in page
    assert "（只有标题时用的）" not in send(client, "/topics/education/test", title="教育部", text="通知").text
    assert "<b>与主题无关</b>" in send(client, "/topics/education/test", title="股市今日大涨", text="").text


def test_a_topic_is_measured_when_its_labels_change_and_not_for_every_reader(client, filled, monkeypatch) -> None:
    texts = {number: f"http://l.cn/{number}" for number in range(2 * FEWEST_MEASURED)}
    with writing(filled) as conn:
        for number, url in texts.items():
            save_article(conn, url, f"第{number}篇 高考改革方案公布" if number % 2 else f"第{number}篇 股市今日大涨", title=f"第{number}篇")
            labels.label_articles(conn, "education", [url_key(url)], TODAY.timestamp(), relevant=bool(number % 2))
    judged = []
    monkeypatch.setattr(precision_and_recall, "score", lambda *values: judged.append(values) or score(*values))
    first = client.get("/topics/education")
    assert (first.status_code, len(judged)) == (200, len(texts))
    assert client.get("/topics/education").status_code == 200
    assert len(judged) == len(texts)
    with writing(filled) as conn:
        labels.label_articles(conn, "education", [url_key(texts[1])], TODAY.timestamp() + 1, relevant=False)
        labels.label_articles(conn, "education", [url_key(texts[0])], TODAY.timestamp() + 1, relevant=True)
    client.get("/topics/education")
    assert len(judged) == 2 * len(texts)


def test_a_topic_is_read_again_when_its_file_changes(tmp_path) -> None:
    path = tmp_path / "my-topic.toml"
    profile = files("newsspider.topics").joinpath("flood.toml").read_text("utf-8")
    path.write_text(profile, "utf-8")
    topic = profile_of(str(path))
    assert profile_of(str(path)) is topic
    path.write_text(profile + "# changed\n", "utf-8")
    assert profile_of(str(path)) is not topic
    path.unlink()
    with pytest.raises(UsageError):
        profile_of(str(path))


def test_a_borderline_article_is_stored_or_dropped(client, undecided) -> None:
    page = client.get("/topics/education").text
    assert "待定" in page
    assert "<b>一篇" not in page
    assert "相关 <kbd>y</kbd>" in page
    assert send(client, "/topics/education/label", url=HELD, verdict="y").status_code == 303
    with reading(undecided) as conn:
        assert article_at(conn, HELD)
        assert labels.of_key(conn, "education", url_key(HELD)) is True
        assert [(row.action, row.subject) for row in audit_trail.trail(conn, 1)] == [("topic.label", HELD)]
    assert "相关 <kbd>y</kbd>" not in client.get("/topics/education").text


def test_an_article_that_is_accepted_has_the_places_that_it_is_about(client, filled) -> None:
    hold(filled, "http://a.cn/suzhou", "苏州市各中小学今天开学")
    send(client, "/topics/education/label", url="http://a.cn/suzhou", verdict="y")
    with reading(filled) as conn:
        (record,) = (record for record in export_records(conn) if record["url"] == "http://a.cn/suzhou")
    assert record["places"] == ["苏州"]


def test_an_article_off_the_topic_is_shown_no_more(client, undecided) -> None:
    assert send(client, "/topics/education/label", url=HELD, verdict="n").status_code == 303
    with reading(undecided) as conn:
        assert article_at(conn, HELD) is None
        assert labels.of_key(conn, "education", url_key(HELD)) is False
    assert send(client, "/topics/education/label", url=HELD, verdict="remove").status_code == 303
    assert send(client, "/topics/education/label", url=HELD, verdict="remove").status_code == 404


CHOSEN = re.compile(r'value="([yn])" class="main" aria-pressed="true"')


def test_a_label_leads_back_to_the_article_which_shows_it(client) -> None:
    assert CHOSEN.findall(client.get("/articles/1").text) == []
    for verdict, chosen in (("n", ["n"]), ("y", ["y"]), ("remove", [])):
        answer = send(client, "/topics/education/label", url="http://a.cn/1", verdict=verdict, back="1")
        assert answer.headers["location"] == "/articles/1#label"
        assert CHOSEN.findall(client.get("/articles/1").text) == chosen
    answer = send(client, "/topics/education/label", url="http://a.cn/1", verdict="y", back="//b.cn")
    assert answer.headers["location"] == "/topics/education#borderline"


def test_who_disagrees_with_a_verdict_says_so_in_the_story_of_the_url(client, undecided) -> None:
    assert 'name="back" value="url"' in client.get("/url", params={"u": HELD}).text
    answer = send(client, "/topics/education/label", url=HELD, verdict="n", back="url")
    assert answer.headers["location"] == f"/url?{urlencode({'u': HELD})}#label"
    assert CHOSEN.findall(client.get(answer.headers["location"]).text) == ["n"]


@pytest.mark.parametrize(("fetches", "advice"), [(0, "读了正文再判断"), (1, "OFF_TOPIC_HELD")])
def test_a_refused_url_of_which_no_text_is_kept_says_what_to_do(client, undecided, fetches, advice) -> None:
    with writing(undecided) as conn:
        held_articles.drop(conn, [url_key(HELD)])
        conn.execute(text("UPDATE urls SET fetch_count = :count WHERE url = :url"), {"count": fetches, "url": HELD})
    page = client.get("/url", params={"u": HELD}).text
    assert advice in page
    assert 'href="/topics/education"' in page
    assert 'name="verdict"' not in page


@pytest.mark.parametrize("fields", [{}, {"url": "x", "verdict": "y"}, {"url": HELD}, {"url": HELD, "verdict": "maybe"}])
def test_a_wrong_label_is_refused(client, fields) -> None:
    assert send(client, "/topics/education/label", **fields).status_code == 400


def test_labels_become_a_curve(client, filled) -> None:
    assert "每种标够 10 篇" in client.get("/topics/education").text
    with writing(filled) as conn:
        for number in range(24):
            on = number % 2 == 0
            title = f"教育部公布第{number}批高考改革方案" if on else f"第{number}支股票今日大涨"
            url = f"http://labelled.cn/{number}"
            save_article(conn, url, f"{title}。全文如下。", title=title)
            labels.label_articles(conn, "education", [url_key(url)], TODAY.timestamp(), relevant=on)
    page = client.get("/topics/education").text
    assert "标为相关 12，无关 12" in page
    assert '<svg class="curve"' in page
    assert all(f">{name}</text>" in page for name in ("召回率", "精确率"))
    assert re.search(r'class="now"/><text [^>]*>阈值 \d\.\d\d</text>', page)
    assert "0.48: P 1.000" in page or "0.50: P 1.000" in page


def test_the_curve_marks_the_threshold_that_holds() -> None:
    points = [{"threshold": at / 10, "precision": at / 10, "recall": 1 - at / 10} for at in range(1, 10)]
    drawn = precision_recall(points, 0.52, '"><script>', "<i>")
    assert drawn.endswith("&lt;i&gt;</svg>")
    assert drawn.count('class="now"') == 1
    assert "<title>0.50: P 0.500, R 0.500</title></circle>" in drawn[drawn.index('class="now"') :][:80]
    assert "<script>" not in drawn
    assert "<svg" in precision_recall([], 0.5, "", "")


@on_postgresql
def test_topics_work_on_postgresql(client, undecided) -> None:
    assert send(client, "/topics/education/label", url=HELD, verdict="y").status_code == 303
    assert client.get("/topics/education").status_code == 200
    with reading(undecided) as conn:
        number = article_at(conn, HELD)
    assert client.get(f"/articles/{number}").status_code == 200

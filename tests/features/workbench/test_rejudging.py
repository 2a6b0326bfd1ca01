"""Articles that a topic did not keep are judged again."""

from scrapy.utils.project import get_project_settings
from sqlalchemy import text

from newsspider.actions.topics import topic_named
from newsspider.core.url import url_key
from newsspider.features.workbench.rejudging import Rejudging
from newsspider.store.articles import labels
from newsspider.store.articles.article_records import article_at
from newsspider.store.engine.database import open_store, reading, writing
from tests.support.samples import NOW, URL, save_held

EXAMS = "教育部公布今年高考改革方案，全国中小学的教师和学生将有新的课程。"


def test_what_somebody_says_while_articles_are_judged_again_decides(tmp_path, monkeypatch):
    store = open_store(f"sqlite:///{tmp_path}/news.db")
    settings = get_project_settings()
    settings.set("OFF_TOPIC_HELD", True)
    with writing(store) as conn:
        for url in (URL, "http://a.cn/2"):
            save_held(conn, url, borderline=False, body=EXAMS)

    def label(*_):
        with writing(store) as conn:
            labels.label_articles(conn, "education", [url_key(URL)], NOW, relevant=False)

    monkeypatch.setattr(Rejudging, "_stored", label)
    figures = Rejudging(store, settings, topic_named("education")).run()
    assert (figures["stored"], figures["not_stored"]) == (1, 1)
    with reading(store) as conn:
        assert article_at(conn, URL) is None
        assert article_at(conn, "http://a.cn/2") is not None
    monkeypatch.undo()
    with writing(store) as conn:
        labels.label_articles(conn, "education", [url_key("http://a.cn/2")], NOW, relevant=False)
    assert Rejudging(store, settings, topic_named("education")).run()["off_topic"] == 1
    with reading(store) as conn:
        detail = conn.execute(text("SELECT detail FROM urls WHERE url = 'http://a.cn/2'")).scalar_one()
        assert detail.startswith("labelled as irrelevant: ")
    store.dispose()

"""A topic that an editor changes."""

from sqlalchemy import Engine, text

from newsspider.core.url import url_key
from newsspider.store.articles import held_articles, labels
from newsspider.store.engine.database import writing
from tests.features.console.conftest import TODAY
from tests.support.samples import article, lease_on, save_article

PROFILE = """name = "farming" # 农业
title = "农业"
model = "blend"
[thresholds]
words = { article = 0.6, headline = 0.5 }
[terms.crops]
"水稻" = 0.7
"丰收" = 0.4
"""


def label_some(store: Engine, count: int) -> None:
    """As many labelled articles on farming, and as many on shares."""
    with writing(store) as conn:
        for number in range(2 * count):
            on = number % 2 == 0
            title = f"第{number}个村水稻插秧机下田，今年丰收" if on else f"第{number}支股票今日大涨，基金跟进"
            url = f"http://labelled.cn/{number}"
            save_article(conn, url, f"{title}。{'农民在田里忙。' if on else '投资者在交易所。'}" * 3, title=title)
            labels.label_articles(conn, "farming", [url_key(url)], TODAY.timestamp(), relevant=on)


def hold(
    store: Engine, url: str, title: str, body: str = "教育部门今天发布通知，各地学校开学。" * 9, topic: str = "education"
) -> None:
    """Fetch an article that the topic neither keeps nor drops."""
    with writing(store) as conn:
        lease = lease_on(conn, url, TODAY.timestamp())
        record = article(url, body, title=title, score=0.3, topic=topic)
        held_articles.hold(conn, lease.key, record, TODAY.timestamp(), borderline=True)
        done = text("UPDATE urls SET state = 'done', reason = 'off_topic', lease_worker = NULL WHERE url = :url")
        conn.execute(done, {"url": url})

"""Words on the front page and on the pages of events: whole names and nouns, no piece of a name or a place, no clause."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from newsspider.core.text.characters import fold_text
from newsspider.features.events.detection_run import analyse_new
from newsspider.features.events.events import events_by_size
from newsspider.features.events.hot_words import hot_words
from newsspider.store.articles.article_filters import Filters
from newsspider.store.engine.database import writing
from tests.features.events.named_articles import Named, stories
from tests.support.samples import save_article

LEAST = 0.95
NOW = datetime(2026, 11, 20, 4, tzinfo=UTC)
HOT_TITLES = (
    "{}来了，学校停课", "家长谈{}", "课堂上的{}：问与答", "“{}”让教师忙起来", "面对{}，大学怎么办", "市里开会讨论{}",
)  # fmt: skip
MOST_PIECES = 3  # of a word: more are a clause


def is_whole(word: str, articles: Iterable[Named]) -> bool:
    """Whether some words of a sentence in order are this one; a place may lack its 市, and none is a piece of a name."""
    for article in articles:
        for sentence in article.pieces:
            names = {name: {fold_text(name), fold_text(name).rstrip("省市县区")} for name in sentence if name in article.names}
            if any(word in forms and len(word) > 1 for forms in names.values()):
                return True
            for at in range(len(sentence)):
                if any(word == fold_text("".join(sentence[at:end])) for end in range(at + 1, at + 1 + MOST_PIECES)):
                    return True
    return False


def wrong(words: Iterable[str], articles: list[Named]) -> list[str]:
    return [word for word in words if not is_whole(word, articles)]


@pytest.mark.parametrize("seed", [1, 2])
def test_words_that_are_shown_are_whole(store, seed):
    articles = []
    with writing(store) as conn:
        for number, told in enumerate(stories(seed, 100, 3)):
            for copy, article in enumerate(told):
                moment = NOW - timedelta(hours=60 * (number >= 30) + number / 4, minutes=copy)
                save_article(
                    conn, f"http://{copy}.cn/{number}", article.text, title=article.title, site=f"站{copy}",
                    published_at=moment, crawled_at=moment,
                )  # fmt: skip
                articles.append(article)
    for _ in analyse_new(store):
        pass
    with store.connect() as conn:
        events = events_by_size(conn, Filters(since=NOW - timedelta(days=20), until=NOW), 100)
        hot = hot_words(conn, Filters(since=NOW - timedelta(days=1), until=NOW), 50)
    shown = {
        "names": [name for event in events for several in event.places_and_names() for name in several],
        "words of pages": [word for event in events for page in event.pages for word in event.words_of(page)],
        "hot words": [word.word for word in hot],
        "words beside them": [word for several in hot for word in several.beside],
    }
    for kind, words in shown.items():
        bad = wrong(words, articles)
        assert len(words) - len(bad) >= LEAST * len(words), (kind, sorted(set(bad)))
    assert len(shown["names"]) >= 200
    assert shown["hot words"]


@pytest.mark.parametrize(
    ("word", "written"), [("chatgpt", "ChatGPT"), ("chatgpt", "ＣｈａｔＧＰＴ"), ("台风", "颱風"), ("流感", "流感")]
)
def test_a_hot_word_is_found_however_it_is_written(store, word, written):
    with writing(store) as conn:
        for number in range(60):
            hot = number < 6
            moment = NOW - timedelta(hours=1 + number if hot else 30 + 4 * number)
            title = HOT_TITLES[number].format(written) if hot else f"第{number}所小学开学"
            text = f"{title}。学生和家长第{number}次来到操场。" * 3
            save_article(conn, f"http://{number}.cn/", text, title=title, site=f"站{number}", published_at=moment, crawled_at=moment)
    for _ in analyse_new(store):
        pass
    with store.connect() as conn:
        hot = {word.word: word for word in hot_words(conn, Filters(since=NOW - timedelta(days=1), until=NOW), 50)}
    assert word in hot
    assert all(reason["sentence"] == reason["title"] for reason in hot[word].reasons)

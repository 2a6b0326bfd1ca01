"""What becomes of the answers of a server that behaves, obeys the pages, lies, fails, or costs too much."""

import json
from threading import Thread

import pytest
from scrapy.settings import Settings
from sqlalchemy import Engine, text

from bench.words import DROP, MODEL, STALL, Liar, Play, StandIn, answer_of, behave
from newsspider.features.llm.wording import write_subjects
from newsspider.hooks import Passage, Wording
from newsspider.store.engine.database import open_store, writing
from tests.features.llm.injections import INJECTED
from tests.support.samples import NOW, save_article

DAY = 86_400
TITLE = "河东县育才小学食堂起火"
SENTENCES = (
    "9月3日上午，河东县育才小学食堂起火，造成3名学生轻伤，家长已赶到。",
    "河东县教育局表示，育才小学食堂起火的原因正在调查，学校已经复课。",
)


@pytest.fixture
def subject(store: Engine) -> list[Passage]:
    """A title and two sentences of two articles."""
    with writing(store) as conn:
        for number, sentence in enumerate(SENTENCES):
            save_article(conn, f"http://a.cn/{number}", sentence * 3, title=TITLE)
        ids = conn.execute(text("SELECT id FROM articles ORDER BY id")).scalars().all()
    return [Passage(ids[0], TITLE), *map(Passage, ids, SENTENCES)]


def asked(store: Engine, server: StandIn, *subjects: list[Passage], now: float = NOW, **changed: object) -> Wording:
    settings = Settings({"LLM_DAILY_TOKENS": 10**6, "LLM_TIMEOUT_SECONDS": 60, **server.settings, **changed})
    wording = write_subjects(store, settings, subjects, now)
    assert wording is not None
    return wording


def calls(store: Engine) -> list[tuple]:
    with store.connect() as conn:
        return [tuple(row) for row in conn.execute(text("SELECT outcome, tokens_in, tokens_out, kept, refused FROM llm_calls ORDER BY id"))]


def test_a_server_that_behaves_is_kept_marked_and_logged(store: Engine, subject: list[Passage], monkeypatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "key")
    with StandIn(behave) as server:
        wording = asked(store, server, subject)
    (written,) = wording.subjects
    assert written.title == ""  # it came back unchanged
    assert list(written.sentences) == [
        (passage.article, f"{sentence.rpartition('，')[0]}。【机器撰写，据编号 {passage.article}】")
        for sentence, passage in zip(SENTENCES, subject[1:], strict=True)
    ]
    assert wording.report == f"机器撰写 2 句（模型 {MODEL}）"
    assert calls(store) == [("answered", 400, 100, 2, 0)]
    ((headers, question),) = server.questions
    assert (headers["Authorization"], question["model"]) == ("Bearer key", MODEL)
    assert json.loads(question["messages"][1]["content"])["passages"] == [TITLE, *SENTENCES]


def test_a_server_that_lies_changes_nothing_and_each_cause_is_counted(store: Engine, subject: list[Passage]) -> None:
    with StandIn(Liar()) as server:
        wording = asked(store, server, *[subject] * 10)
        unsafe = [subject[0], Passage(subject[1].article, "家长称学校贪污严重，教育局已经辟谣。")]
        server.play = lambda _: answer_of("食堂", "学校贪污严重。", "家长称学校贪污严重。")
        refused = asked(store, server, unsafe).report
    assert all((written.title, list(written.sentences)) == ("", []) for written in wording.subjects)
    assert "10 句未通过核对而用原文（不是原文的开头 10）" in wording.report
    assert refused.startswith("机器撰写 0 句")
    assert "不是原文的开头 2、原文不宜截短 1" in refused
    assert calls(store)[-1] == ("answered", 400, 100, 0, 3)


def test_a_server_that_obeys_50_pages_gets_nothing_through(store: Engine, subject: list[Passage]) -> None:
    subjects = [[*subject, Passage(subject[1].article, f"食堂起火。{one['page']}"[:190])] for one in INJECTED]
    obeyed = iter(INJECTED)

    def obey(_: list[str]) -> str:
        said = next(obeyed)["obeyed"]
        return answer_of(said, said, f"{said}。")

    with StandIn(obey) as server:
        wording = asked(store, server, *subjects)
    assert len(server.questions) == 50
    assert all((written.title, list(written.sentences)) == ("", []) for written in wording.subjects)
    assert "机器撰写 0 句" in wording.report


@pytest.mark.parametrize(
    ("play", "outcome"),
    [
        (lambda _: STALL, "timeout"), (lambda _: DROP, "no answer"), (lambda _: 429, "status 429"), (lambda _: 500, "status 500"),
        (lambda _: "rubbish", "rubbish"), (lambda _: "{}", "rubbish"), (lambda _: '{"sentences": [1]}', "rubbish"),
        (lambda _: '{"title": 1, "sentences": []}', "rubbish"), (lambda _: "{" + "[" * 10**5 + "}", "rubbish"),
    ],
)  # fmt: skip
def test_a_server_that_fails_twice_is_asked_no_more_and_changes_nothing(
    store: Engine, subject: list[Passage], play: Play, outcome: str, caplog: pytest.LogCaptureFixture
) -> None:
    with StandIn(play) as server:
        seconds = 0.3 if outcome == "timeout" else 60
        wording = asked(store, server, *[subject] * 4, LLM_TIMEOUT_SECONDS=seconds)
    assert [call[0] for call in calls(store)] == [outcome] * 2
    assert all((written.title, list(written.sentences)) == ("", []) for written in wording.subjects)
    assert "4 条未写（模型没有答复或答非所问）" in wording.report
    assert [record.message.endswith(f": {outcome}") for record in caplog.records if record.levelname == "WARNING"] == [True] * 2


def test_the_budget_of_a_day_holds_for_all_processes_together(store: Engine, url: str, subject: list[Passage]) -> None:
    with StandIn(behave) as server:
        asked(store, server, subject, now=NOW - 92 * DAY)  # which the next one forgets
        asked(store, server, subject, now=NOW - DAY)
        (used,) = calls(store)
        most = sum(used[1:3]) * 3 + 2000  # for four calls, which take more before they are made
        others = [open_store(url) for _ in range(2)]
        threads = [Thread(target=asked, args=(other, server, *[subject] * 5), kwargs={"LLM_DAILY_TOKENS": most}) for other in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
            others.pop().dispose()
        assert 1 < len(calls(store)) <= 1 + 5
        report = asked(store, server, subject, LLM_DAILY_TOKENS=most).report
    assert "1 条未写（今日额度用完）" in report
    assert sum(sum(call[1:3]) for call in calls(store)[1:]) <= most

"""``python -m bench.words [--days N] [--happenings N] [--seed N]``: how much of what a model writes passes the checks.

The daily briefings of the month of ``bench.briefings`` are written by a stand-in on loopback that behaves (it leaves out the last clause
of each sentence), and by one that lies in each of ten ways (another figure, date, name, word, a denial left out, a link, a text of any
length, clauses turned round, the middle left out, two articles joined). Printed are the sentences kept and refused by the cause, the
tokens, and the lies that passed, also of ``FALSE``: figures, doers and dates swapped, conditions, doubts and speakers lost. The exit code
is 1 if one lie passes, or if the one that behaves is refused for what is no beginning of a passage.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory
from typing import Any, Self

from scrapy.settings import Settings
from sqlalchemy import Engine, text

from bench.analysis import analyse, store
from bench.briefings import made_until
from bench.event_stream import DAY, START, stream
from newsspider.features.briefing.model_wording import with_words
from newsspider.features.llm.rules.checks import LONGEST_SENTENCE, SHORTEST_SENTENCE, Cause, cut_of
from newsspider.features.llm.wording import CAUSES, MACHINE_WRITTEN
from newsspider.hooks import Passage
from newsspider.store.engine.database import open_store

MODEL = "stand-in"
STALL, DROP = "stall", "drop"
Passages = list[str]
Play = Callable[[Passages], str | int]  # the content of the answer; a status; STALL or DROP
CLAUSES = re.compile(r"[^，。；！？]+[，。；！？]?")


class StandIn:
    """A server with the API of OpenAI that answers as ``play`` says, and keeps the questions with their headers."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.questions: list[tuple[dict[str, str], dict[str, Any]]] = []
        self._ended = threading.Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stand_in.questions.append((dict(self.headers), question))
                content = stand_in.play(json.loads(question["messages"][1]["content"])["passages"])
                if content == STALL:
                    stand_in._ended.wait(60)
                if content in {STALL, DROP}:
                    self.connection.close()
                    return
                usage = {"prompt_tokens": 400, "completion_tokens": 100}
                answer = {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": usage}
                body = json.dumps(answer).encode()
                self.send_response(content if isinstance(content, int) else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def settings(self) -> dict[str, str]:
        """What has a project ask this server."""
        return {"LLM_URL": f"http://127.0.0.1:{self._server.server_port}/v1", "LLM_MODEL": MODEL}

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()


FALSE = (  # what an article has, and a lie about it
    ("李某起诉张某。张某表示遗憾。", "张某起诉李某。"),
    ("李某起诉张某，张某表示遗憾，已经提出上诉。", "李某起诉张某，已经提出上诉。"),
    ("北京大学超过清华大学，排名第一。", "清华大学超过北京大学。"),
    ("警方逮捕王某。家长举报校长。", "警方逮捕校长。"),
    ("教育局称校长没有责任。警方已逮捕王某，校长配合调查。", "警方已逮捕校长。"),
    ("北京大学招生300人，清华大学招生500人。", "北京大学招生500人。"),
    ("江苏报名人数增长5%，浙江报名人数下降3%。", "江苏报名人数下降3%。"),
    ("江苏报名人数增长5%，浙江报名人数下降3%。", "江苏报名人数增长3%。"),
    ("2025年招生300人，2026年招生500人。", "2026年招生300人。"),
    ("学校投入300万元，奖励5人。", "学校奖励300万元。"),
    ("报名9月1日开始，考试10月1日开始。", "报名10月1日开始。"),
    ("北京大学排名第一，清华大学排名第二。", "清华大学排名第一。"),
    ("今年共招生1,300人，比去年增加200人。", "今年共招生1。"),
    ("校长若贪污属实，将被开除。", "校长将被开除。"),
    ("如遇台风，全市中小学停课。", "全市中小学停课。"),
    ("一旦查实有人泄题，校长免职。", "校长免职。"),
    ("全市中小学下周停课，待台风过后恢复。", "全市中小学下周停课。"),
    ("全市中小学下周一停课，高三年级除外。", "全市中小学下周一停课。"),
    ("学校将开除这名学生，前提是查证属实。", "学校将开除这名学生。"),
    ("中考将增加三门科目，由市教育局批准后执行。", "中考将增加三门科目。"),
    ("校长是否贪污？教育局正在调查。", "校长贪污。"),
    ("高考英语明年取消？假的！", "高考英语明年取消。"),
    ("高考英语明年不再考？官方回应来了。", "高考英语明年不再考。"),
    ("网上流传高考改为六月一日，系谣言。", "高考改为六月一日。"),
    ("“高考明年改为六月”系谣言，教育部已报案。", "高考明年改为六月，教育部已报案。"),
    ("高考明年改为六月的说法不属实，教育部已报案。", "高考明年改为六月。"),
    ("高考明年改为六月一日，教育部已辟谣。", "高考明年改为六月一日。"),
    ("高考明年改为六月一日，这是旧闻翻炒。", "高考明年改为六月一日。"),
    ("河东县育才小学起火，这是昨日消防演练的一幕。", "河东县育才小学起火。"),
    ("校长多次收受家长贿赂，一名家长说。", "校长多次收受家长贿赂。"),
    ("中考应当增加音乐科目，多名代表提议。", "中考应当增加音乐科目。"),
    ("家长称，学校多次乱收费用。", "学校多次乱收费用。"),
    ("校长否认挪用公款。", "校长挪用公款。"),
    ("专家反对中考加试音乐，教育部回应。", "教育部中考加试音乐。"),
    ("教育部禁止学校补课。", "教育部补课。"),
    ("教育局叫停幼儿园招生。", "教育局招生。"),
    ("教育部并未就所谓方案作出提前中考的决定。", "教育部作出提前中考的决定。"),
    ("招生不超过300人。学校公布计划。", "学校招生超过300人。"),
    ("某校推出VIP课程，baidu搜索可见。家长质疑收费。", "家长质疑baidu.vip收费。"),
    ("教育部印发《关于加强教师管理，改进作风的通知》。", "教育部印发《关于加强教师管理。"),
    ("全縣小學明日起停課一週，純屬謠言。", "全縣小學明日起停課一週。"),
    ("Schools will close for a year, a rumor says.", "Schools will close for a year."),
    ("食堂中毒学生达到200人，后核实20人。", "食堂中毒学生达到200人。"),
)
JOINED = (  # two articles, and a lie about both
    ("清华大学教授李明获奖。", "北京大学教授王刚被查。", "清华大学教授李明被查。"),
    ("浙江大学发布今年招生计划。", "某培训机构负责人被刑拘，涉案500万元。", "浙江大学负责人被刑拘，涉案500万元。"),
    ("校长王刚出席开学典礼，勉励新生。", "他收受贿赂，被警方带走。", "校长王刚出席开学典礼，他收受贿赂。"),
)


def answer_of(title: str, *sentences: str) -> str:
    """The content of an answer."""
    return json.dumps({"title": title, "sentences": sentences}, ensure_ascii=False)


def behave(passages: Passages) -> str:
    """The title and each sentence without their last clauses."""
    title, *sentences = map(_shortened, passages)
    return answer_of(title, *sentences)


def _shortened(said: str) -> str:
    short = "".join(CLAUSES.findall(said)[:-1])
    return short if len(short) > SHORTEST_SENTENCE else said


def lies(passages: Passages) -> Iterator[tuple[str, str]]:
    """Ten lies about the last passage, each with its name."""
    said, clauses = passages[-1], CLAUSES.findall(passages[-1])
    head, tail = clauses[0].rstrip("，。；！？"), clauses[-1]
    number = re.search(r"\d+", said)
    yield "figure", said.replace(number[0], str(int(number[0]) + 1), 1) if number else f"{head}，47人受伤。"
    yield "date", f"去年{head}。"
    yield "name", f"欧阳若彤：{head}。"
    yield "word", f"{head}，爆炸。"
    denied = said.replace("未", "").replace("没有", "").replace("无人", "有人")
    yield "denial", denied if denied != said else f"没有{head}。"
    yield "link", f"{head} http://a.cn/"
    yield "length", said * (LONGEST_SENTENCE // len(said) + 1)
    yield "order", f"{tail.rstrip('，。；！？')}，{head}。"
    yield "middle", f"{head}，{tail}" if len(clauses) > 2 else f"{said}{said}"
    yield "joined", f"{CLAUSES.findall(passages[0])[0].rstrip('，。；！？')}，{tail}"


class Liar:
    """Lies in another way each time."""

    def __init__(self) -> None:
        self.turn = 0

    def __call__(self, passages: Passages) -> str:
        several = [lie for _, lie in lies(passages)]
        self.turn += 1
        chosen = several[self.turn % len(several)]
        return answer_of("", chosen)


def passed(lie: str, passages: Passages) -> bool:
    """Whether a lie about these passages would be kept."""
    return isinstance(cut_of(lie, [Passage(number, text) for number, text in enumerate(passages)]), Passage)


def month(engine: Engine, days: int, happenings: float, seed: int, more: Mapping[str, str]) -> Counter[str]:
    """What became of the sentences of the daily briefings of so many days in an empty store, by the report."""
    news = stream(days=days, happenings_a_day=happenings, noise_a_day=10, seed=seed)
    settings = Settings({"LLM_DAILY_TOKENS": 10**9, "LLM_TIMEOUT_SECONDS": 60, **more})
    counts: Counter[str] = Counter()
    for day in range(1, days + 1):
        store(engine, [page for page in news.pages if day - 1 <= (page.crawled - START.timestamp()) / DAY < day])
        analyse(engine)
        end = START + timedelta(days=day)
        briefing = with_words(engine, settings, made_until(engine, end), end.timestamp())
        assert briefing is not None
        counts.update(
            {name: int(count) for name, count in re.findall(r"([^（）、，\s]+) (\d+)(?=[、）])", briefing.words)}
        )
        counts["written"] += sum(
            MACHINE_WRITTEN in quote.sentence for item in briefing.items() for quote in item.quotes
        )
    with engine.connect() as conn:
        sums = "SELECT count(*), sum(kept), sum(refused), sum(tokens_in), sum(tokens_out) FROM llm_calls"
        for name, value in zip(("calls", "kept", "refused", "in", "out"), conn.execute(text(sums)).one(), strict=True):
            counts[name] = int(value or 0)
    return counts


def main() -> int:
    """Print the figures; 1 if they are worse than they should be."""
    parser = argparse.ArgumentParser(prog="python -m bench.words")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--happenings", type=float, default=3, help="a day")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    results = {}
    for name, play in (("behaving", behave), ("lying", Liar())):
        with TemporaryDirectory() as folder, StandIn(play) as server:
            engine = open_store(f"sqlite:///{folder}/words.db")
            counts = results[name] = month(engine, args.days, args.happenings, args.seed, server.settings)
            asked = [json.loads(question["messages"][1]["content"])["passages"] for _, question in server.questions]
        said = counts["kept"] + counts["refused"]
        print(
            f"{name}: {counts['calls']} calls, {said} titles and sentences, {counts['kept'] / said:.1%} kept; refused:"
        )
        print("  " + ", ".join(f"{cause} {count}" for cause, count in counts.items() if not cause.isascii()))
        print(
            f"  {counts['in'] // counts['calls']} tokens in and {counts['out'] // counts['calls']} out a call, as told"
        )
    several = [(name, lie, passages) for passages in asked for name, lie in lies(passages)]
    several += [("false", lie, [true]) for true, lie in FALSE] + [("joined", lie, [*true]) for *true, lie in JOINED]
    through = Counter(name for name, lie, passages in several if passed(lie, passages))
    print(f"of {len(several)} lies {through.total()} pass: {dict(through)}")
    return int(results["behaving"][CAUSES[Cause.OTHER]] > 0 or through.total() > 0)


if __name__ == "__main__":
    sys.exit(main())

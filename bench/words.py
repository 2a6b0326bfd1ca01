"""``python -m bench.words [--days N] [--happenings N] [--seed N]``: how much of what a model writes passes the checks.

The daily briefings of the month of ``bench.briefings`` are written by a stand-in on loopback that behaves (it leaves out clauses and
joins sentences), and by one that lies in each of eight ways (another figure, date, name, word, article, a denial left out, a link, a text
of any length). Printed are the sentences kept and refused by the cause, the tokens, and the lies that passed. The exit code is 1 if one of
100 true sentences is refused, or one lie passes.
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
from newsspider.features.briefing.words import with_words
from newsspider.features.llm.rules.checks import LONGEST_SENTENCE, LONGEST_TITLE, Said, fault_of
from newsspider.hooks import Passage
from newsspider.store.engine.database import open_store

MODEL = "stand-in"
STALL, DROP = "stall", "drop"
Passages = list[dict[str, Any]]
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


def answer_of(title: tuple[str, list[int]] | None, *sentences: tuple[str, list[int]]) -> str:
    """The content of an answer."""
    several = [{"text": said, "articles": articles} for said, articles in sentences]
    told = None if title is None else {"text": title[0], "articles": title[1]}
    return json.dumps({"title": told, "sentences": several}, ensure_ascii=False)


def behave(passages: Passages) -> str:
    """A title as it is, each sentence without its middle, the first two joined."""
    title, *others = ((passage["text"], passage["article"]) for passage in passages)
    short = [(_shortened(said)[: LONGEST_SENTENCE // 2], article) for said, article in others]
    joined = "，同时".join(said.rstrip("，。；！？") for said, _ in short[:2]) + "。"
    sentences = [(joined, [article for _, article in short[:2]])]
    return answer_of((title[0][:LONGEST_TITLE], [title[1]]), *sentences, *((said, [one]) for said, one in short[2:]))


def _shortened(said: str) -> str:
    clauses = CLAUSES.findall(said)
    return "".join(clauses if len(clauses) < 3 else [clauses[0], clauses[-1]])


def lies(passages: Passages) -> Iterator[tuple[str, tuple[str, list[int]]]]:
    """Eight lies about the last passage, each with its name."""
    said, article = passages[-1]["text"], passages[-1]["article"]
    head = CLAUSES.findall(said)[0].rstrip("，。；！？")
    number = re.search(r"\d+", said)
    wrong = said.replace(number[0], str(int(number[0]) + 1), 1) if number else f"{head}，47人受伤。"
    yield "figure", (wrong, [article])
    yield "date", (f"去年{head}。", [article])
    yield "name", (f"欧阳若彤：{head}。", [article])
    yield "word", (f"{head}，爆炸。", [article])
    yield "article", (said, [article + 1_000_000])
    denied = said.replace("未", "").replace("没有", "").replace("无人", "有人")
    yield "denial", (denied if denied != said else f"没有{head}。", [article])
    yield "link", (f"{head} http://a.cn/", [article])
    yield "length", (said * (LONGEST_SENTENCE // len(said) + 1), [article])


class Liar:
    """Lies in another way each time."""

    def __init__(self) -> None:
        self.turn = 0

    def __call__(self, passages: Passages) -> str:
        several = [said for _, said in lies(passages)]
        self.turn += 1
        chosen = several[self.turn % len(several)]
        return answer_of(None, chosen)


def passed(passages: Passages) -> list[str]:
    """The lies about these passages that would be kept."""
    sent = [Passage(passage["article"], passage["text"]) for passage in passages]
    return [name for name, (said, articles) in lies(passages) if fault_of(Said(said, tuple(articles)), sent) is None]


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
        counts["written"] += sum(bool(quote.rests_on) for item in briefing.items() for quote in item.quotes)
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
    through = Counter(name for passages in asked for name in passed(passages))
    print(f"of {8 * len(asked)} lies {through.total()} pass: {dict(through)}")
    good = results["behaving"]
    return int(good["refused"] * 100 > good["kept"] or through.total() > 0)


if __name__ == "__main__":
    sys.exit(main())

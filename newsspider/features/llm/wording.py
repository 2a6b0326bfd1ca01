"""Has a model choose passages, order them and cut them short, and keeps of its answer only what passes the checks."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from newsspider.features.llm import budget, model_requests
from newsspider.features.llm.rules.checks import ENDS, LONGEST_SENTENCE, LONGEST_TITLE, Cause, cut_of
from newsspider.hooks import Passage, Wording, WrittenText

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine

MACHINE_WRITTEN = "机器撰写"
LONGEST_PASSAGE = 300  # characters; a longer one is not sent
NOTHING = WrittenText("", ())
CAUSES = {Cause.OTHER: "不是原文的开头", Cause.LENGTH: "长度不合", Cause.UNCUT: "原文不宜截短"}
SPENT, FAILED = "今日额度用完", "模型没有答复或答非所问"

logger = logging.getLogger(__name__)


def write_subjects(
    engine: Engine, settings: BaseSettings, subjects: Sequence[Sequence[Passage]], now: float
) -> Wording | None:
    """What the model makes of these subjects; ``None`` without a model."""
    server = model_requests.server_of(settings)
    if server is None:
        return None
    writer = _Writer(engine, server, settings.getint("LLM_DAILY_TOKENS"), now)
    written = [writer.write(passages) for passages in subjects]
    return Wording(written, writer.report())


class _Writer:
    """Writes of one subject after the other, and counts what became of it."""

    def __init__(self, engine: Engine, server: model_requests.ModelServer, daily: int, now: float) -> None:
        self._engine, self._server, self._daily, self._now = engine, server, daily, now
        self._ends = monotonic() + model_requests.TIMES_A_CALL * server.seconds
        self._failures = self._kept = 0
        self._refused: Counter[str] = Counter()
        self._left: Counter[str] = Counter()  # subjects of which nothing was written

    def write(self, passages: Sequence[Passage]) -> WrittenText:
        """What the model makes of these, and has to be kept."""
        sent = self._sendable(passages)
        if len(sent) < 2:  # a title alone cannot be shortened
            return NOTHING
        answer = self._ask(sent)
        return NOTHING if answer is None else self._checked(answer, sent)

    def _sendable(self, passages: Sequence[Passage]) -> list[Passage]:
        """The title and the others that may be sent, none of them cut: its end may undo its beginning."""
        sent = [passage for passage in passages if len(passage.text) <= LONGEST_PASSAGE]
        return sent if sent and sent[0] is passages[0] else []

    def _ask(self, sent: Sequence[Passage]) -> tuple[int, model_requests.ModelAnswer] | None:
        """The number and the answer of a call; ``None`` if it was not made, or failed."""
        seconds = min(self._server.seconds, self._ends - monotonic())
        if self._failures >= model_requests.MOST_FAILURES or seconds <= 0:
            self._left[FAILED] += 1
            return None
        question = model_requests.question_of(self._server, sent)
        expected = model_requests.tokens_at_most(question)
        number = budget.reserve(self._engine, self._server.host, self._server.model, expected, self._daily, self._now)
        if number is None:
            self._left[SPENT] += 1
            return None
        answer = model_requests.ask(self._server, question, seconds)
        if answer.outcome == "answered":
            self._failures = 0
            return number, answer
        self._failures += 1
        self._left[FAILED] += 1
        logger.warning("the model server %s: %s", self._server.host, answer.outcome)
        self._note(number, answer, 0, 0)
        return None

    def _checked(self, answered: tuple[int, model_requests.ModelAnswer], sent: Sequence[Passage]) -> WrittenText:
        number, answer = answered
        faults: list[Cause] = []
        unchanged = {passage.text.rstrip(ENDS) for passage in sent}  # that is not the model's

        def cuts(texts: Sequence[str], of: Sequence[Passage], longest: int) -> list[Passage]:
            several = [(text, cut_of(text, of, longest)) for text in dict.fromkeys(texts)]
            for text, cut in several:
                if isinstance(cut, Cause):
                    faults.append(cut)
                    logger.info("call %d: refused, %s: %r", number, cut, text[:100])
            return [cut for _, cut in several if isinstance(cut, Passage) and cut.text not in unchanged]

        of_title = [passage for passage in sent if passage.article == sent[0].article]  # to which its link leads
        titles = cuts([answer.title] if answer.title else [], of_title, LONGEST_TITLE)
        sentences = cuts(answer.sentences, sent[1:], LONGEST_SENTENCE)
        kept = len(sentences) + len(titles)
        self._note(number, answer, kept, len(faults))
        self._kept += kept
        self._refused.update(CAUSES[fault] for fault in faults)
        return WrittenText(
            "".join(f"【{MACHINE_WRITTEN}】{title.text}" for title in titles),
            [Passage(cut.article, f"{cut.text}。【{MACHINE_WRITTEN}，据编号 {cut.article}】") for cut in sentences],
        )

    def _note(self, number: int, answer: model_requests.ModelAnswer, kept: int, refused: int) -> None:
        budget.note(self._engine, number, answer.outcome, answer.seconds, answer.tokens, kept, refused)
        shown = (number, self._server.host, *answer.tokens, answer.seconds, answer.outcome, kept, refused)
        logger.info("call %d of %s: %d tokens in, %d out, %.1f s, %s, %d kept, %d refused", *shown)

    def report(self) -> str:
        """How much was kept, and why the rest was not."""
        refused = f"，{self._refused.total()} 句未通过核对而用原文{_counts(self._refused)}" if self._refused else ""
        left = "".join(f"，{count} 条未写（{cause}）" for cause, count in self._left.items() if count)
        return f"{MACHINE_WRITTEN} {self._kept} 句（模型 {self._server.model}）{refused}{left}"


def _counts(several: Counter[str]) -> str:
    return f"（{'、'.join(f'{name} {count}' for name, count in several.most_common())}）"

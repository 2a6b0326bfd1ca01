"""The table of the calls of a model."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Text

from newsspider.store.tables.columns import Key, Moment, Seconds, required, table

llm_calls = table(
    "llm_calls",
    "The calls of a model in 90 days. Those of a day hold its budget: a call takes what it may need before it is made.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("called_at", Moment, "when it was made"),
    required("host", Text, "the server"),
    required("model", Text, "the model"),
    required("tokens_in", BigInteger, "tokens of the question; estimated if the server does not say it"),
    required("tokens_out", BigInteger, "tokens of the answer; until it comes, the most that it may have"),
    required("seconds", Seconds, "how long it took", "0"),
    required("outcome", Text, "`asked`, `answered`, `rubbish`, `timeout`, `no answer` or `status N`", "asked"),
    required("kept", Integer, "titles and sentences that passed the checks", "0"),
    required("refused", Integer, "titles and sentences that did not", "0"),
)
Index("ix_llm_calls_called_at", llm_calls.c.called_at)

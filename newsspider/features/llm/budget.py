"""Keeps the daily budget of tokens and the log of calls, for all processes of a store."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, delete, func, insert, select, update

from newsspider.core.query.query_dates import ZONE, midnight_of
from newsspider.features.llm.tables import llm_calls
from newsspider.store.engine.database import writing
from newsspider.store.engine.postgresql import lock_name

KEPT_SECONDS = 90 * 86_400.0  # for calls


def reserve(engine: Engine, host: str, model: str, tokens: tuple[int, int], daily: int, now: float) -> int | None:
    """Note a call that may need these ``tokens`` in and out, and return its number; ``None`` if less is left of the
    ``daily`` budget. Delete old calls."""
    midnight = midnight_of(datetime.fromtimestamp(now, ZONE)).timestamp()
    used = select(func.coalesce(func.sum(llm_calls.c.tokens_in + llm_calls.c.tokens_out), 0))
    with writing(engine, alone=False) as conn:
        lock_name(conn, "budget of the model")
        conn.execute(delete(llm_calls).where(llm_calls.c.called_at < now - KEPT_SECONDS))
        of_today = conn.execute(used.where(llm_calls.c.called_at >= midnight)).scalar_one()
        if int(of_today) + sum(tokens) > daily:
            return None
        row = {"called_at": now, "host": host, "model": model, "tokens_in": tokens[0], "tokens_out": tokens[1]}
        return int(conn.execute(insert(llm_calls).values(row).returning(llm_calls.c.id)).scalar_one())


def note(
    engine: Engine, number: int, outcome: str, seconds: float, tokens: tuple[int, int], kept: int, refused: int
) -> None:
    """Note how the call ended."""
    values = {"outcome": outcome, "seconds": seconds, "tokens_in": tokens[0], "tokens_out": tokens[1]}
    with writing(engine, alone=False) as conn:
        row = update(llm_calls).where(llm_calls.c.id == number)
        conn.execute(row.values(**values, kept=kept, refused=refused))

"""Shows opinions in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from newsspider.analysis.opinions import Opinions
from newsspider.cli.event_lines import WIDTH, counts
from newsspider.core.opinions.tendency import TendencyModel
from newsspider.core.text.columns import cut, wrapped


def opinion_lines(opinions: Opinions, model: TendencyModel, limit: int | None) -> Iterator[str]:
    """The tendencies by voice; then the sentences that praise or blame, with how many are like them and which words
    decided."""
    for voice, tendencies in opinions.shares().items():
        named = {str(tendency): count for tendency, count in tendencies.items()}
        yield f"  {voice:<10}{sum(named.values())} sentences: {counts(named)}"
    for group in opinions.clusters[:limit]:
        yield ""
        yield from wrapped(group.key.sentence, WIDTH)
        alike = f", {len(group.opinions)} alike" if len(group.opinions) > 1 else ""
        tendency = f"{group.key.verdict.tendency} {group.key.certainty:.2f}"
        yield cut(f"  {tendency} by {words_with_weights(model.reasons(group.key.sentence))}", WIDTH)
        yield f"  {group.key.voice} of id {group.key.article}{alike}"


def words_with_weights(weights: dict[str, float]) -> str:
    """Words with their weights."""
    return ", ".join(f"{word} {weight:.2f}" for word, weight in weights.items()) or "many small parts"

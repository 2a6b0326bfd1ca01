"""``judge``."""

from pathlib import Path

import pytest

from newsspider import judge
from newsspider.core.relevance.topic import Term, TopicProfile
from newsspider.topics.loader import TopicError

PROFILE = 'name = "chess"\n[terms.games]\n"围棋" = 0.9\n'


def test_a_topic_is_a_name_a_path_or_a_profile(tmp_path: Path) -> None:
    (tmp_path / "chess.toml").write_text(PROFILE, encoding="utf-8")
    for topic in (str(tmp_path / "chess.toml"), TopicProfile("chess", terms=(Term("围棋", 0.9),))):
        assert judge("全国围棋公开赛开幕", topic=topic).terms == ("围棋",)
    assert judge("全国围棋公开赛开幕", topic="flood").relevant is False


def test_an_unknown_topic_or_model_is_refused() -> None:
    with pytest.raises(TopicError):
        judge("开学", topic="no-such-topic")
    with pytest.raises(ValueError, match="crystal"):
        judge("开学", model="crystal")

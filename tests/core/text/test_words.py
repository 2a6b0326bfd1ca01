import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from newsspider.core.text.words import beginnings_of, cut, jieba_cut, joined, rjieba_cut

ROOT = Path(__file__).parents[3]
SENTENCES = [
    "教育部近日印发通知，部署2024年高考工作。",
    "iPhone-15与A.D时代：北京队以110-103、2-2和3.5%取胜---完",
    "张桂梅校长说：“孩子们，走出大山！”\r\n\t下一段 English words, 3-D电影",
    "",
    "　　全角空格、①②③和emoji😀",
]


@pytest.mark.parametrize("guess", [True, False])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_both_segmenters_cut_alike(sentence, guess):
    pytest.importorskip("rjieba")
    assert rjieba_cut(guess=guess)(sentence) == jieba_cut(guess=guess)(sentence)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_words_of_a_text_make_up_the_text(sentence):
    assert "".join(cut(sentence)) == sentence


def test_jieba_alone_cuts_without_a_file_that_other_users_could_write(tmp_path):
    code = "from newsspider.core.text.words import jieba_cut; print(*jieba_cut()('教育部发布通知'), sep='|')"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUTF8": "1"}
    (tmp_path / "jieba.cache").write_bytes(b"planted")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.stdout, done.stderr) == ("教育部|发布|通知\n", "")
    assert (tmp_path / "jieba.cache").read_bytes() == b"planted"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_lone_surrogate_is_cut_and_not_refused():
    assert "高考" in cut("高考\ud800改革")


def test_a_text_of_dates_alone_is_cut_in_time():
    pytest.importorskip("rjieba")
    began = time.process_time()
    words = rjieba_cut()("2026-11-20 10:00 " * 150_000)
    assert time.process_time() - began < 8
    assert words[:6] == ["2026", "-", "11", "-", "20", " "]


def test_the_longest_term_is_joined_and_a_mere_beginning_is_not():
    terms = {"强基计划", "强基计划招生", "职教高考"}
    words = ["强基", "计划", "招生", "强基", "计划", "书", "职教", "改革"]
    assert joined(words, terms, beginnings_of(terms)) == ["强基计划招生", "强基计划", "书", "职教", "改革"]

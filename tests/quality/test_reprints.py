"""Reprints among made pairs: measured floors."""

from copy import deepcopy
from random import Random

import pytest

from bench.reprint_pairs import HARD, notices, pairs
from bench.reprints import FIRST, PRECISION, RECALL, alike_by_simhash, first_right, is_reprint, quality, right
from newsspider.core.duplicates.reprints import KnownTexts


@pytest.fixture(scope="module")
def made_pairs():
    return pairs(510, seed=4711)


def test_reprints_are_found_and_nothing_else(made_pairs):
    assert sum(not pair.same for pair in made_pairs) >= 0.3 * len(made_pairs)
    precision, recall = quality(made_pairs, right(made_pairs, is_reprint))
    assert precision >= PRECISION
    assert recall >= RECALL


def test_the_first_source_is_found(made_pairs):
    assert first_right(made_pairs) >= FIRST


def test_simhash_would_not_do(made_pairs):
    first_pairs = made_pairs[:40]
    assert quality(first_pairs, right(first_pairs, alike_by_simhash))[1] < 0.5


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_makes_the_same_pairs(seed):
    assert pairs(30, seed) == pairs(30, seed)
    assert sum(not pair.same for pair in pairs(30, seed)) == round(30 * HARD)


NOTICES, REPRINTED, LEAST_FOUND = 284, 60, 58
HEADER = "本站转发有关通知全文如下，请各位家长和考生留意，如有变动以发布单位的解释为准。\n"
FOOTER = "\n（本文为转载，版权归原作者所有，如有侵权请联系删除。扫描二维码关注本站，了解更多教育资讯。编辑：小青）"
QUICKLY = {
    "a header": lambda title, text: (title, HEADER + text),
    "a footer": lambda title, text: (title, text + FOOTER),
    "a header below another title": lambda title, text: (f"转发：{title}", HEADER + text),
    "the last tenth cut": lambda title, text: (title, text[: len(text) * 9 // 10]),
    "the first sentence cut": lambda title, text: (title, text[text.find("。") + 1 :]),
}


@pytest.fixture(scope="module")
def known_notices():
    known_texts = KnownTexts()
    groups = [known_texts.add(title, text).first for title, text in notices(NOTICES, seed=5)]
    assert groups == list(range(NOTICES)), "notices on one form were taken for reprints"
    return known_texts


@pytest.mark.parametrize("change", QUICKLY)
def test_the_reprint_of_a_notice_is_found_among_many_notices_on_its_form(known_notices, change):
    texts = notices(NOTICES, seed=5)
    numbers = Random(5).sample(range(NOTICES), REPRINTED)
    groups = [deepcopy(known_notices).add(*QUICKLY[change](*texts[number])).first for number in numbers]
    assert sum(group == number for group, number in zip(groups, numbers, strict=True)) >= LEAST_FOUND
    assert {group for group, number in zip(groups, numbers, strict=True) if group != number} <= {NOTICES}

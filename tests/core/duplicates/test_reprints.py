

from itertools import permutations

from hypothesis import example, given
from hypothesis import strategies as st

from newsspider.core.duplicates.reprints import (
    CANDIDATES_COMPARED,
    COMMON_TEXTS,
    FINGERPRINTS_INDEXED,
    LEAST_CONTAINMENT,
    MIN_SHARED,
    SAME_INDEXED,
    KnownTexts,
    ReprintCandidates,
    fingerprints,
    fingerprints_of,
    likeness,
    reprint_likeness,
)
from newsspider.core.model import Version
from newsspider.core.text.text_comparison import normalise_text
from tests.support.tables import each

SETS = st.frozensets(st.integers(0, 40), min_size=1)
STORY = (
    "青河市教育局昨天公布了义务教育学校招生方案，小学一律按照对口学区就近入学，初中实行电脑派位。"
    "记者了解到，方案在征求意见时共收到三百多条建议，家长最关心的是随迁子女的入学材料怎样准备。"
    "基础教育科负责人表示，各校不得以任何形式组织入学考试，也不得提前收取任何费用，违者严肃处理。"
)
MORE = "".join(chr(0x4E00 + (place * place * 7919 + place * 104_729) % 20_000) for place in range(400))

NOTICE = "名单见附件。"

LETTERS = st.text(alphabet="教育部公布高考招生政策的一是", max_size=120)
SIZES = st.integers(1, 12)


@given(SETS, SETS)
def test_containment_and_resemblance_are_shares_of_what_both_have(first, second):
    forward = likeness(first, second)
    backward = likeness(second, first)
    assert (forward.of_first, forward.of_second, forward.resemblance) == (backward.of_second, backward.of_first, backward.resemblance)
    assert 0 <= forward.resemblance <= min(forward.of_first, forward.of_second) <= forward.containment <= 1
    assert (forward.resemblance == 1) == (first == second)
    assert (forward.of_first == 1) == (first <= second)


def judged(first: str, second: str) -> bool:
    return reprint_likeness(fingerprints_of(normalise_text(first)), Version("", first), Version("", second)) is not None


@each(
    ("second", "same"),
    [
        (STORY, True),
        (STORY[: len(STORY) // 2], True),
        (STORY[40:], True),
        (f"本报讯 {STORY}（完）", True),
        (STORY + "公园里的樱花开了，游客应当乘坐公共交通工具前往，不要攀折花枝，爱护环境人人有责。", True),
        (STORY + MORE, False),  # one of several items
        (STORY[:70] + "公园里的樱花开了，游客应当乘坐公共交通工具前往，不要攀折花枝，爱护环境人人有责。", True),
        ("招生方案出台，青河市的家长最想知道外来务工人员的孩子上学要带什么证件，教育局说就近分配学校。", False),
        ("", False),
    ],
)
def test_parts_and_wholes_are_reprints_and_digests_and_retellings_are_not(second, same):
    assert judged(STORY, second) is same
    if second:
        assert judged(second, STORY) is same


HOUSE = (
    "关于青河书院：青河书院成立于一九五二年，是一所面向社会的非营利教育机构，在全省设有二十四个教学点。"
    "书院每年为一万多名乡村教师提供免费培训，并出版一份面向家长的季刊，读者遍布各地。"
)

RELEASE = "青河书院将于下周六在市图书馆举办公益讲座，请三位老校长谈怎样陪孩子读书，凡有兴趣的家长都可以到场，座位有限，先到先得，不必报名。"


def test_two_releases_of_one_house_are_no_reprints_of_each_other():
    first, second = f"{RELEASE}\n{HOUSE}", f"{STORY}\n{HOUSE}"
    assert likeness(fingerprints(normalise_text(first)), fingerprints(normalise_text(second))).containment > LEAST_CONTAINMENT
    assert not judged(first, second)
    assert not judged(second, first)
    assert judged(first, f"{RELEASE}\n{STORY[:40]}{HOUSE}")  # both carry the same release


def test_a_fingerprint_shared_by_too_many_texts_is_ignored():
    candidates = ReprintCandidates.by((value, text) for value in range(6) for text in range(COMMON_TEXTS))
    assert candidates.texts == ()
    prints = fingerprints_of(normalise_text(STORY))
    crowded = {value: range(COMMON_TEXTS) for value in prints.values[:5]}
    assert candidates.indexed(prints, ()) == list(prints.values[:FINGERPRINTS_INDEXED])
    assert ReprintCandidates(crowded, ()).indexed(prints, ()) == list(prints.values[5 : FINGERPRINTS_INDEXED + 5])


def test_only_a_few_of_the_texts_that_share_most_are_compared():
    rare = [(100 * text + value, text) for text in range(1, 20) for value in range(MIN_SHARED + text % 7)]
    candidates = ReprintCandidates.by(rare)
    assert len(candidates.texts) == CANDIDATES_COMPARED
    assert all(text % 7 == 6 for text in candidates.texts[:2])


def test_what_few_texts_share_tells_more_than_what_many_do():
    common = [(value, text) for value in range(MIN_SHARED) for text in range(COMMON_TEXTS - 1)]
    rare = [(100 + value, text) for value in range(MIN_SHARED) for text in (50, 51)]
    assert set(ReprintCandidates.by(common + rare).texts) == {50, 51}


def test_a_group_indexes_each_fingerprint_a_limited_number_of_times():
    prints = fingerprints_of(normalise_text(STORY))
    indexed_groups = {value: range(SAME_INDEXED) for value in prints.values}
    assert ReprintCandidates(indexed_groups, ()).indexed(prints, range(SAME_INDEXED)) == []
    assert ReprintCandidates(indexed_groups, ()).indexed(prints, {99}) == list(prints.values[:FINGERPRINTS_INDEXED])


def test_known_texts_say_where_a_text_belongs():
    known_texts = KnownTexts()
    texts = [STORY, "樱花开了", STORY[:80], STORY.replace("，", " "), "樱花开了！", ""]
    placements = [known_texts.add("", text) for text in texts]
    assert [placed.first for placed in placements] == [0, 1, 0, 0, 1, 5]
    assert [placed.exact for placed in placements] == [False, False, False, True, True, False]
    assert [placed.likeness is None for placed in placements] == [True, True, False, False, False, True]


@each("titles", list(permutations(("优秀教师", "优秀学生", ""))), ids=" ".join)
def test_a_short_untitled_text_joins_the_first_titled_copy_and_merges_no_groups(titles: tuple[str, ...]) -> None:
    texts = KnownTexts()
    groups = {title: texts.add(title, NOTICE).first for title in titles}
    first, other = (title for title in titles if title)
    assert groups[""] == groups[first] != groups[other]
    assert [texts.add(title, NOTICE).first for title in titles] == [groups[title] for title in titles]


@given(LETTERS, LETTERS, LETTERS, LETTERS, LETTERS, SIZES, SIZES)
@example("", "", "教育部公布高考招生政策", "", "", 6, 6)
def test_a_common_run_of_w_plus_k_minus_1_letters_shares_a_fingerprint(before, behind, common, front, end, k, w):
    run = (common + "教育部公布高考招生政策是一的" * 2)[: max(len(common), w + k - 1)]
    assert set(fingerprints(before + run + behind, k, w)) & set(fingerprints(front + run + end, k, w))


@given(st.text(max_size=80), SIZES, SIZES)
def test_fingerprints_are_the_least_hashes_of_all_windows_and_nothing_else(text, k, w):
    """Checks the definition window by window: each window on its own has one fingerprint, its smallest hash."""
    whole = fingerprints(text, k, w)
    runs = [text[place : place + w + k - 1] for place in range(max(1, len(text) - w - k + 2))]
    least = [fingerprints(run, k, w) for run in runs]
    assert all(len(window_prints) <= 1 for window_prints in least)
    assert set(whole) == {value for window_prints in least for value in window_prints}


@given(st.text(max_size=60), SIZES, SIZES)
def test_wider_windows_keep_some_of_the_fingerprints_of_narrower_ones(text, k, w):
    assert set(fingerprints(text, k, w + 1)) <= set(fingerprints(text, k, w))


@given(st.text(max_size=60), SIZES, SIZES)
def test_fingerprints_rise_and_fit_into_32_bits(text, k, w):
    prints = fingerprints(text, k, w)
    assert list(prints) == sorted(set(prints))
    assert all(-(2**31) <= value < 2**31 for value in prints)
    assert bool(prints) == (len(text) >= k)


def test_they_are_the_same_on_every_machine():
    assert fingerprints("教育部公布高考招生政策", 6, 8) == (-2093868077,)


def test_two_in_w_plus_one_k_grams_are_kept():
    text = "".join(chr(0x4E00 + (place * place * 7919 + place * 104729) % 20000) for place in range(5000))
    assert 0.9 < len(fingerprints(text, 6, 8)) / (5000 * 2 / 9) < 1.1


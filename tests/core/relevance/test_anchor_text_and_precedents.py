"""Earlier titles that say nearly the same."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.relevance.anchor_text_and_precedents import LEAST_RESEMBLANCE, LONGEST_TITLE, Precedents, pairs_of
from tests.support.tables import each

STORM = "台风“海鸥”登陆，平岭市发布红色预警"


def read(*off: str, on: tuple[str, ...] = (), most: int = 100) -> Precedents:
    precedents = Precedents(most)
    for title in off:
        precedents.add(title, "甲", on_topic=False)
    for title in on:
        precedents.add(title, "甲", on_topic=True)
    return precedents


@each(
    "title",
    [STORM, "台风“白鹿”登陆 平岭市发布橙色预警", "颱風“白鹿”登陸，平嶺市發布橙色預警", "安丰｜台风“海鸥”登陆，安丰市发布橙色预警（图）"],
)
def test_the_same_with_other_names_is_alike(title: str) -> None:
    assert read(STORM).against(title, "乙") == STORM


@each("title", ["", "台风", "暴雨红色预警下，学校这样停课", "海鸥飞回平岭湖"])
def test_what_shares_a_few_words_is_not(title: str) -> None:
    assert read(STORM).against(title, "乙") == ""


def test_numbers_are_equal() -> None:
    assert read("早稻亩产增加26.5公斤").against("早稻亩产增加138公斤", "乙")


def test_one_similar_title_on_topic_outweighs_any_number_off_topic() -> None:
    off = [f"台风“海鸥”登陆，{place}市发布红色预警" for place in ("平岭", "安丰", "白沙")]
    assert read(*off).against(STORM, "乙")
    assert read(*off, on=("台风“海鸥”登陆，全市学校停课，市教育局发布红色预警",)).against(STORM, "乙") == ""


@each(("first", "next_one"), [("早间新闻精选（11月2日）", "早间新闻精选（11月3日）"), ("点击阅读全文", "点击阅读全文")])
def test_the_same_words_on_the_same_site_again_are_a_column_and_no_precedent(first: str, next_one: str) -> None:
    precedents = read(first)
    assert precedents.against(next_one, "甲") == ""
    assert precedents.against(next_one, "乙") == first
    assert precedents.against(f"{next_one}（图）", "甲") == first


def test_of_a_title_without_end_its_beginning_counts() -> None:
    endless = STORM + "".join(map(chr, range(0x4E00, 0x9E00)))
    precedents = read(endless)
    assert len(pairs_of(endless)) < LONGEST_TITLE
    precedent = precedents.against(STORM + "".join(map(chr, range(0x4E00, 0x4E40))), "乙")
    assert precedent.startswith(STORM)
    assert len(precedent) == LONGEST_TITLE


def test_the_nearest_is_named() -> None:
    other = "台风“海鸥”登陆，安丰市发布蓝色预警通知"
    assert read(other, STORM, "高考开考").against("台风“海鸥”登陆，平岭市发布蓝色预警", "乙") == STORM


def test_the_older_half_is_forgotten_and_repeated_titles_take_no_room() -> None:
    precedents = read(STORM, STORM, "甲乙丙丁戊己", "子丑寅卯辰巳", most=4)
    precedents.add("金木水火土日月", "甲", on_topic=True)
    assert precedents.against(STORM, "乙") == STORM
    precedents.add("东南西北中发白", "甲", on_topic=False)
    titles = (STORM, "甲乙丙丁戊己", "子丑寅卯辰巳", "东南西北中发白")
    assert [precedents.against(title, "乙") != "" for title in titles] == [False, False, True, True]


TITLES = st.text("海鸥登陆台风发布", min_size=2, max_size=9)


@given(st.lists(st.tuples(TITLES, st.booleans()), max_size=12), TITLES)
def test_it_finds_what_comparing_with_each_finds(examples: list[tuple[str, bool]], title: str) -> None:
    precedents = Precedents()
    for example, on_topic in examples:
        precedents.add(example, "甲", on_topic=on_topic)
    pairs = pairs_of(title)
    resemblances = {
        (example, on_topic): len(pairs & pairs_of(example)) / len(pairs | pairs_of(example))
        for example, on_topic in examples
        if pairs & pairs_of(example)
    }
    resemblances = {key: value for key, value in resemblances.items() if value >= LEAST_RESEMBLANCE}
    precedent = precedents.against(title, "乙")
    if not resemblances or any(on_topic for _, on_topic in resemblances):
        assert precedent == ""
    else:
        assert resemblances[precedent, False] == max(resemblances.values())


def test_a_title_is_its_pairs() -> None:
    assert pairs_of("高考 2025！") == {"高考", "考0"}
    assert [pairs_of(title) for title in ("", "高", "1", "？！")] == [frozenset()] * 4
    assert {first == second for first, second in product((pairs_of("Ａ股3.5%"), pairs_of("a股12")), repeat=2)} == {True}


def test_a_thread_may_ask_while_titles_are_added_and_forgotten() -> None:
    """A sitemap is read in a thread of its own while articles add titles."""
    precedents, others = read(STORM, most=50), [f"台风“海鸥{chr(0x4E00 + n)}”登陆，平岭市发布红色预警" for n in range(1500)]

    def asked() -> int:
        return sum(precedents.against(f"台风“白鹿{n}”登陆，平岭市发布橙色预警", "乙") != "" for n in range(1500))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(1) as pool:
            answers = pool.submit(asked)
            for title in others:
                precedents.add(title, "甲", on_topic=False)
            assert answers.result() == 1500
    finally:
        sys.setswitchinterval(interval)

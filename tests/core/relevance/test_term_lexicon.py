
from newsspider.core.relevance.term_lexicon import Lexicon
from tests.support.tables import each

LEXICON = Lexicon(
    [("高考", "高考"), ("高考改革", "高考改革"), ("GRE", "GRE"), ("研究生入学考试", "考研")], decoys=["提高"]
)


@each(
    ("text", "names"),
    [
        ("高考改革与高考", ["高考改革", "高考"]),
        ("提高考核标准", []),
        ("Green gre Agreed GRE词汇 GRE320分", ["GRE", "GRE", "GRE"]),
        ("研究生入学考试", ["考研"]),
        ("高", []),
        ("", []),
    ],
)
def test_terms_are_found_longest_first_outside_decoys_and_latin_words(text, names):
    assert [name for name, _, _ in LEXICON.find(text)] == names


@each(
    ("spelling", "text", "expected"),
    [
        ("航天員", "航天員返回", True),
        ("航天員", "航天员返回", True),
        ("ＳｐａｃｅＸ", "SpaceX发射", True),
        ("SpaceX", "ＳＰＡＣＥＸ发射", True),
        ("5G", "5G商用", True),
        ("5G", "15G内存", False),
        ("5G", "4.5G流量", False),
        ("C919", "C9191", False),
        ("长征5", "长征50", False),
        ("长征5", "长征5号", True),
        ("985", "1985年", False),
        ("CPI", "CPI2.1%", True),
        ("A股", "USA股东", False),
    ],
)
def test_a_spelling_is_found_in_any_script_and_width_but_inside_no_longer_word_or_number(spelling, text, expected):
    assert bool(list(Lexicon([(spelling, "it")]).find(text))) is expected


def test_a_decoy_counts_in_either_script():
    assert list(Lexicon([("火箭", "火箭")], decoys=["火箭隊"]).find("火箭队输了，火箭隊輸了")) == []


def test_places_are_those_of_the_text():
    text = "新高考改革"
    assert [text[start:end] for _, start, end in LEXICON.find(text)] == ["高考改革"]
    assert [start for _, start, _ in LEXICON.find("İİ高考改革")] == [2]


@each("spelling", ["a]", "a-", "a^", "a\\", "[a", "\nx"])
def test_a_spelling_may_hold_any_character(spelling):
    assert [name for name, _, _ in Lexicon([(spelling, "odd")]).find(f"。{spelling}。b")] == ["odd"]


def test_no_spellings_are_found_nowhere():
    assert list(Lexicon([]).find("高考改革")) == []

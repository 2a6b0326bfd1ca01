import pytest

from newsspider.core.text.lexicon import Lexicon

LEXICON = Lexicon(
    [("高考", "高考"), ("高考改革", "高考改革"), ("GRE", "GRE"), ("研究生入学考试", "考研")], decoys=["提高"]
)


@pytest.mark.parametrize(
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


def test_places_are_those_of_the_text():
    text = "新高考改革"
    assert [text[start:end] for _, start, end in LEXICON.find(text)] == ["高考改革"]


@pytest.mark.parametrize("spelling", ["a]", "a-", "a^", "a\\", "[a", "\nx"])
def test_a_spelling_may_hold_any_character(spelling):
    assert [name for name, _, _ in Lexicon([(spelling, "odd")]).find(f"。{spelling}。b")] == ["odd"]


def test_no_spellings_are_found_nowhere():
    assert list(Lexicon([]).find("高考改革")) == []

"""Every phrase of ``core/extraction/words`` is needed: without it the function that uses it decides otherwise."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from newsspider.core.extraction import guard_page, keywords, page_type, pictures_and_files, publication_date
from newsspider.core.extraction.body.nearby_lines import Surroundings
from newsspider.core.extraction.byline import credit_line, source
from newsspider.core.extraction.dom import charset, container_names, visibility
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.lines import boilerplate_lines, person_names, text_and_mastheads
from newsspider.core.links import article_list, link_regions, url_shape
from newsspider.core.scheduling import vanished
from newsspider.core.text.phrases import any_of, phrases
from newsspider.features.attention.rules import names_in_texts
from newsspider.features.events.rules import terms
from tests.support.tables import each

EXAMPLES = Path(__file__).parent / "phrases"  # a file for each list: lines of pages, names, addresses
PAGE = parse(b"<p>x</p>", "http://www.example.cn/")

Verdict = Callable[[str], object]

# The module that uses a list, and what it says about an example.
PHRASES: dict[str, tuple[ModuleType, Verdict]] = {
    "article_ends": (boilerplate_lines, boilerplate_lines.ends_text),
    "article_box_headings": (boilerplate_lines, boilerplate_lines.heads_box),
    "rights_notices": (boilerplate_lines, boilerplate_lines.is_notice),
    "button_words": (text_and_mastheads, text_and_mastheads.is_masthead),
    "rights_words": (boilerplate_lines, boilerplate_lines.is_notice),
    "statement_heads": (boilerplate_lines, boilerplate_lines.ends_text),
    "site_statements": (boilerplate_lines, boilerplate_lines.ends_text),
    "credit_roles": (boilerplate_lines, boilerplate_lines.closes_text),
    "value_sentences": (boilerplate_lines, boilerplate_lines.is_label),
    "follow_calls": (boilerplate_lines, boilerplate_lines.closes_text),
    "calls_to_readers": (boilerplate_lines, boilerplate_lines.is_boilerplate_line),
    "value_labels": (boilerplate_lines, boilerplate_lines.is_boilerplate_line),
    "sentence_words": (boilerplate_lines, boilerplate_lines.is_boilerplate_line),
    "boilerplate": (boilerplate_lines, boilerplate_lines.is_boilerplate_line),
    "imprint": (boilerplate_lines, boilerplate_lines.is_imprint),
    "mastheads": (text_and_mastheads, text_and_mastheads.is_masthead),
    "closing_lines": (boilerplate_lines, boilerplate_lines.closes_text),
    "side_class_names": (container_names, lambda name: container_names.roles_of_word.__wrapped__(name)[0]),  # type: ignore[attr-defined]
    "article_class_names": (container_names, lambda name: container_names.roles_of_word.__wrapped__(name)[1]),  # type: ignore[attr-defined]
    "event_times": (text_and_mastheads, lambda line: text_and_mastheads.is_event_time(line, ())),
    "other_moments": (publication_date, lambda line: publication_date.OTHER.search(line) is None),
    "login_pages": (page_type, lambda title: page_type.LOGIN_WORDS.search(title) is None),
    "guard_pages": (guard_page, lambda line: guard_page.GUARD_WORDS.search(line) is None),
    "error_pages": (page_type, page_type.reports_error),
    "site_pages": (page_type, page_type.is_site_page_title),
    "byline_roles": (person_names, lambda byline: list(person_names.persons_in(byline))),
    "never_in_person_names": (person_names, lambda name: (person_names.is_person(name), person_names.is_pen_name(name))),
    "minority_name_parts": (person_names, person_names.is_person),
    "outlet_kinds": (source, lambda line: source.source_of(PAGE, Surroundings(0, [line], [], []))),
    "sources_of_other_things": (source, lambda line: source.source_of(PAGE, Surroundings(0, [line], [], []))),
    "no_sources": (source, lambda line: source.source_of(PAGE, Surroundings(0, [line], [], []))),
    "credit_outlets": (credit_line, credit_line.credit_of.__wrapped__),  # type: ignore[attr-defined]
    "picture_names": (pictures_and_files, lambda path: pictures_and_files.DECORATION.search(path) is None),
    "navigation_class_names": (link_regions, lambda name: link_regions._NAVIGATION.search(name) is None),
    "list_side_class_names": (link_regions, lambda name: link_regions._SIDE.search(name) is None),
    "list_box_headings": (link_regions, lambda text: link_regions._SIDE_HEADING.search(text) is None),
    "empty_anchors": (article_list, lambda text: article_list._EMPTY_TEXT.fullmatch(text) is None),
    "account_hosts": (article_list, lambda url: article_list._ACCOUNT.match(url) is None),
    "list_file_names": (url_shape, lambda name: url_shape._LISTED.search(name) is None),
    "paywall_notices": (vanished, lambda line: vanished.PAYWALL_WORDS.search(line) is None),
}
# Lists of single words and characters: an example holds any of them in the same place.
VOCABULARIES: dict[str, tuple[ModuleType, str, Verdict]] = {
    "surnames": (person_names, "SURNAMES", lambda word: person_names.is_person(f"{word}小明")),
    "double_surnames": (person_names, "DOUBLE_SURNAMES", lambda word: person_names.is_person(f"{word}小明")),
    "name_like_words": (person_names, "_NAME_LIKE", person_names.is_person),
    "stop_words": (keywords, "STOP_WORDS", keywords._usable.__wrapped__),  # type: ignore[attr-defined]
    "words_tagged_as_names": (terms, "NO_NAMES", lambda word: list(terms.content_words(word))),
    "no_institution_words": (terms, "NOT_IN_NAMES", lambda word: list(terms.content_words(f"{word}小学停课"))),
    "institution_kinds": (
        terms, "INSTITUTION_KINDS", lambda word: [list(terms.content_words(f"{word}{school}停课")) for school in ("小学", "幼儿园")]
    ),
    "institution_ends": (terms, "INSTITUTION_ENDS", lambda word: list(terms.content_words(f"江右省{word}通报"))),
    "places_like_words": (terms, "PLACES", terms.is_place),
    "hidden_class_names": (visibility, "HIDDEN_NAMES", visibility.is_hidden_name),
    "offices": (names_in_texts, "OFFICES", names_in_texts.kind_of),
    "stop_characters": (keywords, "STOP_CHARACTERS", keywords._can_join),
}


def lists() -> set[str]:
    return {path.stem for path in (Path(page_type.__file__).parent / "words").glob("*.txt")}


def test_every_list_is_tested() -> None:
    assert lists() == {*PHRASES, *VOCABULARIES, "everyday_characters"}
    assert {path.stem for path in EXAMPLES.glob("*.txt")} == {*PHRASES}


@each("name", sorted(lists()))
def test_a_list_says_where_it_comes_from_and_repeats_nothing(name: str) -> None:
    text = (Path(page_type.__file__).parent / "words" / f"{name}.txt").read_text("utf-8")
    assert text.startswith("# ")
    assert len(set(phrases(name))) == len(phrases(name))
    assert max(map(len, phrases(name))) <= 200


@pytest.mark.parametrize("name", PHRASES)
def test_each_phrase_decides_an_example(name: str) -> None:
    module, verdict = PHRASES[name]
    examples = (EXAMPLES / f"{name}.txt").read_text("utf-8").splitlines()
    verdicts = list(map(verdict, examples))
    patterns = {key: value for key, value in vars(module).items() if isinstance(value, re.Pattern) and any_of(name) in value.pattern}
    unneeded = []
    for phrase in phrases(name):
        rest = "|".join(other for other in phrases(name) if other != phrase)
        with pytest.MonkeyPatch.context() as patch:
            for key, value in patterns.items():
                patch.setattr(module, key, re.compile(value.pattern.replace(any_of(name), rest), value.flags))
            if list(map(verdict, examples)) == verdicts:
                unneeded.append(phrase)
    assert not unneeded


@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_word_decides_an_example(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, constant, verdict = VOCABULARIES[name]
    verdicts = {word: verdict(word) for word in phrases(name)}
    unneeded = []
    container = type(getattr(module, constant))
    for word in phrases(name):
        monkeypatch.setattr(module, constant, container(other for other in phrases(name) if other != word))
        if verdict(word) == verdicts[word]:
            unneeded.append(word)
    assert not unneeded


def test_an_everyday_character_makes_a_charset_plausible(monkeypatch: pytest.MonkeyPatch) -> None:
    characters = phrases("everyday_characters")
    for character in characters:
        assert charset._plausibility(character.encode("gb18030"), "gb18030") == 1
        monkeypatch.setattr(charset, "_EVERYDAY", re.compile("[" + "".join(characters).replace(character, "") + "]"))
        assert charset._plausibility(character.encode("gb18030"), "gb18030") == 0
        monkeypatch.undo()

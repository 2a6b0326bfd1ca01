"""The docs say all that the code has, and nothing that it has not."""

import argparse
import ast
import doctest
import importlib
import json
import re
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pytest

import newsspider
from newsspider.core.crawling.outcome import FAILURES
from newsspider.core.model import Reason, Standing
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.scoring import score
from newsspider.core.text.terminal_columns import column_count
from newsspider.store.engine.writer import WriterFigures
from newsspider.topics.loader import read_topic
from tests.support.docs import PYTHON_BLOCK, ROOT, actions_of, commands, text_of
from tests.support.tables import each
from tools import commands_page
from tools.docs import stale

REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
TUTORIAL = ROOT / "docs" / "tutorial.md"
PACKAGE = Path(newsspider.__file__).parent

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \| (.*?) \|", re.MULTILINE)  # a row of a table: its first cell, its second cell
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMAND_LINE = re.compile(r"(?<![\w/.-])(scrapy|make|python -m demo) ([a-z][\w-]*)((?: [^\n|>#`]*)?)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

# Stats whose last part is worked out: what it can be.
FAMILIES = {
    "errors/": {str(reason) for reason in FAILURES},
    "links/": {"address", "nofollow", "offsite", "suffix", "trap"},
    "lists/": {str(standing) for standing in (Standing.LEARNED, Standing.MOVED, Standing.LOST)},
    "outcome/": {str(reason) for reason in Reason},
    "writer/": {figure.name for figure in fields(WriterFigures)},
}
COUNTING = {"inc_value", "set_value", "max_value", "min_value"}


# ---- stats -----------------------------------------------------------------------------------------------------------


FAILURE = "failure"  # the attribute of a repeated extension that names the stat of its failed steps


def stats_in_code() -> set[str]:
    """Every name that is given to the stats collector."""
    names: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in COUNTING:
                names |= names_in(node.args[0], path)
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == FAILURE:
                names |= names_in(node.value, path)
    return names


def names_in(argument: ast.expr, path: Path) -> set[str]:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return {argument.value}
    if ast.unparse(argument) == f"self.{FAILURE}":
        return set()  # each extension says its own
    if isinstance(argument, ast.IfExp):
        return names_in(argument.body, path) | names_in(argument.orelse, path)
    assert isinstance(argument, ast.JoinedStr), f"{path}:{argument.lineno}: say the stat's name where it is counted"
    start = argument.values[0]
    assert isinstance(start, ast.Constant), f"{path}:{argument.lineno}: a family of stats begins with its name"
    assert isinstance(start.value, str)
    assert start.value in FAMILIES, f"{path}:{argument.lineno}: say in tests/test_docs.py what {start.value} can be"
    return {start.value + member for member in FAMILIES[start.value]}


def test_every_stat_is_documented() -> None:
    documented = {name for name, _ in ROW.findall(text_of(REFERENCE / "stats.md")) if "/" in name}
    assert documented == stats_in_code()


# ---- commands --------------------------------------------------------------------------------------------------------


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    own = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
    return own.union(*map(options_of, actions_of(parser).values()))


def test_every_command_and_action_is_documented_with_an_example() -> None:
    """The block of code behind its options; the usage is the one on top."""
    page = text_of(REFERENCE / "commands.md")
    parts = re.split(r"^##+ `(newsspider|scrapy) ([\w ]+)`$", page, flags=re.MULTILINE)
    blocks = {name: re.findall(rf"^    .*\b{name}\b", text, re.MULTILINE) for name, text in zip(parts[2::3], parts[3::3], strict=True)}
    groups = {"crawl", *(name for name, parser in commands().items() if actions_of(parser))}
    assert set(blocks) >= set(commands())
    assert not [name for name, lines in blocks.items() if name not in groups and len(lines) < 2]


# ---- core ------------------------------------------------------------------------------------------------------------


def test_the_generated_pages_are_what_the_code_says() -> None:
    assert not stale(), "run `make docs`"


@each("path", [page for page in PAGES if ">>>" in text_of(page)], ids=lambda path: path.name)
def test_the_examples_of_a_page_give_what_it_says(path: Path) -> None:
    examples = "\n".join(block for block in PYTHON_BLOCK.findall(text_of(path)) if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    assert test.examples
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert results.failed == 0


# ---- the pages -------------------------------------------------------------------------------------------------------


@each("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_of_a_page_resolves(path: Path) -> None:
    for target in LINK.findall(FENCED.sub("", text_of(path))):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, anchor = target.partition("#")
        linked_file = (path.parent / file).resolve() if file else path
        assert linked_file.exists(), f"{path.name} links to {target}"
        if anchor and linked_file.suffix == ".md":
            assert anchor in anchors(text_of(linked_file)), f"{path.name} links to {target}"


def test_the_chinese_readme_has_the_commands_and_the_pages_of_the_english_one() -> None:
    english, chinese = (text_of(ROOT / name) for name in ("README.md", "README.zh-CN.md"))
    for pattern in (re.compile(r"^    ([^#\n]*\S)", re.MULTILINE), LINK):
        linked, translated = ({word.replace(".zh-CN", "") for word in pattern.findall(text)} for text in (english, chinese))
        assert linked ^ translated <= {"README.md"}


def anchors(text: str) -> set[str]:
    """The names by which the headings of a page are linked to."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(FENCED.sub("", text)))
    return {heading.replace(" ", "-") for heading in plain}


@each("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_line_of_a_page_can_be_typed(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    ours = commands()
    for program, word, rest in COMMAND_LINE.findall(code_of(text_of(path))):
        if program == "make":
            assert word in targets, f"{path.name}: make {word}"
        elif program == "scrapy":
            assert word in ours, f"{path.name}: scrapy {word}"
            unknown = set(OPTION.findall(rest)) - options_of(ours[word]) - {"--help"}
            assert not unknown, f"{path.name}: scrapy {word} has no {unknown}"
        else:
            assert word in ("serve", "baselines", "run", "faults"), f"{path.name}: python -m demo {word}"


def code_of(text: str) -> str:
    """What a page shows to be typed: its blocks of code and the code in its sentences."""
    spans = re.findall(r"`([^`\n]+)`", FENCED.sub("", text))
    indented = re.findall(r"^    (\S.*)$", text, re.MULTILINE)
    return "\n".join([*FENCED.findall(text), *spans, *indented])


def test_the_tutorial_shows_every_step_as_a_command() -> None:
    typed = re.findall(r"^\$ (\S+ \S+)", text_of(TUTORIAL), re.MULTILINE)
    steps = {"make demo", "scrapy sites", "scrapy crawl", "scrapy search", "scrapy export", "scrapy explain"}
    assert steps <= set(typed)


def test_every_source_names_a_test_that_exists() -> None:
    """The page of sources points at tests as ``path::name``."""
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text_of(ROOT / "docs" / "sources.md"))
    assert len(named) > 20
    for file, name in named:
        assert (ROOT / file).exists(), file
        assert not name or f"def {name}(" in text_of(ROOT / file), f"{file}::{name}"


def test_the_guide_to_topics_knows_all_models() -> None:
    text = text_of(ROOT / "docs" / "how-to" / "write-a-topic.md")
    assert not {model for model in Model if f"`{model}`" not in text}


def test_the_profile_of_the_guide_to_topics_scores_as_the_guide_says() -> None:
    text = text_of(ROOT / "docs" / "how-to" / "write-a-topic.md")
    profile = re.search(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert profile
    topic = read_topic(profile[1].encode(), "write-a-topic.md")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith('{"id"')]
    titles = {line["id"]: line["title"] for line in lines if "title" in line}
    guide = {line["id"]: (line["score"], line["relevant"], tuple(line["terms"])) for line in lines if "score" in line}
    scores = {number: score(topic, Document(title=title)) for number, title in titles.items()}
    assert guide == {number: (result.score, result.relevant, result.terms) for number, result in scores.items()}


NAMED_PATH = re.compile(r"`((?:[\w-]+/)+(?:[\w*.-]+)?|\w+\.py)`")


def test_the_architecture_can_be_read_in_one_go():
    assert len(text_of(ROOT / "docs/architecture.md").splitlines()) <= 200


@each("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_file_and_folder_that_a_page_names_exists(page: str) -> None:
    roots = (PACKAGE, ROOT, PACKAGE / "core" / "extraction")
    named = NAMED_PATH.findall(text_of(ROOT / page))
    assert not [name for name in named if not any(any(root.glob(name.rstrip("/"))) for root in roots)]


# ---- search terms ------------------------------------------------------------------------------------------------------


@each(
    ("term", "module"),
    [
        ("canonical URL", "core/url.py"),
        ("sitemap parsing", "core/links/feeds.py"),
        ("publish date", "core/extraction/publication_date.py"),
        ("back-off", "core/fetching/politeness.py"),
        ("soft 404", "core/extraction/page_type.py"),
    ],
)
def test_a_term_of_the_field_leads_to_its_module_by_the_docs_and_by_the_first_lines_of_the_modules(
    term: str, module: str
) -> None:
    heads = {path: text_of(path).partition("\n")[0].lower() for path in PACKAGE.rglob("*.py")}
    assert [str(path.relative_to(PACKAGE)) for path, head in heads.items() if term.lower() in head] == [module]
    pages = [text_of(ROOT / page) for page in ("CONTRIBUTING.md", "docs/architecture.md")]
    lines = [line for page in pages for line in page.splitlines() if term.lower() in line.lower()]
    assert [line for line in lines if f"`{module}`" in line] == lines != []


@each(
    ("term", "module"),
    [
        ("publication date", "core/extraction/publication_date.py"),
        ("pagination", "core/links/article_parts.py"),
        ("poll interval", "core/scheduling/poll_schedule.py"),
        ("consistent hashing", "core/crawling/host_assignment.py"),
        ("decompression bomb", "core/fetching/content_encoding.py"),
        ("bigrams of chinese characters", "core/text/tokenizer.py"),
        ("query parser", "core/query/parser.py"),
        ("dead letters", "features/alerts/deliveries.py"),
        ("revisit policy", "core/scheduling/poll_schedule.py"),
        ("body extraction", "core/extraction/body/body.py"),
        ("transactional outbox", "features/alerts/story_matching.py"),
        ("headless browser (playwright)", "download/browser.py"),
        ("trial of a site", "features/console/new_site_trial.py"),
        ("stale sources", "features/health/rules/silence.py"),
        ("deduplication", "core/duplicates/__init__.py"),
        ("burst detection", "features/events/rules/bursts.py"),
        ("event detection by clustering", "features/events/rules/clusters.py"),
        ("fair queueing", "frontier/claim_order.py"),
        ("the frontier claims due urls", "frontier/sql_frontier.py"),
        ("sentiment", "features/events/criticism.py"),
        ("exact duplicate detection", "store/articles/articles_by_body.py"),
        ("recrawl scheduling of articles", "core/scheduling/article_revisits.py"),
        ("response size", "download/handler.py"),
        ("conditional get", "core/fetching/politeness.py"),
        ("search ranking", "core/query/ranking.py"),
        ("rate limit of the console", "features/console/rate_limits.py"),
        ("session cookie", "features/console/access.py"),
        ("schema migration", "store/engine/migration.py"),
        ("captions", "core/extraction/pictures_and_files.py"),
        ("query relaxation", "search/query_relaxation.py"),
        ("space of deleted rows", "store/maintenance/disk_space.py"),
        ("rankings", "core/links/link_regions.py"),
        ("make-up workdays", "sites/holidays.py"),
        ("what names no outlet", "core/extraction/byline/source.py"),
        ("lockout", "features/console/rate_limits.py"),
    ],
)
def test_a_term_of_the_field_leads_to_the_docstring_of_its_module(term: str, module: str) -> None:
    heads = {path: " ".join(text_of(path).split('"""')[1].split()).lower() for path in PACKAGE.rglob("*.py") if path.stat().st_size}
    assert [str(path.relative_to(PACKAGE)) for path, head in heads.items() if term in head] == [module]


# ---- the rules of the reader -------------------------------------------------------------------------------------------


def has_path(module: ModuleType, name: str) -> bool:
    try:
        return bool(attrgetter(name)(module))
    except AttributeError:
        return False


def test_every_measured_rule_of_the_reader_is_there_still_and_every_rule_of_an_author_was_measured() -> None:
    row = re.compile(r"^\|.* \| `([a-z_.]+)\.((?:_?[A-Z]\w+\.)?\w+)` \| \d+\+? \| (?:\d+|–) \| (?:\d+|–) \|$", re.MULTILINE)
    rows = row.findall(text_of(ROOT / "docs" / "reader-rules.md"))
    assert len(rows) > 300
    rules = [(module, name) for module, name in rows]
    assert len(set(rules)) == len(rules), "a rule has one row"
    reader = "newsspider.core."
    assert not [rule for rule in rules if not has_path(importlib.import_module(reader + rule[0]), rule[1])]
    author = text_of(PACKAGE / "core/extraction/byline/author.py")
    names = re.findall(r"^def (_\w+)\(text: str\) -> Iterator\[str\]:", author, re.MULTILINE)
    assert len(names) > 5
    assert not [name for name in names if ("extraction.byline.author", name) not in rules]


# ---- security ----------------------------------------------------------------------------------------------------------


def test_every_test_that_the_page_on_security_names_exists_and_every_defence_names_one() -> None:
    text = text_of(ROOT / "docs" / "security.md")
    assert not [name for name in re.findall(r"`(tests/[\w/.]+)`", text) if not (ROOT / name).exists()]
    table = text.partition("## What is defended")[2].partition("`tests/hostile/`")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) > 10
    assert not [row for row in rows[2:] if not re.search(r"`tests/[\w/]+\.py`", row)]


@pytest.mark.parametrize("parser", [pytest.param(parser, id=name) for name, _, parser in commands_page._commands()])
def test_help_fits_a_terminal_of_80_columns(parser, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    helps = [command.format_help() for command in (parser, *actions_of(parser).values())]
    assert [line for text in helps for line in text.splitlines() if column_count(line) > 80] == []

"""The sample portal as a value: seeded, hard, and on every page what its truth says."""

import ast
import re
from collections import Counter
from html import unescape
from pathlib import Path
from statistics import median

import pytest

import demo
from demo import baselines, truth
from demo.clock import Clock
from demo.grammar import common, themes
from demo.makes import MAKES, Bar
from demo.portal import Fate, Portal
from demo.routes import Routes

PORT = 8900
Sample = tuple[Portal, Routes]


def built(seed: int = 7, articles: int = 720) -> Sample:
    portal = Portal(PORT, Clock(), articles, seed)
    return portal, Routes(portal)


@pytest.fixture(scope="module")
def sample() -> Sample:
    return built()


def test_the_same_seed_gives_the_same_portal() -> None:
    (portal, routes), (again, others) = built(articles=120), built(articles=120)
    assert truth.tell(portal, routes) == truth.tell(again, others)
    assert all(page.render() == others.pages[key].render() for key, page in routes.pages.items())


def test_another_seed_tells_other_stories() -> None:
    bodies = [{post.story.text for post in built(seed, 120)[0].posts} for seed in (7, 8)]
    assert not bodies[0] & bodies[1]


def test_simple_methods_fail_on_the_portal(sample: Sample) -> None:
    measured = baselines.measure(*sample)
    assert measured.title_words_f1 <= 0.85
    assert measured.double_by_url >= 0.05
    assert measured.garbled_by_header >= 0.15
    assert measured.wasted >= 0.60
    assert measured.wasted_without_traps >= 0.60


def test_there_are_enough_sites_articles_and_bytes(sample: Sample) -> None:
    portal, routes = sample
    sizes = [len(body) for page in routes.pages.values() if page.post and (body := page.render())]
    assert len(portal.outlets) >= 8
    assert sum(post.appears_at < 0 for post in portal.posts) >= 600
    assert median(sizes) >= 40_000
    assert sum(30_000 <= size <= 60_000 for size in sizes) >= 0.95 * len(sizes)


def test_a_crowded_portal_has_as_much_around_its_articles_as_real_pages_have() -> None:
    """The medians of two collections of real pages are 413 and 881 elements, 70 and 173 links, 34 and 131 kB."""
    crowded = Portal(PORT, Clock(), 120, plain=True, crowded=True)
    bodies = [body for page in Routes(crowded).pages.values() if page.post and (body := page.render())]
    assert 413 <= median(len(re.findall(rb"<[a-zA-Z]", body)) for body in bodies) <= 881
    assert 70 <= median(body.count(b"<a ") for body in bodies) <= 173
    assert 40_000 <= median(map(len, bodies)) <= 131_000


def test_every_fate_befalls_an_article_and_the_plain_portal_has_only_harmless_ones(sample: Sample) -> None:
    assert {post.fate for post in sample[0].posts} == set(Fate)
    plain = Portal(PORT, Clock(), 200, plain=True)
    assert {post.fate for post in plain.posts} == {Fate.FINE, Fate.MOVED, Fate.FOUND, Fate.NOINDEX, Fate.FORBIDDEN}


def test_about_a_third_of_what_education_columns_print_is_off_topic(sample: Sample) -> None:
    posts = [post for post in sample[0].posts if 0.6 <= post.column.education <= 0.75]
    assert 0.25 < sum(not post.story.relevant for post in posts) / len(posts) < 0.42
    general = [post for post in sample[0].posts if 0.2 <= post.column.education <= 0.3]
    assert 0.1 < sum(post.story.relevant for post in general) / len(general) < 0.4


def test_exact_reprints_share_the_body_and_edited_ones_differ(sample: Sample) -> None:
    portal, _ = sample
    reprints = [post for post in portal.posts if post.reprint]
    assert Counter(post.reprint for post in reprints).keys() == {"exact", "edited"}
    for post in reprints:
        original = portal.posts[post.origin]
        assert original.outlet is not post.outlet
        assert (original.story.text == post.story.text) == (post.reprint == "exact")
        assert (original.group == post.group) == (post.reprint == "exact")


def test_no_two_groups_have_the_same_body(sample: Sample) -> None:
    bodies: dict[str, set[int]] = {}
    for post in sample[0].posts:
        bodies.setdefault(post.story.text, set()).add(post.group)
    assert all(len(groups) == 1 for groups in bodies.values())


def test_every_page_shows_the_title_and_each_paragraph_of_its_truth(sample: Sample) -> None:
    portal, routes = sample
    for page in routes.pages.values():
        if page.post is None or (body := page.render()) is None or page.moved_to:
            continue
        text = unescape(body.decode(page.outlet.make.codec))
        story = page.post.part(portal.clock.seconds, page.part)
        assert story.title in text
        assert all(paragraph in text for paragraph in story.paragraphs)
        assert story.published_at.strftime(page.outlet.make.date) in text


def test_articles_stand_on_two_to_five_pages_in_every_way_that_sites_have(sample: Sample) -> None:
    portal, routes = sample
    split = [post for post in portal.posts if post.parts > 1]
    assert len(split) >= 20
    assert {post.parts for post in split} == {2, 3, 4, 5}
    assert {post.outlet.make.bar for post in split} == set(Bar)
    assert {post.outlet.make.key for post in split} == {make.key for make in MAKES if make.parts}
    for post in split:
        pages = [post.part(0, part).paragraphs for part in range(1, post.parts + 1)]
        assert all(pages)
        assert tuple(paragraph for page in pages for paragraph in page) == post.story.paragraphs
        assert all((post.outlet.make.host, post.part_path(part)) in routes.pages for part in range(1, post.parts + 1))
    portal_truth = {page["url"]: page for page in truth.tell(portal, routes)["pages"]}
    assert all(portal_truth[post.url]["reachable"] and portal_truth[post.url]["relevant"] for post in split)
    assert [portal_truth[url]["part"] for post in split for url in portal_truth[post.url]["parts"][1:]] == [
        part for post in split for part in range(2, post.parts + 1)
    ]


def test_every_link_inside_the_portal_leads_to_a_page(sample: Sample) -> None:
    _, routes = sample
    for page in routes.pages.values():
        if not page.content_type.startswith("text/html") or (body := page.render()) is None:
            continue
        for link in set(
            re.findall(r'<(?:a|area|frame)\b[^>]*?(?:href|src)="(/[^"#]*)', body.decode(page.outlet.make.codec))
        ):
            assert routes.find(page.outlet.make.host, unescape(link)), f"{link} on {page.url}"


def test_the_calendar_never_ends(sample: Sample) -> None:
    _, routes = sample
    target = "/calendar.shtml?month=2025-06"
    for _ in range(30):
        page = routes.find("127.0.0.7", target)
        assert page is not None
        months = re.findall(r"/calendar\.shtml\?month=[\d-]+", (page.render() or b"").decode("gbk"))
        target = months[-1]
    assert target > "/calendar.shtml?month=2027"


def test_known_urls_hold_every_reachable_article_and_no_page_that_does_not_exist(sample: Sample) -> None:
    portal_truth = truth.tell(*sample)
    urls = {page["url"] for page in portal_truth["pages"]} | {f"{site['home']}robots.txt" for site in portal_truth["sites"]}
    assert set(portal_truth["known"]) <= urls
    assert {page["url"] for page in portal_truth["pages"] if page.get("reachable")} <= set(portal_truth["known"])


def test_unfollowed_lists_are_the_only_way_to_their_articles(sample: Sample) -> None:
    portal_truth = truth.tell(*sample)
    hidden = {post.url for post in sample[0].posts if post.column.nofollow}
    assert hidden
    assert not hidden & set(portal_truth["known"])
    assert not any(page["reachable"] for page in portal_truth["pages"] if page["url"] in hidden)


def test_headlines_of_both_kinds_can_mislead(sample: Sample) -> None:
    hard = Counter(post.story.relevant for post in sample[0].posts if post.story.hard)
    assert min(hard[True], hard[False]) > 50
    assert {theme.relevant for theme in themes()} == {True, False}
    assert len(common()["comment"]) > 5


def test_the_portal_and_newsspider_do_not_know_each_other() -> None:
    root = Path(demo.__file__).parents[1]
    assert not [file for file in (root / "newsspider").rglob("*.py") if "demo" in _imports(file)]
    assert not [file for file in (root / "demo").glob("*.py") if "newsspider" in _imports(file)]


def _imports(file: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").partition(".")[0])
    return modules

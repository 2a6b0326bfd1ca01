"""The reader keeps its floors where pages are changed as sites change them: nothing named, boxes within the text, comments, short texts."""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.page_type import page_type_of
from tests.quality.article_pages import DOES, WHAT, WHO, Sample, f1, sample, sentence
from tests.quality.changing import Tree, changed, element, take_names_away

NOW = datetime(2024, 6, 15, tzinfo=UTC)
PAGES = 60
FLOOR = 0.97  # mean F1 of the bodies, and share of titles, days and kinds
ABOUT = (
    "本站由某某报社主办，内容包括新闻、评论、图片和视频，每天有几十万读者，在各地都有记者站，欢迎读者来信来电提供线索。"
    "本站的办公室在一号楼二层，每个工作日的上午都有人值班，节假日请在网上留言，编辑会在三天之内答复。"
)


def headline(dice: random.Random) -> str:
    return dice.choice(WHO) + dice.choice(DOES) + dice.choice(WHAT)


def links(dice: random.Random, count: int = 4) -> str:
    return "".join(f"<li><a href='/{dice.randint(1, 9999)}.html'>{headline(dice)}</a></li>" for _ in range(count))


def paragraphs(tree: Tree, original: Sample) -> list[Tree]:
    """The smallest elements that hold a whole paragraph of the text, in page order."""
    texts = {"".join(text.split()) for text in original.text}
    nodes = [node for node in tree.iter("p", "section", "div", "span") if "".join(node.text_content().split()) in texts]
    return [node for node in nodes if not any(other is not node and node in other.iterancestors() for other in nodes)]


def without_names(tree: Tree, original: Sample, dice: random.Random) -> None:
    take_names_away(tree)


def boxes_within(tree: Tree, original: Sample, dice: random.Random) -> None:
    texts = paragraphs(tree, original)
    for at in {len(texts) // 2, 3 * len(texts) // 4} if len(texts) > 5 else ():
        heading = dice.choice(["相关阅读", "热门推荐", "为您推荐", "延伸阅读"])
        texts[at].addprevious(element(f"<div><div>{heading}</div><ul>{links(dice)}</ul></div>"))


def said_by_readers(tree: Tree, original: Sample, dice: random.Random) -> None:
    comments = "".join(f"<li><div>网友{n}</div><div>{sentence(dice)}{sentence(dice)}</div><div>3小时前</div></li>" for n in range(30))
    heading = dice.choice(["网友评论", "热门评论 30条", "最新评论", "评论(30)"])
    tree.find("body").append(element(f"<div><div><h3>{heading}</h3></div><ul>{comments}</ul></div>"))


def told_of_others(tree: Tree, original: Sample, dice: random.Random) -> None:
    boxes = "".join(f"<dl><dt><a href='/{n}.html'>{headline(dice)}</a></dt><dd>{sentence(dice) * 2}</dd></dl>" for n in range(6))
    tree.find("body").append(element(f"<div><h4>{dice.choice(['为你推荐', '猜你喜欢', '更多推荐'])}</h4><div>{boxes}</div></div>"))


def told_of_the_site(tree: Tree, original: Sample, dice: random.Random) -> None:
    tree.find("body").append(element(f"<div><div>关于我们</div><div>{ABOUT}</div><div>{ABOUT}</div></div>"))


def advertised(tree: Tree, original: Sample, dice: random.Random) -> None:
    for paragraph in paragraphs(tree, original):
        paragraph.addnext(element("<div>广告</div>"))


Change = Callable[[Tree, Sample, random.Random], None]
CHANGES: list[Change] = [
    without_names,
    boxes_within,
    said_by_readers,
    told_of_others,
    told_of_the_site,
    advertised,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_the_reader_keeps_its_floors_on_changed_pages(change: Change) -> None:
    bodies, titles, days, articles = [], 0, 0, 0
    for seed in range(1000, 1000 + PAGES):
        original, dice = sample(seed), random.Random(seed)
        page = changed(original.body, original.content_type, "http://www.example.cn/a.html", partial(change, original=original, dice=dice))
        article = extract_article(page, NOW)
        bodies.append(f1(article.text, "".join(original.text)))
        titles += article.title == original.title
        days += article.published_at is not None and f"{article.published_at:%Y-%m-%d}" == original.minute[:10]
        articles += page_type_of(page, article, ()).stored
    assert sum(bodies) / PAGES >= FLOOR, sorted(bodies)[:5]
    assert min(titles, days, articles) >= FLOOR * PAGES, (titles, days, articles)

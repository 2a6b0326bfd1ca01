"""Lines that surround many articles of a site are dropped as boilerplate; lines of the articles stay."""

import tracemalloc

from newsspider.core.extraction.lines.boilerplate_lines import ARTICLES_REMEMBERED, FEWEST_ARTICLES, Boilerplate
from tests.support.tables import each

FOOT = "扫描二维码，关注本报微信公众号"


def article(number: int, *below: str, above: tuple[str, ...] = ()) -> str:
    sentences = [
        f"第{number}所学校今天开学，{number}名新生报到。",
        f"校长{number}说，今年的变化有{number}处。",
        f"记者看到{number}件新鲜事。",
    ]
    return "\n".join([*above, *sentences, *below])


def learned(site: Boilerplate, *texts: str) -> list[str]:
    return [line for text in texts for line in site.learn(text)]


def test_a_line_under_enough_articles_is_left_out_of_the_next() -> None:
    site = Boilerplate()
    texts = [article(number, FOOT) for number in range(FEWEST_ARTICLES)]
    assert learned(site, *texts[:-1]) == []
    assert site.without(texts[-1]) == texts[-1]
    assert learned(site, texts[-1]) == [FOOT]
    assert site.without(article(99, FOOT)) == article(99)
    assert site.without(article(99)) == article(99)


def test_lines_above_and_below_each_other_are_learned_together() -> None:
    site = Boilerplate()
    lines = learned(
        site, *(article(number, "版权归本报所有", FOOT, above=("本报特稿",)) for number in range(FEWEST_ARTICLES))
    )
    assert lines == ["本报特稿", "版权归本报所有", FOOT]
    assert site.without(article(99, "版权归本报所有", FOOT, above=("本报特稿",))) == article(99)


def test_a_known_line_stays_where_the_text_goes_on_behind_it() -> None:
    site = Boilerplate([FOOT])
    text = article(1, FOOT, "第二天，新生领到了课本。")
    assert site.without(text) == text


def test_whoever_notices_are_addressed_to_is_part_of_them() -> None:
    site = Boilerplate()
    assert (
        learned(site, *(article(number, above=("各省、自治区、直辖市教育厅：",)) for number in range(2 * FEWEST_ARTICLES)))
        == []
    )


def test_one_text_on_many_pages_is_one_witness() -> None:
    site = Boilerplate()
    assert learned(site, *[article(1, FOOT)] * (3 * FEWEST_ARTICLES)) == []


def test_a_line_under_few_of_many_articles_is_not_learned() -> None:
    site = Boilerplate()
    texts = [article(number, "特此通知。" if number % 10 == 0 else f"完{number}") for number in range(3 * ARTICLES_REMEMBERED)]
    assert learned(site, *texts) == []


@each("text", ["", FOOT, f"{FOOT}\n{FOOT}"])
def test_a_text_that_is_nothing_but_boilerplate_is_left_alone(text: str) -> None:
    site = Boilerplate([FOOT])
    assert site.learn(text) == ()
    assert site.without(text) == text


def test_what_is_remembered_is_bounded() -> None:
    site = Boilerplate()
    for number in range(5 * ARTICLES_REMEMBERED):
        site.learn(article(number))
    assert len(site._latest) == ARTICLES_REMEMBERED
    assert sum(1 for count in site._counts.values() if count) <= 8 * ARTICLES_REMEMBERED
    assert len(site._counts) <= 8 * ARTICLES_REMEMBERED, "counts that are nothing are forgotten"


@each(
    "end",
    [
        "特此通知。",
        "请各地认真贯彻执行。",
        "现予公布，自公布之日起施行。",
        "此致\n敬礼！",
        "妥否，请批示。",
        "某某市教育局\n2024年3月{n}日",
        "某某市教育局\n某某市财政局\n2024-03-0{n}",
        "某某大学教务处\n二〇二四年三月五日",
    ],
)
def test_closing_formulas_and_signatures_of_documents_are_not_learned(end: str) -> None:
    site = Boilerplate()
    texts = [f"关于第{n}件事情的安排如下。\n这件事情由第{n}处负责。\n{end.format(n=n)}" for n in range(1, 9)]
    assert [line for text in texts for line in site.learn(text)] == []
    assert site.without(texts[0]) == texts[0]


def test_the_texts_that_were_learned_from_are_not_kept() -> None:
    site = Boilerplate()
    tracemalloc.start()
    learned(site, *("\n".join([f"第{number}段。" * 20_000] * 4) for number in range(ARTICLES_REMEMBERED)))
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert allocated < 2**20

"""Which articles become one event."""

from bench.event_stream import stream
from newsspider.features.events.rules.clusters import DAY, WINDOW_SECONDS, ClusterArticle, EventCluster, Events
from newsspider.features.events.rules.terms import article_terms
from tests.support.tables import each

FIRE = "杭州实验小学突发火灾 师生紧急疏散", "今天上午，杭州实验小学实验楼发生火灾，消防车赶到现场，明火很快被扑灭。起火原因正在调查。"
SAME_FIRE = "浓烟滚滚！杭州实验小学起火", "杭州实验小学的三楼窗口冒出浓烟，消防部门扑灭明火，学生全部疏散，火灾没有造成伤亡。"
CAUSE = "杭州实验小学火灾原因查明：电线短路", "杭州消防通报，实验小学火灾的起火原因是实验楼的电线短路，校长被免职。"
OTHER_FIRE = "兰州育才中学突发火灾 师生紧急疏散", "今天上午，兰州育才中学宿舍楼发生火灾，消防车赶到现场，明火很快被扑灭。起火原因正在调查。"
OTHER_MATTER = "杭州实验小学举办读书节", "杭州实验小学的读书节开幕，作家与孩子们谈阅读，图书角换上了新书。"
NAMESAKE = "兰州实验小学突发火灾 师生紧急疏散", "今天上午，兰州实验小学实验楼发生火灾，消防车赶到现场，明火很快被扑灭。起火原因正在调查。"
PAPER = "教育部印发加强劳动教育的意见", "教育部印发意见，要求各地把劳动教育列入课程，每周不少于一课时。"


def placed(*articles: tuple[str, str], hours: float = 1, events: Events | None = None) -> list[int]:
    """Places articles that arrive the given number of hours apart and returns their events."""
    events = Events() if events is None else events
    numbers = []
    for number, (title, text) in enumerate(articles, 1):
        moment = round(number * hours * 3600)
        numbers.append(events.place(ClusterArticle(number, moment, moment, article_terms(title, text))).event.id)
    return numbers


@each("other", [SAME_FIRE, CAUSE])
def test_other_wordings_and_later_news_of_a_happening_join_it(other):
    assert placed(FIRE, PAPER, other) == [1, 2, 1]


@each("other", [OTHER_FIRE, OTHER_MATTER, NAMESAKE])
def test_the_same_elsewhere_and_other_matters_of_the_place_stay_apart(other):
    assert placed(FIRE, PAPER, other) == [1, 2, 3]


FORMS = [
    ("教师减负：宁州市清理41项进校园事务", "宁州市教育局公布清理结果，取消和合并41项进校园事务，教师填写的表格从260张减到75张。",
     "教师减负：宁州市清理62项进校园事务", "宁州市教育局公布清理结果，取消和合并62项进校园事务，教师填写的表格从830张减到94张。"),
    ("宁州市公开招聘378名中小学教师", "宁州市发布公告，面向社会公开招聘中小学教师378名，1200人通过资格审查，笔试和面试各占一半。",
     "宁州市公开招聘423名中小学教师", "宁州市发布公告，面向社会公开招聘中小学教师423名，2150人通过资格审查，笔试和面试各占一半。"),
    ("宁州市新增66所公办幼儿园，学位4932个", "宁州市今年新建、改扩建公办幼儿园66所，新增学位4932个，新园都配有活动场地和保健室。",
     "宁州市新增19所公办幼儿园，学位6859个", "宁州市今年新建、改扩建公办幼儿园19所，新增学位6859个，新园都配有活动场地和保健室。"),
    ("双桥县滨海中学举办防震演练，1465名师生7分钟疏散", "警报响起，双桥县滨海中学的学生护头跑向操场，全校1465名师生用7分钟疏散完毕。",
     "双桥县滨海中学举办防震演练，8651名师生5分钟疏散", "警报响起，双桥县滨海中学的学生护头跑向操场，全校8651名师生用5分钟疏散完毕。"),
]  # fmt: skip


@each(("title", "text", "other_title", "other_text"), FORMS)
def test_reports_of_one_form_with_other_numbers_are_other_events(title, text, other_title, other_text):
    assert placed((title, text), PAPER, (other_title, other_text)) == [1, 2, 3]
    recounted = title.replace("1465", "1470").replace("378", "380").replace("4932", "4950").replace("41", "42")
    assert placed((title, text), PAPER, (recounted, text)) == [1, 2, 1]


def test_what_happens_again_after_a_while_is_another_event():
    assert placed(FIRE, FIRE, hours=WINDOW_SECONDS / 3600 - 1) == [1, 1]
    assert placed(FIRE, FIRE, hours=WINDOW_SECONDS / 3600 + 1) == [1, 2]


def test_an_article_of_long_ago_that_is_crawled_now_joins_nothing_of_today():
    events = Events()
    assert events.place(ClusterArticle(1, 400 * DAY, 400 * DAY, article_terms(*FIRE))).event.id == 1
    assert events.place(ClusterArticle(2, 35 * DAY, 400 * DAY, article_terms(*FIRE))).event.id == 2


def test_a_reprint_joins_whatever_its_title_says():
    events = Events()
    events.place(ClusterArticle(1, 0, 0, article_terms(*FIRE)))
    at = events.place(ClusterArticle(2, 60, 60, article_terms("图片新闻", ""), reprint_of=1))
    assert (at.event.id, at.similarity) == (1, 1.0)


def test_two_events_become_one_when_an_article_shows_that_they_are():
    joint = FIRE[0] + " " + CAUSE[0], FIRE[1] + CAUSE[1]
    events = Events([_event(1, FIRE), _event(2, CAUSE)])
    at = events.place(ClusterArticle(3, 60, 60, article_terms(*joint)))
    assert {at.event.id, *at.merged} == {1, 2}
    assert at.event.size == 3


def test_events_of_two_places_do_not_become_one():
    events = Events([_event(1, FIRE), _event(2, NAMESAKE)])
    at = events.place(ClusterArticle(3, 60, 60, article_terms("实验小学突发火灾 师生紧急疏散", FIRE[1] + NAMESAKE[1])))
    assert at.merged == ()


@each("titles", [
    ("玉米期货9日早评", "玉米期货10日早评", "玉米期货早评"),  # the third names no day
    ("2009造价工程师考试试题及答案解析", "2010年造价工程师考试试题及答案解析", "造价工程师考试试题及答案解析"),
])
def test_an_article_without_a_figure_does_not_join_the_reports_of_a_series(titles):
    events = Events()
    first, second, third = [events.place(ClusterArticle(n, n, n, article_terms(title, ""))) for n, title in enumerate(titles, 1)]
    assert (first.event.id, second.event.id) == (1, 2)
    assert third.merged == ()


def test_headlines_of_a_place_need_three_other_words_in_common():
    assert placed(("土耳其汽车爆炸致12人受伤", ""), ("土耳其汽车爆炸致3人受伤", "")) == [1, 1]
    assert placed(("土耳其汽车爆炸致12人受伤", ""), ("土耳其汽车爆炸致30人受伤", "")) == [1, 1]
    assert placed(("土耳其汽车爆炸致12死", ""), ("土耳其汽车爆炸致3死", "")) == [1, 2]


@each(("title", "figures"), [
    ("2009考研大纲公布", {"2009年"}), ("2010年考研大纲公布", {"2010年"}), ("指数跌破2010点", {"2010点"}), ("均价2000元", {"2000元"}),
    ("事故致12人受伤", set()),
])
def test_a_year_is_one_with_and_without_its_word(title, figures):
    assert article_terms(title, "").figures == figures


@each(("title", "names", "places"), [
    ("铜仁第二小学被举报乱收费", {"铜仁", "铜仁第二小学", "第二小学"}, {"铜仁"}),
    ("唐山光明中学校车侧翻", {"唐山", "唐山光明中学", "光明中学"}, {"唐山"}),
    ("朝阳幼儿园停课", {"朝阳幼儿园"}, set()),
])
def test_names_of_cities_and_schools_are_found_whole(title, names, places):
    words = article_terms(title, "")
    assert (words.names, words.places) == (names, places)


def test_what_is_placed_does_not_depend_on_where_the_analysis_was_interrupted():
    pages = stream(days=4, noise_a_day=10, seed=3).pages
    articles = [ClusterArticle(n, page.published, page.crawled, article_terms(page.title, page.text)) for n, page in enumerate(pages, 1)]
    whole = Events()
    expected = [whole.place(article).event.id for article in articles]
    resumed, live_events = Events(), dict[int, EventCluster]()
    for number, article in enumerate(articles):
        if number % 7 == 0:
            resumed = Events(sorted(live_events.values(), key=lambda event: event.id))
        at = resumed.place(article)
        live_events[at.event.id] = at.event
        for merged in at.merged:
            del live_events[merged]
        live_events = {key: event for key, event in live_events.items() if at.event.seen - event.seen <= WINDOW_SECONDS}
        assert at.event.id == expected[number]


def _event(number: int, article: tuple[str, str]) -> EventCluster:
    """An event of a single article that matched no earlier one."""
    return Events().place(ClusterArticle(number, 0, 0, article_terms(*article))).event

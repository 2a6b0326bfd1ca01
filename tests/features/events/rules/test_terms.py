"""Which words of a text are names."""


from newsspider.features.events.rules.terms import article_terms, content_words, is_place
from tests.support.tables import each


@each("title", [
    "12月全国大学英语考试开考", "年12月大学英语考试", "20大学开设新专业", "全国大学扩招", "全省计划招收教师", "国际学院揭牌",
    "农村学校新建食堂", "民办幼儿园收费公示", "公办幼儿园开园", "教授小学课堂讲课", "有关大学回应", "一些学校停课",
    "某小学停课", "大学城某大学停课", "全县中小学开学", "软件学院招生", "孩子要上小学",
])
def test_an_institution_is_a_name_only_if_a_word_says_which_it_is(title):
    assert not article_terms(title, "").names


@each(("title", "names"), [
    ("华联小学停课", {"华联小学"}),
    ("第二中学停课", {"第二中学"}),
    ("八一中学停课", {"八一中学"}),
    ("光明小学停课", {"光明小学"}),
    ("教授谈光明小学", {"光明小学"}),
    ("2009年铜仁第二小学停课", {"铜仁", "铜仁第二小学", "第二小学"}),
    ("铜仁农村学校停课", {"铜仁"}),
    ("铜仁中小学停课", {"铜仁"}),
    ("江右省教育厅通报", {"江右省教育厅"}),
    ("岭北农业学院揭牌", {"岭北农业学院"}),
    ("海外大学揭牌", set()),
    ("金川市新建公办幼儿园", {"金川"}),
    ("金川市第一学校停课", {"金川", "金川市第一学校", "第一学校"}),
])
def test_an_institution_is_named_by_its_place_a_name_a_number_or_the_word_before_a_school(title, names):
    assert article_terms(title, "").names == names


@each(("text", "name"), [
    ("严格执行", False), ("今天上午", False), ("今年夏天", False), ("慕容景岳", True), ("李嘉诚基金会", True), ("奥尼尔", True),
    ("安倍晋三", True), ("比尔盖茨", True), ("贝克汉姆", True), ("伊丽莎白", True), ("成吉思汗", True),
])
def test_phrases_that_jieba_tags_as_persons_are_not_names(text, name):
    assert list(content_words(text)) == [(text, name)]


@each(
    "district", ["天桥区", "长寿区", "上街区", "湖滨区", "河口区", "平原县", "山城区", "新城区", "和平区"]
)
def test_districts_are_places_though_their_names_are_words(district):
    assert article_terms(f"{district}一学校起火", "").places == {district[:-1]}


@each("word", ["治安", "归国", "上台"])
def test_a_listed_word_that_jieba_tags_as_a_place_is_not_a_place(word):
    assert not is_place(word)
    assert not article_terms(f"杭州{word}", "").places - {"杭州"}

"""Regions by their codes and names, and those that an article is about."""

from bench.places import LEAST_PRECISION, LEAST_RECALL, OWN_TEXTS, labelled, measured
from newsspider.core.text.regions import full_name, region_code, region_names, regions_named, with_provinces
from tests.support.tables import each


def test_names_are_unique_and_lie_in_a_province() -> None:
    names = list(region_names().values())
    assert len(names) == len(set(names))
    assert all(with_provinces([name])[-1] == name for name in names)
    assert all(region_code(name) == region_code(full_name(code)) == code for code, name in region_names().items())


@each(
    ("word", "name"),
    [
        ("臺灣", "台湾"),
        ("臺灣省", "台湾"),
        ("延边州", "延边"),
        ("广西自治区", "广西"),
        ("大理市", "大理"),  # counties stand for their cities
        ("临夏县", "临夏"),
        ("昆山", "苏州"),
        ("浦东", "上海"),
        ("道真县", "遵义"),
        ("芷江侗族自治县", "怀化"),
        ("毕节地区", "毕节"),
        ("羊城", "广州"),
        ("朝阳", "朝阳"),
        ("朝阳区", None),  # Beijing and Changchun have one
        ("鼓楼", None),
        ("和平", None),
        ("海南州", "海南州"),
        ("京津冀", None),
        ("江苏市", None),
        ("苏州省", None),
        ("苏州州", None),
        ("月球", None),
    ],
)
def test_region_by_a_word(word: str, name: str | None) -> None:
    code = region_code(word)
    assert (code and region_names()[code]) == name


NATION = "新华社北京8月31日电 教育部今天发布通知，要求各地做好开学工作。"


@each(
    ("title", "text", "named"),
    [
        ("教育部发布通知", NATION, []),
        ("江苏：南京、苏州试点", "", ["南京", "苏州"]),  # the province lies around them
        ("扩大连接，重庆力量", "", ["重庆"]),  # 大连 is no word there
        ("一所小学的故事", "很久以前。" * 40 + "后来他去了西安。西安很大。他爱西安。", ["西安"]),  # often
        ("一所小学的故事", "很久以前。" * 40 + "后来他去了西安。", []),
        ("会议召开", "会议今天在北京人民大会堂举行。", []),  # the capital is where the country's news is made
        ("听力真题", "作者 来源：西安新东方学校。", []),  # named once, and no scene
        ("总部开幕", "北京、西安、南京、成都、上海、广州都有分部。北京，北京，北京，北京，北京，北京。", ["北京"]),  # the main one of many
        ("廣東省教育廳、長沙市教育局發布通知", "", ["广东", "长沙"]),
        ("南昌大学生就业", "北京大学生命科学学院招生。", ["南昌"]),
        ("散户的故事", "他买了广州冷机的股票。", []),  # 州 is part of the short name there
        ("天津市河北区教育局通知", "", ["天津"]),
        ("河北区教育局通知", "", ["天津"]),
        ("昆山市扩建学校", "", ["苏州"]),  # a county is in its city
        ("道真县招聘教师", "芷江侗族自治县昨天公布计划。", ["遵义", "怀化"]),
        ("延庆的学校", "延庆区今年扩招。", ["北京"]),  # in short, where the text has its full name
        ("三河是个好地方", "", []),
        ("格尔木市委书记谈学校", "", ["海西"]),
        ("河南省滑县和老城区学校", "沙市区不在长沙市区。", ["安阳", "荆州"]),  # 滑县 and 老城区 behind their city or province
        ("新盘开售", "很好。" * 100 + "项目位于海淀区。", ["北京"]),  # the only place of a short text
        ("新盘开售", "很好。" * 200 + "项目位于海淀区。", []),
        ("开学", "西藏自治区除外，各地学校开学。", []),
        ("山西襄汾举行成人礼，四川大英雄归来", "", ["临汾", "四川"]),
        ("鼓楼区招生", "", []),  # several cities have one
        ("学校开学", "北京市朝阳区的学校昨天开学。", ["北京"]),
        ("学校开学", "佛山顺德的学校昨天开学。", ["佛山"]),
        ("学校开学", "新华网青海海南8月5日电 海南州的学校开学。", ["海南州"]),
        ("公司公告", "深圳市启明教育科技有限公司和上海浦东发展银行、郑州商品交易所公告。", []),
        ("学校开学", "深圳的公司昨天捐款，在深圳要求建校的公司很多。", ["深圳"]),
        ("河北地区学校开学", "", ["河北"]),
        ("没有尽头的标题，" * 30 + "苏州", "", []),  # of a title only the beginning is read
        ("一所小学的故事", "很久以前。" * 1000 + "苏州，苏州，苏州。", []),  # of a long text, too
        ("", "", []),
    ],
)
def test_places_of_an_article(title: str, text: str, named: list[str]) -> None:
    assert list(regions_named(title, text)) == named


def test_nearly_all_places_of_our_own_articles_are_found_rightly() -> None:
    figures = measured(labelled(OWN_TEXTS), regions_named, show=True)
    assert figures.precision >= LEAST_PRECISION
    assert figures.recall >= LEAST_RECALL

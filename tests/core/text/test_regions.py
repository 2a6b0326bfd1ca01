"""Which provinces and cities an article is about."""


from newsspider.core.text.regions import region_code, regions, regions_named, with_province
from tests.support.tables import each

NATION = "新华社北京8月31日电 教育部今天发布通知，要求各地做好开学工作。"


@each(
    ("title", "text", "named"),
    [
        ("苏州发布学区调整方案", "", ["苏州"]),
        ("开学第一课", "近日，苏州市多所中小学举行开学典礼。", ["苏州"]),
        ("开学第一课", "本报郑州9月1日电 新学期开始。", ["郑州"]),
        ("教育部发布通知", NATION, []),
        ("江苏：南京、苏州试点", "", ["南京", "苏州"]),  # the province lies around them
        ("浙江和江苏结对", "", ["浙江", "江苏"]),
        ("多省公布分数线", "河北、山西、辽宁、吉林、浙江已公布。", []),  # many provinces: about none
        ("甘肃公布分数线", "河北、山西、辽宁、吉林、浙江已公布。", ["甘肃"]),
        ("专家谈高考", "北京大学教授说，北京时间明天九点，延安精神，南京路，海南航空，北京日报。", []),
        ("扩大连接，重庆力量", "", ["重庆"]),  # 大连 is no word there
        ("上海南京路小学扩建", "", ["上海"]),
        ("来宾致辞", "来宾们参观北海公园和中山堂。", []),  # words and other names
        ("广西来宾市招聘教师", "", ["来宾"]),
        ("广东中山教师招聘", "", ["中山"]),
        ("北京朝阳区新增学位", "", ["北京"]),
        ("吉林市新增学位", "", ["吉林市"]),
        ("吉林省新增学位", "", ["吉林"]),
        ("新疆维吾尔自治区教育厅通知", "", ["新疆"]),
        ("一所小学的故事", "很久以前。" * 40 + "后来他去了西安。西安很大。他爱西安。", ["西安"]),  # often
        ("一所小学的故事", "很久以前。" * 40 + "后来他去了西安。", []),
        ("会议召开", "会议今天在北京人民大会堂举行。", []),  # the capital is where the country's news is made
        ("会议召开", "会议今天在西安举行。", ["西安"]),
        ("听力真题", "作者 来源：西安新东方学校。", []),  # named once, and no scene
        ("总部开幕", "北京、西安、南京、成都、上海、广州都有分部。北京，北京，北京，北京，北京，北京。", ["北京"]),  # the main one of many
        ("北京警方提醒考生", "", ["北京"]),
        ("廣東省教育廳、長沙市教育局發布通知", "", ["广东", "长沙"]),
        ("臺灣教育", "近日，臺北大學和臺灣學校開學。", ["台湾"]),
        ("没有尽头的标题，" * 30 + "苏州", "", []),  # of a title only the beginning is read
        ("一所小学的故事", "很久以前。" * 1000 + "苏州，苏州，苏州。", []),  # of a long text, too
        ("", "", []),
    ],
)
def test_places_of_an_article(title: str, text: str, named: list[str]) -> None:
    assert list(regions_named(title, text)) == named


def test_names_are_unique_and_lie_in_a_province() -> None:
    names = list(regions().values())
    assert len(names) == len(set(names))
    assert all(with_province(name)[-1] == name for name in names)


@each(
    ("word", "name"),
    [
        ("苏州", "苏州"),
        ("苏州市", "苏州"),
        ("320500", "苏州"),
        ("廣東", "广东"),
        ("臺灣", "台湾"),
        ("臺灣省", "台湾"),
        ("月球", None),
        ("", None),
    ],
)
def test_region_by_a_word(word: str, name: str | None) -> None:
    code = region_code(word)
    assert (code and regions()[code]) == name

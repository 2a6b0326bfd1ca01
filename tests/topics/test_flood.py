"""A topic of events: weather disasters, their places and their victims."""

import pytest

from newsspider.core.relevance.scoring import Document, score
from newsspider.topics.loader import load_topic
from tests.support.tables import each
from tests.topics.telling import figures_of, keeps, schools, tags_of

ON_TOPIC = (
    "今年第七号台风登陆沿海，多个市县停课停运",
    "淮河上游连降大雨，水库开闸泄洪",
    "山洪冲毁两座便桥，三十名村民连夜转移",
    "国家防总将防汛应急响应提升至三级",
    "城区内涝严重，消防员划着橡皮艇接出老人",
    "一小时降雨一百二十毫米，地铁口筑起沙袋",
    "持续暴雨引发泥石流，国道双向中断",
    "中央气象台发布暴雨红色预警",
    "湖区水位超警戒，万名干部上堤巡查",
    "南方低温雨雪，电网抢修覆冰线路",
    "旱情持续，水利部调水保障秋粮灌溉",
    "冰雹袭击果园，保险公司入户查勘",
    "暴雪致高速公路封闭，千余名旅客被困",
    "洪水退去，受灾群众开始清淤消毒",
    "颱風逼近，漁船回港避風",
)
OFF_TOPIC = (
    "股市暴雨式下跌，两市超千股跌停",
    "别把网络小说当作洪水猛兽",
    "某品牌台风系列越野摩托新品发布",
    "金融海啸十年之后，投行学到了什么",
    "公司上半年业绩滑坡，管理层致歉",
    "暴雪宣布下一部游戏资料片的上线日期",
    "这位歌手台风稳健，唱功不输原唱",
    "平台风险提示：警惕非法集资",
    "飓风队主场取胜，重返积分榜前四",
    "客流洪峰将至，商场延长营业时间",
    "话剧《雷雨》复排，老戏骨再登台",
    "电影《台风眼》上映三天票房过亿",
    "教育部部署秋季学期开学工作",
    "房价会不会像决堤一样下跌",
    "旱地拔葱式的涨停，玩家如何应对大盘",
)
FLOODED = (
    "昨夜至今晨，当地出现特大暴雨，三小时降雨量达到二百毫米。河道水位迅速上涨，超过警戒水位一米多，"
    "部分街道积水齐腰。防汛指挥部启动应急响应，冲锋舟逐户接出被困居民，已转移群众三千余人，没有人员伤亡。"
    "气象台预计强降雨还将持续两天，沿河村庄的受灾群众住进了学校和礼堂。"
)
ARTICLES = (
    ("老城区一夜成河", FLOODED, True),
    ("县城的三天三夜", "山洪过后，" + FLOODED + "灾后重建的物资正在运来。", True),
    (
        "台风过后的渔港",
        (
            "强台风在凌晨登陆，中心附近最大风力十四级。渔港里的船大多提前回港，仍有几艘被风暴潮推上岸。防汛部门说，"
            "受灾人口的统计还在进行，停电的村庄有望今晚恢复供电，抢险队正在清理倒伏的树木。"
        ),
        True,
    ),
    (
        "资金面紧张，市场承压",
        (
            "周三股市低开低走，有分析师用暴雨式下跌来形容午后的行情。券商、地产和消费板块领跌，成交额创三个月新高。"
            "多位基金经理认为，流动性的洪水正在退去，估值仍有压力，建议投资者控制仓位，等待业绩披露。"
        ),
        False,
    ),
    (
        "新车上市",
        (
            "该品牌发布台风系列的第三款车型，换装新的发动机，百公里油耗下降一成。设计师说，车身的线条来自海浪。"
            "新车分四个配置，售价比上一代略有上涨，预计年底前交付首批车主，经销商已开始接受预订。"
        ),
        False,
    ),
    (
        "开学第一课",
        (
            "新学期第一天，老师请同学们讲自己的暑假：有人去了海边，碰上一场大雨；有人学会了游泳。班主任说，"
            "语文课要从观察写起，作文不必长。校长介绍，今年学校增开三门选修课，课后服务延长半小时，家长可以在线报名。"
        ),
        False,
    ),
)
EDUCATION = (
    "高考志愿填报今日开始，考试院提醒考生注意时间",
    "中小学教师编制如何调剂，教育局这样回答",
    "考研国家线公布，复试名单陆续出炉",
    "幼儿园招生摇号，家长关心就近入学",
)


@pytest.fixture(scope="module")
def flood():
    return load_topic("flood")


def test_headlines_are_told_apart(flood):
    figures = figures_of(flood, ON_TOPIC, OFF_TOPIC)
    assert figures["precision"] >= 0.9
    assert figures["recall"] >= 0.9


@pytest.mark.parametrize(("title", "text", "relevant"), ARTICLES, ids=[title for title, _, _ in ARTICLES])
def test_articles_are_told_apart(flood, title, text, relevant):
    assert keeps(flood, title, text) == relevant


@pytest.mark.parametrize(
    ("title", "subtopics"),
    [
        ("国家防总：淮河洪峰过境，沿线泄洪", {"洪水"}),
        ("暴雨致城区道路积水，内涝预警升级", {"内涝", "预警"}),
        ("台风登陆，热带风暴生成", {"台风"}),
        ("暴雨引发山体滑坡形成堰塞湖", {"地质灾害"}),
        ("暴雪蓝色预警：低温雨雪来袭", {"冰雪", "预警"}),
        ("旱情加重，多地抗旱保苗", {"旱情"}),
        ("冲锋舟救援受灾群众", {"救援"}),
    ],
)
def test_parts_of_the_field_are_tagged(flood, title, subtopics):
    assert tags_of(flood, title) == subtopics


@pytest.mark.parametrize("title", EDUCATION)
def test_education_is_another_topic(flood, title):
    assert not keeps(flood, title, schools(title))
    assert not score(flood, Document(title=title)).relevant


@each("title", ON_TOPIC)
def test_the_weather_is_not_education(title):
    assert not score(load_topic("education"), Document(title=title)).relevant


def test_an_official_column_speaks_for_a_headline_that_says_little(flood):
    assert not score(flood, Document(title="水库管理座谈会召开", channel="财经")).relevant
    assert score(flood, Document(title="水库管理座谈会召开", channel="防汛一线")).relevant

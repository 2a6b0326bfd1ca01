"""A topic that watches an organisation: its writers, its columns, and people named beside their office."""

import pytest

from newsspider.core.relevance.scoring import Document, score
from newsspider.topics.loader import load_topic
from tests.support.tables import each
from tests.topics.telling import figures_of, keeps, schools, tags_of

ON_TOPIC = (
    "国家铁路局局长调研在建隧道",
    "国铁集团公布上半年货运数据",
    "铁路部门今起实行新的列车运行图",
    "中欧班列累计开行突破新纪录",
    "春运火车票开售，12306提醒核对身份信息",
    "复兴号首次开进雪域县城",
    "京沪高铁票价机制再优化",
    "机务段来了第一位女火车司机",
    "城际铁路全线铺轨完成",
    "受大风影响，多趟旅客列车停运",
    "铁路警方侦破倒票案件",
    "动车组加开夜间班次应对返程客流",
    "铁路总公司副总经理谈改革",
    "高铁试运行，时速达到三百五十公里",
)
OFF_TOPIC = (
    "搭上数字经济的快车，小镇坐上产业升级的列车",
    "高铁概念股午后拉升，多只个股涨停",
    "临近高铁站的楼盘开盘，均价两万起",
    "地铁路线调整，市民出行更方便",
    "机动车限行尾号今日起轮换",
    "电动车充电桩进小区",
    "动力火车将开世界巡回演唱会",
    "小火车玩具模型热销，男孩最爱",
    "电影《雪国列车》重映",
    "过山车停在半空，乐园致歉",
    "火箭队输球，主帅谈防守",
    "全国铁人三项赛鸣枪",
    "航班大面积延误，机场启动预案",
    "师范大学公布今年招生计划",
)
LINE = (
    "新建的城际铁路今天全线通车，首发动车组从省城出发，四十分钟到达终点。国铁集团有关负责人介绍，"
    "线路全长一百二十公里，设车站七座，设计时速二百五十公里。铁路部门安排每日开行列车三十对，"
    "旅客可以在12306购票。沿线的货场同时启用，中欧班列将从这里始发。"
)
ARTICLES = (
    ("山城告别没有铁路的历史", LINE, True),
    ("第一趟车", "清晨六点，列车长带着班组立岗检票。" + LINE, True),
    (
        "局长答记者问",
        (
            "国家铁路局局长在发布会上说，今年铁路固定资产投资保持稳定，铁路安全管理条例的修订正在征求意见。"
            "铁路沿线的环境整治取得进展，普速铁路的隐患减少了三成，春运期间旅客发送量创新高。"
        ),
        True,
    ),
    (
        "龙头股价再创新高",
        (
            "受消息刺激，高铁概念全天走强，板块内多只个股涨停，主力资金净流入。分析师认为，铁路设备公司的订单有望增长，"
            "但估值已高，建议关注业绩确定的标的。大盘收涨，成交额与昨日持平，券商股表现平淡。"
        ),
        False,
    ),
    (
        "学区与站前新城",
        (
            "该楼盘位于高铁新城，主推三居室户型，精装交付，均价每平米一万八。项目自带幼儿园，距地铁口步行十分钟。"
            "开发商称首期房源已售八成，置业顾问提醒购房者留意限购政策，周末还有家庭日活动。"
        ),
        False,
    ),
    (
        "同学会上的旧照片",
        (
            "毕业二十年，班主任拿出一张照片：全班同学在火车站前合影。那年他们去实习，坐了一夜的硬座。如今有人当了老师，"
            "有人做了工程师，有人办了学校。校长说，欢迎大家回校给新生讲课，奖学金的申请也将开始。"
        ),
        False,
    ),
)


@pytest.fixture(scope="module")
def railway():
    return load_topic("railway")


def test_headlines_are_told_apart(railway):
    figures = figures_of(railway, ON_TOPIC, OFF_TOPIC)
    assert figures["precision"] >= 0.9
    assert figures["recall"] >= 0.9


@pytest.mark.parametrize(("title", "text", "relevant"), ARTICLES, ids=[title for title, _, _ in ARTICLES])
def test_articles_are_told_apart(railway, title, text, relevant):
    assert keeps(railway, title, text) == relevant


def test_what_the_organisation_publishes_is_kept_whatever_it_says(railway):
    notice = Document(title="关于召开座谈会的通知", url="http://www.nra.gov.cn/xwzx/1.html")
    assert score(railway, notice).relevant
    assert not score(railway, Document(title=notice.title, url="http://www.example.cn/xwzx/1.html")).relevant


def test_tenders_are_dropped_wherever_they_stand(railway):
    tender = Document(title="铁路局集团公司客运段招标公告", url="http://www.china-railway.com.cn/1.html")
    assert not score(railway, tender).relevant
    assert not score(railway, Document(title="铁路局集团公司设备更新", channel="招标")).relevant


@pytest.mark.parametrize("document", [{"authors": ("人民铁道",)}, {"channel": "铁路"}], ids=["author", "channel"])
def test_its_writers_and_columns_speak_for_a_headline_that_says_little(railway, document):
    assert not score(railway, Document(title="车站里的一天")).relevant
    assert score(railway, Document(title="车站里的一天", **document)).relevant


def test_an_office_counts_only_beside_the_organisation(railway):
    assert "机构人事" in score(railway, Document(title="国铁集团董事长会见来宾")).subtopics
    assert not score(railway, Document(title="某集团董事长会见来宾")).relevant


@pytest.mark.parametrize(
    ("title", "subtopics"),
    [
        ("城际铁路开工建设", {"建设"}),
        ("春运车票今起预售", {"春运与票务"}),
        ("中欧班列开行千列", {"货运班列"}),
        ("铁路部门加开列车", {"列车运行"}),
        ("列车脱轨事故调查铁路局", {"安全事故"}),
        ("铁路职工坚守小站", {"铁路人"}),
    ],
)
def test_parts_of_the_field_are_tagged(railway, title, subtopics):
    assert tags_of(railway, title) >= subtopics


@pytest.mark.parametrize(
    "title", ["高考志愿填报今日开始", "小学教师在乡村任教三十年", "大学公布考研复试名单", "幼儿园招生摇号"]
)
def test_education_is_another_topic(railway, title):
    assert not keeps(railway, title, schools(title))


@each("title", ON_TOPIC)
def test_trains_are_not_education(title):
    assert not score(load_topic("education"), Document(title=title)).relevant


from newsspider.core.duplicates.form_notices import same_form
from newsspider.core.model import Version
from tests.support.tables import each

NOTICE = (
    "现将{year}年报名工作的有关事项公告如下。报名时间：{m}月{d}日，每天8时至17时，逾期不予补报。报名地点：{school}。报名费每人{fee}元，"
    "由学校代收。考生须如实填写信息，弄虚作假的取消报名资格。联系人：{person}，电话：{tel}。"
)
ONE = {"year": 2025, "m": 6, "d": 3, "school": "江临市第一中学", "fee": 45, "person": "王建国", "tel": 62010001}
NUMBERS = {"year": 2026, "m": 7, "d": 9, "fee": 60, "tel": 67654321}
NAMES = {"school": "青河市实验学校", "person": "刘淑芬"}


def notice(*changes):
    values = dict(ONE)
    for change in changes:
        values |= change
    return Version(f"{values['school']}{values['year']}年报名公告", NOTICE.format_map(values))


@each("changes", [(NUMBERS,), (NAMES,), (NUMBERS, NAMES)])
def test_other_numbers_or_names_make_another_notice(changes):
    assert same_form(notice(), notice(*changes))
    assert same_form(notice(*changes), notice())


@each(
    ("old", "new"),
    [
        ("6月3日", "6月4日"),  # a correction
        ("如实填写信息", "如实地填写个人信息"),
        ("现将", "本报讯 现将"),
        ("江临市第一中学", "江临一中"),  # shorter, not another
        ("由学校代收。", ""),
    ],
)
def test_an_edited_notice_is_the_same_notice(old, new):
    first = notice()
    assert old in first.text
    assert not same_form(first, Version(first.title, first.text.replace(old, new)))


STORY = (
    "教育局昨天公布了中小学课后服务的最新情况。全市已有{n}所学校开设课后服务，覆盖城区和乡镇。教师自愿报名参加，学校不作硬性规定。家长普遍认为接送孩子比从前方便了。"
    "城南小学开出了书法、合唱和足球等课程。学生每周可以换一门自己喜欢的课。参加的教师每次得到{fee}元补助，由财政承担。不少退休教师也回到了课堂上。"
    "有家长担心孩子在校时间过长。教育局表示将听取各方面的意见。"
)


def story(title="课后服务惠及更多家庭", lead="", **figures):
    return Version(title, lead + STORY.format_map({"n": 312, "fee": 60} | figures))


def test_a_story_with_two_figures_corrected_is_the_same_story():
    assert not same_form(story(), story(n=321, fee=80))
    assert not same_form(story(), Version(story().title, story(n=321, fee=80).text[:-12]))


def test_another_title_another_lead_or_nothing_but_other_dates_makes_another_story_of_the_same_words():
    assert same_form(story(), story("课后服务惠及乡镇家庭", n=321, fee=80))
    assert same_form(story(""), story("", n=321, fee=80))
    assert same_form(story(lead="本周开课3次。"), story(lead="本周开课5次。", n=321, fee=80))
    assert same_form(*(story(lead=f"报名开始了。报名自{m}月3日起，至{m}月9日止。") for m in (6, 7)))


def test_of_two_short_notices_in_the_same_words_the_titles_decide():
    wording = (
        "经单位申报、专家评审和集体研究，现将拟立项的课题名单予以公示，公示期为五个工作日。对公示内容有异议的，请在公示期内以书面形式向科研处反映，"
        "反映情况须实事求是，并签署真实姓名。名单见附件。"
    )
    assert same_form(Version("第3批课题立项公示", wording), Version("第4批课题立项公示", wording))
    assert not same_form(Version("课题立项公示", wording), Version("教育局公示拟立项的课题", wording))
    assert not same_form(Version("第3批课题立项公示", wording), Version("第4批课题正式立项公示", wording)), "not in facts alone"
    assert not same_form(Version("三百名教师获奖", STORY * 2), Version("五百名教师获奖", STORY * 2))
    short, longer = Version("第3批课题立项公示", wording), Version("第4批课题立项公示", wording + STORY * 2)
    assert same_form(short, longer) is same_form(longer, short) is False


YEARLY = (
    "郑州大学{year}公开招聘工作人员。根据事业单位公开招聘的有关规定，学校面向社会公开招聘高层次人才和思政辅导员，欢迎符合条件的人员报名。"
    "应聘人员须遵守宪法和法律，具有良好的品行和适应岗位要求的身体条件。报名采取网上报名的方式，材料不全者视为放弃。"
)


@each(
    ("last", "this"), [("2025年", "2026年"), ("2025-2026学年", "2026-2027学年"), ("2025", "2026"), ("2025届", "2026届")]
)
def test_another_year_makes_another_notice_when_nothing_but_facts_differs(last, this):
    first, second = (Version(f"郑州大学{year}公开招聘公告", YEARLY.format(year=year)) for year in (last, this))
    assert same_form(first, second)
    assert same_form(Version("", first.text), Version("", second.text))
    assert not same_form(Version("", first.text), Version("", second.text.replace("欢迎符合条件的人员", "热烈欢迎各位")))


def test_a_figure_that_looks_like_a_year_is_a_figure():
    first, second = (Version("", YEARLY.format(year=f"面向全国{number}人")) for number in (2025, 2026))
    assert not same_form(first, second)


def test_replacing_common_words_by_synonyms_does_not_make_the_same_form():
    first = "记者看到，家长认为孩子的问题不大，教师表示今年的活动已经开始。家长希望学生参加，教师介绍了情况。"
    second = first.replace("家长", "父母").replace("教师", "老师").replace("表示", "指出").replace("学生", "同学")
    assert not same_form(Version("", first), Version("", second))


def test_the_rules_of_a_journal_are_the_same_in_every_issue():
    rules = "".join(f"来稿须注意第{n}点：文中的图和表应当清晰，参考文献按照文中出现的先后编号，作者请自留底稿。" for n in range(3, 30))
    issues = [Version("", f"本刊第{n}卷第{m}期。{rules}") for n, m in ((23, 5), (24, 1))]
    assert not same_form(*issues)


def test_texts_with_nothing_in_common_do_not_share_a_form():
    assert not same_form(Version("", "樱花开了，游客很多。"), Version("", "高考改革方案公布。"))
    assert not same_form(Version("", ""), Version("", ""))

"""Reads persons' names out of bylines; rather nobody than a name that the page does not name."""

from __future__ import annotations

import re
from collections.abc import Iterator

# The surnames of nearly everybody; a reporter's name begins with one.
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白"
    "邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符"
    "舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗"
    "瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海"
    "阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公"
    "張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蔣葉蘇魏呂盧鐘鍾譚陸範賈韋鄒閻龍賀顧龔萬錢嚴湯溫齊喬龐顏莊聶魯歐關蘭寧紀畢單塗駱藍遊簡車項連婁賴趙鄔邊師應豐計謝郟羅傅東慶鳳蕭萧衛龍倉麥廣銀嶽澤顧"
)
DOUBLE_SURNAMES = (
    "欧阳",
    "上官",
    "司马",
    "诸葛",
    "皇甫",
    "尉迟",
    "公孙",
    "慕容",
    "令狐",
    "司徒",
    "东方",
    "夏侯",
    "端木",
    "歐陽",
    "張簡",
)
# What stands beside names in a byline and is none.
ROLES = (
    "文[/／、]图|图[/／]文|文[/／]摄|文[/／]|特约撰稿人|特约撰稿|专栏作者|专栏作家|首席记者|特派记者|驻.{2,4}记者|实习记者|见习记者|全媒体记者|融媒体记者|客户端记者|实习生|通讯员|特约记者|特约通讯员|首席评论员|评论员|"
    "记者|記者|作者|撰稿人|撰稿|撰文|采写|采访|执笔|编译|主笔|文字|供稿|投稿|通訊員|特派員|撰文者|摄影报道|摄影|攝影|报道|報導|整合|综合|整理|发自|實習|实习|见习|图文|文图"
)
# How often a page was read stands beside its byline, with or without a blank, and often before a script has counted.
COUNT = r"(?:点击|點擊|浏览|瀏覽|阅读|閱讀|访问|訪問|查看|人气|人氣|评论|热度)(?:次数|次數|人数|人次|数|數|量|率)?\s?(?:[:：\[(（\d]|次|$)"
DAY = r"(?:19|20)\d\d\s?[-/.年]\s?\d"
REFUSED = re.compile(
    r"网|網|报|報|社|台|局|部|委|办|辦|中心|公司|大学|大學|学院|小编|佚名|未知|管理员|编辑|編輯|本站|原创|综合|整理|来源|匿名|频道|新闻|新聞|日讯|电$|責任|责任|"
    r"工会|学生会|总支|集团|银行|杂志$|^老师$|协会|学会|两会|基金会|联合会|教研|"
    r"搜狐|新浪|网易|腾讯|澎湃|财新|中国·|"  # houses whose names have none of the words above
    r"[初复終终一二三][审審]$|"
    r"记者|通讯员|单位|关键[字词]|简介|簡介|介绍|供图|转载|版权|作者|图片|摄$|admin|editor|unknown|null|none|www|http|时间|发布|分享|点击|浏览|阅读|[0-9:]{3}|博客|首页|关注|登录|客户端|手[机機]版|[简簡繁][体體]版",
    re.IGNORECASE,
)


# What offices, schools, classes, drafts and rooms are called, but no person; and what given names may end with, but
# hardly a pen name.
HOUSE = re.compile(r"[处處系组組站馆館院厅廳署區班稿]$|小学|小學|中学|中學|幼儿园|幼兒園|学校|學校|[一二三四五六七八九十]中$")
OFFICE = re.compile(rf"{HOUSE.pattern}|[科室队隊园園所校区]$")
EDITING = re.compile(r"编辑|編輯|责编|責編|校对|校對|审核|審核|终审")
_ROLE = re.compile(ROLES)
_DOT = "[·•・‧]"
_SPLIT = re.compile(r"[\s、,，/／&＆;；|:：]+|(?<=[\u4e00-\u9fff])和(?=[\u4e00-\u9fff]{2})")
_LISTED = re.compile(r"\s*[、&＆]\s*")
_SPACED = re.compile(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])[\s\u3000]+([\u4e00-\u9fff])(?![\u4e00-\u9fff])")  # "赵 培"
_OUTLETS_ROLE = re.compile(r"^[\u4e00-\u9fff]{2,12}(?:记者|記者|评论员|通讯员)[\s:：]+")  # "某报见习记者 ..."
_PERIODICAL = re.compile(r"《[^》]{1,20}》")  # "《某刊》记者 ..."
# Words that begin like a name.
_WORDS = frozenset(
    """
    高考 高校 高中 高度 高等 高层 安全 安徽 安排 安阳 文化 文字 文明 文件 文物 金融 金额 金华 成都 成长
    成果 成立 成绩 温州 石家庄 江苏 江西 江南 方才 方案 方法 方便 方面 连续 连线 连云港 公开 公司 公告
    应邀 应急 应用 全程 全面 全文 全文完 全国 全省 全市 全球 全民 全媒体 相约 相关 相信 原因 原名 原文
    原创 原标题 项目 解读 云南 常州 马上 白天 车站 时间 时代 时候 祖国 国家 国际 国内 国庆 都市 都会 路透
    路透社 和谐 和平 平安 平台 平凉 党员 党委 党建 经济 经验 师生 师范 师资 水平 温度 关注 关于 关键 程序
    强调 盛况 单位 计划 计算机 容易 向前 施工 明天 明年 游戏 游客 简介 简讯 项目部 易学 严正 严格 严肃
    阳光 常识 常见 曾经 何时 何处 何况 沈阳 郑州 徐州 苏州 广州 杭州 贵州 贵阳 梅州 柳州 宁波 宁夏 万州
    金山 黄山 黄石 洪水 雷雨 雷电 龙头 龙岩 石油 石材 田径 钟声 丁香 万元 万人 万名 万里 千万 左右 左边
    后来 常务 包括 包装 满意 满分 席卷 祝福 祝愿 乐园 乐观 和田 权威 权利 支持 支付 终于 从业 从此 后续
    周一 周二 周三 周四 周五 周六 周日 周末 周年 周边 周期 周围 车辆 连日 连任 连锁 农村 农业 农民 房价 房屋 商业 商务 商品
    """.split()  # noqa: SIM905 - two hundred words are read more easily than as many strings
)
# Names of peoples who set their parts apart, and of foreigners.
_DOTTED_NAME = re.compile(rf"[\u4e00-\u9fff]{{1,7}}(?:{_DOT}(?:[A-Z]{_DOT})?[\u4e00-\u9fff]{{1,8}}){{1,3}}$")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}$")
_PEN_NAME = re.compile(r"[\w\u4e00-\u9fff.-]{2,12}$")
_LATIN_NAME = re.compile(r"[A-Z][a-z'’-]+(?:\s[A-Z][a-z'’.-]*){1,3}$")
_LATIN_BEGINNING = re.compile(_LATIN_NAME.pattern.removesuffix("$") + r"(?=$|\s?[\u4e00-\u9fff，,、/／&＆(（]|\s\d)")
# What makes the name of an outlet of one in Latin letters: "New York 时报".
_OUTLETS_REST = re.compile(r"\s?[\u4e00-\u9fff]{0,6}(?:[报報社网網]|杂志|雜誌|周刊|電台|电台|新闻|新聞)(?![\u4e00-\u9fff])")
_COUNT = re.compile(rf"[\[(（]?{COUNT}")


def persons_in(text: str, *, named: bool = False) -> Iterator[str]:
    """The persons in a byline; ``named``: a label says that it is one, so a pen name will do.

    >>> list(persons_in("某某报记者 王小明 通讯员 李红")), list(persons_in("叨叨姐、胡一刀&小飞刀", named=True))
    (['王小明', '李红'], ['叨叨姐', '胡一刀', '小飞刀'])
    """
    text = _PERIODICAL.sub("", without_count(text)).strip()
    if latin := _LATIN_BEGINNING.match(text):
        if not _OUTLETS_REST.match(text, latin.end()):
            yield latin[0]
        return
    text = unspaced(_ROLE.sub(" ", _OUTLETS_ROLE.sub("", text)).strip())
    listed = _LISTED.split(text) if named else []
    if len(listed) > 1 and all(map(is_pen_name, listed)):
        yield from listed
        return
    for place, part in enumerate(_SPLIT.split(text)):
        if EDITING.search(part):
            return  # what follows are the names of others
        if is_person(part):
            yield part
        elif named and not place and is_pen_name(part):
            yield part
            return  # after a pen name stands something else
        elif part and not (REFUSED.search(part) or (named and OFFICE.search(part))):
            return


def unspaced(text: str) -> str:
    """``text`` with the names of two characters that are set apart put together.

    >>> unspaced("王 明 李小红")
    '王明 李小红'
    """
    return _SPACED.sub(r"\1\2", text)


def without_count(text: str) -> str:
    """``text`` up to the count of readers that it names."""
    return _COUNT.split(text)[0]


def is_person(text: str) -> bool:
    """Whether ``text`` looks like a Chinese name: two to four characters behind a surname, or parts set apart with
    dots.

    >>> is_person("王小明"), is_person("阿依古丽·买买提"), is_person("教务处")
    (True, True, False)
    """
    if _DOTTED_NAME.match(text):
        return not REFUSED.search(text)
    if not _HAN_NAME.match(text) or text in _WORDS or REFUSED.search(text) or HOUSE.search(text):
        return False
    return (text[0] in SURNAMES and len(text) <= 3) or (text.startswith(DOUBLE_SURNAMES) and len(text) >= 3)


def is_pen_name(text: str) -> bool:
    """Whether ``text`` may be a name that somebody writes under; only a label can say that it is one."""
    if is_person(text):
        return True
    return (
        _PEN_NAME.match(text) is not None and not (REFUSED.search(text) or OFFICE.search(text)) and not text.isdigit()
    )


def is_latin_name(text: str) -> bool:
    """Whether ``text`` looks like a name in Latin letters."""
    return _LATIN_NAME.match(text) is not None

"""Articles with marked names, generated: every word of a template is set apart by blanks, so a piece of one is seen.

``{p}`` and ``{q}`` are persons, ``{c}`` a city, ``{d}`` a county or district, ``{v}`` a province, ``{s}`` a school,
``{u}`` a university.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

WORDS = """
surnames 王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 郭 何 高 林 罗 郑 梁 谢 宋 唐 许 韩 冯 邓 曹
surnames 彭 曾 萧 田 董 潘 袁 于 蒋 蔡 余 杜 叶 程 苏 魏 吕 丁 任 欧阳 司马 上官 诸葛
given 伟 芳 敏 静 磊 洋 勇 艳 杰 涛 明 超 娟 霞 秀英 振华 志强 建国 淑芬 俊杰 艳红 明哲 少华 晓东 雨桐 子涵 思远 国平 慧敏 海燕
given 雪梅 文斌 永刚 凤兰 玉珍 立新 长安 爱民 向阳 春生 和平 学军 家明 新民 若水 一鸣 红梅 佳怡 宇轩 浩然 梓萱 卫东 丽华 桂花
cities 白沙 长桥 青河 临水 云溪 丰林 望海 石门 红河 江源 平川 双河 金岭 湖东 新沂 龙口 永安 大通 清源 沙河 三江 九岭 杭州 成都 洛阳 绵阳
counties 沙溪县 古渡区 柳河县 城南区 新城区 凤台县 龙潭区 桃源县 金水区 白水县 上河县 东升区 平乐县 和顺县 向阳区 万年县
provinces 河中省 江右省 岭北省 云川省 海东省 山西省 浙江省
schools 江滨学校 光明小学 第三小学 实验小学 育才学校 第一中学 凤凰小学 城北中学 滨海中学 红星幼儿园 中心幼儿园 外国语小学
universities 白沙大学 云川民族大学 江临师范学院 海东医科大学 南陵财经学院 金川理工大学 石泉大学 平岭海洋学院
"""

# A title, and sentences of which each article has some.
STORIES = """
{c}市 教育局 通报 {d} {s} 的 食堂 问题
{d} {s} 校长 {p} 说 ， 食堂 已 停业 整改 。
从 {v} 教育厅 获悉 ， 调查组 已 到 {c}市 。
家长 {q} 表示 ， 孩子 呕吐 不止 。

{c}市 清理 进 校园 事务 {n} 项
{c}市 教育局 清理 报表 ， 教师 {p} 说 负担 轻 了 。
{p} 没有 再 填 表 。
近日 {v} 教育厅 公布 清单 。
记者 {q} 到 {d} 采访 。

{u} 宿舍 装 空调 {n} 台
学生 {p} 说 ， 今年 夏天 睡 得 着 。
{u} 后勤处 处长 {q} 介绍 了 安装 进度 。
空调 由 {c}市 财政 出资 。

{d} 山村 小学 教师 {p} 退休
{p} 在 {d} 教 了 三十 年 书 。
学生 {q} 回忆 道 ， 老师 背 他们 过河 。
{c}市 教育局 为 {p} 颁发 证书 。

{v} 公布 中考 改革 方案
今天 ， {v} 教育厅 公布 中考 改革 方案 。
{u} 教授 {p} 认为 ， 改革 减轻 负担 。
{c}市 {s} 教师 {q} 正在 学习 方案 。

{c}市 新建 公办 幼儿园 {n} 所
园长 {p} 和 教师 {q} 走访 家庭 。
{d} 教育局 说 ， 学位 增加 。
在 {c}市 ， 公办 幼儿园 覆盖 街道 。

以前 觉得 上 职校 没 面子 ， {p} 夺得 金牌
职业院校 学生 {p} 夺得 技能 大赛 金牌 。
{p} 的 教练 {q} 来自 {u} 。
{c}市 技师 学院 祝贺 {p} 。

{d} 校车 线路 调整 {n} 条
司机 {p} 每天 开 校车 往返 {d} 。
{d} 交警 {q} 检查 校车 。
{c}市 交通 部门 增加 校车 站点 。

{u} 研究生 {p} 发现 新 物种
{p} 在 {c}市 山区 采集 标本 。
导师 {q} 是 {u} 教授 。
物种 以 {d} 命名 。

{s} 学生 合唱团 登上 {c}市 音乐厅
合唱团 指挥 {p} 今年 退休 。
{d} {s} 校长 {q} 感谢 家长 。
音乐厅 坐满 {c}市 市民 。
"""


@dataclass(frozen=True, slots=True)
class Named:
    """An article whose words are known: ``pieces`` of each sentence in order, and the names among them."""

    title: str
    text: str
    pieces: tuple[tuple[str, ...], ...]
    names: frozenset[str]


def stories(seed: int, count: int, copies: int) -> Iterator[list[Named]]:
    """So many stories, each told by so many articles."""
    random = Random(seed)
    words = dict[str, list[str]]()
    for line in WORDS.strip().splitlines():
        kind, *of_kind = line.split()
        words.setdefault(kind, []).extend(of_kind)
    templates = [story.splitlines() for story in STORIES.strip().split("\n\n")]
    for number in range(count):
        title, *sentences = templates[number * len(templates) // count]
        people = [random.choice(words["surnames"]) + random.choice(words["given"]) for _ in range(2)]
        names = {
            "p": people[0], "q": people[1], "c": random.choice(words["cities"]), "d": random.choice(words["counties"]),
            "v": random.choice(words["provinces"]), "s": random.choice(words["schools"]), "u": random.choice(words["universities"]),
        }  # fmt: skip
        filled = [part.format(n=random.randint(11, 99), **names).split() for part in [title, *sentences]]
        whole = frozenset(names.values()) | {names["c"] + "市"}
        told = [random.sample(filled[1:], len(sentences)) for _ in range(copies)]
        yield [
            Named("".join(filled[0]), "\n".join(map("".join, body)), tuple(map(tuple, [filled[0], *body])), whole)
            for body in told
        ]

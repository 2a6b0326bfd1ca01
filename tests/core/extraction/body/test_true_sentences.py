"""No line is lost because a phrase of the page's own business stands in it: ten true sentences for each phrase."""

from pathlib import Path

from tests.core.extraction.bodies import FOOTER, PARAGRAPHS, TEXT, TOP, text_of
from tests.support.tables import each

# What buttons, notices, labels and boxes of pages say.
PHRASES = """
分享 分享到 打印 打印本页 关闭窗口 字体 字号 字号大小 收藏 收藏本文 我要投稿 我要评论 扫一扫 扫码 扫码报名 扫码阅读 微信扫码
微信扫一扫 阅读量 点击率 浏览次数 评论 点赞 举报 返回顶部 返回首页 上一篇 下一篇 上一页 上一篇作文 标签 关键词 复制链接 微信
微博 朋友圈 责任编辑 编辑 责编 全文 展开 收起 大中小 纠错 来源 本文来源 稿源 更新时间 发布时间 点击进入 正在加载 语音播报
朗读全文 听新闻 关注公众号 关注我们 欢迎关注 隐私 相关阅读 相关新闻 相关报道 相关链接 相关文章 相关推荐 相关专题 相关内容
延伸阅读 推荐阅读 扩展阅读 精彩推荐 更多精彩 更多阅读 更多新闻 热门新闻 热门推荐 猜你喜欢 大家都在看 热门评论 最新评论 网友评论
发表评论 我来说两句 可能感兴趣 可能喜欢 为您推荐 今日推荐 重点推荐 本期推荐 本周推荐 今日热点 特别声明 热点推荐 登录后继续阅读
订阅 付费阅读 版权声明 版权所有 免责声明 相關閱讀 相關新聞 推薦閱讀 延伸閱讀 熱門新聞 更多新聞 猜你喜歡 為您推薦 網友評論
發表評論 會員登入 阅读原文 往期回顾 往期推荐 图集 二维码 长按二维码 名片 公众号 加入我们 联系我们 在看 审核 校对 监制 出品
签发 美编 排版 审校 网站标识码 访客 登录 加载更多 平台声明 下载客户端 打开APP 投稿 投稿信箱 爆料热线 加入频道 未经授权
未经许可 转载 版权归作者 本文观点 附件 相关附件 附件下载 广告 推广 当前位置 所在位置 首页 发布人 发表于 昨天 3小时前
设为首页 技术支持 备案 ICP备案 Copyright 主办单位 承办单位 地址 电话 邮编 传真 热线 小编推荐 作者推荐 关于我们
友情链接 网站简介 本站介绍 注 声明 提示 图片来源 资料来源 数据来源 Cookie 回复 支持 反对 监督 策划 统筹 设计 制图
作者 记者 通讯员 摄影 文字 目录 注册 验证码 排行 排名 热榜 人气 推荐 下载中心 赞助 原标题 编者按 供稿 编发
""".split()  # noqa: SIM905
# Sentences and headings of reports on schools.
SENTENCES = (
    "{}的家长一早就在校门口排起了长队。",
    "{}成了孩子们这学期最喜欢做的事情",
    "{}，是许多学生每天早上的第一件事。",
    "今年九月，学校把“{}”写进了新学期的课表",
    "为什么{}，孩子们会这样问老师？",
    "老师说，{}不该占去孩子们睡觉的时间",
    "全校师生都在谈论{}。",
    "临江一中的{}课，让学生爱上了思考",
    "{}这件事，她一做就是二十年！",
    "“{}”四个字，王老师在黑板上写了三遍。",
)


def kept(first: str, middle: str, last: str) -> list[str]:
    """Of three lines, one above, one between and one below the paragraphs, those that the text does not have."""
    inside = [first, PARAGRAPHS[0], PARAGRAPHS[1], middle, *PARAGRAPHS[2:], last]
    found = text_of(f"{TOP}<div class=content>{''.join(f'<p>{line}</p>' for line in inside)}</div>{FOOTER}")
    return [line for line in inside if line not in found]


@each("phrase", PHRASES)
def test_a_sentence_stays_whatever_phrase_stands_in_it(phrase: str) -> None:
    lines = [sentence.format(phrase) for sentence in SENTENCES]
    lost = [line for at, line in enumerate(lines) for line in kept(line, lines[at - 3], lines[at - 6])]
    assert not lost


def kinds() -> dict[str, list[str]]:
    """Ten lines or more of each kind: no sentences, or with the moment or the label of a masthead."""
    blocks = (Path(__file__).parent / "true_lines.txt").read_text("utf-8").split("## ")[1:]
    return {lines[0]: lines[1:] for lines in (block.strip().split("\n") for block in blocks)}


@each("kind", kinds())
def test_every_line_of_a_kind_stays_above_between_and_below_the_paragraphs(kind: str) -> None:
    lines = kinds()[kind]
    assert len(lines) >= 10
    assert not [line for at, line in enumerate(lines) for line in kept(line, lines[at - 3], lines[at - 6])]


CREDITS = [
    "（责任编辑：王小明 / 编发：李红 / 图片来源：教务处）",
    "编辑|王小明 语音|李红 剪辑|赵强 制图|周敏",
    "来源|某某日报及某某社、某某电视台等",
    "投稿|tougao@example.com 合作|hezuo001(微信)",
    "来源：教务处 审核：王小明 校对：李红",
    "供稿：教务处 编辑：王小明 审核：李红",
    "稿源：某某网 编辑：王小明",
    "责编：王小明 ┃ 美编：李红",
    "来源：某某市教育局",
    "来源：某某教师进修学校",
    "关键词：课后服务 双减",
    "标签：双减",
    "一审：王小明 二审：李红 三审：赵强",
    "文字：王小明 图片：李红 编辑：赵强",
    "投稿邮箱：tougao@example.com",
    "爆料热线：0510-88888888",
]


@each("line", CREDITS)
def test_credits_and_labels_below_the_text_go(line: str) -> None:
    assert text_of(f"{TOP}<div class=content>{TEXT}<p>{line}</p></div>{FOOTER}") == PARAGRAPHS
    assert text_of(f"{TOP}<div class=content>{TEXT}<p>{line}</p><p>打印本页</p></div>{FOOTER}") == PARAGRAPHS


def test_a_channel_in_brackets_above_the_text_is_known_by_the_link_to_it() -> None:
    inside = f"<div class=content><p>【新春走基层】</p>{TEXT}</div>"
    assert text_of(f"{TOP}{inside}{FOOTER}") == ["【新春走基层】", *PARAGRAPHS]
    assert text_of(f"<p><a href=/z/>新春走基层2024</a></p>{TOP}{inside}{FOOTER}") == PARAGRAPHS

"""Which lines of a page are its own business and not the article's: notices, buttons, bylines, the end of the text."""

from __future__ import annotations

import re

CHATTER_LINE = 100  # characters over which a line is no business of the page
LEGAL_LINE = 200  # characters over which a line is no notice of rights
END_LINE = 40  # characters over which a line does not end the article

# Lines that end the article: all that follows is not its text.
ENDS = re.compile(
    r"^[\W_]*(?:相关(?:日志|博文|视频|话题|阅读|新闻|报道|链接|文章|推荐|专题|资讯|内容)|(?:延伸|推荐|扩展|精彩|更多|热门)(?:阅读|推荐|新闻|内容|文章)|更多精彩|"
    r"猜你喜欢|大家都在看|热门(?:评论|推荐|文章|资讯)|最新评论|网友评论|全部评论|发表评论|我要评论|相關(?:閱讀|新聞|報導|文章|連結|推薦|內容)|"
    r"(?:延伸|推薦|熱門|更多|精選|精彩)(?:閱讀|新聞|文章|推薦|點閱|內容)|(?:編輯部?|小編)推薦|猜你喜歡|為您推薦|網友評論|發表評論|你可能(?:也)?(?:感興趣|喜歡)|"
    r"网友跟贴|参与评论|文章评论|我来说两句|你可能(?:也)?(?:感兴趣|喜欢)|为您推荐|今日(?:推荐|热点)|特别声明|特別聲明|热点推荐|作者最新文章|"
    r"版权(?:声明|所有)|版權(?:聲明|所有)|免责声明|免責聲明|©|copyright\b)[^。]{0,30}$",
    re.IGNORECASE,
)
# Lines of the page's own business wherever they stand.
CHATTER = re.compile(
    r"^[\W_]*(?:分享(?:到|至|给|按钮|本文)?|打印(?:本页|此文)?|关闭(?:窗口|本页)?|字[号体][^，。]{0,20}|收藏(?:本文)?|我要(?:纠错|投稿|评论|分享)|扫一扫.{0,30}|扫码.{0,20}|"
    r"(?:阅读|点击|浏览)(?:次数|量|数|率)?\s*[:：]?\s*\d*(?:次)?|评论\s*[(（]?\d*[)）]?|点赞\s*\d*|举报|返回(?:顶部|首页|列表|搜狐.*|腾讯.*)?|"
    r"上一[篇页条]\s*[:：]?.{0,60}|下一[篇页条]\s*[:：]?.{0,60}|微信扫.{0,30}|(?:标签|关键[词字]|Tags?)\s*[:：].{0,80}|复制链接|微信|微博|新浪微博|QQ空间|"
    r"(?:责任)?编辑\s*[:：].{0,24}|[【\[(（]?\s*(?:责任编辑|责编|编辑|責任編輯)\s*[:：].{0,24}[】\])）]?|(?:全文|展开|收起)(?:全文)?|大\s*中\s*小|"
    r"[\[【(（](?:纠错|打印|关闭|大|中|小|字体|推荐|复制|收藏)[\]】)）].{0,20}|浏览(?:次数|量)?\s*[:：].{0,12}|"
    r"(?:本文)?来源\s*[:：][^，。]{0,16}|[AＡ][+\-－＋]|T\|T|【[^】]{0,6}】|本文来源\s*[:：].{0,20}(?:编辑|作者|记者).{0,24}|"
    r"[(（【\[]\s*原(?:标题|標題|题|題)\s*[:：].{0,80}|点击进入(?:专题|下一页)?|本文.{0,24}(?:阅读|浏览)\s*\d+\s*次\W*|.{0,12}trackback.{0,60}|"
    r"(?:正在)?(?:加载|载入|載入)中?|(?:标签|標籤|關鍵字|关键字|關鍵詞)\s*[:：].{0,80}|(?:请|請)?同意.{0,8}(?:隐私|隱私).{0,40}|"
    r"(?=.*[页頁])(?:第?\s*+\d++\s*+[页頁]|共\s*+\d++\s*+[页頁]|[上下]一[页頁]|[首尾末][页頁]|\d++|[/|<>»«\s])++)[\s:：.…。]*$",
    re.IGNORECASE,
)
LEGAL = re.compile(  # without IGNORECASE, each branch with a plain first character: so the search finds these fast
    r"版[权權]所有(?![者人权權])|ICP[备備证]|公网安备|All [Rr]ights [Rr]eserved|all [Rr]ights [Rr]eserved|ALL RIGHTS|COPYRIGHT|"
    r"Copy[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))|copy[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))"
)
# Lines above the text that say when, whence and who.
TOP = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}|\d{1,2}:\d{2}|来源\s*[:：]|來源\s*[:：]|作者\s*[:：]|编辑\s*[:：]|字号|字体|评论|分享|浏览|阅读|点击|"
    r"^(?:今天|昨天|前天|刚刚|\S{1,5}前)$|打印|发布[时人]|发表于|当前位置|您的位置|所在位置|首页|收藏|关注|訂閱|订阅|责编"
)


def ends_text(text: str) -> bool:
    """Whether all that follows this line is another matter.

    >>> ends_text("相关阅读："), ends_text("相关阅读的书目由学校自己选定。")
    (True, False)
    """
    return len(text) < END_LINE and ENDS.match(text) is not None


def is_chatter(text: str) -> bool:
    """Whether a line is a button, a notice, a label of the page, wherever it stands.

    >>> is_chatter("（责任编辑：王小明）"), is_chatter("编辑们认为，这样的作业太多了。")
    (True, False)
    """
    return len(text) <= CHATTER_LINE and CHATTER.match(text) is not None


def is_legal(text: str) -> bool:
    """Whether a line is a notice of rights.

    >>> is_legal("某某网版权所有 京ICP备000000号"), is_legal("必须获得版权所有者的许可。")
    (True, False)
    """
    return len(text) < LEGAL_LINE and LEGAL.search(text) is not None


def is_masthead(text: str) -> bool:
    """Whether a line above the text says when, whence or who.

    >>> is_masthead("2024-03-05 14:08 来源：某某报")
    True
    """
    return TOP.search(text) is not None

"""Which lines of a page are its own business and not the article's: notices, buttons, labels, the end of the text."""

from __future__ import annotations

import re

from newsspider.core.extraction.lines.event_dates import tells_adoption
from newsspider.core.extraction.lines.staff_credits import names_checkers

CHATTER_LINE = 100  # characters over which a line is no business of the page
LEGAL_LINE = 200  # characters over which a line is no notice of rights
END_LINE = 40  # characters over which a line does not end the article

# Lines that end the article: all that follows is not its text.
ENDS = re.compile(
    r"^[\W_]*(?:相关(?:热门推荐|日志|博文|视频|话题|阅读|新闻|报道|链接|文章|推荐|专题|资讯|内容)|(?:延伸|推荐|扩展|精彩|更多|热门)(?:阅读|推荐|新闻|内容|文章)|更多精彩|"
    r"猜你喜欢|大家都在看|热门(?:评论|推荐|文章|资讯)|最新评论|网友评论|全部评论|发表评论|我要评论|相關(?:閱讀|新聞|報導|文章|連結|推薦|內容)|"
    r"(?:延伸|推薦|熱門|更多|精選|精彩)(?:閱讀|新聞|文章|推薦|點閱|內容)|(?:編輯部?|小編)推薦|猜你喜歡|為您推薦|網友評論|發表評論|[你您]可能(?:也|還|會)?(?:感興趣|喜歡|想看)|"
    r"网友跟贴|参与评论|文章评论|我来说两句|[你您]可能(?:也|还|会)?(?:感兴趣|喜欢|想看)|为您推荐|(?:今日|重点|本期|本周)推荐|今日热点|特别声明|特別聲明|热点推荐|作者最新文章|"
    r"[^。，]{0,16}(?:订阅|付费|登录|购买|訂閱|付費|登入|購買)[后後]?(?:可|即可)?(?:继续|繼續|畅读|暢讀)(?:阅读|閱讀|全文)|"
    r"[會会][員员]登[入录錄](?=[\W_]*$)|版权(?:声明|所有)|版權(?:聲明|所有)|免责声明|免責聲明|©|copyright\b)[^。]{0,30}$",
    re.IGNORECASE,
)
# Lines that head a box with links beside the text; within a text they may be words of its own.
HEADS = (
    r"^[\W_]*(?:(?:为[您你]|為[您你]|给[您你]|小编|编辑|作者|精选|热门|今日|相关)推荐|(?:作者|小编|Ta的?|他的|她的)(?:的)?(?:最近|最新|其他|其它|更多|全部|热门)(?:文章|作品|动态)|"
    r"(?:猜[您你]|[您你]可能)(?:还|還|也|會|会)?(?:想看|爱看|愛看|喜欢|喜歡|感兴趣|感興趣)|(?:其[他它]人|大家|人们|网友|網友)(?:也|都|还|還)在[看读讀搜]|(?:看了|看过)(?:本文|此文|这篇文章|该文).{0,6}还.{0,8}|"
    r"(?:关于|關於)(?:我们|我們|本站|本网|本網)|(?:网站|網站|本站)(?:简介|簡介|介绍|介紹)|友情(?:链接|連結))[\W_]*$"
)
# Of those that end a text, the notices of rights and the call to say something.
FINAL = re.compile(r"^[\W_]*(?:©|(?:版权|版權|免责|免責|特别|特別)(?:声明|聲明|所有)|copyright|我来说两句)", re.IGNORECASE)
# A disclaimer of this very text, however long: it ends the article for good.
DISCLAIMER = re.compile(r"[\W_]*(?:免责声明|免責聲明)(?:[:：】\]）)]|\s)[\W_]*(?:本[文组組篇]|[该該此]文|以上|上述|文[中内內])")
# Paragraphs that say what may be done with the article and whose opinion it is.
NOTICE = re.compile(
    r"[\W_]*(?:(?:免责|版权|特别|郑重|免責|版權|特別|鄭重)?(?:声明|聲明)|(?:注|注意|(?:风险|風險)?(?:提示|提醒)|来源|來源|原标题|原標題|投稿)\s*[:：]|"
    r"(?:凡|本文|本网|本網|本站|本报|本報)[^。]{0,40}(?:转载|轉載|版权|版權|观点|觀點|立场|立場|授权|授權|侵权|侵權)|(?:转载|轉載)|(?:未经|未經)[^。]{0,20}(?:许可|許可|授权|授權|同意)|"
    r"如[需有][^。]{0,20}(?:转载|轉載|侵权|侵權|版权|版權|删除|刪除|联系|聯繫)|投资者[^。]{0,30}(?:风险|谨慎)|图片?(?:来源|来自|源自)|"
    r"(?:关注|更多|欢迎|扫码|扫描|長按|长按)[^。]{0,40}(?:公众号|二维码|微信|客户端|APP|投稿))"
)
# Lines that stand above what readers say.
COMMENTS = re.compile(
    r"^[\W_]*(?:(?:热门|最新|网友|全部|精彩|所有|文章|用户|读者|發表|发表|我要|参与|查看|最热|熱門|最新|網友|全部|讀者)(?:评论|評論|跟[贴帖]|留言|回应|回應)|"
    r"(?:评论|評論|跟[贴帖]|留言)(?=[\W_]*\d)|"
    r".{0,30}(?:已有|共有?)\s*\d+\s*[条條件个個则則]?(?:评论|評論|跟[贴帖]|留言)|\d+\s*[条條个個则則](?:评论|評論|跟[贴帖]|留言))"
    r"(?:[\W_]*共?\s*\d*\s*[条條件个個则則]?)[\W_]*$|"
    r"^(?:#\s*re\s*[:：].*|"
    r"[\W_]*(?:(?:\d+\s+)?(?:comments?|responses|feedback|trackbacks?)(?:\s+to\s.*)?|leave a (?:reply|comment)|post a comment)[\W_\d]*)$",
    re.IGNORECASE,
)
BOX = re.compile(
    "|".join((ENDS.pattern.removesuffix("[^。]{0,30}$") + r"[\W_]*$", HEADS, COMMENTS.pattern)), re.IGNORECASE
)
ADVERTISEMENT = re.compile(r"[\W_]*(?:广告|廣告|推广|贊助|advertisement)[\W_]*$", re.IGNORECASE)
FILES = re.compile(r"[\W_]*(?:相关|關聯|关联)?(?:附件|文件)(?:下载|下載|列表)?[\W_]*")
RIGHTS = re.compile(r"仅供参考|不构成|侵权|版权|转载|举报电话|与本(?:网|站|报|平台)无关|自负|来源于网络")
# Lines of the page's own business wherever they stand.
CHATTER = re.compile(
    r"^[\W_]*(?:分享(?:到|至|给|按钮|本文|工具|让更多人看到)?|[还還]想看更多(?!.*。).{0,80}|电梯直达|打印(?:本页|此文)?|关闭(?:窗口|本页)?|字[号体][^，。]{0,20}|字[號級级型體](?:大小|設定|设定|調整|调整)?[\s:：]*[大中小特+＋\-－\s]*|收藏(?:本文)?|我要(?:纠错|投稿|评论|分享)|扫一扫.{0,30}|扫码.{0,20}|"
    r"(?:阅读|点击|浏览)(?:次数|量|数|率)?\s*[:：]?\s*\d*(?:次)?|评论\s*[(（]?\d*[)）]?|点赞\s*\d*|举报|返回(?:顶部|首页|列表|搜狐.*|腾讯.*)?|"
    r"上一[篇页条]\s*[:：]?.{0,60}|下一[篇页条]\s*[:：]?.{0,60}|微信扫.{0,30}|(?:标签|关键[词字]|Tags?)\s*[:：].{0,80}|复制链接|微信|微博|新浪微博|QQ空间|"
    r"(?:责任)?编辑\s*[:：].{0,24}|[【\[(（]?\s*(?:责任编辑|责编|编辑|責任編輯)\s*[:：].{0,24}[】\])）]?|[【\[](?:责任)?编辑\s?[:：][^。]{0,48}[】\]]|(?:全文|展开|收起)(?:全文)?|大\s*中\s*小|"
    r"[\[【(（](?:纠错|打印|关闭|大|中|小|字体|推荐|复制|收藏)[\]】)）].{0,20}|浏览(?:次数|量)?\s*[:：].{0,12}|"
    r"(?:本文)?来源\s*[:：][^，。]{0,16}|[AＡ][+\-－＋]|T\|T|【[^】]{0,6}】|本文来源\s*[:：].{0,20}(?:编辑|作者|记者).{0,24}|"
    r"[(（【\[]\s*原(?:标题|標題|题|題)\s*[:：].{0,80}|(?:建立|更新)(?:时间|時間|于|於)\s*[:：]?\s*[\d\s/.年月日-]{0,14}\d{1,2}[:：]\d\d|点击进入(?:专题|下一页)?|本文.{0,24}(?:阅读|浏览)\s*\d+\s*次\W*|.{0,12}trackback.{0,60}|"
    r"(?:正在)?(?:加载|载入|載入)中?|本文(?:约|共)?\s?\d+\s?字[^。]{0,20}|(?:点击|點擊)?(?:语音|語音)?(?:播报|播報|朗读|朗讀|收听|收聽|听|聽)(?:文章|全文|本文|新闻|新聞)(?:[，,].{1,12})?|(?:语音|語音)(?:播报|播報|朗读|朗讀)|"
    r"[图圖]|(?:图像|圖像)(?:来源|來源)\s*[,，:：][^。，]{1,40}|(?:previous|next)\s(?:in this category|post|entry|article)\s?[:：].{0,80}|"
    r"[^。]{0,20}(?:正在|加载|载入|載入|跳转|跳轉)[^。]{0,30}[,，\s][请請]稍[候后後等]|"
    r"(?:(?:欢迎|敬请|请)?(?:扫码)?关注|歡迎關注)(?:我们|本站|本网|本报)?的?(?:官方)?(?:微信)?(?:公众号|公眾號|视频号|微博)\s*[:：].{1,24}|(?:标签|標籤|關鍵字|关键字|關鍵詞)\s*[:：].{0,80}|(?:请|請)?同意.{0,8}(?:隐私|隱私).{0,40}|"
    r"(?=.*[页頁])(?:第?\s*+\d++\s*+[页頁]|共\s*+\d++\s*+[页頁]|[上下]一[页頁]|[首尾末][页頁]|\d++|[/|<>»«\s])++)[\s:：.…。]*$",
    re.IGNORECASE,
)
ORIGINAL = re.compile(r"[\W_]*原文(?:链接|地址|网址|出处)[\W_]*(?:https?://\S*)?")
LEGAL = re.compile(  # without IGNORECASE, each branch with a plain first character: so the search finds these fast
    r"版[权權]所有(?![者人权權])|ICP[备備证]|公网安备|All [Rr]ights [Rr]eserved|all [Rr]ights [Rr]eserved|ALL RIGHTS|COPYRIGHT|"
    r"Copy[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))|copy[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))"
)
NEIGHBOUR = re.compile(r"\W*[上下前后]一?[篇条则页]")
# What a site says of itself, and whom to call.
IMPRINT = re.compile(
    r"版权(?:所有|归)|copyright|©|powered by|技术支持|网站标识码|ICP[备证]|公网安备|分辨率|设为首页|(?:主办|承办|主管|协办)(?:单位)?[:：]"
    r"|(?:地\s?址|办公地点|邮\s?编|电\s?话|传\s?真|邮\s?箱)[:：]|[路街号楼层室箱][^，。\d]{0,12}\s?(?:\d{6}|\d{3,4}-\d{7,8})\W*$",
    re.IGNORECASE,
)
# What a platform says below what its users wrote: its last word.
STORED = re.compile(r"仅(?:为用户)?提供信息(?:存储|发布)(?:空间|平台)?服?务?[。.”\W]*$")
# How a page asks for leave to keep cookies, and what it says of that.
COOKIES = re.compile(
    r"[\W_]*(?:(?:本|此|该)?(?:网|網)?站|本(?:网|網)[页頁]|我们|我們|[为為]了?|[继繼][续續]|[当當您你]|点击|點擊|We\s|This\s)[^。]{0,60}cookies?(?![a-z])",
    re.IGNORECASE,
)
LEAVE = re.compile("同意|接受|[继繼][续續]|[体體][验驗]|政策|偏好|伙伴|夥伴|accept|agree|continu|experience", re.IGNORECASE)
# Lines above the text that say when, whence and who; some words of buttons stand in titles, too.
TOP = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}|\d{1,2}:\d{2}|来源\s*[:：]|來源\s*[:：]|作者\s*[:：]|编辑\s*[:：]|字号|字体|点击|"
    r"^(?:今天|昨天|前天|刚刚|\S{1,5}前)$|\d\s?(?:分[钟鐘]|小[时時]|天)前\W*$|"
    r"^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s\d{1,2},?\s(?:19|20)\d\d\b|^(?:記者|记者)\s?[:：]|打印|发布[时人]|发表于|当前位置|您的位置|所在位置|首页|收藏|浏览|訂閱|订阅|责编|"
    r"^\W*(?:评论|分享|阅读|关注)|(?:评论|分享|阅读|关注)(?=\s*[:：(（\[\d]|[次数量率人到]|\W*$)"
)


# What stands below a text and is none of it: marks of its end, calls to read, follow and share, who checked it, what
# may be done with it.
# Whom somebody applauds (为某某点赞) is told in texts.
CLOSING = re.compile(
    r"[\W_]*(?:(?:the\s)?end|[（(](?:節錄|节录|節選|节选)[)）]|[▼▽↓△▲●■◆★☆]+|(?:点击|點擊)?(?:左下角|下方|文末)?[“”\"]?(?:阅读|閱讀)原文[“”\"]?.{0,12}|"
    r"往期(?:推荐|回顾|精彩|精选|文章|内容|好文)(?:回顾|推荐|内容|文章)?|图集|"
    r"(?:请|欢迎|点击|点|长按|扫描|扫|扫码|识别)[^，。]{0,16}(?:名片|二维码|蓝字|公众号|(?:关注|加入|联系)我们)[^，。]{0,12}|关注我们|欢迎(?:大家|您)?关注[^，。]{1,16}|"
    r"(?:(?:点个?)?(?:赞|在看|分享|转发|收藏|留言)[\W_]*+){2,}|"
    r"(?![^。]*(?:。|[为為]|[给給](?!我|本|小编)))[^，。]{0,10}点个?[“”\"]?(?:在看|赞)[“”\"]?[^，。]{0,8}|"
    r"(?:(?:责任|值班|执行|新媒体|本期|图文)?(?:编辑|編輯)|编审|美编|排版|校对|校對|审核|审校|监制|出品|签发)\s?[|｜丨/／]\s?[^。]{1,24}|(?:美编|排版|监制)\s?[:：][^。]{1,12}|"
    r"[^。，]{0,16}(?:点击|阅读|浏览)(?:次数|数|量)\s?[:：]\s?\d+[^。，\d]{0,10}|打印本页[\W_]*关闭窗口|网站标识码.{0,24}|您是第\s?\d+\s?位.{0,8}|登录后(?:才能|可以|可)?(?:发表)?评论|(?:点击)?加载更多|平台声明|"
    r"(?:欢迎|点击|请)?(?:下载|打开)[^，。]{0,12}(?:客户端|APP).{0,20}|[^。]{0,50}[點点按]我下[載载][^。]{0,8}APP[^。]{0,20}|"
    r"(?:[【\[(（〔]\s?(?:作者|記者|记者|稿源|来源|來源|(?:责任|責任)?(?:编辑|編輯)|责编|責編)\s?[:：][^】\])）〕。，/]{1,30}[】\])）〕]\s*+){1,4}|"
    r"[^。，]{0,12}(?:投稿|爆料|[报報]料|來稿|来稿)(?:信箱|邮箱|郵箱|熱線|热线|電話|电话)\s?[:：︰﹕]\s?[\w.@+\-()（）/\s]{5,40}|"
    r"[^。，]{0,24}(?:追[蹤踪]|按[讚赞]|加入|訂閱)[^。，]{0,24}(?:新聞|粉[絲丝][團团專专頁页]*|專頁|頻道|好友|LINE|Facebook|Twitter|Plurk|YouTube)[\W_]*(?:追蹤|按讚|加入|訂閱)?|"
    r".{0,150}[\[【(（][按點点][此我]\s?(?:Like|[讚赞]|追蹤|加入|訂閱)[^\]】)）]{0,8}[\]】)）]|"
    r"(?:登录|登入|订阅|付费|购买)后?(?:即可|可以|可|才能)?(?:继续)?(?:阅读|查看)(?:全文|全部)?)[\W_]*$",
    re.IGNORECASE,
)
# When and where a text was put on the net, to the minute: no one signs a document so.
POSTED = re.compile(
    r"[\W_]*(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}日?\s+\d{1,2}:\d\d(?::\d\d)?"
    r"(?:\s[\u4e00-\u9fffA-Za-z]{2,12})?[\W_]*"
)
CLOSING_RIGHTS = re.compile(
    r"[\W_]*(?:(?:[內内]容由[^。]{1,20}提供。|本(?:[网網]站?|站|刊|报|報)[^。]{0,24})?"
    r"(?:未经|未經|非經)[^。]{0,20}(?:不得|禁止|谢绝|謝絕|严禁|嚴禁)[^。]{0,12}(?:转载|轉載|使用|复制|複製|摘编)|"
    r"(?:本文|文章|图片)?版权归[^。]{0,20}所有|(?:本文|该文|以上|文中)(?:内容|观点|所述)?[^。]{0,10}(?:仅|不)代表[^。]{0,40}(?:观点|立场))[^。]{0,40}。?[)）]?$"
)
ITEM = re.compile(r"[一二三四五六七八九十]{1,3}\s?、")  # of a text that counts its parts


def ends_text(text: str) -> bool:
    """Whether all that follows this line is another matter.

    >>> ends_text("相关阅读："), ends_text("相关阅读的书目由学校自己选定。"), ends_text("免责声明不能免除平台的责任。")
    (True, False, False)
    """
    return (
        (len(text) < END_LINE and ENDS.match(text) is not None) or is_stored(text) or DISCLAIMER.match(text) is not None
    )


def is_stored(text: str) -> bool:
    """Whether a line is what a platform says below what its users wrote.

    >>> is_stored("以上内容为用户上传并发布，本平台仅提供信息存储服务。"), is_stored("条例说，仅提供信息存储空间服务的平台也要审核。")
    (True, False)
    """
    return len(text) < LEGAL_LINE and STORED.search(text) is not None


def is_final(text: str) -> bool:
    """Whether a line that ends the text ends the article for good: what stands behind a notice of rights is no text
    again.

    >>> is_final("免责声明："), is_final("相关阅读：")
    (True, False)
    """
    return heads_rights(text) or heads_comments(text) or is_stored(text)


def is_notice(text: str) -> bool:
    """Whether a paragraph says what may be done with the article, and whose opinion it is.

    >>> is_notice("声明：本文仅代表作者观点，不构成投资建议。"), is_notice("他说，这份声明来得太晚。")
    (True, False)
    """
    return NOTICE.match(text) is not None or RIGHTS.search(text) is not None


def heads_comments(text: str) -> bool:
    """Whether what readers say follows a line.

    >>> heads_comments("热门评论 10条"), heads_comments("评论(3)"), heads_comments("新闻评论")
    (True, True, False)
    """
    return len(text) < END_LINE and COMMENTS.match(text) is not None


def heads_box(text: str) -> bool:
    """Whether a line heads what is not the text: one that ends it, or that stands above what readers say."""
    return BOX.match(text) is not None


def is_boilerplate_line(text: str) -> bool:
    """Whether a line is a button, a notice, a label of the page, wherever it stands.

    >>> is_boilerplate_line("（责任编辑：王小明）"), is_boilerplate_line("编辑们认为，这样的作业太多了。")
    (True, False)
    """
    if len(text) > CHATTER_LINE:
        return False
    return CHATTER.match(text) is not None or names_checkers(text) or ORIGINAL.fullmatch(text) is not None


def closes(text: str) -> bool:
    """Whether the last line of a text is none of it.

    >>> closes("— END —"), closes("编辑 | 王小明"), closes("未经授权不得转载。"), closes("声明：本公司从未授权他人招生。")
    (True, True, True, False)
    >>> closes("【作者：王小明】(责任编辑：李红)"), closes("按讚加入某報粉絲團"), closes("他說，加入粉絲團的人更多了。")
    (True, True, False)
    """
    if len(text) > LEGAL_LINE:
        return False
    return (CLOSING.match(text) or CLOSING_RIGHTS.match(text) or POSTED.fullmatch(text)) is not None


def heads_files(text: str) -> bool:
    """Whether a line is a label in front of files, and says nothing itself.

    >>> heads_files("附件下载："), heads_files("附件：1.作业管理办法")
    (True, False)
    """
    return FILES.fullmatch(text) is not None


def is_advertisement(text: str) -> bool:
    """Whether a line says that what follows is advertised.

    >>> is_advertisement("【广告】"), is_advertisement("广告学")
    (True, False)
    """
    return ADVERTISEMENT.match(text) is not None


def heads_rights(text: str) -> bool:
    """Whether a line is a notice of rights, or heads one."""
    return FINAL.match(text) is not None


def is_legal(text: str) -> bool:
    """Whether a line is a notice of rights, or asks for leave to keep cookies.

    >>> is_legal("某某网版权所有 京ICP备000000号"), is_legal("必须获得版权所有者的许可。")
    (True, False)
    """
    return len(text) < LEGAL_LINE and (LEGAL.search(text) is not None or is_stored(text) or _asks_for_cookies(text))


def leads_to_neighbour(text: str) -> bool:
    """Whether a line leads to the article, or the page, before or behind this one.

    >>> leads_to_neighbour("上一篇：双减之后的课堂"), leads_to_neighbour("上一学期的作业")
    (True, False)
    """
    return NEIGHBOUR.match(text) is not None


def is_imprint(text: str) -> bool:
    """Whether a line may be what a site says of itself at its foot; a text may say whom to call, too.

    >>> is_imprint("地址：某某市某某路1号 邮编：000000"), is_imprint("某某市某某路26号信箱 000000"), is_imprint("孩子们按地址找到了学校。")
    (True, True, False)
    """
    return len(text) < LEGAL_LINE and IMPRINT.search(text) is not None


def _asks_for_cookies(text: str) -> bool:
    return COOKIES.match(text) is not None and LEAVE.search(text) is not None


def is_masthead(text: str) -> bool:
    """Whether a line above the text says when, whence or who.

    >>> is_masthead("2024-03-05 14:08 来源：某某报"), is_masthead("（2004年1月6日某某会议通过）")
    (True, False)
    """
    return TOP.search(text) is not None and ITEM.match(text) is None and not tells_adoption(text)

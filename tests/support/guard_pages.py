"""Pages that guards, gateways and closed sites send with status 200 instead of what was asked for."""


def _page(title: str, body: str, head: str = "") -> str:
    return f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"


GUARD_PAGES = {
    "too many visits": _page("提示", "<div class=tip><p>您的访问过于频繁，请十分钟之后再来看看本校的新闻。</p></div>"),
    "too many requests in traditional characters": _page("系統訊息", "<p>您的請求次數過多，請於稍後再試一次，謝謝。</p>"),
    "a firewall with a number": _page(
        "应用防火墙", "<h1>您的请求已被阻断</h1><p>如果这是误报，请把编号发给站长。</p><p>事件ID：a7c1-0092 2026-11-18 09:12:44</p>"
    ),
    "a safe dog": _page("网站安全狗", "<h2>抱歉，您提交了含有危险的请求</h2><p>本次操作已经记录，站长可以把您的地址加到白名单里。</p>"),
    "a human check": _page("人机校验", "<p>请向右拖动滑块填满拼图</p><div id=slider></div>"),
    "a safety check with the time": _page("安全验证", "<h1>安全验证</h1><p>2026-11-18 10:05:33</p><p>点一下按钮就能接着看。</p>"),
    "a check of the browser": _page("Just a moment...", "<p>Checking your browser before you go on.</p>"),
    "Cloudflare": _page("Attention Required! | Cloudflare", "<h1>Sorry, you have been blocked</h1><p>Ray ID: 8f31c2</p>"),
    "405 of a cloud": _page("405", "<p>Sorry, your request has been blocked, as it may harm the server.</p>"),
    "a rule of the administrator": _page("Request denied", "<p>Request forbidden by administrative rules.</p>"),
    "502 as a text": _page("502 Bad Gateway", "<center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>"),
    "504 without a title": "<h1>504 Gateway Time-out</h1><p>The server didn't respond in time.</p>",
    "the server is busy": _page("温馨提示", "<p>服务器繁忙，排队的人有点多，喝杯茶再回来吧，感谢您的理解和支持。</p>"),
    "maintenance": _page("公告", "<h1>网站维护中</h1><p>技术人员正在更换硬盘，预计两小时之后恢复，给您带来的不便敬请谅解。</p>"),
    "a site that is closed": _page("本站暂停服务", "<p>该域名的备案信息需要更新，由接入商临时关闭，请站长联系客服办理手续之后再开通。</p>"),
    "cookies first": _page("", "<p>Please enable cookies and reload.</p>"),
    "JavaScript first": _page("", "<noscript>请开启JavaScript并刷新该页</noscript>", "<script>location.reload()</script>"),
    "a script only": "<html><script>var a='k=9f2';document.cookie=a;window.location.reload();</script></html>",
    "an attack in JSON": '{"code": 403, "msg": "检测到异常流量，已限制访问"}',
    "words that no list has": _page("小提示", "<p>排队叫号：前面还剩三十六位，轮到您时自动打开，不用离开。</p>"),
}  # fmt: skip

_WAITING = "<p>排队叫号：前面还剩三十六位，轮到您时自动打开，不用离开。可以先去倒一杯水，或者站起来走两圈，活动一下肩膀和脖子。</p>" * 6

# Guards' pages that no list of words knows, and that read like articles: only that several URLs show them says what they are.
NOTICES = {
    "a long text": _page("小提示", f"<h1>小提示</h1><div class=content>{_WAITING}</div>"),
    "a text with a date": _page(
        "小提示", "<h1>小提示</h1><div>2026-11-18 09:12 来源：值班室</div>"
        "<p>排队叫号：前面还剩三十六位，轮到您时自动打开，不用离开，请耐心等一等。</p>"
    ),
    "an advertisement": _page(
        "双十一茶具大促", f"<h1>双十一茶具大促</h1><div>2026-11-11 来源：某某商城</div><div class=content>"
        f"{'<p>紫砂壶满三百减五十，盖碗买二赠一，包邮到家，七天无理由退货，数量有限，售完为止，欢迎选购。</p>' * 8}</div>"
    ),
    "a text in English": _page(
        "Holding page", f"<h1>Holding page</h1>"
        f"<div class=content>{'<p>You are number thirty six in the line. Keep this tab open, please.</p>' * 8}</div>"
    ),
}  # fmt: skip

"""The page of an article as it was fetched is shown safely."""

import re

import pytest

from newsspider.features.console.pages.article import harmless
from newsspider.store.articles.article_records import article_at
from newsspider.store.engine.database import writing
from tests.features.console.consoles import client
from tests.support.samples import save_article

__all__ = ["client"]

HOSTILE = """<html><head><title>x</title><base href="http://evil.cn/"><meta http-equiv="refresh" content="0;url=http://evil.cn">
<link rel="preconnect" href="http://evil.cn"><link rel=stylesheet href="http://evil.cn/x.css">
<script src="http://evil.cn/x.js"></script></head>
<body onload="alert(1)" background="http://evil.cn/b.png"><h1 style="color:red">标题</h1><p onclick="alert(1)">正文
<a href="http://evil.cn/" ping="http://evil.cn/p">去</a>
<a href="javascript:alert(1)">点</a><img src="http://evil.cn/1.png" srcset="http://evil.cn/2.png 2x"><iframe src="http://evil.cn"></iframe>
<object data="http://evil.cn/x.swf"></object><form action="http://evil.cn/">
<input autofocus onfocus="alert(1)" formaction="http://evil.cn"></form>
<svg><a xlink:href="http://evil.cn/"><animate attributeName="href" values="javascript:alert(1)"/></a>
<script>alert(1)</script></svg>
<video poster="http://evil.cn/p.png" src="http://evil.cn/v.mp4"></video>
<!--[if IE]><script>alert(1)</script><![endif]--></p></body></html>"""


def test_a_snapshot_runs_loads_and_leads_nowhere(client, filled) -> None:
    with writing(filled) as conn:
        url = "http://hostile.cn/1"
        content = HOSTILE.encode("gb18030")
        save_article(conn, url, "标题 正文", title="标题", content=content, charset="gb18030")
        number = article_at(conn, url)
    answer = client.get(f"/articles/{number}/snapshot")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none';")
    assert "frame-ancestors 'self'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    for word in ("evil.cn", "script", "alert", "onclick", "refresh", "iframe", "<base", "<link", "<object"):
        assert word not in answer.text.lower(), word
    assert "标题" in answer.text
    frame = re.search(r"<iframe[^>]*>", client.get(f"/articles/{number}").text)
    assert frame
    assert 'sandbox=""' in frame[0]
    assert f'src="/articles/{number}/snapshot"' in frame[0]


ODD = "<p>正文\ufffe<!-- a -->一\ufffe<script>b</script>\uffff&#1;<?php c ?>&#xfffe;</p>".encode()


@pytest.mark.parametrize("page", [b"\x00\x01", b"", b"%PDF-1.4", "正文".encode("utf-16"), b"<" * 10_000, ODD * 9])
def test_a_broken_snapshot_is_no_fault_of_the_console(client, filled, page) -> None:
    with writing(filled) as conn:
        save_article(conn, "http://broken.cn/1", "正文一二三", content=page)
        number = article_at(conn, "http://broken.cn/1")
    assert client.get(f"/articles/{number}/snapshot").status_code in {200, 404}
    assert client.get("/articles/99/snapshot").status_code == 404
    assert client.get("/articles/x/snapshot").status_code == 404


def test_what_a_page_says_in_a_namespace_or_a_comment_goes_too() -> None:
    text = harmless(b"<p>a<?php echo 1 ?><!-- b --><x:script>c</x:script></p>" + b"<p>d</p>" * 3, "http://a.cn/", "utf-8")
    assert "php" not in text
    assert "b --" not in text

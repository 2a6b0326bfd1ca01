"""List pages whose items stand in scripts only, as the frameworks of sites and apps write them."""

# ruff: noqa: E501 - markup reads better whole

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from tests.quality.lists.generator import Drawn, Structure

SHELL = '<div id="app"></div>'


def _items(drawn: Drawn, keys: Mapping[str, str], least: int = 8, most: int = 16) -> list[dict[str, Any]]:
    """Items of a list with these keys for URL, title, summary, time and number."""
    result = []
    for _ in range(drawn.dice.randint(least, most)):
        values = drawn.values()
        result.append({keys[name]: values[name] for name in ("u", "t", "s", "n") if name in keys} | {keys.get("date", "date"): f"2024-05-{values['d']} 08:30:00", "hits": 7})
    return result


def _data(drawn: Drawn) -> str:
    items = _items(drawn, {"u": "url", "t": "title", "s": "digest"})
    data = {"page": {"num": 1}, "channel": {"name": "教育", "url": "/edu/"}, "list": items}
    return f"{SHELL}<script>window.__DATA__ = {json.dumps(data, ensure_ascii=False)};</script>"


def _next(drawn: Drawn) -> str:
    props = {"pageProps": {"posts": {"data": _items(drawn, {"u": "link", "t": "title", "s": "excerpt", "n": "id", "date": "publishedAt"})}}}
    state = {"props": props, "page": "/news", "query": {}, "buildId": "a1B2", "isFallback": False}
    return f'<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'


def _nuxt2(drawn: Drawn) -> str:
    """A function of shared values, as Nuxt 2 writes it: keys without quotation marks."""
    items = _items(drawn, {"u": "url", "t": "title", "n": "id"})
    rows = ",".join(f"{{id:{item['id']},title:{json.dumps(item['title'], ensure_ascii=False)},url:{json.dumps(item['url'])},source:a,hot:b}}" for item in items)
    return f'<div id="__nuxt"></div><script>window.__NUXT__=(function(a,b){{return {{layout:"default",data:[{{list:[{rows}],total:b}}],error:null}}}}("本站",false));</script>'


def _nuxt3(drawn: Drawn) -> str:
    """A flat array whose numbers name other places of it."""
    flat: list[Any] = [["Reactive", 1], {"data": 2}, {"news": 3}, []]
    for item in _items(drawn, {"u": "path", "t": "title"}):
        at = len(flat)
        flat[3].append(at)
        flat += [{"path": at + 1, "title": at + 2, "date": at + 3}, item["path"], item["title"], item["date"]]
    return f'<div id="__nuxt"></div><script type="application/json" id="__NUXT_DATA__" data-ssr="true">{json.dumps(flat, ensure_ascii=False)}</script>'


def _parsed(drawn: Drawn) -> str:
    state = json.dumps({"news": {"newsList": _items(drawn, {"u": "detailUrl", "t": "newsTitle", "s": "summary", "date": "pubTime"})}}, ensure_ascii=False)
    return f"{SHELL}<script>window.__INITIAL_STATE__=JSON.parse({json.dumps(state)});</script>"


def _render_data(drawn: Drawn) -> str:
    state = {"app": {"feed": {"items": _items(drawn, {"u": "article_url", "t": "title", "s": "abstract", "date": "publish_time"})}}}
    return f'{SHELL}<script id="RENDER_DATA" type="application/json">{quote(json.dumps(state, ensure_ascii=False))}</script>'


def _textarea(drawn: Drawn) -> str:
    data = json.dumps({"rows": _items(drawn, {"u": "linkUrl", "t": "name"})}, ensure_ascii=False).replace("&", "&amp;").replace('"', "&quot;")
    return f'{SHELL}<textarea id="pageData" style="display:none">{data}</textarea>'


def _application_json(drawn: Drawn) -> str:
    data = {"component": "news", "props": {"items": _items(drawn, {"u": "href", "t": "text"}), "more": "/news?page=2"}}
    return f'<news-list></news-list><script type="application/json" data-for="news-list">{json.dumps(data)}</script>'


def _variable(drawn: Drawn) -> str:
    """A plain variable, as old portals write it: single quotation marks, a comma too many."""
    rows = "".join(f"{{'title':'{item['t']}','url':'{item['u']}','time':'{item['date'][:10]}'}},\n" for item in _items(drawn, {"u": "u", "t": "t"}))
    return f"{SHELL}<script>var newsList = [\n{rows}];\nrender(newsList);</script>"


def _all_data(drawn: Drawn) -> str:
    data = {"newsstream": _items(drawn, {"u": "url", "t": "title", "date": "newsTime"}), "hotNews": [], "nav": [{"title": "首页", "url": "/"}]}
    return f'<div id="root"></div><script>var allData = {json.dumps(data, ensure_ascii=False)}; var adKeys = ["a"];</script>'


def _linked_data(drawn: Drawn) -> str:
    items = [{"@type": "ListItem", "position": at, "url": item["u"], "name": item["t"]} for at, item in enumerate(_items(drawn, {"u": "u", "t": "t"}), 1)]
    data = {"@context": "https://schema.org", "@type": "ItemList", "itemListElement": items}
    return f'{SHELL}<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'


def _pushed(drawn: Drawn) -> str:
    """A list of markup in a template, as pages write that a script shows later."""
    rows = drawn.rows('<li><a href="{u}">{t}</a><span>2024-05-{d}</span></li>')
    return f'<ul id="list"></ul><script type="text/template" id="listTpl">{rows}</script>'


def scripted() -> dict[str, Structure]:
    """The structures of this module."""
    makers: dict[str, tuple[Callable[[Drawn], str], str]] = {
        "window_data": (_data, "/edu/2024/05{d}/{n}.html"),
        "next_data": (_next, "/news/{n}"),
        "nuxt2": (_nuxt2, "/article/{n}.html"),
        "nuxt3": (_nuxt3, "/news/{n}"),
        "initial_state": (_parsed, "/detail/{n}.html"),
        "render_data": (_render_data, "https://www.scripted.cn/article/73{n}{n}/"),
        "textarea": (_textarea, "/info/{n}.html"),
        "application_json": (_application_json, "/news/{n}.html"),
        "variable": (_variable, "/news/202405/{n}.shtml"),
        "all_data": (_all_data, "//www.scripted.cn/c/{id}"),
        "linked_data": (_linked_data, "https://www.scripted.cn/2024/05/{d}/{n}.html"),
        "template": (_pushed, "/xw/{n}.html"),
    }  # fmt: skip
    return {name: Structure("https://www.scripted.cn/news/", u, maker, bare=at % 2 == 0) for at, (name, (maker, u)) in enumerate(makers.items())}

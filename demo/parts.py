"""Prints the bar that leads through an article in several pages, in the ways that sites do it."""

from __future__ import annotations

from demo import chrome
from demo.makes import Bar
from demo.portal import Post


def bar(post: Post, part: int) -> str:
    """The bar of one page, counted from 1; empty where the article has one page only."""
    if post.parts == 1:
        return ""
    match post.outlet.make.bar:
        case Bar.NEXT:
            inner = _step(post, part - 1, "上一页") + _step(post, part + 1, "下一页")
        case Bar.NUMBERS:
            inner = f"{part}/{post.parts} {_numbers(post, part, '[{}]')}"
        case _:
            inner = f"共{post.parts}页 {_step(post, part - 1, '上一页')}{_numbers(post, part, '{}')}{_step(post, part + 1, '下一页')}"
    return f'<div class="fenye">{inner}</div>\n'


def _step(post: Post, part: int, label: str) -> str:
    return f'<a href="{chrome.link(post.outlet, post.part_path(part))}">{label}</a> ' if 1 <= part <= post.parts else ""


def _numbers(post: Post, part: int, label: str) -> str:
    labels = [
        f"<span>{label.format(number)}</span> " if number == part else _step(post, number, label.format(number))
        for number in range(1, post.parts + 1)
    ]
    return "".join(labels)

"""Hashes of what pages show: that of a body, equal for two texts with the same letters and figures (exact duplicates),
and that of the links of a list. Texts that are nearly the same are found by ``reprints.py``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import md5

from newsspider.core.text.text_comparison import SHORT_TEXT, normalise_text

# Words of a notice whose subject stands in its title, and the rest in a file, a table or a picture.
_POINTS_ELSEWHERE = re.compile(
    r"附件|附表|附后|见附|名单|如下|下载|(?:docx?|xlsx?|pdf|wps|zip|rar)(?![a-z])", re.IGNORECASE
)


def body_md5(title: str, text: str) -> str:
    """Return the MD5 of the normalised text, as 32 hex digits. For a short text that points elsewhere it covers the
    title, too: many notices only say that a list is attached, and have their subject in the title.

    >>> body_md5("高考", "名单，见附件") == body_md5("高 考", "名单 见附件。") != body_md5("中考", "名单见附件")
    True
    >>> body_md5("高考", "暂无内容") == body_md5("中考", "暂无内容")
    True
    """
    return md5_of(title, normalise_text(text))


def md5_of(title: str, letters: str) -> str:
    """Return :func:`body_md5` for a text that is normalised already."""
    points_elsewhere = len(letters) < SHORT_TEXT and _POINTS_ELSEWHERE.search(letters) is not None
    return _md5(f"{normalise_text(title)}\n{letters}" if points_elsewhere else letters)


def _md5(letters: str) -> str:
    return md5(letters.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def links_md5(urls: Iterable[str]) -> str:
    """Return the MD5 of the URLs that a list shows, whatever their order and number of occurrences.

    >>> links_md5(["http://a.cn/1", "http://a.cn/2"]) == links_md5(["http://a.cn/2", "http://a.cn/1", "http://a.cn/2"])
    True
    """
    return _md5("\n".join(sorted(set(urls))))

"""Recognises files: by the suffix of a URL, by a file name in a text, by the program that hands them out."""

from __future__ import annotations

import re

from newsspider.core.url import suffix_of

# in texts, too
WRITTEN = ("docx", "doc", "wps", "pdf", "xlsx", "xls", "et", "pptx", "ppt", "rtf", "ofd", "ceb", "zip", "rar", "7z")
ATTACHMENTS = frozenset((*WRITTEN, "txt", "csv", "tar", "gz"))
_NAME = re.compile(rf"\.(?:{'|'.join(WRITTEN)})(?![a-z0-9])", re.I)
_PAGES = frozenset(("htm", "html", "shtml"))
_HANDED_OUT = re.compile(r"^[^:]+://[^/]*/.*?(?:down|attach|upload|(?<!pro)file)", re.I)


def is_file(url: str, text: str) -> bool:
    """Whether a link leads to a file: by its suffix, or by what it is called where a program hands the file out.

    >>> is_file("http://a.cn/1.pdf", "下载"), is_file("http://a.cn/download.jsp?id=1", "附件【名单.xlsx】")
    (True, True)
    >>> is_file("http://a.cn/1.htm", "通知.doc"), is_file("http://a.cn/upload/1.htm", "通知.doc")
    (False, False)
    """
    suffix = suffix_of(url)
    if suffix in ATTACHMENTS:
        return True
    return names_file(text) and suffix not in _PAGES and _HANDED_OUT.match(url) is not None


def names_file(text: str) -> bool:
    """Whether a text holds the name of a file that people write.

    >>> names_file("附件2：报名表.docx（12KB）"), names_file("某某.doctor")
    (True, False)
    """
    return "." in text and _NAME.search(text) is not None

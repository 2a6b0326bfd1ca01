"""Hashes a text by its letters and figures, so that spaces, punctuation and width make no difference."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import md5

SHORT_TEXT = 200  # letters of a text; two longer ones that are the same are about one matter

# Words of a notice whose subject stands in its title, and the rest in a file, a table or a picture.
_POINTS_ELSEWHERE = re.compile(
    r"附件|附表|附后|见附|名单|如下|下载|(?:docx?|xlsx?|pdf|wps|zip|rar)(?![a-z])", re.IGNORECASE
)

MARK = re.compile(
    r"[，。！？、；：“”‘’（）《》〈〉【】…—·,.!?:;\"'()](?!(?<=\d[：:.—])\d)"
)  # the usual: NFKC makes no letters of them
DASH = re.compile(r"[‐‑–—−](?=\d)|[~〜](?<=\d.)(?=\d)")  # as many signs for one range, or for minus
# nor a sign of a figure: 3.5, 8:30, 1/3, -5, 3+1, 5%
NO_LETTER = re.compile(r"[\W_](?!(?<=\d[.:/])\d|(?<=[-+])\d)(?<!\d[+%‰])")


def normalised(text: str) -> str:
    """Return the letters, digits and signs of figures of ``text`` in NFKC form, all else out; doing it twice changes
    nothing.

    >>> normalised("２０２４年， 高考 改革！ 上线率 ３．５％")
    '2024年高考改革上线率3.5%'
    """
    bare = MARK.sub("", "".join(text.split()))
    if not unicodedata.is_normalized("NFKC", bare):  # asked in a hundredth of the time that it takes to do it
        bare = unicodedata.normalize("NFKC", bare)
    letters = NO_LETTER.sub("", DASH.sub("-", bare.replace("∶", ":")))
    return letters if unicodedata.is_normalized("NFKC", letters) else unicodedata.normalize("NFKC", letters)


def body_md5(title: str, text: str) -> str:
    """Return the MD5 of the normalised text, as 32 hex digits. For a short text that points elsewhere it covers the
    title, too: many notices only say that a list is attached, and have their subject in the title.

    >>> body_md5("高考", "名单，见附件") == body_md5("高 考", "名单 见附件。") != body_md5("中考", "名单见附件")
    True
    >>> body_md5("高考", "暂无内容") == body_md5("中考", "暂无内容")
    True
    """
    return md5_of(title, normalised(text))


def md5_of(title: str, letters: str) -> str:
    """Return :func:`body_md5` for a text that is normalised already."""
    return _md5(f"{normalised(title)}\n{letters}" if points_elsewhere(letters) else letters)


def points_elsewhere(letters: str) -> bool:
    """Whether a text is short and points to a file, a list or a picture.

    >>> points_elsewhere("现将名单予以公布详见附件"), points_elsewhere("学校今天开学")
    (True, False)
    """
    return len(letters) < SHORT_TEXT and _POINTS_ELSEWHERE.search(letters) is not None


def _md5(letters: str) -> str:
    return md5(letters.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def links_md5(urls: Iterable[str]) -> str:
    """Return the MD5 of the URLs that a list shows, whatever their order and number of occurrences.

    >>> links_md5(["http://a.cn/1", "http://a.cn/2"]) == links_md5(["http://a.cn/2", "http://a.cn/1", "http://a.cn/2"])
    True
    """
    return _md5("\n".join(sorted(set(urls))))

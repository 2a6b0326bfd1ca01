"""Names a text by its letters: texts that differ in spaces, punctuation or width alone have the same fingerprint."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import md5

MARK = re.compile(r"[，。！？、；：“”‘’（）《》〈〉【】…—·\s,.!?:;\"'()]+")  # the usual ones: NFKC makes no letters of them
NO_LETTER = re.compile(r"[\W_]+")


def normalised(text: str) -> str:
    """Return the letters and digits of ``text`` in NFKC form, all else out; doing it twice changes nothing.

    >>> normalised("２０２４年， 高考 改革！")
    '2024年高考改革'
    """
    bare = MARK.sub("", text)
    if not unicodedata.is_normalized("NFKC", bare):  # asked in a hundredth of the time that it takes to do it
        bare = unicodedata.normalize("NFKC", text)
    letters = NO_LETTER.sub("", bare)
    return letters if unicodedata.is_normalized("NFKC", letters) else unicodedata.normalize("NFKC", letters)


def body_md5(text: str) -> str:
    """Return the MD5 of the normalised text, as 32 hex digits.

    >>> body_md5("高考，改革") == body_md5("高考 改革。")
    True
    """
    return md5_of(normalised(text))


def md5_of(letters: str) -> str:
    """Return the same of a text that is normalised already."""
    return md5(letters.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def links_md5(urls: Iterable[str]) -> str:
    """Return the MD5 of what a list shows: the same for the same URLs, in whatever order they stand there, and how often.

    >>> links_md5(["http://a.cn/1", "http://a.cn/2"]) == links_md5(["http://a.cn/2", "http://a.cn/1", "http://a.cn/2"])
    True
    """
    return md5_of("\n".join(sorted(set(urls))))

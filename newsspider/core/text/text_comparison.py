"""Compares texts and titles by their letters and figures: spaces, punctuation and width make no difference."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator

from newsspider.core.caching import bounded_cache

SHORT_TEXT = 200  # letters of a text; two longer ones that are the same are about one matter

MARK = re.compile(
    r"[，。！？、；：“”‘’（）《》〈〉【】…—·,.!?:;\"'()](?!(?<=\d[：:.—])\d)"
)  # the usual: NFKC makes no letters of them
DASH = re.compile(r"[‐‑–—−](?=\d)|[~〜](?<=\d.)(?=\d)")  # as many signs for one range, or for minus
# nor a sign of a figure: 3.5, 8:30, 1/3, -5, 3+1, 5%
NO_LETTER = re.compile(r"[\W_](?!(?<=\d[.:/])\d|(?<=[-+])\d)(?<!\d[+%‰])")
SHORTEST_TITLE = 4  # letters of a title
SHORTEST_WORDING = 6  # letters of a text that names an article
LONGEST_TITLE = 160  # characters of a title whose pairs are compared with a text

_BETWEEN = re.compile(r"[\W_]+")
_PAGE_MARK = re.compile(
    r"\s*(?:[(\[【]\s*\d{1,2}\s*(?:/\s*\d{1,2}\s*)?[页頁]?\s*[)\]】]|"
    r"[(\[【]?\s*第\s*[\d一二三四五六七八九十]{1,3}\s*[页頁]\s*[)\]】]?|_\d{1,2}"
    r"|\s[-–—]?\s*(?:\d{1,2}\s*/\s*\d{1,2}|page\s*\d{1,2}))\s*$",
    re.IGNORECASE,
)


def normalise_text(text: str) -> str:
    """Return the letters, digits and signs of figures of ``text`` in NFKC form, all else out; doing it twice changes
    nothing.

    >>> normalise_text("２０２４年， 高考 改革！ 上线率 ３．５％")
    '2024年高考改革上线率3.5%'
    """
    bare = MARK.sub("", "".join(text.split()))
    if not unicodedata.is_normalized("NFKC", bare):  # asked in a hundredth of the time that it takes to do it
        bare = unicodedata.normalize("NFKC", bare)
    letters = NO_LETTER.sub("", DASH.sub("-", bare.replace("∶", ":")))
    return letters if unicodedata.is_normalized("NFKC", letters) else unicodedata.normalize("NFKC", letters)


@bounded_cache(1024)  # cache: titles as they are compared; a page asks a dozen times for the key of one title
def title_key(text: str) -> str:
    """The letters and digits of a text, in NFKC form and lower case.

    >>> title_key("“双减”之后，ＡＢ")
    '双减之后ab'
    """
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text)).lower()


def same_title(first: str, second: str) -> bool:
    """Whether two pages have the same title, page numbers aside.

    >>> same_title("高考改革方案", "高考改革方案（2）"), same_title("高考改革方案", "中考改革方案")
    (True, False)
    """
    return _without_page(first) == _without_page(second)


def _without_page(title: str) -> str:
    return _BETWEEN.sub("", _PAGE_MARK.sub("", unicodedata.normalize("NFKC", title))).lower()


def stands_in(text: str, title: str, shortest: int) -> bool:
    """Whether a text of at least ``shortest`` letters is part of the title whose key is ``title``."""
    if "\u4e00" <= text[:1] <= "\u9fff" and text[0] not in title:
        return False  # such a character is its own key: most texts are decided here
    key = title_key(text)
    return len(key) >= shortest and key in title


def other_wordings(title: str, texts: Iterable[str]) -> list[str]:
    """The texts that word a title differently, each once; without those that are too short to tell.

    >>> other_wordings("高考改革方案公布", ["高考改革方…", "高考改革方案公布 11-24", "明年高考这样考！", "详细"])
    ['明年高考这样考！']
    """
    key, wordings = title_key(title), dict[str, str]()
    for text in texts:
        other = title_key(text)
        if len(other) >= SHORTEST_WORDING and other not in key and not (key and key in other):
            wordings.setdefault(other, text)
    return list(wordings.values())


def places_of(title: str, markup: str) -> Iterator[tuple[int, int]]:
    """Where the scripts of a page give the title as a value: from its colon to its end, as it is, then with escapes.

    >>> list(places_of("高考", '{"title": "高考", "tag":"高考", "高考": 1}'))
    [(8, 14), (21, 26)]
    """
    for written in dict.fromkeys((f'"{title}"', json.dumps(title))):
        at = markup.find(written)
        while at >= 0:
            colon = at - 1 - markup[at - 1 : at].isspace()
            if markup[colon : colon + 1] == ":":
                yield colon, at + len(written)
            at = markup.find(written, at + 1)


def title_overlap(title: str, text: str) -> float:
    """The share of a title's pairs of characters that also occur in the text.

    >>> title_overlap("双减之后", "双减政策之后的课堂")
    0.6666666666666666
    """
    key = title_key(title[:LONGEST_TITLE])
    pairs = {key[i : i + 2] for i in range(len(key) - 1)}
    return sum(pair in text for pair in pairs) / len(pairs) if pairs else 0.0

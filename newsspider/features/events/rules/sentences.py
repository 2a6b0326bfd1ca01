"""Splits comments and articles into sentences; a quotation stays with whom it quotes."""

from __future__ import annotations

import re

from newsspider.core.text.characters import to_simplified

SHORTEST_SENTENCE, LONGEST_SENTENCE = 4, 200  # characters; what is longer is no sentence
# up to a mark that ends it; a quotation ends it only behind a colon
_SENTENCE = re.compile(
    r"(?:“[^”\n]{0,300}”|[^。！？!?…\n])+?(?:(?<=[：:])“[^”\n]{0,300}[。！？!?…]”|[。！？!?…]+[”’）)]*|(?=\n)|$)"
)
# What points back: pronouns, and words that lead from a sentence to the next.
_POINTER = (
    r"[他她它](?![人乡])|其(?!实|余生)|该(?!不该|[早不])|此|这|[对因为从由就与]此|上述|前者|后者|[两二]者|如此|"
    r"当[天日时]|届时|随后|之后|那(?:么|样|些|里|边|就|是)"
)
_LINK = r"但|而|然而|不过(?!是)|可是|于是|所以|并且|甚至|也(?!许)|还有|同时|另外|例如|比如|否则|再者|接着|首先|其次|总之|另一方面"
_POINTS_BACK = re.compile(rf"[“‘「『（(\s]*(?:{_POINTER}|{_LINK})")
# What only names who spoke.
_SPOKE = (
    r"(?<!任何)表示|坦言|直言|告诉记者|认为|指出|强调|透露|(?:[说写答问笑喊叹慨]|回忆|补充|解释)道|"
    r"(?<![小学传演众])说|(?:回应|声|坦|宣)称"
)
_ATTRIBUTION = re.compile(rf"[^“”「」，,：:]{{0,60}}(?:{_SPOKE})[。！!…]*")
_UNENDED = ("：", ":", "，", ",", "、")


def split_sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, without those that are too short or too long to judge.

    >>> split_sentences("“好。”他说。他又说：“不行！”散会了。\\n嗯")
    ['“好。”他说。', '他又说：“不行！”', '散会了。']
    """
    stripped = (part.strip() for part in _SENTENCE.findall(text))
    return [part for part in stripped if SHORTEST_SENTENCE <= len(part) <= LONGEST_SENTENCE]


def stands_alone(sentence: str) -> bool:
    """Whether a sentence says something by itself: it does not begin with a word that points back, name only who spoke,
    or end before what it announces.

    >>> stands_alone("食堂涨价太快。"), stands_alone("这让家长不满。"), stands_alone("考上大学的赵慧敏回忆道。")
    (True, False, False)
    """
    read = to_simplified(sentence)
    return not (_POINTS_BACK.match(read) or _ATTRIBUTION.fullmatch(read) or read.endswith(_UNENDED))

"""Pages in the wrong letters: charsets that lie, damaged bytes, control characters, and what stands for them."""

import random
from functools import partial

from tests.hostile.articles import HOSTILE, article, title_of
from tests.hostile.behaviour import Behaviour, Call, Play, page

Text = partial(Behaviour, group="encoded", state="done", reason="stored")
NoText = partial(Behaviour, group="encoded", state="error", reason="unreadable")
CONTROLS = "\x1b\x07\x9b\x08\x0b"
BIDI = "\u202e\u2066\u200f\u202a"


def encoded(codec: str, kind: str = "text/html", before: bytes = b"") -> Play:
    """The article in another coding, which its page does not name."""
    return page(lambda call: before + call.page.replace("<meta charset=utf-8>", "").encode(codec), kind=kind)


def damaged(share: float) -> Play:
    """The article in UTF-8, so many of its bytes beyond ASCII changed."""

    def body(call: Call) -> bytes:
        dice = random.Random(call.number)
        return bytes(dice.randrange(128, 256) if byte > 127 and dice.random() < share else byte for byte in call.page.encode())

    return page(body, kind="text/html; charset=utf-8")


def titled(letters: str) -> Play:
    """These letters stand within the headline and the text, where nobody sees them."""

    def body(call: Call) -> str:
        title = title_of(call.number, HOSTILE)
        marked = f"{title[:4]}{letters}{title[4:]}"
        return article(call.number, HOSTILE, title=marked).replace("。", f"{letters}。")

    return page(body)


ROWS = (
    Text("gbk-told-utf-8", does="GBK that is called UTF-8", play=encoded("gbk", "text/html; charset=utf-8")),
    Text("utf-8-told-gbk", does="UTF-8 that is called GBK", play=encoded("utf-8", "text/html; charset=gbk")),
    Text("utf-8-told-latin-1", does="UTF-8 that is called ISO-8859-1", play=encoded("utf-8", "text/html; charset=iso-8859-1")),
    Text("utf-16-with-bom", does="UTF-16 with its mark", play=encoded("utf-16")),
    Text("utf-16-told", does="UTF-16 without mark, told by the header", play=encoded("utf-16-le", "text/html; charset=utf-16le")),
    NoText("utf-8-bom-on-gbk", does="GBK behind the mark of UTF-8", play=encoded("gbk", before=b"\xef\xbb\xbf")),
    Text("bom-twice", does="the mark of UTF-8 three times", play=encoded("utf-8", before=b"\xef\xbb\xbf" * 3)),
    Text("charset-unknown", does="a charset that nobody knows", play=encoded("utf-8", "text/html; charset=martian")),
    Text("charset-is-a-codec", does="a charset that is a codec of Python", play=encoded("utf-8", "text/html; charset=unicode_escape")),
    Text("charset-is-punycode", does="a charset that takes quadratic time", play=encoded("utf-8", "text/html; charset=punycode")),
    Text("charset-is-zip", does="a charset that unpacks", play=encoded("utf-8", "text/html; charset=zip")),
    Text("charset-of-5000-letters", does="a charset of 5,000 letters", play=encoded("utf-8", f"text/html; charset={'a' * 5000}")),
    Text("damaged-a-little", does="UTF-8 of which one letter in 500 is damaged", play=damaged(0.0007), title=None),
    NoText("damaged-much", does="UTF-8 of which a fifth is damaged", play=damaged(0.2)),
    Text("utf-16-mark-on-utf-8", does="UTF-8 behind the mark of UTF-16", play=encoded("utf-8", before=b"\xff\xfe")),
    Text("utf-32", does="UTF-32 with its mark", play=encoded("utf-32")),
    NoText("utf-7", does="UTF-7, told so, which no browser reads", play=encoded("utf-7", "text/html; charset=utf-7")),
    NoText("junk-letters", does="letters at random", play=page(random.Random(7).randbytes(50_000), kind="text/html; charset=utf-8")),
    Text("controls", does="escapes of a terminal within title and text", play=titled(CONTROLS)),
    Text("controls-as-entities", does="the same as entities", play=titled("&#27;&#7;&#x8;&#127;")),
    Text("bidi", does="letters that turn the direction of writing", play=titled(BIDI)),
    Text("bidi-as-entities", does="the same as entities", play=titled("&#x202e;&#8294;&rlm;&#8234;")),
    Text("nul", does="NULs within title and text", play=titled("\x00")),
    Text("nul-as-entity", does="a NUL as an entity", play=titled("&#0;")),
    Text("entities-beyond-unicode", does="entities of no letter", play=page(lambda call: article(call.number, HOSTILE, title=title_of(call.number, HOSTILE) + "&#xD800;&#x110000;&#99999999999999999999;"))),
    Text("entity-of-5000-figures", does="an entity of 5,000 figures", play=titled(f"&#{'9' * 5000};"), title=None),
    Text("nothing-to-see", does="200 letters without width within the title", play=titled("\u200b\u2060\ufeff" * 60)),
    Text("combining", does="a letter below 30 marks", play=titled("\u0301" * 30), title=None),
)  # fmt: skip

"""Every content encoding: complete, truncated at each position, wrongly declared, and too long."""

import gzip
import random
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest

from newsspider.core.fetching.content_encoding import (
    MOST_MEMBERS,
    DamagedBodyError,
    NotPackedError,
    TooLongError,
    decode_content,
)
from tests.support.tables import each

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PAGE = ("<html><body>" + "".join(f"<p>第{n}所学校的教师参加了座谈会。</p>" for n in range(2000))).encode()
LIMIT = 1024 * 1024


def bare_deflate(body: bytes) -> bytes:
    return zlib.compress(body)[2:-4]


PACKERS: dict[str, list[Callable[[bytes], bytes]]] = {
    "gzip": [gzip.compress],
    "x-gzip": [gzip.compress],
    "deflate": [zlib.compress, bare_deflate],
    "br": [brotli.compress],
    "zstd": [zstd.compress],
}
CASES = [pytest.param(coding, pack, id=f"{coding}-{pack.__name__}") for coding, packs in PACKERS.items() for pack in packs]
each_coding = pytest.mark.parametrize(("coding", "pack"), CASES)


@each_coding
def test_a_whole_body_is_unpacked(coding: str, pack: Callable[[bytes], bytes]) -> None:
    assert decode_content(pack(PAGE), [coding], LIMIT) == PAGE
    assert decode_content(pack(b""), [coding], LIMIT) == b""


@each_coding
def test_a_body_that_was_cut_short_is_damaged_wherever_it_was_cut(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(PAGE)
    for end in (40, len(packed) // 10, len(packed) // 2, len(packed) - 1):
        with pytest.raises(DamagedBodyError):
            decode_content(packed[:end], [coding], LIMIT)


@each_coding
def test_a_body_that_was_never_packed_is_refused_as_browsers_do(coding: str, pack: Callable[[bytes], bytes]) -> None:
    for text in (PAGE, PAGE[:200] + random.Random(3).randbytes(2000), "第一行是文字\n".encode("gbk"), b"\xef\xbb\xbf<html>", b"{}"):
        with pytest.raises(
            (NotPackedError, DamagedBodyError)
        ):  # a few bytes may be a valid beginning for brotli and zlib
            decode_content(text, [coding], LIMIT)


@each_coding
def test_text_of_which_the_beginning_is_enough_is_read_though_it_was_never_packed(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    for text in (b"User-agent: *\nDisallow: /a\n", "第一行\n".encode("gbk"), b""):
        assert decode_content(text, [coding], LIMIT, cut=True) == text
    with pytest.raises((NotPackedError, DamagedBodyError)):
        decode_content(b"User-agent: *\n" + random.Random(7).randbytes(30_000), [coding], LIMIT, cut=True)


@each_coding
def test_junk_is_not_what_its_coding_says(coding: str, pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(NotPackedError):
        decode_content(random.Random(7).randbytes(30_000), [coding], LIMIT)


@each_coding
def test_a_body_that_unpacks_beyond_the_limit_is_refused_or_cut(coding: str, pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(b"a" * 5_000_000)
    with pytest.raises(TooLongError):
        decode_content(bomb, [coding], LIMIT)
    assert decode_content(bomb, [coding], LIMIT, cut=True) == b"a" * LIMIT
    assert len(decode_content(pack(PAGE), [coding], len(PAGE))) == len(PAGE)


def test_codings_are_undone_from_the_last_to_the_first() -> None:
    assert decode_content(brotli.compress(gzip.compress(PAGE)), ["gzip", " BR "], LIMIT) == PAGE


@each("coding", ["identity", "none", "utf-8", "compress", ""])
def test_a_coding_that_is_none_changes_nothing(coding: str) -> None:
    assert decode_content(PAGE, [coding], LIMIT) == PAGE


def test_members_follow_each_other_and_padding_is_passed_over() -> None:
    assert decode_content(gzip.compress(b"one ") + gzip.compress(b"two") + b"\0" * 512, ["gzip"], LIMIT) == b"one two"
    assert decode_content(zstd.compress(b"one ") + zstd.compress(b"two"), ["zstd"], LIMIT) == b"one two"


@each_coding
@pytest.mark.parametrize("padding", [b"\n", b"\r\n", b"\0" * 8, b"<!-- -->"])
def test_a_few_bytes_behind_the_end_are_passed_over(coding: str, pack: Callable[[bytes], bytes], padding: bytes) -> None:
    for body in (PAGE, b"", b"<p>"):
        assert decode_content(pack(body) + padding, [coding], LIMIT) == body


def test_frames_without_text_are_passed_over() -> None:
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"
    assert decode_content(zstd.compress(b"one ") + skipped + zstd.compress(b"two") + skipped, ["zstd"], LIMIT) == b"one two"


@each(
    ("coding", "member"),
    [("gzip", gzip.compress(b"")), ("zstd", zstd.compress(b"")), ("zstd", b"\x50\x2a\x4d\x18\0\0\0\0")],
    ids=["gzip", "zstd", "frames to skip"],
)
def test_a_body_of_members_without_end_is_damaged(coding: str, member: bytes) -> None:
    assert decode_content(member * MOST_MEMBERS, [coding], LIMIT) == b""
    with pytest.raises(DamagedBodyError):
        decode_content(member * (MOST_MEMBERS + 1), [coding], LIMIT)


def test_a_wrong_checksum_is_damage() -> None:
    packed = bytearray(gzip.compress(PAGE))
    packed[-6] ^= 1
    with pytest.raises(DamagedBodyError):
        decode_content(bytes(packed), ["gzip"], LIMIT)

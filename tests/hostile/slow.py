"""Hosts that take for ever, and answers that have no end."""

import asyncio
from itertools import count

from tests.hostile.articles import HOSTILE, article, listing, title_of
from tests.hostile.behaviour import LONGEST_SECONDS, Behaviour, Call, chunked, drops, moved, nothing, raw
from tests.hostile.server import GOOD

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
NEXT = '<div class=page><a href="{path}">下一页</a></div>'


async def in_pieces(call: Call) -> None:
    text = call.page.encode()
    await call.send(OK + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(text))
    for start in range(0, len(text), len(text) // 10 + 1):
        await call.send(text[start : start + len(text) // 10 + 1])
        await asyncio.sleep(0.1)


async def stalls_in_the_middle(call: Call) -> None:
    text = call.page.encode()
    await call.send(OK + b"Content-Length: %d\r\n\r\n" % len(text), text[: len(text) // 2])
    await call.silence()


async def headers_without_end(call: Call) -> None:
    await call.send(OK)
    async with asyncio.timeout(LONGEST_SECONDS):
        for number in count():
            await call.send(b"".join(b"X-%d-%d: %b\r\n" % (number, n, b"a" * 60) for n in range(1000)))


async def next_pages_without_end(call: Call) -> None:
    number = int(call.path.rpartition("-")[2] or 0) if "-" in call.path else 1
    links = {good: title_of(call.number, n) for good, n in GOOD.items()}
    await call.answer(listing(links, after=NEXT.format(path=f"/hostile/page-{number + 1}")).encode())


async def frames_without_end(call: Call) -> None:
    frames = "".join(f'<iframe src="{call.path}?{call.times}={n}"></iframe>' for n in range(3000))
    links = {good: title_of(call.number, n) for good, n in GOOD.items()}
    await call.answer(listing(links, after=frames).encode())


async def parts_without_end(call: Call) -> None:
    part = int(call.path.rpartition("_")[2].partition(".")[0]) if "_" in call.path else 1
    following = call.path.partition(".")[0].partition("_")[0] + f"_{part + 1}.html"
    after = f'<div class=pages><a href="{following}">下一页</a></div>'
    text = article(call.number, 100 + part, title=title_of(call.number, HOSTILE), after=after)
    await call.answer(text.encode())


async def calendar_without_end(call: Call) -> None:
    day = int(call.path.rpartition("=")[2]) if "=" in call.path else 1
    links = {f"/hostile/events?date={day * 40 + n}": f"学校教育活动安排第{day * 40 + n}天" for n in range(40)}
    await call.answer(listing(links).encode())


async def redirects_without_end(call: Call) -> None:
    step = int(call.path.rpartition("/")[2]) if "/hop/" in call.path else 0
    await moved(f"/hop/{step + 1}")(call)


ROWS = (
    Behaviour("silent", "slow", "takes the request and says nothing", nothing, "error", "timeout", "no answer"),
    Behaviour("head-trickles", "slow", "a letter of the status line at a time", drops(b"HTTP/1.1 2", every=0.3, again=b"0"), "error", "timeout"),
    Behaviour("headers-trickle", "slow", "a header each 0.3 s", drops(OK, every=0.3, again=b"X-A: b\r\n"), "error", "timeout", "no answer"),
    Behaviour("body-trickles", "slow", "a byte of the body each 0.2 s", drops(OK + b"\r\n<html>", every=0.2, again=b"a"), "error", "timeout", "no whole answer within"),
    Behaviour("body-stalls", "slow", "half of the body, then silence", stalls_in_the_middle, "error", "timeout", "no whole answer within"),
    Behaviour("chunk-stalls", "slow", "announces a chunk that does not come", raw(chunked(b"<html>", end=b"ffff\r\nabc"), stay=True), "error", "timeout", "no whole answer within"),
    Behaviour("last-chunk-missing", "slow", "all chunks but the last", raw(chunked(b"<html></html>", end=b""), stay=True), "error", "timeout", "no whole answer within"),
    Behaviour("silent-after-continue", "slow", "100 Continue, then silence", raw(b"HTTP/1.1 100 Continue\r\n\r\n", stay=True), "error", "timeout", "no answer"),
    Behaviour("gzip-trickles", "slow", "a packed body a byte at a time", drops(OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08", every=0.2, again=b"\x00"), "error", "timeout", "no whole answer within"),
    Behaviour("slow-but-whole", "slow", "a whole article within a second", in_pieces, "done", "stored"),
    Behaviour("stays-open", "slow", "a whole article, and the connection stays open", raw(OK + b"Content-Length: %LENGTH%\r\n\r\n%PAGE%", stay=True), "done", "stored"),
    Behaviour("body-endless", "endless", "a body without length and end", drops(OK + b"\r\n", again=b"<p>" + b"a" * 65_000), "error", "too_large"),
    Behaviour("length-endless", "endless", "announces 10^15 bytes", raw(OK + b"Content-Length: 1000000000000000\r\n\r\n<html>", stay=True), "error", "too_large"),
    Behaviour("chunks-endless", "endless", "chunks of one byte without end", drops(chunked(end=b""), again=b"1\r\na\r\n" * 20, every=0.05), "error", "timeout", "no whole answer within"),
    Behaviour("large-chunks-endless", "endless", "large chunks without end", drops(chunked(end=b""), again=chunked(b"a" * 65_536, end=b"").partition(b"\r\n\r\n")[2]), "error", "too_large"),
    Behaviour("headers-endless", "endless", "headers without end", headers_without_end),
    Behaviour("header-line-endless", "endless", "one header that never ends", drops(OK + b"X-A: ", again=b"a" * 65_536)),
    Behaviour("status-line-endless", "endless", "a status line that never ends", drops(b"HTTP/1.1 200 ", again=b"a" * 65_536)),
    Behaviour("chunk-extension-endless", "endless", "a chunk extension that never ends", drops(chunked(end=b"5;a="), again=b"a" * 65_536)),
    Behaviour("trailers-endless", "endless", "trailers without end", drops(chunked(b"<html>", end=b"0\r\n"), again=b"X-A: " + b"a" * 1000 + b"\r\n", every=0.001)),
    Behaviour("continue-endless", "endless", "100 Continue without end", drops(again=b"HTTP/1.1 100 Continue\r\n\r\n" * 200, every=0.01)),
    Behaviour("redirects-endless", "endless", "each URL leads to the next one", redirects_without_end, "done", "redirect", "/hop/1"),
    Behaviour("next-pages-endless", "endless", "a list with ever another next page", next_pages_without_end, "done", "polled", path="/hostile/", kind="list", most=20),
    Behaviour("frames-endless", "endless", "a list with 3,000 frames of new URLs of itself", frames_without_end, "done", "polled", path="/hostile/", kind="list", most=60),
    Behaviour("parts-endless", "endless", "an article with ever another next page", parts_without_end, "done", "stored", most=60),
    Behaviour("calendar-endless", "endless", "a list of 40 days, each of which lists 40 more", calendar_without_end, "done", "polled", path="/hostile/events", kind="list", most=60),
)

"""Answers that are no HTTP by the book, of strange versions, and with floods of cookies."""

from functools import partial

from tests.hostile.behaviour import Behaviour, Call, chunked, moved, page, raw

OK = b"HTTP/1.1 200 OK\r\n"
HTML = b"Content-Type: text/html\r\n"
END = b"Content-Length: %LENGTH%\r\nConnection: close\r\n\r\n%PAGE%"
WHOLE = OK + HTML + END

Bad = partial(Behaviour, group="malformed")
Read = partial(Behaviour, group="malformed", state="done", reason="stored")
Refused = partial(Behaviour, group="malformed", state="error", reason="http_status")


async def back_with_a_cookie(call: Call) -> None:
    await moved(call.path, "302 Found", f"Set-Cookie: seen={call.times}")(call)


def cookies(count: int, length: int) -> tuple[str, ...]:
    return tuple(f"Set-Cookie: c{n}={'a' * length}" for n in range(count))


MALFORMED = (
    Bad("banner-of-ssh", does="SSH answers", play=raw(b"SSH-2.0-OpenSSH_9.6\r\n")),
    Bad("binary", does="bytes without sense", play=raw(bytes(range(128, 256)) * 20)),
    Bad("status-of-letters", does="a status of letters", play=raw(b"HTTP/1.1 abc OK\r\n" + HTML + END)),
    Bad("status-too-long", does="a status of five figures", play=raw(b"HTTP/1.1 20000 OK\r\n" + HTML + END)),
    Bad("status-missing", does="no status", play=raw(b"HTTP/1.1\r\n" + HTML + END)),
    Bad("status-negative", does="a negative status", play=raw(b"HTTP/1.1 -200 OK\r\n" + HTML + END)),
    Bad("length-of-letters", does="a length of letters", play=raw(OK + HTML + b"Content-Length: abc\r\n\r\n%PAGE%")),
    Bad("length-negative", does="a negative length", play=raw(OK + HTML + b"Content-Length: -5\r\n\r\n%PAGE%")),
    Refused("length-of-5000-figures", does="a length of 5,000 figures", play=raw(OK + HTML + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n%PAGE%"), reason="too_large"),
    Bad("two-lengths", does="two lengths that differ", play=raw(OK + b"Content-Length: 7\r\n" + HTML + END)),
    Bad("chunk-size-of-letters", does="a chunk size that is no number", play=raw(chunked(end=b"xyz\r\n<html>\r\n0\r\n\r\n")), reason="truncated"),
    Bad("chunk-size-negative", does="a negative chunk size", play=raw(chunked(end=b"-5\r\n<html>\r\n0\r\n\r\n")), reason="truncated"),
    Bad("chunk-size-huge", does="a chunk of 2^80 bytes", play=raw(chunked(end=b"1" + b"0" * 20 + b"\r\n<html>")), reason="truncated"),
    Read("nul-in-a-header", does="a NUL within a header", play=raw(OK + HTML + b"X-A: a\x00b\r\n" + END)),
    Read("header-without-a-name", does="a header that begins with a colon", play=raw(OK + HTML + b": a\r\n" + END)),
    Bad("lines-end-in-cr", does="lines that end in CR alone", play=raw(WHOLE.replace(b"\r\n", b"\r"))),
    Read("same-length-twice", does="the same length twice", play=raw(OK + b"Content-Length: %LENGTH%\r\n" + HTML + END)),
    Read("header-without-a-colon", does="a header line without a colon", play=raw(OK + HTML + b"nonsense\r\n" + END)),
    Read("lines-end-in-lf", does="lines that end in LF alone", play=raw(WHOLE.replace(b"\r\n", b"\n"))),
    Read("header-names-of-8-bits", does="the name of a header in GBK", play=raw(OK + "X-名: 教育\r\n".encode("gbk") + HTML + END)),
    Read("headers-of-8-bits", does="a header in GBK", play=raw(OK + "X-A: 教育\r\n".encode("gbk") + HTML + END)),
    Read("reason-of-8-bits", does="a reason phrase in GBK", play=raw("HTTP/1.1 200 好\r\n".encode("gbk") + HTML + END)),
    Read("no-reason", does="no reason phrase", play=raw(b"HTTP/1.1 200\r\n" + HTML + END)),
    Read("no-headers", does="no header at all", play=raw(OK + b"\r\n%PAGE%")),
    Read("early-hints", does="103 before the answer", play=raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + WHOLE)),
    Read("answer-behind-the-answer", does="a second answer behind the first", play=raw(WHOLE, b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n" * 3)),
    Refused("status-0", does="status 000", play=raw(b"HTTP/1.1 000 None\r\n" + HTML + END)),
    Refused("status-999", does="status 999", play=page(status="999 Denied")),
    Refused("no-content", does="204", play=raw(b"HTTP/1.1 204 No Content\r\n\r\n")),
    Refused("partial-content", does="206, though the whole was asked for", play=page("<html>", "206 Partial Content", "Content-Range: bytes 0-5/9999")),
    Refused("teapot", does="418", play=page(status="418 I'm a teapot")),
    Refused("server-error", does="500, always", play=page(status="500 Internal Server Error")),
)  # fmt: skip
VERSIONS = (
    Bad("http-0.9", group="versions", does="a page without a head, as HTTP/0.9", play=raw(b"%PAGE%")),
    Bad("http-2-preface", group="versions", does="frames of HTTP/2", play=raw(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\x00\x04\x00\xa0\x00\x00", stay=True)),
    Bad("version-of-letters", group="versions", does="HTTP/x.y", play=raw(b"HTTP/x.y 200 OK\r\n" + HTML + END)),
    Bad("icy", group="versions", does="ICY 200 OK", play=raw(b"ICY 200 OK\r\n" + HTML + END)),
    Read("http-1.0", group="versions", does="HTTP/1.0 without a length", play=raw(b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\n%PAGE%")),
    Refused("switching-protocols", group="versions", does="101, though nothing was asked for", play=raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"), reason="bad_answer"),
    Refused("upgrade-required", group="versions", does="426", play=page(b"", "426 Upgrade Required", "Upgrade: HTTP/2.0")),
)  # fmt: skip
COOKIES = (
    Behaviour("cookies-many", "cookies", "200 cookies", page(lambda call: call.page, "200 OK", *cookies(200, 50)), "done", "stored"),
    Behaviour("cookies-too-many", "cookies", "1,000 cookies", page(lambda call: call.page, "200 OK", *cookies(1000, 50))),
    Behaviour("cookies-too-long", "cookies", "three cookies of 30,000 characters", page(lambda call: call.page, "200 OK", *cookies(3, 30_000))),
    Behaviour("cookie-long", "cookies", "a cookie of 20,000 characters", page(lambda call: call.page, "200 OK", *cookies(1, 20_000)), "done", "stored"),
    Behaviour("cookie-required", "cookies", "leads to itself until a cookie comes back", back_with_a_cookie, "done", "redirect"),
)

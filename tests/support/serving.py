"""Servers on the loopback address that answer as a test wants a host to."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

Answer = tuple[int, str | bytes | Iterator[bytes], dict[str, str]]  # parts come when they come
TEXT = "<p>第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。</p>"
END_SECONDS = 0.02  # a server looks so often whether it is to end
QUICK = ("-s", "RETRY_BASE_SECONDS=0.05", "-s", "RETRY_TIMES=2", "-s", "ROUND_PATIENCE_SECONDS=5")


def article(n: int) -> Answer:
    text = "".join(TEXT.format(n=f"{n}-{line}") for line in range(12))
    title = f"学校教育改革座谈会第{n}场举行"
    return 200, f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>", {}


def listing(*numbers: int) -> Answer:
    items = "".join(f'<li><a href="/2024/0501/1{n:04}.html">学校教育改革座谈会第{n}场举行</a></li>' for n in numbers)
    return 200, f"<html><head><meta charset=utf-8><title>教育新闻</title></head><body><ul>{items}</ul></body></html>", {}


@contextmanager
def served(host: str, play: Callable[[str, int], Answer]) -> Iterator[tuple[str, Counter[str]]]:
    """A server that answers as ``play(path, times asked)`` says; yields its base URL and how often each path was asked for."""
    requests: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests[self.path] += 1
            status, text, headers = play(self.path, requests[self.path])
            self.send_response(status)
            body = text.encode() if isinstance(text, str) else text
            length = {"Content-Length": str(len(body))} if isinstance(body, bytes) else {}
            for name, value in {"Content-Type": "text/html", **length, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # a crawl that has had enough
                for part in [body] if isinstance(body, bytes) else body:
                    self.wfile.write(part)

        def do_POST(self) -> None:
            self.path += f" {self.rfile.read(int(self.headers['Content-Length'])).decode()}"
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
            pass

    with ThreadingHTTPServer((host, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(END_SECONDS,), daemon=True).start()
        yield f"http://{host}:{server.server_address[1]}", requests
        server.shutdown()


def site(folder: Path, base: str, channels: dict[str, int]) -> Path:
    """A site file with these channels (path: weight)."""
    head = f'name = "s"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\ndelay_seconds = 0.01\ndelay_reason = "a test"\n'
    body = [f'[[channels]]\nname = "c{path}"\nurl = "{base}{path}"\nweight = {n}\nkind = "list"\n' for path, n in channels.items()]
    file = folder / "site.toml"
    file.write_text(head + "".join(body), encoding="utf-8")
    return file

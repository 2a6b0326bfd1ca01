"""What a page of the console consists of."""

from html.parser import HTMLParser

OUR_SCRIPTS = [("script", {"src": f"/static/{name}.js", "defer": None}) for name in ("keys", "live", "picture")]


class _Page(HTMLParser):
    """Every tag of a page with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

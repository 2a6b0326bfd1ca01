"""``scrapy links``: what the links of one saved page, feed or sitemap are."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from newsspider.cli.command import DataCommand, Failed, emit
from newsspider.crawl.wrong_use import wrong_use


class Command(DataCommand):
    """One JSON object a link: url, text, kind (article, list, next, attachment, other), region (main, side, navigation,
    footer, body), and published_at where the list says it. A region that selects no elements is wrong use.
    Exit code 1 if the page cannot be read."""

    examples = (
        "  scrapy links list.html --url http://www.example.edu.cn/news/\n"
        "  scrapy links feed.xml --url http://example.com/rss.xml"
    )

    def syntax(self) -> str:
        return "FILE --url URL"

    def short_desc(self) -> str:
        return "List the links of a saved page, feed or sitemap: url, text, kind, region"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", help="where the page comes from; relative links start there")
        parser.add_argument("--content-type", help="the Content-Type header that came with it")
        parser.add_argument(
            "--region", action="append", default=[], metavar="XPATH", help="a block whose links count; may be repeated"
        )

    def work(self, args: list[str], opts: Namespace) -> int | None:
        from pathlib import Path

        from newsspider.core.extraction.dom.page import UnreadablePage
        from newsspider.core.url import canonical
        from newsspider.library.lists import read_list
        from newsspider.sites.xpath import xpath_problem

        if len(args) != 1 or not opts.url:
            raise wrong_use("give one file and --url URL; see scrapy links --help")
        if canonical(opts.url) is None:
            raise wrong_use(f"not an http or https URL: {opts.url}")
        for xpath in opts.region:
            if problem := xpath_problem(xpath, elements=True):
                raise wrong_use(f"--region {xpath!r} {problem}")
        try:
            page = read_list(Path(args[0]).read_bytes(), opts.url, opts.content_type, regions=opts.region)
        except OSError as error:
            raise Failed(f"cannot read {args[0]}: {error.strerror}") from None
        except UnreadablePage as error:
            raise Failed(f"cannot read {args[0]}: {error}") from None
        for link in page.links:
            row = {"url": link.url, "text": link.text, "kind": link.kind, "region": link.region}
            emit(row | ({"published_at": link.published_at.isoformat()} if link.published_at else {}))
        return None

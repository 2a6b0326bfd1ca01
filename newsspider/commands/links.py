"""``scrapy links``: what the links of one saved page, feed or sitemap are."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from newsspider.cli.command import CommandError, DataCommand, add_site, print_record
from newsspider.crawl.wrong_use import wrong_use


class Command(DataCommand):
    """Prints one JSON object a link: url, text, kind (article, list, next, attachment, other), region (main, side,
    navigation, footer, body), and published_at if the list shows it (a day without a year is the latest such day). A
    URL is fetched as a crawl fetches it. With --site, the XPaths of the channel with this URL apply, else those of the
    site's first channel. A region that selects no elements is wrong use (exit code 2). Exit code 1 if the page cannot
    be read."""

    summary = "List the links of a page, feed or sitemap: url, text, kind, region"
    usage = "URL | FILE --url URL"
    examples = (
        "  scrapy links list.html --url http://www.example.edu.cn/news/\n"
        "  scrapy links feed.xml --url http://example.com/rss.xml\n"
        "  scrapy links http://www.example.edu.cn/news/ --site my-site.toml"
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", help="where the page comes from; relative links start there")
        add_site(parser)
        parser.add_argument("--content-type", help="the Content-Type header that came with it")
        parser.add_argument(
            "--region", action="append", default=[], metavar="XPATH", help="a block whose links count; may be repeated"
        )

    def work(self, args: list[str], opts: Namespace) -> int | None:
        from newsspider.cli.one_page import fetch_page, is_url, one_site, saved_page
        from newsspider.core.extraction.dom.page import UnreadablePageError
        from newsspider.library.articles import read_list
        from newsspider.sites.pattern_and_xpath_checks import xpath_problem

        if len(args) != 1 or not (opts.url or is_url(args, opts.url)):
            raise wrong_use("give a URL, or one file and --url URL; see scrapy links --help")
        for xpath in opts.region:
            if problem := xpath_problem(xpath, elements=True):
                raise wrong_use(f"--region {xpath!r} {problem}")
        site = one_site(self, opts.site)
        source = (
            fetch_page(self, args[0], site)
            if is_url(args, opts.url)
            else saved_page(args[0], opts.url, opts.content_type)
        )
        channel = next((c for c in site.channels if c.url == source.url), site.channels[0]) if site else None
        try:
            page = read_list(
                *source,
                regions=opts.region or (channel.regions if channel else ()),
                next_page=channel.next_page if channel else None,
                article_url=site.article_url if site else None,
                items=channel.items if channel else None,
            )
        except UnreadablePageError as error:
            raise CommandError(f"cannot read {args[0]}: {error}") from None
        for link in page.links:
            row = {"url": link.url, "text": link.text, "kind": link.kind, "region": link.region}
            print_record(row | ({"published_at": link.published_at.isoformat()} if link.published_at else {}))
        return None

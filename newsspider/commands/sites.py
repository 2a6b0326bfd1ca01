"""``scrapy sites``: the registry of watched sites; a running crawl takes every change up."""

from __future__ import annotations

from argparse import Namespace

from newsspider.cli.command_group import CommandGroup
from newsspider.crawl.wrong_use import wrong_use

SITE_HELP = "the site, or the host of its home page"


class Command(CommandGroup):
    """Each action is one transaction: it changes everything that you name, or nothing. A running crawl picks up a
    change within seconds. NAME is the name of a site or the host of its home page. The keys of a site file are in
    docs/how-to/add-a-site.md."""

    summary = "List, show, add, weight, enable, disable, test and remove the watched sites; find new ones"

    def add_actions(self) -> None:
        from newsspider.cli import site_catalogue, site_changes, site_views

        action = self.add_action
        printed = action(
            "list", site_views.show_list, "[--json]", "List the sites, the heaviest first", "--json | jq .home"
        )
        printed.add_argument("--json", action="store_true", help="one JSON object a site")
        show = action("show", site_views.show, "NAME", "Print a site as TOML, with what was learned about it", "教育部")
        show.add_argument("name", metavar="NAME", help=SITE_HELP)
        self._add_add()
        summary = "Change the weight of a site, and of its channels by as many steps"
        weight = action("weight", site_changes.set_weight, "NAME 1-10", summary, "教育部 9")
        weight.add_argument("name", metavar="NAME", help=SITE_HELP)
        weight.add_argument("weight", metavar="WEIGHT", help="1-10, 10 is the heaviest")
        for name, run, summary in (
            ("enable", site_changes.enable, "Enable sites"),
            ("disable", site_changes.disable, "Disable sites"),
            ("remove", site_changes.remove, "Remove sites for good; their articles stay"),
            ("relearn", site_changes.relearn, "Forget what was learned about sites, and fetch again what was given up"),
        ):
            parser = action(name, run, "NAME...", summary, "教育部\njw.beijing.gov.cn")
            self.add_list(parser, "names", "NAME", SITE_HELP)
        summary = "Fetch each channel of a site once and show its links; nothing is stored"
        test = action("test", site_views.probe, "NAME|FILE.toml|URL", summary, "my-site.toml")
        test.add_argument("target", metavar="SITE", help="the name of a site, a site file, or a URL")
        summary = "Add sites, and replace those of the same names"
        imported = action(
            "import",
            site_changes.import_sites,
            "FILE.toml|FOLDER|FILE.opml|FILE.json",
            summary,
            "my-sites/\nfeeds.opml",
        )
        imported.add_argument("source", metavar="PATH", help="a site file, a folder of them, or feeds as OPML or JSON")
        export = action(
            "export",
            site_views.export,
            "FOLDER|FILE.opml|FILE.json|-",
            "Write one file a site, or all to one place",
            "my-sites/\nsites.opml",
        )
        export.add_argument("folder", metavar="FOLDER", help="a folder, an OPML or JSON file, or - for stdout")
        shown = action(
            "catalogue",
            site_catalogue.show_catalogue,
            "[options]",
            "Show sources of education news that are known, by region, level and class, and add them",
            "--region 江苏 --level university\n--class official --region 浙江 --add\n--counts",
        )
        site_catalogue.add_options(shown)

    def _add_add(self) -> None:
        from newsspider.cli import site_changes

        example = "http://edu.example.cn/ --weight 7\nmy-site.toml --replace"
        add = self.add_action("add", site_changes.add, "FILE.toml|URL... [options]", "Add sites", example)
        self.add_list(add, "sources", "SOURCE", "a site file, or the URL of a home page")
        add.add_argument("--replace", action="store_true", help="a site of that name may be replaced")
        add.add_argument("--name", metavar="NAME", help="the site's name (default: that of the file, or the host)")
        add.add_argument("--weight", metavar="N", help="1-10, 10 is the heaviest")
        add.add_argument("--delay", metavar="SECONDS", help="seconds between two requests")
        add.add_argument("--delay-reason", metavar="TEXT", help="why the delay may be below 1 second")

    def work(self, args: list[str], opts: Namespace) -> int | None:
        from newsspider.sites.loader import SiteError

        try:
            return super().work(args, opts)
        except SiteError as error:
            raise wrong_use(str(error)) from None

"""The action of ``scrapy sites`` that shows the catalogue of sources and watches those that are chosen."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator

from newsspider.actions.sites import media_class_of
from newsspider.cli.command import DataCommand, print_lines, print_record
from newsspider.cli.site_changes import watch_chosen
from newsspider.core.text.regions import region_code, region_names
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.site_lines import cells_line
from newsspider.sites.source_catalogue import CatalogueSource, SourceLevel, chosen_sources, source_record

# Columns of the tables and their widths; with one blank between them they fill 80.
SOURCE_COLUMNS = (("name", 31), ("region", 8), ("level", 13), ("class", 8), ("weight", 6), ("confirmed", 9))
COUNT_COLUMNS = (
    ("region", 8),
    ("national", 8),
    ("province", 8),
    ("city", 6),
    ("university", 10),
    ("international", 13),
    ("all", 6),
    ("confirmed", 9),
    ("read", 4),
)


def add_choice(parser: ArgumentParser) -> None:
    """The options that choose sources of the catalogue, see :func:`chosen_by_options`."""
    parser.add_argument("--region", metavar="NAME", help="a region with all places in it, such as 江苏")
    parser.add_argument("--level", metavar="LEVEL", help=f"one of {', '.join(SourceLevel)}")
    parser.add_argument("--class", dest="media_class", metavar="CLASS", help="a class of media, such as official")


def add_options(parser: ArgumentParser) -> None:
    """The options of ``scrapy sites catalogue``."""
    add_choice(parser)
    parser.add_argument("--counts", action="store_true", help="count the sources of each region instead")
    parser.add_argument("--json", action="store_true", help="one JSON object a source, with addresses and evidence")
    parser.add_argument("--add", action="store_true", help="watch the chosen sources; at least one option chooses them")


def show_catalogue(command: DataCommand, opts: Namespace) -> None:
    """``scrapy sites catalogue``.

    Prints the chosen sources, the heaviest first, as a table of 80 columns. A source is confirmed if two public
    repositories of different owners name its address, or one has since 2024. ``--add`` leaves sources as they are that
    are watched already, or whose home page is on the host of one that is; of those that are disabled it says so.
    """
    sources = sorted(chosen_by_options(opts), key=lambda source: (-source.site.weight, source.site.name))
    if not sources:
        raise wrong_use(f"no source fits; {_without_one(opts)}")
    if opts.add:
        if not (opts.region or opts.level or opts.media_class):
            raise wrong_use("say which sources to add: --region, --level or --class")
        watch_chosen(command, sources)
    elif opts.counts:
        print_lines(_counts(sources))
    elif opts.json:
        for source in sources:
            print_record(source_record(source))
    else:
        print_lines(_table(sources))


def region_of(word: str) -> str:
    """The code of the region with this name; ``UsageError`` if the catalogue has none."""
    code = region_code(word)
    if code is None:
        raise wrong_use(f"the catalogue has no region {word!r}; say a province, or a city such as 苏州")
    return code


def chosen_by_options(opts: Namespace) -> list[CatalogueSource]:
    """The sources that the options of :func:`add_choice` name; without options all."""
    region = "" if opts.region is None else region_of(opts.region)
    if opts.level is not None and opts.level not in list(SourceLevel):
        raise wrong_use(f"a level is one of {', '.join(SourceLevel)}")
    media_class = "" if opts.media_class is None else media_class_of(opts.media_class)
    return chosen_sources(region, opts.level or "", media_class)


def _without_one(opts: Namespace) -> str:
    """How many sources there are without one of the options of a choice that has none."""
    given = {"--region": "region", "--level": "level", "--class": "media_class"}
    fewer = {option: chosen_by_options(Namespace(**{**vars(opts), name: None})) for option, name in given.items()}
    counts = [f"{len(sources)} without {option}" for option, sources in fewer.items() if sources]
    return f"there are {', '.join(counts)}" if counts else "choose by fewer options"


def _table(sources: Iterable[CatalogueSource]) -> Iterator[str]:
    yield cells_line([head for head, _ in SOURCE_COLUMNS], SOURCE_COLUMNS)
    for source in sources:
        confirmed = "yes" if source.is_confirmed else "no"
        site, region = source.site, region_names()[source.region]
        yield cells_line(
            [site.name, region, source.level, site.media_class, str(site.weight), confirmed], SOURCE_COLUMNS
        )


def _counts(sources: list[CatalogueSource]) -> Iterator[str]:
    """A line a region, by code, and one for all."""
    yield cells_line([head for head, _ in COUNT_COLUMNS], COUNT_COLUMNS)
    codes = sorted({f"{source.region[:2]}0000" for source in sources})
    for code in codes:
        yield _count_line(region_names()[code], [source for source in sources if source.region.startswith(code[:2])])
    yield _count_line("all", sources)


def _count_line(name: str, sources: list[CatalogueSource]) -> str:
    by_level = [str(sum(source.level == level for source in sources)) for level in SourceLevel]
    confirmed = str(sum(source.is_confirmed for source in sources))
    read = str(sum(source.is_read for source in sources))
    return cells_line([name, *by_level, str(len(sources)), confirmed, read], COUNT_COLUMNS)

"""Checks the options that Scrapy gives every command before Scrapy acts on them or ignores them."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from w3lib.url import file_uri_to_path

from newsspider.crawl.wrong_use import reason_of, wrong_use

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

FILES = ("logfile", "pidfile", "profile")


def check_options(opts: Namespace) -> None:
    """Raise ``UsageError`` for a file that cannot be written, an empty value, or a setting without a name."""
    if opts.loglevel == "":
        raise wrong_use("--loglevel is empty: say a level like INFO")
    for setting in opts.set:
        name, equals, _ = setting.partition("=")
        if not name.strip() or not equals:
            raise wrong_use(f"-s {setting}: say -s NAME=VALUE")
    for option in FILES:
        file = getattr(opts, option)
        if file is not None:
            check_written(f"--{option} {file}" if file else f"--{option}", file)


def check_written(what: str, file: str, *, folder: bool = False) -> None:
    """Raise ``UsageError`` starting with ``what`` if this file or folder cannot be written; its content is kept."""
    if not file:
        raise wrong_use(f"{what}: name a file")
    try:
        Path(file).mkdir(parents=True, exist_ok=True) if folder else Path(file).open("a").close()
    except (OSError, ValueError) as error:
        raise wrong_use(f"{what}: {reason_of(error)}") from None


def check_feeds(settings: BaseSettings) -> None:
    """Raise ``UsageError`` for a feed of an unknown format, or to a local file that cannot be written."""
    try:
        feeds = settings.getdict("FEEDS")
    except ValueError as error:
        raise wrong_use(f"FEEDS: not JSON: {error}") from None
    formats = sorted(name for name, exporter in settings.getwithbase("FEED_EXPORTERS").items() if exporter)
    for uri, options in feeds.items():
        if not isinstance(options, Mapping) or options.get("format") not in formats:
            raise wrong_use(f'FEEDS: {uri}: say a format, as in {{"format": "jsonl"}}; there are {", ".join(formats)}')
        _check_feed(str(uri))


def _check_feed(uri: str) -> None:
    try:
        path = file_uri_to_path(uri) if uri.startswith("file:") else uri
    except ValueError as error:
        raise wrong_use(f"the feed {uri}: {error}") from None
    if "://" not in path and "%(" not in path and path != "stdout:":
        check_written(f"the feed {uri}", str(Path(path).parent), folder=True)
        check_written(f"the feed {uri}", path)


def check_names(
    conn: Connection,
    settings: BaseSettings,
    *,
    site: str | None = None,
    topic: str | None = None,
    subtopic: str | None = None,
) -> None:
    """Raise ``UsageError`` for a filter with an unknown name, which is a typo rather than a filter without matches."""
    from newsspider.store.articles.article_filters import is_site, is_subtopic, is_topic

    if site is not None and not is_site(conn, site):
        raise wrong_use(f"--site {site}: there is no such site; see `scrapy sites list`")
    if topic is not None and not is_topic(conn, topic, settings["TOPIC"]):
        raise wrong_use(f"--topic {topic}: there is no such topic; see `scrapy topics list`")
    if subtopic is not None and not is_subtopic(conn, subtopic, settings["TOPIC"]):
        shown = f"scrapy topics show {shlex.quote(settings['TOPIC'])}"
        raise wrong_use(f"--subtopic {subtopic}: no topic has such a part; see `{shown}`")

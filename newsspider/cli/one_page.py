"""The one page that a command reads: from a file, or asked for at its URL; and the site whose rules apply."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.actions.page_fetcher import OnePage
from newsspider.cli.command import CommandError, DataCommand
from newsspider.core.url import canonical
from newsspider.crawl.wrong_use import wrong_use
from newsspider.sites.loader import SiteError

if TYPE_CHECKING:
    from newsspider.actions.page_fetcher import Fetch
    from newsspider.sites.model import Site


def is_url(args: list[str], url: str | None) -> bool:
    """Whether the only argument of a command is the URL of the page rather than its file."""
    return len(args) == 1 and not url and "://" in args[0]


def fetch_page(command: DataCommand, word: str, site: Site | None) -> OnePage:
    """The page at a URL, asked for as a crawl asks; it obeys robots.txt and is stored nowhere."""
    from newsspider.actions.page_fetcher import fetch_pages
    from newsspider.pages.read_page import content_type_of
    from newsspider.pages.site_trial import NoPageError, SiteTrial
    from newsspider.sites.model import from_home

    url, settings, pages = canonical(word), command.settings, []
    if url is None:
        raise wrong_use(f"not an http or https URL: {word}")
    assert settings is not None

    async def ask(fetch: Fetch) -> None:
        response = await SiteTrial(from_home(url), fetch, settings).page(url)
        pages.append(OnePage(response.body, response.url, content_type_of(response) or None))

    try:
        fetch_pages(settings, ask, site)
    except NoPageError as problem:
        raise CommandError(f"{url}: {problem}") from None
    return pages[0]


def saved_page(file: str, url: str, content_type: str | None) -> OnePage:
    """The page in a file."""
    if canonical(url) is None:
        raise wrong_use(f"not an http or https URL: {url}")
    try:
        return OnePage(Path(file).read_bytes(), url, content_type)
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None


def one_site(command: DataCommand, word: str | None) -> Site | None:
    """The site of a name or a file; ``None`` where none is named."""
    if word is None:
        return None
    from newsspider.cli.site_arguments import is_source, registered_sites, site_named, sites_of  # it loads the store
    from newsspider.store.sites import usable_site

    try:
        if is_source(word):
            return sites_of(word)[0]
    except (SiteError, OSError) as error:
        raise wrong_use(f"--site {word}: {error}") from None
    with command.store() as engine:
        return usable_site(site_named(registered_sites(engine), word))

"""Short crawls as commands make them, each in a process of its own, for a reactor runs only once."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from scrapy.settings import Settings

from newsspider.actions.page_fetcher import Fetch, fetch_pages
from newsspider.pages.site_trial import ChannelTrial, NoPageError, SiteTrial
from newsspider.sites.model import Site, from_home
from tests.support.process import _forks

SECONDS = 60.0
NO_ENVIRONMENT: Mapping[str, str] = {}


def trials_of(site: Site, settings: Mapping[str, Any]) -> list[ChannelTrial]:
    """What ``scrapy sites test`` finds at the channels of a site."""
    return _apart(_tested, site, settings)


def pages_of(urls: Sequence[str], settings: Mapping[str, Any], environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[str]:
    """The text of each URL's page, or why there is none."""
    return _apart(_read, urls, settings, environment)


def _apart(function: Any, *arguments: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=_forks, max_tasks_per_child=1) as processes:
        return processes.submit(function, *arguments).result(SECONDS)


def _tested(site: Site, changed: Mapping[str, Any]) -> list[ChannelTrial]:
    settings, trials = _settings(changed), []

    async def test(fetch: Fetch) -> None:
        trials.extend(
            [replace(trial, documents=(), failure=None) async for trial in SiteTrial(site, fetch, settings).trials()]
        )  # trees cannot leave the process

    fetch_pages(settings, test, site)
    return trials


def _read(urls: Sequence[str], changed: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    os.environ.update(environment)
    settings, texts = _settings(changed), []

    async def fetch_all(fetch: Fetch) -> None:
        trial = SiteTrial(from_home("http://a.example/"), fetch, settings)
        for url in urls:
            try:
                texts.append((await trial.page(url)).text)
            except NoPageError as problem:
                texts.append(str(problem))

    fetch_pages(settings, fetch_all)
    return texts


def _settings(changed: Mapping[str, Any]) -> Settings:
    settings = Settings()
    settings.setmodule("newsspider.settings", priority="project")
    settings.setdict({"LOG_ENABLED": False, **changed}, priority="cmdline")
    return settings

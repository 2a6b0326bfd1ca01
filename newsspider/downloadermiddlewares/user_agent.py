"""Sends a user agent with a contact, and warns if there is none."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.downloadermiddlewares.useragent import UserAgentMiddleware as ScrapyUserAgent

from newsspider.core.fetching.address_guard import refusal_of_address

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

NO_CONTACT = "(no contact given)"  # in the shipped user agent
_REACHABLE = re.compile(r"@|://|www\.")


def agent_with_contact(agent: str, contact: str) -> str:
    """The user agent with the contact in it.

    >>> [agent_with_contact(agent, "admin@a.cn") for agent in ("mywatch/1.0", f"newsspider/0.1 {NO_CONTACT}")]
    ['mywatch/1.0 (+admin@a.cn)', 'newsspider/0.1 (+admin@a.cn)']
    """
    if not contact or contact in agent:
        return agent
    return f"{agent.removesuffix(NO_CONTACT).rstrip()} (+{contact})"


class UserAgentMiddleware(ScrapyUserAgent):
    """Scrapy's, with the contact; warns once when a public host is asked without one. Settings: ``USER_AGENT``,
    ``CONTACT``."""

    def __init__(self, user_agent: str = "") -> None:
        super().__init__(user_agent)
        self._anonymous = not _REACHABLE.search(user_agent)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(agent_with_contact(crawler.settings["USER_AGENT"], crawler.settings["CONTACT"]))
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        return middleware

    def process_response(self, request: Request, response: Response) -> Response:
        address = response.ip_address
        if (
            self._anonymous
            and address is not None
            and (request.meta.get("proxy") or refusal_of_address(address) is None)
        ):
            self._anonymous = False  # once is enough
            logger.warning(
                "%s is asked by %r, which names no contact: administrators cannot write to you before they block you. "
                "Set CONTACT, or the variable NEWSSPIDER_CONTACT, to an address of yours",
                request.url,
                self.user_agent,
            )
        return response

"""The user agent names the contact of the settings; a public host that is asked without one is worth one warning."""

from ipaddress import ip_address

import pytest
from scrapy.http import Request, Response
from scrapy.utils.test import get_crawler

import newsspider.settings
from newsspider.downloadermiddlewares.politeness import NO_CONTACT, UserAgentMiddleware
from tests.support.tables import each

SHIPPED = f"newsspider/0.1 {NO_CONTACT}"
REQUEST = Request("http://a.example/")


def middleware(agent: str = SHIPPED, contact: str = "") -> UserAgentMiddleware:
    return UserAgentMiddleware.from_crawler(get_crawler(settings_dict={"USER_AGENT": agent, "CONTACT": contact}))


@each(
    ("agent", "contact", "sent"),
    [
        (SHIPPED, "", "newsspider/0.1 (no contact given)"),
        (newsspider.settings.USER_AGENT, "c@d.example", "newsspider/0.1 (+c@d.example)"),
        (SHIPPED, "https://b.example/bot", "newsspider/0.1 (+https://b.example/bot)"),
        ("own/1 (+https://own.example)", "c@d.example", "own/1 (+https://own.example) (+c@d.example)"),
        ("own/1 c@d.example", "c@d.example", "own/1 c@d.example"),
    ],
)
def test_a_request_names_the_contact(agent: str, contact: str, sent: str) -> None:
    request = REQUEST.copy()
    middleware(agent, contact).process_request(request)
    assert request.headers[b"User-Agent"] == sent.encode()


@pytest.mark.parametrize(
    ("agent", "contact", "address", "meta", "warns"),
    [
        (SHIPPED, "", "93.184.215.14", {}, True),
        ("own/1", "", "2606:2800:21f::1", {}, True),
        (SHIPPED, "", "127.0.0.1", {"proxy": "http://127.0.0.1:8080"}, True),
        (SHIPPED, "c@d.example", "93.184.215.14", {}, False),
        ("own/1 (+https://own.example)", "", "93.184.215.14", {}, False),
        (SHIPPED, "", "127.0.0.1", {}, False),
        (SHIPPED, "", "10.1.2.3", {}, False),
        (SHIPPED, "", None, {}, False),
    ],
)
def test_crawling_a_public_host_without_a_contact_warns_once(
    caplog: pytest.LogCaptureFixture, agent: str, contact: str, address: str | None, meta: dict[str, str], warns: bool
) -> None:
    asking = middleware(agent, contact)
    response = Response(REQUEST.url, ip_address=ip_address(address) if address else None)
    for _ in range(3):
        assert asking.process_response(REQUEST.replace(meta=meta), response) is response
    warnings = [record.getMessage() for record in caplog.records if "NEWSSPIDER_CONTACT" in record.getMessage()]
    assert len(warnings) == warns

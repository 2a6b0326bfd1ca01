"""What a page that cannot be read is called."""

import pytest

from newsspider.core.extraction.dom import UnreadablePageError, parse
from newsspider.features.health.check.faults import SiteFault
from newsspider.features.health.check.site_check import _fault_of_unreadable


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", SiteFault.NOT_HTML),
        (bytes(range(1, 9)) * 400, SiteFault.WRONG_CHARSET),
    ],
)
def test_only_a_garbled_page_is_called_garbled(body: bytes, fault: SiteFault) -> None:
    with pytest.raises(UnreadablePageError) as caught:
        parse(body, "http://a.cn/", "text/html")
    assert _fault_of_unreadable(caught.value) is fault

"""Small site files."""

import pytest

from newsspider.sites.loader import SiteError, load_site

SMALL = """
name = "a"
home = "http://a.cn/"
weight = 5
media_class = "portal"
[[channels]]
name = "home"
url = "http://a.cn/"
"""


def problems(text: str) -> list[tuple[str, str]]:
    with pytest.raises(SiteError) as caught:
        load_site(text, "a.toml")
    assert caught.value.file == "a.toml"
    assert (caught.value.key, caught.value.reason) == caught.value.problems[0]
    return list(caught.value.problems)

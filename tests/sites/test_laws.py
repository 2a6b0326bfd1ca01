"""Laws for every site and every value: a site is read back as it was written, and a value is read or refused."""

import json
import re
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.model import ArticleRules
from newsspider.sites.loader import SiteError, load_site, site_toml
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site
from tests.support.site_files import SMALL

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip() == text)
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=80)
WEIGHTS = st.integers(1, 10)
XPATHS = st.none() | st.sampled_from(
    ["//h1", '//a[@class="x"]', "//a[@title='\\']", "string(//h1)", "//a[text()='下一页']"]
)
CHANNELS = st.builds(
    Channel,
    NAMES,
    st.integers(0).map("http://a.cn/{}".format),
    WEIGHTS,
    st.sampled_from(ChannelKind),
    st.lists(st.sampled_from(["//ul", "//div[@id='a']", '//p[@id="b"]'])).map(tuple),
    XPATHS,
)
SITES = st.builds(
    Site,
    name=NAMES.filter(lambda name: not name.startswith("-")),  # a command would take it for an option
    home=st.just("http://a.cn/"),
    weight=WEIGHTS,
    media_class=st.sampled_from(MediaClass),
    channels=st.lists(CHANNELS, min_size=1, unique_by=(lambda one: one.name, lambda one: one.url)).map(tuple),
    delay_seconds=st.none() | st.floats(0, 3600),
    delay_reason=ANY_TEXT,
    article_url=st.none() | st.sampled_from([r"\d+\.html", "'", '"', "\\\\", "\x7f"]).map(re.compile),
    rules=st.builds(ArticleRules, XPATHS, XPATHS, XPATHS, XPATHS, XPATHS),
    enabled=st.booleans(),
    note=st.just("") | ANY_TEXT,
)
VALUES = st.recursive(st.booleans() | st.integers() | ANY_TEXT, lambda inner: st.lists(inner, max_size=3), max_leaves=4)


@given(SITES)
def test_a_site_written_and_read_again_is_the_same(site):
    assert load_site(site_toml(site), "again") == site


@given(VALUES, st.sampled_from(["name", "weight", "xpaths", "channels", "note", "article_url", "delay_seconds"]))
def test_a_value_of_any_type_is_read_or_refused(value, key):
    other_lines = "".join(line for line in SMALL.splitlines(keepends=True) if not line.startswith(f"{key} ="))
    text = f"{key} = {json.dumps(value, ensure_ascii=False)}\n{other_lines}".replace("\x7f", "")
    with suppress(SiteError):  # no other exception
        assert load_site(text, "a.toml").channels

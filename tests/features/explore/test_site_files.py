"""Lists that are worth watching, as site files and as people see them."""

from dataclasses import replace

from newsspider.core.model import PageType
from newsspider.core.text.terminal_columns import column_count
from newsspider.features.explore.rules.list_value import OnTopicArticle, ReadList
from newsspider.features.explore.site_files import Proposal, proposal_record, proposals_table, propose_channels
from newsspider.sites.loader import load_site, site_toml
from newsspider.sites.model import Channel, MediaClass, Site
from tests.support.tables import each

NOW = 1_800_000_000.0


def listed(url: str, title: str = "", good: int = 20, bad: int = 0, of_kind: PageType = PageType.ARTICLE, **values) -> ReadList:
    articles = {key: OnTopicArticle(NOW - (key + 1) * 3600, kind=of_kind) for key in range(good)}
    refused = frozenset(range(1000, 1000 + bad))
    shown = refused | articles.keys()
    fields = {"kind": PageType.LIST, "visited_at": NOW, "shown": shown, "kept": articles, "refused": refused, "title": title}
    return ReadList(url, **fields | values)


def proposed(*lists: ReadList, sites: tuple[Site, ...] = ()) -> Proposal:
    (proposal,) = propose_channels([lists], sites)
    return proposal


def names(*lists: ReadList) -> list[str]:
    return [channel.name for channel in proposed(*lists).site.channels]


WATCHED = Site("教育部", "http://www.moe.gov.cn/", 10, MediaClass.OFFICIAL, (Channel("要闻", "http://www.moe.gov.cn/yw/", 10),))


def test_a_new_site_is_named_after_its_host_and_weighs_as_its_heaviest_channel():
    proposal = proposed(listed("http://edu.a.cn/b/", bad=20), listed("http://edu.a.cn/a/"), listed("http://www.a.cn/a/"))
    assert (proposal.is_new, proposal.site.name, proposal.site.home) == (True, "edu.a.cn", "http://edu.a.cn/")
    assert proposal.site.weight == max(channel.weight for channel in proposal.site.channels) > proposal.site.channels[0].weight
    assert load_site(site_toml(proposal.site), "x") == proposal.site
    assert "40 of 60" in proposed(listed("http://a.cn/", bad=20), listed("http://a.cn/a/")).site.note


@each(
    ("titles", "name"),
    [
        (["教育_示例网", "高考_教育_示例网"], "示例网"),
        (["示例网 - 要闻", "示例网 - 高考"], "示例网"),
        (["教育_示例网"], "a.cn"),
        (["教育", "高考"], "a.cn"),
        (["教育_示例网", ""], "a.cn"),
        (["教育_-示例网", "高考_-示例网"], "示例网"),
        (["教育_\u200b-示例网", "高考_\u200b-示例网"], "示例网"),
        (["教育_\u200b-", "高考_\u200b-"], "a.cn"),
    ],
)
def test_a_new_site_is_named_by_what_the_titles_of_its_lists_have_in_common(titles, name):
    lists = [listed(f"http://a.cn/{n}/", title) for n, title in enumerate(titles)]
    assert proposed(*lists).site.name == name


def test_a_channel_has_the_kind_of_its_list():
    site = proposed(listed("http://a.cn/"), listed("http://a.cn/rss", kind=PageType.FEED), listed("http://a.cn/edu/"), listed("http://a.cn/?c=7")).site
    assert [str(channel.kind) for channel in site.channels] == ["home", "feed", "list", "list"]


def test_lists_on_a_host_that_is_watched_are_channels_of_its_site():
    here, there = listed("http://www.moe.gov.cn/gk/", "要闻_教育部"), listed("http://zfxx.moe.gov.cn/gk/", "公开")
    extended, new = propose_channels([[here, there]], [WATCHED])
    assert (extended.is_new, new.is_new, new.site.name) == (False, True, "zfxx.moe.gov.cn")
    assert (extended.site.name, extended.site.weight, extended.lists) == ("教育部", 10, (here,))
    assert [channel.name for channel in extended.site.channels] == ["要闻", "要闻 2"]
    assert load_site(site_toml(extended.site), "x").channels[0] == WATCHED.channels[0]


def test_a_watched_site_of_two_domains_is_proposed_once_with_all_its_new_channels():
    watched = replace(WATCHED, channels=(*WATCHED.channels, Channel("报纸", "http://paper.example.com/", 5)))
    here, other, there = (listed(f"http://{host}/b/") for host in ("www.moe.gov.cn", "a.cn", "paper.example.com"))
    extended, new = propose_channels([[here], [other], [there]], [watched])
    assert (extended.site.name, extended.lists) == ("教育部", (here, there))
    assert extended.site.channels[:2] == watched.channels
    assert [channel.url for channel, _ in extended.pairs()] == [here.url, there.url]
    assert new.site.name == "a.cn"


def test_a_host_with_or_without_www_is_one():
    assert proposed(listed("http://moe.gov.cn/gk/"), sites=(WATCHED,)).site.name == "教育部"


def test_no_new_site_takes_the_name_of_another():
    watched = Site("b.cn", "http://www.c.cn/", 5, MediaClass.PORTAL, (Channel("c", "http://www.c.cn/", 5),))
    assert proposed(listed("http://b.cn/"), sites=(watched,)).site.name == "b.cn 2"


@each(
    ("titles", "expected"),
    [
        (["要闻_示例教育网", "高考_示例教育网"], ["要闻", "高考"]),
        (["示例教育网 - 要闻", "示例教育网 - 高考"], ["要闻", "高考"]),
        (["要闻-示例教育网"], ["要闻"]),
        (["要闻|示例网", "要闻|示例网"], ["要闻", "要闻 2"]),
        (["", ""], ["/0/", "/1/"]),
        (["更多"], ["/0/"]),
        (["学" * 100], ["学" * 40]),
        (["要\x00闻\n频道"], ["要闻 频道"]),
    ],
)
def test_a_channel_is_named_by_what_its_title_alone_says(titles, expected):
    assert names(*(listed(f"http://a.cn/{n}/", title) for n, title in enumerate(titles))) == expected


def test_without_a_title_a_channel_is_named_by_the_link_to_it():
    assert names(listed("http://a.cn/x/", anchor="招生考试"), listed("http://a.cn/y/", anchor="更多>>")) == ["招生考试", "/y/"]


@each(
    ("host", "values", "expected"),
    [
        ("jyj.example.gov.cn", {}, "official"),
        ("news.example.edu.cn", {}, "local"),
        ("edu.example.com.cn", {}, "trade"),
        ("edu.example.com.cn", {"bad": 20}, "portal"),
        ("bbs.example.com", {"of_kind": PageType.FORUM}, "forum"),
        ("example.com", {"of_kind": PageType.BLOG}, "blog"),
    ],
)
def test_the_media_class_follows_from_domain_page_types_and_share(host, values, expected):
    assert str(proposed(listed(f"http://{host}/a/", **values)).site.media_class) == expected


def test_the_table_has_80_columns_and_all_figures():
    long = listed("http://a.cn/" + "y/" * 60, "新" * 50, good=4, bad=1, kept=dict.fromkeys(range(4), OnTopicArticle(original=False)))
    lines = list(proposals_table([proposed(long), proposed(listed("http://www.moe.gov.cn/gk/", "公开"), sites=(WATCHED,))]))
    assert max(map(column_count, lines)) == 80
    assert lines[2] == "a.cn  (new: weight 1, trade)"
    assert lines[3].split()[1:] == ["1", "0.80", "0.38", "4/5", "-", "0%"]
    assert lines[5:7] == ["", "教育部  (watched: 1 channel more)"]


def test_a_record_has_the_figures_of_a_channel():
    proposal = proposed(listed("http://a.cn/", "要闻", bad=5))
    ((channel, channel_list),) = proposal.pairs()
    fields = proposal_record(proposal, channel, channel_list)
    assert fields == {
        "site": "a.cn", "new": True, "name": "要闻", "url": "http://a.cn/", "kind": "home", "weight": channel.weight, "share": 0.8,
        "least_share": 0.6087, "on_topic": 20, "read": 25, "shown": 25, "a_day": 24.0, "original": 1.0,
    }  # fmt: skip

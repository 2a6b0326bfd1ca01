"""What the arguments of an explore crawl mean for a URL."""

from newsspider.core.url import canonical
from newsspider.features.explore.explore_arguments import ExploreArguments
from tests.support.tables import each


@each("within", ["教育.中国", ".教育.中国", "新闻.教育.中国:8080", "xn--wcvs22d.xn--fiqs8s"])
def test_a_chinese_domain_lets_its_hosts_through(within: str) -> None:
    url = canonical("http://新闻.教育.中国:8080/1.html")
    assert url is not None
    arguments = ExploreArguments.read({"strategy": "breadth-first", "seeds": url, "within": within})
    assert arguments.inside(url)
    assert not arguments.inside("http://news.example.cn/1.html")

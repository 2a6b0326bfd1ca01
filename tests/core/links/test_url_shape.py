"""What the URL of a link says of the page behind it."""

from time import process_time

from newsspider.core.links.url_shape import is_article_url
from tests.support.tables import each


@each("piece", ["a-", "%aa", "1", "a1", "a/", "/12345/", "/12345/校a校a校a校"])
def test_the_length_of_a_url_cannot_hold_up_the_reading_of_its_shape(piece: str) -> None:
    start = process_time()
    for length in (500, 50_000):
        is_article_url("http://example.com/" + piece * length + "!")
    assert process_time() - start < 0.5


@each(
    ("path", "verdict"),
    [
        ("jyxw/202405/t20240517_1131.html", True),
        ("n1/2024/0517/c1001-40153.html", True),
        ("info/1001/2345.htm", True),
        ("2024/0001/qq.html", True),
        ("show.asp?id=7", True),
        ("thread-4123-1-1.html", True),
        ("a/4f1a9c0de2b7a51c", True),
        ("2024/05/17/a-long-walk", True),
        ("", False),
        ("edu/", False),
        ("index.html", False),
        ("list_48_2.html", False),
        ("node_1021.htm", False),
        ("jyxw/index_3.shtml", False),
        ("forum-2-1.html", False),
        ("about.html", False),
        ("omn/author/5082585", False),
        ("xy.html", None),
        ("archives/40153/", None),
        ("news/a-school-opens-its-new-laboratory/", True),
        ("news/school-sports/", False),
        ("news/ib" + "%E5%AD%A6" * 8 + "-2/", True),
        ("news/ib" + "%E5%AD%A6" * 4 + "/", False),
        ("edu/401/", False),
        ("channel/2350.html", False),
        ("keywords/7.html", False),
        ("list.asp?classid=4728", False),
        ("upload/2024/05/17/20240517_1131.jpg", False),
        ("content.jsp?urltype=tree.TreeTempUrl&wbtreeid=1001", False),
        ("show.php?catid=3&id=40", True),
        ("search/show.php?newsid=40", True),
        ("thread.php?fid=40", False),
        ("read.php?tid=40&fid=3", True),
        ("news/20240517/12.html?cid=5", True),
        ("2026/11/22/welcome-home.html", True),
        ("2026/11/22/welcome-home", True),
        ("news/what-every-parent-should-know-about-home.html", True),
        ("2026/11/22/col-12.html", False),
        ("2026/11/22/index.html", False),
        ("school-home.html", False),
        ("node/1021011/教育", False),
        ("u/1021011/photos", False),
        ("embed/Ab3-x", False),
        ("s/4lOq-WEK_kZxRo7pLZ2IQa", True),
        ("s/schoolnewsofmonth11and12", False),
        ("s/SchoolNewsAndMoreOfToday", False),
        ("category/zhengce/20240517/", True),
        ("category/news/how-to-choose-a-good-school-for-your-child/", True),
        ("zixun/list-htm-catid-2166.html", False),
        ("zixun/search-htm-thumb-1.html", False),
        ("zixun/show-htm-itemid-2166.html", True),
    ],
)
def test_the_shape_of_a_url_tells_articles_from_lists(path: str, verdict: bool | None) -> None:
    assert is_article_url("http://example.com/" + path) is verdict

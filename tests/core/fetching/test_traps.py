from datetime import date

from newsspider.core.fetching.traps import has_suffix, trap_of
from tests.support.tables import each

TODAY = date(2024, 5, 17)
A = "http://example.com/"


@each(
    ("url", "word"),
    [
        (A + "a" * 2000, "characters"),
        (A + "a/b/c/d/e/f/g/h/i/j/k/l/m", "segments"),
        (A + "news/x/news/y/news/z/news/", "repeats"),
        (A + "list?" + "&".join(f"p{i}=1" for i in range(13)), "parameters"),
        (A + "calendar?year=2199&month=1", "calendar"),
        (A + "calendar?date=1901-05-01", "calendar"),
        (A + "cal?ym=203001", "calendar"),
        (A + "?m=20310501", "calendar of the year 2031"),  # WordPress
        (A + "cal?view=month&date=2031-5-1", "calendar of the year 2031"),
        (A + "cal?date=2031%2F05%2F01", "calendar of the year 2031"),
    ],
)
def test_endless_rooms_are_traps_with_a_reason(url: str, word: str) -> None:
    assert word in (trap_of(url, TODAY) or "")


@each(
    "url",
    [
        A,
        A + "jyxw/202405/t20240517_1131.html?from=list",
        A + "2024/2024/2024/1.html",
        A + "calendar?year=2024&month=6",
        A + "calendar?year=2025&month=1",
        A + "book?year=1901&id=7",
        A + "calendar?day=17",
        A + "news.asp?view=1523",  # numbers of articles
        A + "news.asp?view=1985",
        A + "news.asp?d=152345",
        A + "news.asp?D=12345678",
        A + "news.asp?m=17031234",
    ],
)
def test_urls_of_written_pages_are_not_traps(url: str) -> None:
    assert trap_of(url, TODAY) is None


def test_suffixes_are_those_of_the_path_in_any_case() -> None:
    suffixes = frozenset({"jpg", "zip"})
    assert has_suffix(A + "a.JPG?x=1", suffixes)
    assert not has_suffix(A + "a.html?file=b.jpg", suffixes)
    assert not has_suffix(A + "jpg", suffixes)

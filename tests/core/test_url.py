from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.url import LONGEST_URL, absolute, canonical, host_of, same_site, site_domain, suffix_of, url_key
from tests.support.tables import each

A = "http://example.com/"
TOKEN = "6ab1f2c3d4e5f60718293a4b5c6d7e8f"


@each(
    ("url", "expected"),
    [
        ("HTTP://Example.COM:80", A),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:80/a", "https://example.com:80/a"),
        ("http://user:secret@example.com/a", A + "a"),
        ("http://example.com./a", A + "a"),
        ("http://example.com.:8080/a", "http://example.com:8080/a"),
        ("http://example.com/a/./b/../c", A + "a/c"),
        ("http://example.com/a/%2e%2e/c", A + "c"),
        ("\u3000http://example.com/a\n", A + "a"),
        ("http://example.com/a#top", A + "a"),
        ("http://example.com", A),
        ("http://example.com?x=1", A + "?x=1"),
        ("http://example.com:80", A),
        ("http://example.com:18900/tag/%E6%89%8B?q=%2F&utm_source=x#top", "http://example.com:18900/tag/%E6%89%8B?q=%2F"),
        ("http://example.com/a?", A + "a"),
        ("http://example.com/a?&&x=1&", A + "a?x=1"),
        ("http://bücher.example/新闻", "http://xn--bcher-kva.example/%E6%96%B0%E9%97%BB"),
    ],
)
def test_what_browsers_take_for_the_same_page_has_one_form(url: str, expected: str) -> None:
    assert canonical(url) == expected


@each(
    ("url", "expected"),
    [
        (A + "%7ewang/%61.html", A + "~wang/a.html"),
        (A + "s?q=a%26b%2b", A + "s?q=a%26b%2B"),
        (A + "list.asp?class=%bd%cc%d3%fd", A + "list.asp?class=%BD%CC%D3%FD"),
        (A + "a%2fb", A + "a%2Fb"),
        (A + "100%%37E", A + "100%%37E"),  # decoding 7 would make a new triplet, %7E
        (A + "100%4%31", A + "100%4%31"),
    ],
)
def test_only_unreserved_characters_are_decoded_and_no_byte_is_transcoded(url: str, expected: str) -> None:
    assert canonical(url) == expected


@each(
    ("url", "expected"),
    [
        (A + "a.do;jsessionid=0A1B?id=3", A + "a.do?id=3"),
        (A + "a.do;JSESSIONID=0A1B", A + "a.do"),
        (A + f"a.do;sid={TOKEN}", A + "a.do"),
        (A + "(S(lit3py55t21z5v55vlm25s55))/news.aspx", A + "news.aspx"),
        (A + ".;jsessionid=1/../a", A + "a"),
        (A + "a?id=3&PHPSESSID=abc", A + "a?id=3"),
        (A + f"a?sid={TOKEN}&id=3", A + "a?id=3"),
        (A + "a?utm_source=x&id=3&UTM_campaign=y&spm=1.2.3", A + "a?id=3"),
        (A + "a?id=3&from=timeline&isappinstalled=0", A + "a?id=3"),
        (A + "a?id=3&_=1712345678901", A + "a?id=3"),
        (A + "a?%75tm_source=x", A + "a"),
    ],
)
def test_session_ids_and_tracking_parameters_go(url: str, expected: str) -> None:
    assert canonical(url) == expected


@each(
    "url",
    [
        A + "a?sid=12",
        A + "a?from=20",
        A + "a?s=search",
        A + "a?b=2&a=1",
        A + "a;v=2",
        A + "a?t=1712345678901",
        A + "a?id=",
    ],
)
def test_parameters_that_may_choose_the_page_stay_where_they_are(url: str) -> None:
    assert canonical(url) == url


@each(
    "url",
    [
        "",
        "mailto:a@example.com",
        "javascript:void(0)",
        "ftp://example.com/a",
        "http://",
        "a.html",
        "http://a b/",
        "\ud800",
        "http://./",
    ],
)
def test_what_is_no_web_address_is_none(url: str) -> None:
    assert canonical(url) is None


@each(
    "reference", [A + "x" * LONGEST_URL, "/" + "x" * LONGEST_URL, "/" + "新" * (LONGEST_URL // 9), "?q=" + "%2f" * 1_400]
)
def test_a_url_beyond_the_limit_is_none(reference: str) -> None:
    assert canonical(reference, A) is None
    assert absolute(A, reference) is None


def test_a_long_url_that_is_canonically_short_is_one() -> None:
    assert canonical(A + "a?utm_source=" + "x" * (LONGEST_URL - 40)) == A + "a"


def test_a_relative_url_is_resolved_against_its_base() -> None:
    assert canonical("../b.html?x=1#c", "http://example.com/news/2024/a.html") == A + "news/b.html?x=1"
    assert canonical("//other.example/b", "https://example.com/") == "https://other.example/b"
    assert canonical("b.html", "no base") is None


PIECES = st.sampled_from(
    [
        *"/.%e7?&=a#@:\\教",
        "..",
        "%2e",
        "%7E",
        "%37",
        "%C0",
        "%25",
        ";jsessionid=",
        ";sid=",
        TOKEN,
        "/(S(",
        "))/",
        "from=app",
        "utm_x",
        "sid=",
    ]
)


@given(st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=40)))
def test_the_canonical_form_is_its_own_canonical_form(rest: str) -> None:
    url = canonical("http://example.com" + rest)
    if url is not None:
        assert canonical(url) == url
        assert url.isascii()


@given(
    st.sampled_from(["a.cn", "www.a-b.com.cn", "xn--a.cn", "1.2.3.4", "1.2.3", "01.2.3.4", "a..cn", "a.cn.", "a.c0m", "a_b.cn"]),
    st.sampled_from(["", "", ":8080", ":80", ":443", ":08", ":99999"]),
    st.lists(st.sampled_from([*"/?&=.~!$*+,:@-_;%'|(", "a", "/t1.html", "/..", "/.", "//", "from=app", "spm=1", "sid="]), max_size=12),
)
def test_a_plain_url_is_what_the_parser_makes_of_it(host: str, port: str, rest: list[str]) -> None:
    url = f"http://{host}{port}/{''.join(rest)}"
    assert canonical(url) == canonical(f" {url}")  # with the blank it is not plain, and takes the long way


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    canonical(text, "http://example.com/")
    suffix_of(text)
    host_of(text)
    site_domain(text)


def test_the_key_is_a_signed_64_bit_number_and_depends_on_every_character() -> None:
    keys = {url_key(f"http://{number}.example.com/") for number in range(1000)}
    assert len(keys) == 1000
    assert min(keys) < 0 < max(keys)
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert url_key("http://example.com/") == 6398245229100520343


def test_the_keys_of_a_host_lie_together_and_of_its_sections() -> None:
    keys = [url_key(f"http{'s' * (number % 2)}://example.com/news/{number}/a.htm") for number in range(1000)]
    assert len({key >> 48 for key in keys}) == 1
    assert {key >> 54 for key in keys} == {url_key("http://example.com/") >> 54}
    assert url_key("http://example.com/") >> 48 not in {url_key("http://example.com:81/") >> 48, keys[0] >> 48}


def test_the_keys_of_numbered_pages_lie_together_in_their_order() -> None:
    keys = [url_key(f"http://example.com/show.php?id={number}&v=1") for number in range(1_024_000, 1_024_300)]
    blocks = [key >> 40 & 255 for key in keys]
    assert blocks == sorted(blocks)
    assert len(set(blocks)) == 3


def test_the_keys_of_dated_pages_lie_together_by_weeks() -> None:
    shapes = ("2026/11/{}/c_{}.htm", "202611/{}/{}.htm", "news/t202611{}_{}.htm", "2026-11-{}-{}.htm")
    days = [[url_key(f"http://example.com/{shape.format(day, day * 7919)}") >> 40 & 255 for day in (17, 19, 25)] for shape in shapes]
    assert len({tuple(blocks) for blocks in days}) == 1
    assert days[0][0] == days[0][1] == days[0][2] - 1


@each(
    ("url", "host"),
    [
        ("HTTP://News.Example.com:80/a", "news.example.com"),
        ("https://example.com:8443", "example.com:8443"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("mailto:a@example.com", ""),
    ],
)
def test_the_host_keeps_only_an_unusual_port(url: str, host: str) -> None:
    assert host_of(url) == host


@each(
    ("host", "domain"),
    [
        ("news.sina.com.cn", "sina.com.cn"),
        ("xxgk.jyt.zj.gov.cn", "zj.gov.cn"),
        ("www.gov.cn", "www.gov.cn"),
        ("jwc.pku.edu.cn", "pku.edu.cn"),
        ("www.tuoitre.com.vn", "tuoitre.com.vn"),
        ("News.Example.CO.ZA:8080", "example.co.za"),
        ("one.github.io", "one.github.io"),
        ("a.b.news.test", "news.test"),
        ("com.cn", "com.cn"),
        ("www.example.com", "example.com"),
        ("localhost", "localhost"),
        ("127.0.0.2:8000", "127.0.0.2"),
        ("[::1]:8000", "[::1]"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_the_site_of_a_host_is_what_was_registered(host: str, domain: str) -> None:
    assert site_domain(host) == domain


def test_hosts_of_one_registered_name_are_one_site() -> None:
    assert same_site("http://news.example.com.cn/", "https://www.example.com.cn:8080/a")
    assert not same_site("http://a.com.cn/", "http://b.com.cn/")
    assert not same_site("https://a.github.io/", "https://b.github.io/")
    assert not same_site("http://127.0.0.2:8000/", "http://127.0.0.3:8000/")
    assert not same_site("mailto:a@b.cn", "javascript:void(0)")


@each(
    ("url", "suffix"),
    [
        (A + "a/计划.DOCX", "docx"),
        (A + "a.pdf?x=b.html", "pdf"),
        (A + "a.pdf;v=1#b.html", "pdf"),
        ("http://example.com", ""),
        (A + "v1.2/list", ""),
        ("plan.zip", "zip"),
        (A + "end.", ""),
    ],
)
def test_the_suffix_is_that_of_the_path(url: str, suffix: str) -> None:
    assert suffix_of(url) == suffix

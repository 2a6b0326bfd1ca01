"""The seeds of an explore crawl, as people write them."""

from pathlib import Path

import pytest
from scrapy.exceptions import UsageError

from newsspider.features.explore.crawl_starts import Seed
from newsspider.features.explore.seeds import read_seeds
from tests.support.tables import each


def test_a_file_has_a_url_a_line_with_weights_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("\ufeff# ours\nhttp://a.cn/#top\n\n  http://b.cn/x  7 # heavy\nHTTP://A.cn/ 3\n", encoding="utf-8")
    assert read_seeds(str(file)) == (Seed("http://a.cn/"), Seed("http://b.cn/x", 7))


def test_urls_may_stand_in_the_argument() -> None:
    assert read_seeds("http://a.cn/,https://b.cn/x?y=1,") == (Seed("http://a.cn/"), Seed("https://b.cn/x?y=1"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("www.a.cn", "'www.a.cn' is not an http or https URL"),
        ("http://a.cn/ heavy", "'heavy' behind the URL is no weight from 1 to 10"),
        ("http://a.cn/ 11", "'11' behind the URL is no weight from 1 to 10"),
        ("http://a.cn/ 1 2", "'1 2' behind the URL"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(f"http://good.cn/\n{line}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="line 2: ") as raised:
        read_seeds(str(file))
    assert message in str(raised.value)


@pytest.mark.parametrize(("content", "message"), [(b"\xff\xfe\xff", "no text in UTF-8"), (b"# nothing\n", "there is no URL in it")])
def test_a_file_without_seeds_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "seeds.txt").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_seeds(str(tmp_path / "seeds.txt"))


@each("argument", ["", "/nowhere", ".", "a\0b"])
def test_a_seeds_argument_that_names_no_readable_file_is_refused(argument: str) -> None:
    with pytest.raises(UsageError, match="seeds="):
        read_seeds(argument)

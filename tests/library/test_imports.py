"""The library imports no more than it needs."""

import subprocess
import sys
from importlib.resources import files

import pytest

import newsspider

USED = """
import sys
import newsspider
assert not [name for name in sys.modules if name.startswith("newsspider.")], "nothing is imported yet"
from newsspider import *
import newsspider.library.export_formats
read_article(b"<h1>x", "http://a.cn/"), read_list(b"<a href=/1>", "http://a.cn/"), judge("x")
list(read_articles([(b"<h1>x", "http://a.cn/")], processes=1, progress=False))
try:
    Store("/no/such/file")
except StoreUnusableError:
    pass
print(sorted({"scrapy", "twisted", "redis", "aiohttp", "pandas", "pyarrow"} & set(sys.modules)))
"""


@pytest.mark.slow
def test_neither_scrapy_nor_tables_are_imported() -> None:
    process = subprocess.run([sys.executable, "-c", USED], capture_output=True, text=True, check=True)
    assert process.stdout == "[]\n"


def test_the_package_exports_exactly_its_documented_names() -> None:
    assert all(getattr(newsspider, name).__doc__ for name in newsspider.__all__)
    assert set(newsspider.__all__) <= set(dir(newsspider))
    with pytest.raises(AttributeError, match="no_such_name"):
        newsspider.no_such_name  # noqa: B018
    assert files("newsspider").joinpath("py.typed").is_file()

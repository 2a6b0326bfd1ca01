"""Files with passwords, and URLs whose passwords are not shown."""

import pytest
from sqlalchemy import make_url

from newsspider.store.engine.database import parsed_url
from newsspider.store.engine.errors import StoreUnusableError, url_without_passwords, without_password
from newsspider.store.engine.password_file import password_in
from tests.support.tables import each


@pytest.mark.parametrize("content", ["geheim", "geheim\r\n", "\ufeffgeheim\n"])
def test_the_password_is_the_line_of_the_file(tmp_path, content):
    (tmp_path / "file").write_text(content, "utf-8", newline="")
    assert password_in(str(tmp_path / "file")) == "geheim"


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf\r\n"])
def test_an_empty_file_is_refused(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError, match=r"^the password file .*/file is empty$"):
        password_in(str(tmp_path / "file"))


def test_a_name_with_nul_is_refused():
    with pytest.raises(ValueError, match=r"^the password file a\0b cannot be read: embedded null byte$"):
        password_in("a\0b")


@each(
    ("url", "reason"),
    [
        ("postgresql://u@h/d?password_file=a&password_file=b", "name one password_file"),
        ("sqlite:////tmp/news.db?password_file=a", "SQLite has no passwords; leave password_file out"),
    ],
)
def test_a_url_whose_file_cannot_be_meant_is_refused(url, reason):
    with pytest.raises(StoreUnusableError, match=rf"^DATABASE_URL=.*: {reason}$"):
        parsed_url(url)


@each("url", ["postgresql://u:hidden@h/d?{}=hidden&a=1", "postgresql://u@h/d?a=1&{}=hidden"])
@each("key", ["password", "sslpassword", "ssl_password"])
def test_no_password_of_a_url_is_shown(url, key):
    for printed in (url_without_passwords(make_url(url.format(key))), without_password(url.format(key))):
        assert "hidden" not in printed
        assert f"{key}=***" in printed
        assert "a=1" in printed

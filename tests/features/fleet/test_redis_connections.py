"""The password of a Redis server in a file takes precedence over any other, whatever the URL looks like."""

import asyncio

import pytest
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import ConnectionError as NoConnection

from newsspider.features.fleet.redis_connections import FilePassword, with_password


@pytest.fixture
def file(tmp_path):
    (tmp_path / "password").write_text("secret\n", "utf-8")
    return tmp_path / "password"


@pytest.mark.parametrize("client", [Redis, AsyncRedis])
@pytest.mark.parametrize(
    ("url", "bare", "credentials"),
    [
        ("redis://127.0.0.1:6379/2?{}", "redis://127.0.0.1:6379/2?", ("secret",)),
        ("rediss://me:old@127.0.0.1/0?db=3&{}", "rediss://127.0.0.1/0?db=3&", ("me", "secret")),
        ("redis://m%40e@127.0.0.1?{}&username=other&db=3", "redis://127.0.0.1?db=3", ("m@e", "secret")),
        ("redis://127.0.0.1?password=old&{}", "redis://127.0.0.1?", ("secret",)),
        ("unix:///tmp/s?{}&db=1", "unix:///tmp/s?db=1", ("secret",)),
        ("unix://me@/tmp/s?{}", "unix:///tmp/s?", ("me", "secret")),
    ],
)
@pytest.mark.parametrize("params", [{}, {"password": "older"}])
def test_the_password_of_the_file_is_taken(file, client, url, bare, credentials, params):
    options = with_password({"url": url.format(f"password_file={file}"), **params})
    assert options["url"] == bare
    connection = client.from_url(**options).connection_pool.make_connection()  # refuses two kinds of credentials
    assert connection.credential_provider.get_credentials() == credentials
    assert asyncio.run(connection.credential_provider.get_credentials_async()) == credentials
    assert getattr(connection, "path", "/tmp/s") == "/tmp/s"


def test_a_user_of_the_parameters_stays(file):
    options = with_password({"url": f"redis://h?password_file={file}", "username": "me", "password": "old", "db": 3})
    assert options.pop("credential_provider").get_credentials() == ("me", "secret")
    assert options == {"url": "redis://h?", "db": 3}


def test_a_url_without_a_file_stays_as_it_is():
    options = {"url": "redis://me:secret@h/0?db=1", "password": "other"}
    assert with_password(options) is options


def test_a_file_without_a_password_is_a_failed_connection(file):
    file.write_text("\n", "utf-8")
    with pytest.raises(NoConnection, match="is empty"):
        FilePassword("", str(file)).get_credentials()

"""What the machine itself knows of names."""

import asyncio
from ipaddress import ip_address
from pathlib import Path

from newsspider.download.system_resolver import hosts_table
from tests.support.name_server import Running, names, texts


def test_the_table_of_hosts_and_local_names_are_asked_of_no_server(server: Running, tmp_path: Path) -> None:
    at, address = server
    table = tmp_path / "hosts"
    table.write_text("# ours\n10.1.2.3 News.test alias.test # x\n::1 localhost6\nnonsense here\n\nfd00::7 news.test\n")

    async def crawl() -> None:
        resolver = names(address, table=hosts_table(table))
        assert texts(await resolver.find("news.test")) == ["10.1.2.3", "fd00::7"]
        assert texts(await resolver.find("alias.test")) == ["10.1.2.3"]
        assert ip_address("127.0.0.1") in (await resolver.find("localhost")).addresses
        assert not at.asked

    asyncio.run(crawl())
    assert not hosts_table(tmp_path / "none")


def test_without_name_servers_the_system_is_asked() -> None:
    async def crawl() -> None:
        assert ip_address("127.0.0.1") in (await names().find("localhost")).addresses

    asyncio.run(crawl())

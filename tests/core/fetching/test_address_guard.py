"""Which addresses are public, in whatever spelling they come."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.fetching.address_guard import AllowedAddresses, literal_address, refusal_of_address, refused_host
from newsspider.core.url import canonical, host_of
from tests.support.addresses import SPELLINGS
from tests.support.tables import each


def test_there_are_forty_spellings():
    assert len(SPELLINGS) == 40


@each(("spelling", "address"), SPELLINGS.items())
def test_every_spelling_is_the_address_that_it_means_and_refused(spelling, address):
    assert literal_address(spelling) == ip_address(address)
    assert refused_host(spelling)
    assert refused_host(f"{spelling}:8080")


@each("spelling", SPELLINGS)
def test_no_spelling_gets_through_as_a_url(spelling):
    url = canonical(f"http://{spelling}/")
    assert url is None or refused_host(host_of(url))


@each(
    "name", ["www.example.cn", "1.example.cn", "127.0.0.1.example.cn", "0x7f.cn", "beef", "256.1.1.1", "1.2.3.4.5",
             "127..1", "", ".", "08.1", "4294967296", "0x1ffffffff", "1.16777216", "[::1::]", "xn--0zwm56d"],
)  # fmt: skip
def test_what_is_no_address_is_a_name(name):
    assert literal_address(name) is None
    assert refused_host(name) is None


@each(
    ("address", "word"),
    [
        ("0.1.2.3", "unspecified"), ("10.0.0.1", "private"), ("172.16.0.1", "private"), ("172.31.255.255", "private"),
        ("192.168.1.1", "private"), ("100.64.0.1", "carrier-grade NAT"), ("100.127.255.255", "carrier-grade NAT"),
        ("169.254.169.254", "link-local"), ("224.0.0.1", "multicast"), ("239.255.255.255", "multicast"),
        ("192.0.2.1", "documentation"), ("192.0.0.8", "reserved"), ("198.18.0.1", "reserved"), ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"), ("::", "unspecified"), ("::1", "loopback"), ("fc00::1", "private"),
        ("fd12:3456::1", "private"), ("fe80::1", "link-local"), ("fec0::1", "link-local"), ("ff02::1", "multicast"),
        ("2001:db8::1", "documentation"), ("2001:10::1", "reserved"), ("100::1", "reserved"), ("4000::1", "reserved"),
        ("::ffff:10.0.0.1", "private"), ("::ffff:0:10.0.0.1", "private"), ("::10.0.0.1", "private"),
        ("64:ff9b::192.168.0.1", "private"), ("64:ff9b:1::1", "reserved"), ("2002:a00:1::1", "private"),
        ("2001:0:7f00:1::1", "loopback"),  # Teredo: the server
        ("2001:0:808:808:0:0:f5ff:fffe", "private"),  # Teredo: the client 10.0.0.1
        ("2400:3200::5efe:10.0.0.1", "private"), ("fe80::5efe:8.8.8.8", "link-local"),  # ISATAP
    ],
)  # fmt: skip
def test_what_is_not_for_the_open_internet_is_refused_with_a_word(address, word):
    assert str(refusal_of_address(ip_address(address))).startswith(f"{word} address ")


@each(
    "address",
    ["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.0.1.1", "223.255.255.255",
     "202.108.22.5", "2400:3200::1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
     "2400:3200::5efe:8.8.8.8"],
)  # fmt: skip
def test_public_addresses_are_not_refused(address):
    assert refusal_of_address(ip_address(address)) is None


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_an_ipv4_address_gets_the_same_verdict_in_every_embedding(address):
    verdict = refusal_of_address(address)
    assert refusal_of_address(IPv6Address(f"::ffff:{address}")) == verdict
    assert refusal_of_address(IPv6Address((0x64FF9B << 96) + int(address))) == verdict
    assert refusal_of_address(IPv6Address((0x2002 << 112) + (int(address) << 80))) == verdict
    assert literal_address(str(int(address))) == literal_address(hex(int(address))) == address


@given(st.text(max_size=40))
def test_no_host_breaks_the_reader(host):
    assert literal_address(host) is None or refused_host(host) == refusal_of_address(literal_address(host))


def test_exceptions_are_exact():
    allowed = AllowedAddresses.read(["127.0.0.0/8", " 10.1.2.3", "[fd00::1]", "Intranet.Example.cn.", ""])
    assert refusal_of_address(ip_address("127.9.9.9"), allowed) is None
    assert refusal_of_address(ip_address("::ffff:127.0.0.1"), allowed) is None
    assert refusal_of_address(ip_address("10.1.2.3"), allowed) is None
    assert refusal_of_address(ip_address("10.1.2.4"), allowed)
    assert refusal_of_address(ip_address("fd00::1"), allowed) is None
    assert refusal_of_address(ip_address("fd00::2"), allowed)
    assert allowed.allows_host("intranet.example.cn")
    assert not allowed.allows_host("www.intranet.example.cn")
    assert not AllowedAddresses.read([]).networks


@each("entry", ["10.0.0.1/8", "10.0.0.0/33", "http://example.cn", "a b", "127.0.0.1:80", "300.1.1.1"])
def test_an_invalid_exception_is_refused_by_name(entry):
    with pytest.raises(ValueError, match=entry.replace(".", r"\.")):
        AllowedAddresses.read(["127.0.0.1", entry])

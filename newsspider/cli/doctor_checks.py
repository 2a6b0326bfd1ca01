"""What ``scrapy doctor`` checks: the result of each is ok, a warning or a failure."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from newsspider.cli.server_advice import store_advice
from newsspider.core.query.query_dates import ZONE
from newsspider.hooks import plugins
from newsspider.store.engine.password_file import OPTION

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from sqlalchemy import URL, Connection, Engine


MIB = 1024 * 1024
LEAST_FREE, GOOD_FREE = 200 * MIB, 2048 * MIB
LEAST_FILES, GOOD_FILES = 256, 1024
MOST_APART_SECONDS = 5.0  # of two clocks; leases and delays allow for that
ANSWER_SECONDS = 3.0
OLDEST_CLOCK = 1_735_689_600.0  # 2025-01-01: this program is younger
NAMES_ASKED = 3
OF_EXTRA = re.compile(r"""extra == ["'](\w+)""")
OF_DEVELOPERS = {"test", "bench", "release"}  # extras that no crawl needs


class CheckVerdict(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class CheckFinding(NamedTuple):
    """What a check found, and what to do about it."""

    check: str
    verdict: CheckVerdict
    found: str
    advice: str = ""


def run_checks(settings: Settings, now: float) -> Iterator[CheckFinding]:
    """All checks, one after the other."""
    checks = {
        "installation": _installation(),
        "settings": _settings(settings),
        "topic": _topic(settings),
        "site files": _site_files(),
        "store": _store(settings, now),
        "plug-ins": _of_plugins(settings, now),
        "disk": _disk(settings),
        "descriptors": _descriptors(settings),
        "identity": _identity(settings),
    }
    for name, check in checks.items():
        try:
            yield from check
        except Exception as error:  # whatever it met: the other checks are made all the same
            problem = f"the check failed: {str(error) or type(error).__name__}"
            yield CheckFinding(name, CheckVerdict.FAIL, problem, "correct that first")


def _installation() -> Iterator[CheckFinding]:
    from importlib.metadata import PackageNotFoundError, requires, version

    from packaging.requirements import Requirement

    try:
        requirements = [Requirement(line) for line in requires("newsspider") or ()]
        name = f"newsspider {version('newsspider')}, "
    except PackageNotFoundError:  # it runs from its folder
        requirements, name = [Requirement("scrapy>=2.19"), Requirement("lxml>=6.0"), Requirement("scrapy-redis")], ""
    missing: list[str] = []
    extras: set[str] = set()  # that lack something
    for requirement in requirements:
        extra = OF_EXTRA.search(str(requirement.marker))
        if requirement.marker is not None and not extra and not requirement.marker.evaluate():
            continue
        try:
            fits = requirement.specifier.contains(version(requirement.name), prereleases=True)
        except PackageNotFoundError:
            fits = False
        if not fits and extra:
            extras.add(extra[1])
        elif not fits:
            missing.append(str(requirement).partition(";")[0].strip())
    python = f"Python {sys.version.split()[0]}"
    if missing:
        advice = f"pip install {' '.join(repr(requirement) for requirement in missing)}"
        yield CheckFinding("installation", CheckVerdict.FAIL, f"missing or too old: {', '.join(missing)}", advice)
    else:
        without = f"; without the extras {', '.join(sorted(extras))}" if (extras := extras - OF_DEVELOPERS) else ""
        yield CheckFinding("installation", CheckVerdict.OK, f"{name}{python}{without}")


def _settings(settings: Settings) -> Iterator[CheckFinding]:
    """Values that cannot work stop every command; these here do nothing."""
    from newsspider.crawl.setting_checks import setting_warnings

    warnings = list(setting_warnings(settings))
    for warning in warnings:
        yield CheckFinding("settings", CheckVerdict.WARN, warning, "correct or remove it in the settings file")
    if not warnings:
        yield CheckFinding("settings", CheckVerdict.OK, "every value can work")


def _topic(settings: Settings) -> Iterator[CheckFinding]:
    from newsspider.topics.loader import TopicError, load_topic

    try:
        name = load_topic(settings["TOPIC"]).name
    except TopicError as error:
        advice = "correct that file, or name another TOPIC: `scrapy topics list`"
        yield CheckFinding("topic", CheckVerdict.FAIL, str(error), advice)
    else:
        yield CheckFinding("topic", CheckVerdict.OK, f"{name} can be used")


def _site_files() -> Iterator[CheckFinding]:
    """Whether each file in ``sites/`` of the project can be used."""
    from scrapy.utils.conf import closest_scrapy_cfg

    from newsspider.sites.loader import SiteError, load_sites

    files = sorted(Path(closest_scrapy_cfg()).parent.glob("sites/*.toml"))
    broken = False
    for file in files:
        try:
            load_sites(file)
        except SiteError as error:
            broken = True
            advice = f"correct the file, then `scrapy sites test {shlex.quote(str(file))}`"
            yield CheckFinding("site files", CheckVerdict.FAIL, str(error), advice)
    if files and not broken:
        yield CheckFinding("site files", CheckVerdict.OK, f"each of {len(files)} in {files[0].parent} can be used")


def _names(url: URL) -> dict[str, str]:
    """What a database URL names, for advice."""
    database, password = url.database or "", str(url.query.get(OPTION, ""))
    names = {"user": url.username or "", "place": url.host or "", "password": password}
    return {"file": database, "database": database, **names}


def _store(settings: Settings, now: float) -> Iterator[CheckFinding]:
    from newsspider.store.engine.database import open_store, parsed_url
    from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError, url_without_passwords

    url = parsed_url(settings["DATABASE_URL"])
    file = Path(url.database or "") if url.get_backend_name() == "sqlite" else None
    if file is not None and not os.access(file, os.F_OK):
        yield _new_store(file)
        yield _clock(now, {})
        yield from _dns(settings, [])
        return
    try:
        engine = open_store(settings["DATABASE_URL"], readable=True)
    except (StoreFailedError, StoreUnusableError) as error:
        yield CheckFinding("store", CheckVerdict.FAIL, str(error), store_advice(str(error), _names(url)))
        yield _clock(now, {})
        return
    try:
        yield from _opened(engine, url_without_passwords(url), settings, now)
    except StoreFailedError as error:
        yield CheckFinding("store", CheckVerdict.FAIL, str(error), store_advice(str(error), _names(url)))
    finally:
        engine.dispose()


def _new_store(file: Path) -> CheckFinding:
    folder = file.absolute().parent
    above = next(ancestor for ancestor in (folder, *folder.parents) if os.access(ancestor, os.F_OK))
    try:
        tempfile.TemporaryFile(dir=above).close()
    except OSError as error:
        advice = f"name a file elsewhere in DATABASE_URL, or `chown` {above} to the user that crawls"
        found = f"{above} takes no files ({error.strerror}), so {file} cannot be made"
        return CheckFinding("store", CheckVerdict.FAIL, found, advice)
    advice = "nothing if this is new; else correct DATABASE_URL (NEWSSPIDER_DATABASE_URL, NEWSSPIDER_DATA_DIR)"
    return CheckFinding(
        "store", CheckVerdict.WARN, f"there is no store at {file} yet; the first crawl makes it", advice
    )


def _opened(engine: Engine, name: str, settings: Settings, now: float) -> Iterator[CheckFinding]:
    from newsspider.core.url import host_of
    from newsspider.sites.model import Site
    from newsspider.store import sites as registry
    from newsspider.store.engine.database import reading, writable
    from newsspider.store.engine.integrity import glance_at_file

    damage = glance_at_file(engine)
    if damage:
        advice = "stop the crawls, `scrapy store check`, then restore a backup: `scrapy store restore FILE`"
        yield CheckFinding("store", CheckVerdict.FAIL, f"{name} is damaged: {damage}", advice)
    elif not writable(engine):
        yield CheckFinding(
            "store", CheckVerdict.FAIL, f"{name} can be read only", "give file and folder to the user that crawls"
        )
    else:
        yield CheckFinding("store", CheckVerdict.OK, f"{name} can be read and written")
    with reading(engine) as conn:
        clocks, sites = _database_clock(conn), registry.stored_sites(conn)
    broken = [site for site in sites if isinstance(site, registry.BrokenSiteError)]
    for site in broken:
        yield CheckFinding("sites", CheckVerdict.FAIL if site.enabled else CheckVerdict.WARN, site.problem, site.advice)
    yield from () if broken else [CheckFinding("sites", CheckVerdict.OK, f"each of {len(sites)} can be used")]
    yield _clock(now, clocks)
    yield from _dns(settings, [host_of(site.home) for site in sites if isinstance(site, Site) and site.enabled])


def _database_clock(conn: Connection) -> dict[str, float]:
    """The moments by which the clock of this machine is measured."""
    from sqlalchemy import func, select

    from newsspider.store.tables import hosts

    last = conn.execute(select(func.max(hosts.c.last_visit_at))).scalar()
    clocks = {} if last is None else {"the last request": float(last)}
    if conn.dialect.name == "postgresql":
        clocks["PostgreSQL"] = float(conn.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one())
    return clocks


def _clock(now: float, clocks: dict[str, float]) -> CheckFinding:
    from datetime import datetime

    present_time = datetime.fromtimestamp(now, ZONE).strftime("%Y-%m-%d %H:%M in China")
    advice = "set the clock, by NTP: `timedatectl set-ntp true`"
    last = clocks.pop("the last request", 0.0)
    if now < OLDEST_CLOCK or last > now + MOST_APART_SECONDS:
        why = "before this program was made" if now < OLDEST_CLOCK else "before the last request of the store"
        return CheckFinding("clock", CheckVerdict.FAIL, f"it is {present_time}, {why}", advice)
    for name, other in clocks.items():
        if abs(other - now) > MOST_APART_SECONDS:
            return CheckFinding(
                "clock", CheckVerdict.FAIL, f"{abs(other - now):.0f} seconds apart from that of {name}", advice
            )
    return CheckFinding("clock", CheckVerdict.OK, f"it is {present_time}")


def _of_plugins(settings: Settings, now: float) -> Iterator[CheckFinding]:
    for findings_of_plugin in plugins().hook.checks(settings=settings, now=now):
        yield from findings_of_plugin


def _disk(settings: Settings) -> Iterator[CheckFinding]:
    from newsspider.store.engine.database import parsed_url

    url = parsed_url(settings["DATABASE_URL"])
    folders = [Path(tempfile.gettempdir())]
    if url.get_backend_name() == "sqlite":
        folders.insert(0, Path(url.database or "").absolute().parent)
    for folder in folders:
        there = next(ancestor for ancestor in (folder, *folder.parents) if os.access(ancestor, os.F_OK))
        usage = shutil.disk_usage(there)
        if not usage.total:  # /proc and the like: no disk, as the check of the store says
            continue
        free = usage.free
        verdict = CheckVerdict.FAIL if free < LEAST_FREE else CheckVerdict.WARN if free < GOOD_FREE else CheckVerdict.OK
        advice = "" if verdict is CheckVerdict.OK else "`scrapy store sizes`, `scrapy store prune`, or a larger disk"
        yield CheckFinding("disk", verdict, f"{free // MIB} MiB are free in {there}", advice)


def _descriptors(settings: Settings) -> Iterator[CheckFinding]:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = max(LEAST_FILES, 4 * settings.getint("CONCURRENT_REQUESTS"))
    verdict = CheckVerdict.FAIL if soft < needed else CheckVerdict.WARN if soft < GOOD_FILES else CheckVerdict.OK
    advice = "" if verdict is CheckVerdict.OK else _descriptor_advice(needed, hard)
    yield CheckFinding("descriptors", verdict, f"a process may have {soft} files and connections open", advice)


def _descriptor_advice(needed: int, hard: int) -> str:
    if 0 <= hard < needed:  # which nobody but root can raise
        return (
            "as root let it be more: LimitNOFILE=4096 in the systemd unit, `--ulimit nofile=4096` of the container, or"
            " `* hard nofile 4096` in /etc/security/limits.conf and a new log-in"
        )
    most = max(needed, 4096)
    return f"`ulimit -n {min(most, hard) if hard >= 0 else most}`, or LimitNOFILE= in the systemd unit"


def _dns(settings: Settings, hosts: list[str]) -> Iterator[CheckFinding]:
    """Whether the names of some watched sites have addresses."""
    from newsspider.core.fetching.address_guard import literal_address
    from newsspider.download.guarded_resolver import name_servers

    names = [name for host in hosts if literal_address(name := host.partition(":")[0]) is None][:NAMES_ASKED]
    servers = name_servers(settings)
    if not names:
        return
    problems = asyncio.run(_unresolved(names, settings))
    by = ", ".join(server.host for server in servers) or "the system's resolver"
    if len(problems) == len(names):
        advice = "see /etc/resolv.conf or DNS_SERVERS, and whether the network is up; behind a proxy this does no harm"
        yield CheckFinding("dns", CheckVerdict.FAIL, f"{by}: {'; '.join(problems)}", advice)
    elif problems:
        yield CheckFinding(
            "dns", CheckVerdict.WARN, "; ".join(problems), "if it stays so, the site has gone: `scrapy health`"
        )
    else:
        yield CheckFinding("dns", CheckVerdict.OK, f"{by} knows {', '.join(names)}")


async def _unresolved(names: list[str], settings: Settings) -> list[str]:
    """Of each name without an address, why; they are asked for as in a crawl."""
    from newsspider.download.guarded_resolver import names_of

    resolver = names_of(settings)
    answers = await asyncio.gather(*(resolver.find(name) for name in names))
    return [f"{name}: {answer.problem}" for name, answer in zip(names, answers, strict=True) if not answer.addresses]


def _identity(settings: Settings) -> Iterator[CheckFinding]:
    from newsspider.downloadermiddlewares.politeness import agent_with_contact

    agent = agent_with_contact(settings["USER_AGENT"], settings["CONTACT"])
    token = settings["ROBOTS_AGENT"]
    if token.lower() not in agent.lower():
        advice = "let ROBOTS_AGENT be a word of USER_AGENT: webmasters write rules for the name that they see"
        mismatch = f"robots.txt is read for {token!r}, the user agent is {agent!r}"
        yield CheckFinding("identity", CheckVerdict.WARN, mismatch, advice)
    if not settings["CONTACT"] and not ("@" in agent or "://" in agent):
        advice = "set CONTACT (NEWSSPIDER_CONTACT) to a URL or e-mail address of yours: people write before they block"
        yield CheckFinding("identity", CheckVerdict.WARN, f"the user agent {agent!r} names nobody to write to", advice)
    else:
        yield CheckFinding("identity", CheckVerdict.OK, f"the user agent is {agent!r}")

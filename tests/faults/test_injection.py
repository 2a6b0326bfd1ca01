"""Parts of the crawl fail in mid-crawl, once or until it ends: every article is stored in the end, and no exit code lies."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from newsspider.core.crawling.outcome import INTERNAL_PROCESSES
from tests.faults import injection
from tests.faults.injection import Fault
from tests.support.name_server import name_server
from tests.support.news import News, news
from tests.support.newsroom import DAY, later
from tests.support.servers import new_file
from tests.support.workers import Store, assert_stored_once, workers

ARTICLES = 208
AFTER = 12  # good calls
DOMAIN = "news.test"
NAMES_AT = "127.0.0.219"
ENDS_SECONDS = 300.0
REASONS = (Finish.INTERNAL_OUTAGE, Finish.INTERNAL_ERRORS, Finish.STORE_FAILED)
OUTAGE, LEFT, FAILED = (ending_of_reason(reason).exit_code for reason in REASONS)
START_ERROR, NOTHING_READ, POSTPONED = (
    ending_of_reason(reason).exit_code for reason in (Finish.START_ERROR, Finish.NOTHING_READ, Finish.POSTPONED)
)
QUICK = (
    "-s", "DELAY_FACTOR=0", "-s", "RETRY_BASE_SECONDS=0.2", "-s", "ROUND_PATIENCE_SECONDS=3", "-s", "WRITER_PATIENCE_SECONDS=1",
    "-s", "DNS_TTL_MIN_SECONDS=0", "-s", "DNS_RECORDS=A",
)  # fmt: skip
READER = Fault("newsspider.pages.article_page:read_page", "value", after=AFTER)
POISON = Fault("newsspider.pages.article_page:ArticleReader.read", "value", where="/10007.html")
OFFLINE = Fault("aiohttp.connector:TCPConnector.connect", "network")
GIVEN_UP = "SELECT url, state, reason, detail FROM urls WHERE state = 'error' AND due_at IS NULL"
STORED = "SELECT count(*) FROM articles"
# What fails, the exit code, and what of the sentence names the cause.
LASTING = (
    (READER, OUTAGE, "most often ValueError at faults/injection.py"),
    (Fault("newsspider.pages.article_page:parse", "memory", after=AFTER), OUTAGE, "memory is used up"),
    (Fault("newsspider.pipelines.relevance:score", "value", after=AFTER), OUTAGE, "internal errors affected"),
    (Fault("tests.faults.injection:UserPipeline.process_item", "value", after=AFTER), OUTAGE, "internal errors affected"),
    (Fault("tests.faults.injection:UserMiddleware.handed_on", "value", after=AFTER), OUTAGE, "internal errors affected"),
    (Fault("newsspider.store.pages:save_all", "value", after=AFTER), OUTAGE, "internal errors affected"),
    (Fault("newsspider.pipelines.store:normalise_text", "data file", after=AFTER), OUTAGE, "most often FileNotFoundError"),
    (Fault("newsspider.pages.article_page:read_page", "open files", after=AFTER), OUTAGE, "the limit of open files ("),
    (Fault("asyncio:to_thread", "thread", after=5), OUTAGE, "no thread can be started"),
    (Fault("newsspider.store.engine.batch:Attempt.make", "commit", after=AFTER), FAILED, "the store failed"),
    (Fault("dns.asyncquery:udp_with_fallback", "network", after=AFTER), None, ""),
)
# The pages over which these fail are on half of the hosts at most; a writer's job is done again alone before it has failed.
ONCE = tuple(
    Fault(fault.target, fault.error, 1 + (fault.target.endswith("save_all")), AFTER + 10 * n)
    for n, (fault, *_) in enumerate(LASTING)
    if fault.error not in ("open files", "thread") and fault.target != READER.target  # as many as may fail, on half of the hosts
)  # fmt: skip

# Each recovers while the crawl still runs: commits before the writer has lost patience, names and connections before the round has.
RECOVERING = (
    Fault("newsspider.store.engine.batch:Attempt.make", "commit", 2, AFTER),
    Fault("dns.asyncquery:udp_with_fallback", "network", 10, AFTER),
    Fault("aiohttp.connector:TCPConnector.connect", "network", 20, 4 * AFTER),
)


@pytest.fixture(scope="module")
def names() -> Iterator[str]:
    """The address of a name server that knows the hosts of the portal, and says that its answers hold for no time."""
    with name_server(NAMES_AT) as (server, address):
        for host in range(220, 236):
            server.add(f"h{host}.{DOMAIN}", "A", f"127.0.0.{host}", ttl=0)
        yield address


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """208 articles on 16 named hosts, whose lists are long enough to be read in a thread."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=220, delay=0.02, domain=DOMAIN) as running:
        running.latency, running.padding = 0.0, " " * 300_000
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a file."""
    new_file(tmp_path / "news.db")
    return Store(tmp_path / "news.db")


def crawl(store: Store, portal: News, names: str, *faults: Fault) -> tuple[int, str]:
    """One round in which these parts fail: its exit code, and the end of what it said."""
    assert isinstance(store.database, Path)
    store.more = dict(injection.environment(*faults))
    arguments = ("education", "-a", f"sites={portal.sites}", "-s", f"DNS_SERVERS={names}", *QUICK, *injection.SETTINGS)
    log = store.database.with_name("log0")
    log.unlink(missing_ok=True)
    with workers(store, log.parent, 1, *arguments) as (worker,):
        return worker.end(ENDS_SECONDS), worker.log_end()


def test_parts_that_fail_until_the_crawl_ends_stop_it_and_cost_no_article(store: Store, portal: News, names: str) -> None:
    for fault, expected, sentence in LASTING:
        code, output = crawl(store, portal, names, fault)
        assert code == expected if expected is not None else code != 0, (fault, code, output)
        assert sentence in output.rstrip().rsplit("\n", 1)[1], (fault, output)
        assert store.rows(GIVEN_UP) == [], (fault, output)
        assert store.rows(STORED)[0][0] < ARTICLES, "there is nothing left to fail over"
        later(store.database, DAY)
    code, output = crawl(store, portal, names)
    assert code == 0, output
    assert_stored_once(store, portal)


@pytest.mark.parametrize("faults", [ONCE, RECOVERING], ids=["once", "for a while"])
def test_parts_that_fail_and_recover_cost_no_article_and_the_exit_code_tells_what_is_left(
    faults: tuple[Fault, ...], store: Store, portal: News, names: str
) -> None:
    portal.forget_visits()
    code, output = crawl(store, portal, names, *faults)
    stored = store.rows(STORED)[0][0]
    assert (code == 0) is (stored == ARTICLES), output
    if code != 0:  # two faults met one page or host, which waits for a later crawl now
        assert code in (LEFT, POSTPONED), output
        assert isinstance(store.database, Path)
        later(store.database, DAY)
        code, output = crawl(store, portal, names)
    assert code == 0, output
    assert_stored_once(store, portal)
    assert len(portal.visits()) < sum(portal.visits().values()), "no page was asked for again: nothing failed"


@pytest.mark.parametrize(
    "fault", [Fault(READER.target, "open files", 1, AFTER), Fault("asyncio:to_thread", "thread", 1, 5)], ids=["open files", "threads"]
)
def test_running_out_of_files_or_threads_stops_the_crawl_and_costs_no_article(fault: Fault, store: Store, portal: News, names: str) -> None:
    code, output = crawl(store, portal, names, fault)
    assert code == OUTAGE, output
    assert store.rows(GIVEN_UP) == [], output
    code, output = crawl(store, portal, names)
    assert code == 0, output
    assert_stored_once(store, portal)


@pytest.mark.parametrize(
    "target", ["newsspider.core.text.characters:_traditional", "newsspider.core.extraction.keywords:_frequencies"]
)
def test_an_unreadable_data_file_stops_the_crawl_before_its_first_request(target: str, store: Store, portal: News, names: str) -> None:
    portal.forget_visits()
    code, output = crawl(store, portal, names, Fault(target, "data file"))
    assert code == START_ERROR, output
    last = output.rstrip().rsplit("\n", 1)[1]
    assert last.startswith("scrapy crawl: the run could not be started (FileNotFoundError: "), output
    assert "t2s.json" in last
    assert not portal.visits()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """48 articles on eight hosts."""
    with news(tmp_path_factory.mktemp("news"), 48, first_host=200, hosts=8, delay=0.02) as running:
        running.latency = 0.0
        yield running


def test_a_page_that_always_breaks_the_reader_is_given_up_after_several_processes_and_costs_no_other(
    store: Store, small: News, names: str
) -> None:
    assert isinstance(store.database, Path)
    small.forget_visits()
    for process in range(1, INTERNAL_PROCESSES + 1):
        code, output = crawl(store, small, names, POISON)
        assert code == LEFT, output
        state, due_at = ("error", None) if process == INTERNAL_PROCESSES else ("waiting", True)
        (row,) = store.rows("SELECT state, due_at, internal_errors, detail FROM urls WHERE url LIKE '%/10007.html'")
        assert (row[0], row[1] and True, row[2]) == (state, due_at, process)
        assert "ValueError: a value of ours" in row[3]
        assert store.rows(STORED) == [(47,)]
        if process == 1:
            code, output = crawl(store, small, names, OFFLINE)
            assert code == NOTHING_READ, output  # that a page waits because of us is not what is wrong
        later(store.database, DAY)
    code, output = crawl(store, small, names, POISON)
    assert code == 0, output
    visits = {url: times for url, times in small.visits().items() if url in small.articles}
    assert {url.rpartition("/")[2] for url, times in visits.items() if times > 1} == {"10007.html"}
    assert max(visits.values()) == INTERNAL_PROCESSES + 1


def test_a_host_whose_pages_all_break_the_reader_stops_no_crawl(store: Store, small: News, names: str) -> None:
    bad = next(iter(small.articles)).split("/")[2]
    code, output = crawl(store, small, names, Fault(POISON.target, "value", where=bad))
    assert code == LEFT, output
    assert store.rows(STORED) == [(42,)]
    assert output.count("Traceback") == 1, output
    assert "ValueError at faults/injection.py" in output
    assert crawl(store, small, names)[0] == LEFT
    assert isinstance(store.database, Path)
    later(store.database, DAY)
    assert crawl(store, small, names)[0] == 0
    assert_stored_once(store, small)


def test_a_page_that_a_pipeline_drops_counts_as_asked(store: Store, small: News, names: str) -> None:
    dropped = Fault("tests.faults.injection:UserPipeline.process_item", "drop", where=POISON.where)
    code, output = crawl(store, small, names, dropped)
    assert code == 0, output
    outcomes = store.rows(f"SELECT state, reason, last_fetched_at > 0 FROM urls WHERE url LIKE '%{POISON.where}'")
    assert [tuple(map(str, row)) for row in outcomes] == [("done", "dropped", "1")]
    assert store.rows(STORED) == [(47,)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """120 articles on one host."""
    with news(tmp_path_factory.mktemp("news"), 120, first_host=216, hosts=1, delay=0.01) as running:
        running.latency = 0.0
        yield running


def test_a_crawl_of_one_host_whose_pages_break_the_reader_goes_on_to_the_others(store: Store, alone: News, names: str) -> None:
    code, output = crawl(store, alone, names, Fault(POISON.target, "value", where="/1000"))  # ten of its articles, each tried twice
    assert code == LEFT, output
    assert store.rows(STORED) == [(110,)]


def test_a_crawl_of_one_host_stops_if_half_of_its_pages_cannot_be_read(store: Store, alone: News, names: str) -> None:
    code, output = crawl(store, alone, names, Fault(POISON.target, "value"))
    assert code == OUTAGE, output
    assert "internal errors affected" in output.rstrip().rsplit("\n", 1)[1]
    assert store.rows("SELECT count(*) FROM urls WHERE internal_errors > 0") == [(0,)]
    assert isinstance(store.database, Path)
    later(store.database, DAY)
    assert crawl(store, alone, names)[0] == 0
    assert_stored_once(store, alone)

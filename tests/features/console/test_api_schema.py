"""Whatever the description of the API allows, and what it does not, gets an answer that is no fault of ours."""

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from newsspider.features.console import collections
from newsspider.features.console.app import create_app
from newsspider.features.console.rate_limits import RateLimit
from newsspider.store.engine.database import open_store, writing
from tests.features.console.conftest import HOST, TODAY, Morning, fill
from tests.support.servers import new_file

pytestmark = pytest.mark.slow
JSON = {"Content-Type": "application/json"}
UNASKED = "/stream/|/site-trials|/site-rules"  # they never end, and ask other hosts
EXAMPLES = 6  # of each operation, as asked for and otherwise


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    """The API of a store with articles and a collection, and no limit of queries."""
    engine = open_store(new_file(tmp_path_factory.mktemp("api") / "news.db"))
    fill(engine)
    with writing(engine) as conn:
        collections.put(conn, collections.add(conn, "", "高考", "高考", "", TODAY.timestamp()), [1, 2], TODAY.timestamp())
    app = create_app(engine, hosts=[HOST, "testserver"], clock=Morning())
    app.state.queries = RateLimit(1_000_000, 1.0)
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app).exclude(path_regex=UNASKED)
    engine.dispose()


def test_no_request_is_a_fault_of_the_server(described: schemathesis.BaseSchema) -> None:
    operations = [operation.ok() for operation in described.get_all_operations()]  # its own marks need an older pytest
    answers: Counter[int] = Counter()
    for operation, mode in itertools.product(operations, (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)):

        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: schemathesis.Case) -> None:
            status = case.call(headers=JSON if case.method == "POST" else None).status_code
            answers[status] += 1
            asks_elsewhere = (case.query or {}).get("stores") == "all"  # whose server is away here, which is a 503
            assert status < 500 or (status == 503 and asks_elsewhere)

        with suppress(Unsatisfiable):  # what has no parameter cannot be asked wrongly
            ask()
    assert len(operations) >= 8
    assert {200, 404, 422} <= set(answers)

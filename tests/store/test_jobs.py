"""Named jobs, on both backends."""

from functools import partial

from newsspider.store import jobs


def test_a_name_is_held_by_one_and_free_a_minute_after_its_start(writer):
    def run(step, **values):
        return writer.submit(partial(step, name="hourly", **values)).result(60)

    assert run(jobs.job) is None
    assert run(jobs.take, holder="a", now=100.0)
    assert not run(jobs.take, holder="b", now=101.0)
    assert run(jobs.job) == ("a", 100.0, 130.0, None)
    assert run(jobs.extend, holder="a", now=125.0)
    assert not run(jobs.extend, holder="b", now=125.0)
    assert not run(jobs.take, holder="b", now=140.0)
    run(jobs.release, holder="b", now=140.0)
    run(jobs.release, holder="a", now=141.0)
    assert not run(jobs.take, holder="b", now=159.0), "the second trigger of the same minute"
    assert run(jobs.take, holder="b", now=160.0)
    run(jobs.release, holder="b", now=300.0)
    assert run(jobs.take, holder="c", now=300.0)


def test_a_name_is_free_when_its_holder_said_nothing_for_long_or_is_dead(writer):
    def take(holder, now, dead=""):
        return writer.submit(partial(jobs.take, name="hourly", holder=holder, now=now, died=dead.__eq__)).result(60)

    assert take("a", 100.0)
    assert take("b", 100.0 + jobs.LEASE_SECONDS)
    assert not take("c", 131.0, dead="a")
    assert take("c", 131.0, dead="b")


def test_a_crawl_that_restarts_has_its_name_at_once(writer):
    def run(step, **values):
        return writer.submit(partial(step, name="hourly", **values)).result(60)

    assert run(jobs.take, holder="a", now=100.0)
    run(jobs.release, holder="a", now=110.0, quiet=0.0)
    assert run(jobs.take, holder="a2", now=110.0)


def test_the_scheduled_moment_is_kept_with_its_node(writer):
    def put(due_at, node=None):
        writer.submit(partial(jobs.put_due, name="schedule:s", due_at=due_at, now=due_at + 1, node=node)).result(60)

    put(50.0)
    put(90.0, "http://127.0.0.1:6800")
    scheduled = writer.submit(partial(jobs.job, name="schedule:s")).result(60)
    assert scheduled == ("http://127.0.0.1:6800", 91.0, 0.0, 90.0)

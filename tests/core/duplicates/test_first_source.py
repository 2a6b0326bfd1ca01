import itertools
import random

from newsspider.core.duplicates import first_source as module
from newsspider.core.duplicates.first_source import Copy, first_source, moment_of, reprint_chain
from tests.support.tables import each

DAY = 86_400
MIDNIGHT = 1_800_000_000 - (1_800_000_000 + 8 * 3600) % DAY  # in China


def copy(name, at, source=None, **values):
    return Copy(f"http://{name}", name, source, at, **{"found_at": MIDNIGHT + 3600.0 * 20, **values})


@each(
    ("copies", "first"),
    [
        ([copy("甲报", MIDNIGHT + 60), copy("乙网", MIDNIGHT + 120)], "甲报"),
        ([copy("甲报", MIDNIGHT + 120), copy("乙网", MIDNIGHT + 60, "甲报")], "甲报"),  # the credit on the page counts more than its time
        ([copy("甲报", MIDNIGHT + 120), copy("乙网", MIDNIGHT + 60, "甲报客户端")], "甲报"),
        ([copy("甲报", MIDNIGHT + 60, "新华社"), copy("乙网", MIDNIGHT + 120)], "乙网"),
        ([copy("甲报", MIDNIGHT + 60, "甲报"), copy("乙网", MIDNIGHT + 30, "乙网")], "乙网"),
        ([copy("甲报", MIDNIGHT + 60, weight=3), copy("乙网", MIDNIGHT + 60, weight=9)], "乙网"),
        ([copy("甲报", MIDNIGHT), copy("乙网", MIDNIGHT + 9 * 3600)], "乙网"),  # a date without a time: the time of discovery decides
        ([copy("甲报", None), copy("乙网", MIDNIGHT + 60)], "乙网"),
    ],
)
def test_the_first_source(copies, first):
    for order in itertools.permutations(copies):
        assert first_source(order).site == first


def test_the_chain_goes_on_from_whoever_is_named():
    copies = [
        copy("丙网", MIDNIGHT + 300, "乙网"),
        copy("乙网", MIDNIGHT + 200, "甲报"),
        copy("丁网", MIDNIGHT + 400, "晚报"),
        copy("戊网", MIDNIGHT + 500),
        copy("甲报", MIDNIGHT + 100),
    ]
    steps = [(step.copy.site, step.taken_from, step.outlet) for step in reprint_chain(copies)]
    assert steps == [
        ("甲报", None, None),
        ("乙网", "http://甲报", None),
        ("丙网", "http://乙网", None),
        ("丁网", None, "晚报"),
        ("戊网", "http://甲报", None),
    ]


def test_a_source_outside_the_copies_is_named_as_the_outlet():
    steps = reprint_chain([copy("甲报", MIDNIGHT + 60, "新华社"), copy("乙网", MIDNIGHT + 120, "新华社")])
    assert [(step.copy.site, step.taken_from, step.outlet) for step in steps] == [("甲报", None, "新华社"), ("乙网", None, "新华社")]


def names_as_source(page, other):
    """Whether a page credits the site of another one: the rule, applied pair by pair."""

    def same(first, second):
        shorter, longer = sorted((first or "", second), key=len)
        return len(shorter) > 1 and longer.startswith(shorter)

    return not same(page.source, page.site) and same(page.source, other.site)


@each("seed", range(20))
def test_pages_of_any_group_are_taken_from_the_first_that_they_credit(seed):
    chance = random.Random(seed)
    names = ["甲报", "甲报客户端", "乙网", "乙", "丙社", "丙社甲报"]
    outlets = [None, "丁台", "甲", *names]
    copies = [
        Copy(f"http://{n}", chance.choice(names), chance.choice(outlets), MIDNIGHT + chance.randrange(60, 3600)) for n in range(30)
    ]
    first, *others = reprint_chain(copies)
    assert first.copy is first_source(copies)
    steps = [first.copy]
    for step in others:
        credited = [earlier.url for earlier in steps if names_as_source(step.copy, earlier)]
        assert step.taken_from == (credited[0] if credited else None if step.outlet else first.copy.url)
        steps.append(step.copy)


def test_names_are_compared_once_however_many_copies_there_are(monkeypatch):
    compared = []
    same_name = module._same_name
    monkeypatch.setattr(module, "_same_name", lambda *names: compared.append(names) or same_name(*names))
    reprint_chain([Copy(f"http://{n}", f"站点{n % 5}", f"外报{n % 7}", MIDNIGHT + 60.0 + n) for n in range(1000)])
    assert len(compared) == 2 * 5 * 7


@each(
    ("day", "minute"),
    [
        (copy("甲报", MIDNIGHT, found_at=MIDNIGHT + 70_001), copy("乙报", MIDNIGHT + 70_000, found_at=MIDNIGHT + 70_100)),
        (copy("甲报", MIDNIGHT, found_at=MIDNIGHT + DAY + 500), copy("乙报", MIDNIGHT + DAY - 60, found_at=MIDNIGHT + 2 * DAY)),
        (copy("甲报", MIDNIGHT, found_at=MIDNIGHT - 500), copy("乙报", MIDNIGHT + 60, found_at=MIDNIGHT + 100)),
    ],
)
def test_a_page_with_a_day_alone_is_not_first_before_one_with_a_minute_of_that_day(day, minute):
    assert first_source([day, minute]) is minute
    assert [step.copy for step in reprint_chain([day, minute])] == [minute, day]
    tomorrow = copy("丙报", MIDNIGHT + DAY + 60, found_at=MIDNIGHT + DAY + 100)
    assert first_source([tomorrow, day]) is day


@each("minute", [MIDNIGHT + 501, MIDNIGHT + 70_000, MIDNIGHT + DAY - 60])
def test_a_page_with_a_day_alone_that_was_found_before_the_minute_of_another_is_first(minute):
    day, later = copy("甲报", MIDNIGHT, found_at=MIDNIGHT + 500), copy("乙报", minute, found_at=minute + 100)
    assert first_source([later, day]) is day
    assert [step.copy for step in reprint_chain([later, day])] == [day, later]


def test_a_date_without_a_time_means_the_end_of_that_day_or_the_moment_of_discovery():
    assert moment_of(copy("甲报", MIDNIGHT, found_at=MIDNIGHT + 3 * DAY)) == MIDNIGHT + DAY - 1
    assert moment_of(copy("甲报", MIDNIGHT, found_at=MIDNIGHT + 500)) == MIDNIGHT + 500
    assert moment_of(copy("甲报", None, found_at=7.0)) == 7.0

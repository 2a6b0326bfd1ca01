"""What an article meets on its way through the package stays within the limits of the house."""

from tools.house import way_counts


def test_five_crawled_articles_meet_no_more_than_the_limits_allow() -> None:
    counts = way_counts()
    assert all(count.value > 0 for count in counts)
    over = [count for count in counts if count.value > count.limit]
    assert not over, "\n".join(line for count in over for line in (f"{count.name}: {count.value}", *count.places))

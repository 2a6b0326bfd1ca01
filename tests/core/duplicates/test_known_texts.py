"""Which of the texts in memory count as the same."""

from itertools import permutations

from newsspider.core.duplicates.known_texts import KnownTexts
from tests.support.tables import each

NOTICE = "名单见附件。"


@each("titles", list(permutations(("优秀教师", "优秀学生", ""))), ids=" ".join)
def test_a_short_untitled_text_joins_the_first_titled_copy_and_merges_no_groups(titles: tuple[str, ...]) -> None:
    texts = KnownTexts()
    groups = {title: texts.add(title, NOTICE).first for title in titles}
    first, other = (title for title in titles if title)
    assert groups[""] == groups[first] != groups[other]
    assert [texts.add(title, NOTICE).first for title in titles] == [groups[title] for title in titles]

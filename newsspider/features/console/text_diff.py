"""Shows how a text changed from one version to the next: deletions struck out, additions marked."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from markupsafe import Markup, escape

MOST_COMPARED = 2_000  # characters of a paragraph that are compared one by one
MOST_PAIRS_COMPARED, MOST_PAIRS = 60_000, 300_000  # of equal letters in two paragraphs, in all those of a page


class Changes:
    """Shows how the paragraphs of one page changed. They are compared letter by letter until that has taken about a
    second for the page: the time grows with the pairs of equal letters."""

    def __init__(self) -> None:
        self._pairs = MOST_PAIRS

    def of(self, old: str, new: str) -> Markup:
        """The old and the new text of a paragraph as one: deletions struck out, additions marked.

        >>> Changes().of("每月二百元", "每月三百元")
        Markup('每月<del>二</del><ins>三</ins>百元')
        """
        old_counts, new_counts = Counter(old), Counter(new)
        pairs = sum(count * new_counts[letter] for letter, count in old_counts.items())
        if max(len(old), len(new)) > MOST_COMPARED or not 0 < pairs <= min(MOST_PAIRS_COMPARED, self._pairs):
            return _struck(old, new)
        self._pairs -= pairs
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        if matcher.ratio() < 1 / 3:
            return _struck(old, new)
        parts = []
        for operation, old_at, old_end, new_at, new_end in matcher.get_opcodes():
            deleted, added = old[old_at:old_end], new[new_at:new_end]
            parts.append(escape(deleted) if operation == "equal" else _struck(deleted, added))
        return Markup("").join(parts)


def _struck(old: str, new: str) -> Markup:
    deleted = Markup("<del>{}</del>").format(old) if old else Markup("")
    return deleted + (Markup("<ins>{}</ins>").format(new) if new else Markup(""))

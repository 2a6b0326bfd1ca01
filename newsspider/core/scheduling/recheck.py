"""When a URL is asked again that showed no article of its own: it led elsewhere, showed what many URLs of its site
show, or nothing.

A guard, a notice or a maintenance page stands before a whole site for an hour, and a list may show an article before
its page is there; what was published meanwhile is read once that is over.
"""

from __future__ import annotations

from newsspider.core.model import PageType, Reason

FIRST_SECONDS = 900.0  # doubled with each look
LOOKS = 8  # at one of those that are alike, for all of them: the last one more than a day and a half after the first
LOOKS_ALONE = 5  # at a URL for itself: the last one almost eight hours after it was read first
MOST_ALIKE = 2  # URLs that show, or lead to, one article; with more, that is a notice, or they are session ids
# what was last asked before stays as it is when one that was like it shows something else
REMEMBERED_SECONDS = 7 * 86_400.0

# No answer, or one that is no page: what is there at all is not known.
_UNANSWERED = frozenset(
    {
        Reason.HTTP_STATUS, Reason.UNREADABLE, Reason.DNS, Reason.TIMEOUT, Reason.CONNECTION, Reason.BAD_ANSWER, Reason.TRUNCATED,
    }
)  # fmt: skip
# In these a gateway says with status 200 that it is busy; other types that are no page are files.
_DATA_TYPES = frozenset({"application/json", "text/json", "application/problem+json"})
_PASSING_KINDS = frozenset({PageType.ERROR, PageType.LOGIN})


def may_pass(reason: Reason, kind: PageType | None, declared: str = "") -> bool:
    """Whether an article may be there later where its first visit ended so, on a page of this kind if one came, else
    with what the header ``declared``.

    >>> may_pass(Reason.HTTP_STATUS, None), may_pass(Reason.NOT_AN_ARTICLE, PageType.ERROR)
    (True, True)
    >>> may_pass(Reason.NOT_AN_ARTICLE, PageType.GALLERY)
    False
    """
    if reason is Reason.CONTENT_TYPE:
        return declared.partition(";")[0].strip().lower() in _DATA_TYPES
    return reason in _UNANSWERED or (reason is Reason.NOT_AN_ARTICLE and kind in _PASSING_KINDS)


def recheck(now: float, looks: int, most: int = LOOKS) -> float | None:
    """When a URL is asked again that was looked at in vain so many times, ``None`` for never.

    >>> recheck(0.0, 1), recheck(0.0, 3), recheck(0.0, 9), recheck(0.0, 6, LOOKS_ALONE)
    (900.0, 3600.0, None, None)
    """
    return now + FIRST_SECONDS * 2.0 ** (looks - 1) if looks <= most else None

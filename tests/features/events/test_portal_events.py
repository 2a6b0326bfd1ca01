"""Events of the sample portal, whose truth is known: the stories of a theme share their form, some share a place."""

from collections import Counter, defaultdict
from datetime import datetime

from bench.analysis import bcubed
from demo.clock import Clock
from demo.portal import Portal
from newsspider.features.events.rules.clusters import ClusterArticle, Events
from newsspider.features.events.rules.terms import LEAD_CHARACTERS, article_terms
from tests.support.tables import each

MOST_MIXED, MOST_SPLIT, LEAST_F1 = 0.03, 0.1, 0.94


@each("seed", [2026, 7])
def test_an_event_of_the_portal_is_one_story(seed: int) -> None:
    portal = Portal(8900, Clock(datetime.fromisoformat("2026-11-20T08:00+08:00")), seed=seed)
    posts = sorted((post for post in portal.posts if post.story.relevant), key=lambda post: post.story.published_at)
    events, event_of = Events(), dict[str, int]()
    for number, post in enumerate(posts, 1):
        moment = int(post.story.published_at.timestamp())
        words = article_terms(post.story.title, post.story.text[:LEAD_CHARACTERS])
        event_of[post.url] = events.place(ClusterArticle(number, moment, moment, words)).event.id
    origins = {post.url: post.origin for post in posts}
    assert bcubed(event_of, origins)[2] >= LEAST_F1
    assert _share_of_several(event_of, origins) <= MOST_MIXED
    assert _share_of_several(origins, event_of) <= MOST_SPLIT


def _share_of_several(groups: dict[str, int], parts: dict[str, int]) -> float:
    """Of the groups with two members or more the share whose members are of several parts."""
    members = defaultdict(set)
    for url, group in groups.items():
        members[group].add(parts[url])
    large = [group for group, size in Counter(groups.values()).items() if size > 1]
    return sum(len(members[group]) > 1 for group in large) / len(large)

"""What every topic must tell apart, whatever it is about."""

from collections.abc import Sequence

from newsspider.core.relevance.scoring import Document, score
from newsspider.core.relevance.topic import TopicProfile
from newsspider.features.workbench.precision_and_recall import measured


def figures_of(topic: TopicProfile, on: Sequence[str], off: Sequence[str]) -> dict[str, float]:
    """Precision and recall on headlines that are on the topic and others that are not."""
    verdicts = [score(topic, Document(title=title)) for title in (*on, *off)]
    return measured([(verdict.score, verdict.relevant) for verdict in verdicts], [True] * len(on) + [False] * len(off))


def keeps(topic: TopicProfile, title: str, text: str = "") -> bool:
    """Whether an article, or a headline, is on the topic."""
    return score(topic, Document(title=title, text=text)).relevant


def tags_of(topic: TopicProfile, title: str) -> set[str]:
    """The sub-topics of a headline."""
    return set(score(topic, Document(title=title)).subtopics)


def schools(title: str) -> str:
    """A text about schools under a headline."""
    return (title + "。学校和老师正在准备，家长可以在线查询。") * 5

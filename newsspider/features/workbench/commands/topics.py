"""``scrapy topics``: the topics that can be watched, and what their trained weights are made of."""

from __future__ import annotations

from newsspider.cli.command_group import CommandGroup

NAME = "NAME|FILE.toml"


class Command(CommandGroup):
    """Labelled texts are JSON lines {title, text, relevant}, in which title or text may be missing, or public files
    that the profile describes under ``[[training]]``: docs/how-to/write-a-topic.md."""

    summary = "List, show, try, train or measure the topics; label articles"

    def add_actions(self) -> None:
        from newsspider.features.workbench import topic_views, train_and_measure

        action = self.add_action
        topics = action("list", topic_views.show_list, "[--json]", "List the built-in topics", "")
        topics.add_argument("--json", action="store_true", help="one JSON line a topic")
        summary = "Show a topic in figures, or what is wrong with its profile"
        show = action("show", topic_views.show, NAME, summary, "my-topic.toml")
        summary = "Score headlines, one JSON object each"
        test = action(
            "test", topic_views.score_titles, f"{NAME} TITLE...", summary, 'education "教育部部署高考" "股价大涨"'
        )
        summary = "Learn weights from labelled texts; needs the extra `train`"
        train = action(
            "train", train_and_measure.train, f"{NAME} FILE... [options]", summary, "my-topic.toml labelled.jsonl"
        )
        summary = "Measure a topic on labelled texts"
        evaluate = action(
            "eval", train_and_measure.evaluate, f"{NAME} FILE... [options]", summary, "my-topic.toml others.jsonl"
        )
        summary = "Label stored articles as on or off the topic"
        example = "my-topic.toml https://news.example.cn/1.html --relevant"
        label = action("label", topic_views.label, f"{NAME} URL... [options]", summary, example)
        summary = "Print the labelled articles as labelled lines"
        labels = action("labels", topic_views.show_labels, NAME, summary, "education")
        summary = "Print the borderline articles that wait for a decision, one JSON object each"
        example = "my-topic.toml --limit 20"
        undecided = action("borderline", topic_views.show_borderline, f"{NAME} [options]", summary, example)
        summary = "Apply a changed topic to the stored and the held articles"
        again = action("rejudge", topic_views.rejudge, NAME, summary, "my-topic.toml")
        summary = "Show the share of read articles that was kept, by site and week"
        drift = action("drift", topic_views.show_drift, f"{NAME} [options]", summary, "education --weeks 6")
        summary = "Print the words of a topic as a jieba user dictionary"
        dictionary = action("dictionary", topic_views.show_dictionary, NAME, summary, "education > userdict.txt")

        for parser in (show, test, train, evaluate, label, labels, undecided, again, drift, dictionary):
            parser.add_argument("topic", metavar="TOPIC", help="the name of a topic or the path of a profile")
        self.add_list(test, "titles", "TITLE", "the headlines")
        self.add_list(label, "urls", "URL", "- reads URLs from standard input", at_least=0)
        verdict = label.add_mutually_exclusive_group(required=True)
        verdict.add_argument("--relevant", action="store_true", help="these articles are on the topic")
        verdict.add_argument("--irrelevant", action="store_true", help="they are not")
        verdict.add_argument(
            "--remove",
            action="store_true",
            help="remove the labels of these articles, whichever of their URLs had them",
        )
        undecided.add_argument("--limit", default="100", metavar="N", help="at most N (default: 100)")
        verdict.add_argument("--suggest", metavar="N", help="print N articles whose labels would teach most")
        for parser in (train, evaluate):
            self.add_list(parser, "files", "FILE", "labelled texts", at_least=0)
            parser.add_argument("--labels", action="store_true", help="use the labelled articles of the store, too")
        train.add_argument("--out", metavar="FILE", help="where the weights go (default: TOPIC.bin beside TOPIC.toml)")
        for parser in (test, evaluate):
            parser.add_argument("--model", metavar="MODEL", help="a model other than the profile's own")
        curve = "show precision and recall by threshold, too: as lines, with --json in the object of the source"
        evaluate.add_argument("--curve", action="store_true", help=curve)
        evaluate.add_argument("--json", action="store_true", help="JSON lines only")
        drift.add_argument("--weeks", default="8", metavar="N", help="the last N weeks, this one included (default: 8)")
        drift.add_argument("--json", action="store_true", help="one JSON line a week of a site")

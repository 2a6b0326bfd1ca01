"""``python -m bench.ablation [MANIFEST ...]``: what each rule of the reader and the list finder brings.

A rule is a function, or a regular expression of a module. Each is switched off alone: it then answers what stands for "nothing" (``False``,
``None``, an empty list, its input). Every page is read with and without it. Counted are the pages that read differently, and of the fields
whose right value a manifest gives, those that the rule makes right and those that it makes wrong.

Pages come from manifests (JSON lines with path, url, and perhaps content_type, now, expect: title, published_at, source, author, body, no,
kind, kind_not, items) and from the demo portal. The cost of a rule is the lines of its
function, or of the assignment of its regular expression.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import newsspider.core.extraction
import newsspider.core.links
from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.guard_page import guard_line
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.model import LinkKind

ENOUGH_CHANGED = 40  # pages: a rule that changes as many is not tried on more
NOW = "2026-11-28T12:00:00+08:00"
EMPTY: dict[str, Callable[[], Any]] = {
    "bool": bool, "int": int, "float": float, "str": str, "list": list, "tuple": tuple, "set": set, "dict": dict,
    "frozenset": frozenset, "Iterator": lambda: iter(()), "Iterable": tuple, "Sequence": tuple, "Mapping": dict,
}  # fmt: skip

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Sample:
    """A page, and what is known to be right about it."""

    body: bytes
    url: str
    content_type: str | None = None
    now: str = NOW
    expect: Value = field(default_factory=dict)


@dataclass
class Rule:
    """A function or a regular expression, and every module that has it under its name."""

    module: ModuleType
    name: str
    value: Any
    lines: int
    holders: list[tuple[ModuleType, str]]
    neutral: Callable[..., Any]

    def put(self, value: Any) -> None:
        """Put something else, or the rule itself, in its place everywhere."""
        for module, name in self.holders:
            setattr(module, name, value)


class Silent:
    """A regular expression that never matches, or that notes whether one did."""

    def __init__(self, pattern: re.Pattern[str], note: Callable[[], None] | None = None) -> None:
        self.pattern, self.note = pattern, note

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.pattern, name)
        if name not in ("match", "search", "fullmatch", "finditer", "findall", "sub", "split"):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.note is None:
                return {"finditer": iter(()), "findall": [], "sub": args[-1], "split": [args[0]]}.get(name)
            if self.pattern.search(args[1] if name == "sub" else args[0]):
                self.note()
            return method(*args, **kwargs)

        return call


def answers(sample: Sample) -> dict[str, Any]:
    """All that is read on a page."""
    now = datetime.fromisoformat(sample.now)
    try:
        page = parse(sample.body, sample.url, sample.content_type)
        article = read(page, now)
        links = page_links(page)
        kind = page_type_of(page, article, links).name.lower()
        guard = guard_line(page, article, len(links))
        listed = links_of(page, now=now)
    except UnreadablePageError as error:
        return {"error": str(error)}
    except Exception as error:  # a rule that others cannot do without
        return {"error": repr(error)}
    fields = {name: getattr(article, name) for name in article.__slots__}
    items = [link for link in listed if link.kind is LinkKind.ARTICLE]
    return fields | {"kind": kind, "guard": guard, "links": listed, "items": len(items)}


def squeeze(text: str | None) -> str:
    """A text without its spaces."""
    return "".join((text or "").split())


def is_right(expect: Value, answer: Value) -> dict[str, bool]:
    """Field by field, whether what was read is what the manifest expects."""
    if "error" in answer:
        return dict.fromkeys(expect, False)
    moment = answer["published_at"]
    written = moment.astimezone().isoformat() if moment else ""
    text = squeeze(answer["text"])
    verdicts = {
        "title": lambda want: squeeze(answer["title"]) == squeeze(want),
        "published_at": lambda want: written.startswith(want) if want else not moment,
        "source": lambda want: answer["source"] in want if want else not answer["source"],
        "author": lambda want: sorted(answer["authors"]) == sorted(want),
        "body": lambda want: all(squeeze(part) in text for part in want),
        "no": lambda want: not any(squeeze(part) in text for part in want),
        "length": lambda want: len(text) <= 1.06 * want + 25,
        "kind": lambda want: answer["kind"] == want,
        "kind_not": lambda want: answer["kind"] != want,
        "items": lambda want: answer["items"] >= want,
    }
    return {name: verdicts[name](want) for name, want in expect.items()}


def modules() -> list[ModuleType]:
    """The modules of the reader and of the list finder."""
    read_modules = []
    for package in (newsspider.core.extraction, newsspider.core.links):
        read_modules += [importlib.import_module(info.name) for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
    return read_modules


def rules() -> Iterator[Rule]:
    """Every rule, with what stands for nothing."""
    read_modules, places = modules(), dict[int, list[tuple[ModuleType, str]]]()
    for module in [module for name, module in sys.modules.items() if name.startswith("newsspider")]:
        for name, value in vars(module).items():
            places.setdefault(id(value), []).append((module, name))
    for module in read_modules:
        source = ast.parse(inspect.getsource(module)).body
        for node in source:
            named = node.targets[0] if isinstance(node, ast.Assign) else node
            name = str(getattr(named, "id", "") or getattr(named, "name", ""))
            value = getattr(module, name, None)
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if isinstance(value, re.Pattern):
                yield Rule(module, name, value, lines, places[id(value)], Silent(value))  # type: ignore[arg-type]
            elif isinstance(value, FunctionType) and value.__module__ == module.__name__ and (neutral := neutral_of(value)):
                yield Rule(module, name, value, lines, places[id(value)], neutral)


def neutral_of(function: FunctionType) -> Callable[..., Any] | None:
    """What a rule answers that says nothing: an input of the same type, if there is one."""
    types = dict(inspect.get_annotations(inspect.unwrap(function)))
    returned = str(types.pop("return", ""))
    kind = re.split(r"\W", returned)[0]
    if (same := [at for at, of in enumerate(types.values()) if of == returned]) and kind in ("str", "list", "tuple", "Sequence"):
        return lambda *args, **kwargs: args[same[0]] if same[0] < len(args) else EMPTY[kind]()
    if returned.endswith("| None"):
        return lambda *args, **kwargs: None
    return (lambda *args, **kwargs: EMPTY[kind]()) if kind in EMPTY else None


def caches() -> list[Any]:
    """The caches of the modules, which remember what rules answer before."""
    ours = [module for name, module in sys.modules.items() if name.startswith("newsspider")]
    values = (value for module in ours for value in vars(module).values())
    cells = (cell.cell_contents for value in values if isinstance(value, FunctionType) for cell in value.__closure__ or ())
    return [value for value in cells if hasattr(value, "cache_clear")]


def watched(rule: Rule, note: Callable[[], None]) -> Any:
    """The rule, which also notes that it had something to say."""
    if isinstance(rule.value, re.Pattern):
        return Silent(rule.value, note)

    def call(*args: Any, **kwargs: Any) -> Any:
        result = rule.value(*args, **kwargs)
        if inspect.isgenerator(result):
            result = iter(list(result))
            note()
            return result
        if result != rule.neutral(*args, **kwargs):
            note()
        return result

    return call


def portal_samples() -> Iterator[Sample]:
    """Pages of the demo portal."""
    from bench.reader import PAGES, sample_pages

    yield from (Sample(body, "http://www.example.cn/2025/0616/c1.html") for body in sample_pages(PAGES))


def manifest_samples(path: Path) -> Iterator[Sample]:
    """The pages of a manifest."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        body = (path.parent / row["path"]).read_bytes()
        yield Sample(body, row["url"], row.get("content_type"), row.get("now") or NOW, row.get("expect") or {})


def main() -> int:
    """Print a line a rule: changed pages, of how many it speaks on, fields that it makes right and wrong, lines."""
    parser = argparse.ArgumentParser(prog="python -m bench.ablation", description="what each rule of the reader brings")
    parser.add_argument("manifests", nargs="*", type=Path, help="JSON lines of pages, besides those of the demo portal")
    parser.add_argument("--only", default="", help="rules whose name contains this")
    options = parser.parse_args()
    samples = list(portal_samples())
    for path in options.manifests:
        samples += manifest_samples(path)
    remembered = caches()

    def forget() -> None:
        for cached in remembered:
            cached.cache_clear()

    chosen = [rule for rule in rules() if options.only in f"{rule.module.__name__}.{rule.name}"]
    spoke: dict[int, set[int]] = {at: set() for at in range(len(chosen))}
    reading = [0]  # the page that is read, for the rules that note it
    plain = [answers(sample) for sample in samples]
    for at, rule in enumerate(chosen):
        rule.put(watched(rule, lambda at=at: spoke[at].add(reading[0])))  # type: ignore[misc]
    for number, sample in enumerate(samples):
        reading[0] = number
        forget()
        answers(sample)
    for rule in chosen:
        rule.put(rule.value)
    print(f"# {len(samples)} pages", file=sys.stderr)
    for at, rule in enumerate(chosen):
        rule.put(rule.neutral)
        changed = better = worse = tried = 0
        for number in sorted(spoke[at]):
            forget()
            tried += 1
            answer = answers(samples[number])
            if answer == plain[number]:
                continue
            changed += 1
            with_it, without_it = is_right(samples[number].expect, plain[number]), is_right(samples[number].expect, answer)
            better += sum(with_it[name] and not without_it[name] for name in with_it)
            worse += sum(without_it[name] and not with_it[name] for name in with_it)
            if changed == ENOUGH_CHANGED:
                break
        rule.put(rule.value)
        name = f"{rule.module.__name__.removeprefix('newsspider.core.')}.{rule.name}"
        print(changed, tried, len(spoke[at]), better, worse, rule.lines, name, sep="\t", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

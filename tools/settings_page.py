"""The reference page of the settings, from the annotations and the comments of ``newsspider/settings.py``
and of the ``settings.py`` of each feature.

A line ``# ---- Heading ----`` opens a section. Comment lines above a blank line are prose of the page. Those directly
above a setting, or the comment on its line, say what it means.
"""

from __future__ import annotations

import ast
import io
import os
import re
import runpy
import tokenize
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotated_types import Unit

from newsspider.crawl.setting_checks import allowed, fields
from newsspider.setting_types import AtMost

ROOT = Path(__file__).parents[1]
SETTINGS = ROOT / "newsspider" / "settings.py"
NOTE = "<!-- Written by `make docs` from newsspider/settings.py. Edit that, not this page. -->"
HEADING = re.compile(r"# -+ (.+?) -+")
LONGEST_DEFAULT = 160  # characters; longer ones stand below their table, as they are written


@dataclass
class Section:
    """A section of the page: prose, a table, and the defaults that are too long for it."""

    heading: str
    prose: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        head = ["| setting | default | allowed | meaning |", "| --- | --- | --- | --- |"]
        code = ["```python", *self.blocks, "```"] if self.blocks else []
        parts = [f"## {self.heading}", *self.prose, "\n".join(head + self.rows), "\n".join(code)]
        return "\n\n".join(filter(None, parts))


def settings_page() -> str:
    """Every setting in the order of the module, with its default, what is allowed, and its meaning."""
    intro = ast.get_docstring(ast.parse(SETTINGS.read_text("utf-8"))) or ""
    of_features = sorted((ROOT / "newsspider" / "features").glob("*/settings.py"))
    sections = [*_sections(SETTINGS, "Project")]
    for file in of_features:
        sections += _sections(file, f"The feature {file.parent.name}")
    return "\n\n".join([NOTE, "# Settings", intro, *map(str, sections)]) + "\n"


def shipped(file: Path = SETTINGS) -> dict[str, Any]:
    """The settings of a project at the root of the repository, whatever variables are set; or those of a feature."""
    variables = dict(os.environ)
    for name in variables:
        if name.startswith("NEWSSPIDER_"):
            del os.environ[name]
    try:
        with chdir(ROOT):
            values = runpy.run_path(str(file))
    finally:
        os.environ.update(variables)
    return {name: value for name, value in values.items() if name.isupper() and not name.startswith("_")}


def _sections(file: Path, heading: str) -> Iterator[Section]:
    source = file.read_text("utf-8")
    defaults, nodes, remarks = shipped(file), _assignments(source), _remarks(source)
    section, comment = Section(heading), list[str]()
    for number, line in enumerate(source.splitlines(), 1):
        if match := HEADING.fullmatch(line):
            yield section
            section = Section(match[1])
        elif line.startswith("#"):
            comment.append(line.removeprefix("#").strip())
        elif number in nodes:
            name, value = nodes[number]
            block = _is_long(defaults[name])
            section.rows.append(_row(name, defaults[name], " ".join(comment) or remarks.get(number, "")))
            joins = (
                "|=" if file != SETTINGS and name.endswith("_BASE") else "="
            )  # components of a feature join the others
            section.blocks += [f"{name} {joins} {ast.get_source_segment(source, value)}"] if block else []
            comment = []
        elif not line and comment:
            section.prose.append("\n".join(comment))
            comment = []
    yield section


def _assignments(source: str) -> dict[int, tuple[str, ast.expr]]:
    """The settings by the number of their first line."""
    assignments = {}
    for node in ast.parse(source).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id.isupper() and not target.id.startswith("_"):
            assignments[node.lineno] = target.id, node.value  # type: ignore[attr-defined]
    return assignments


def _remarks(source: str) -> dict[int, str]:
    """The comments behind code by the number of their line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = (token for token in tokens if token.type == tokenize.COMMENT and token.start[1])
    return {token.start[0]: token.string.removeprefix("# ") for token in comments}


def _row(name: str, default: Any, meaning: str) -> str:
    default_text = "below" if _is_long(default) else f"`{_literal(default)}`"
    cells = (f"`{name}`", default_text, _allowed(name), meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _allowed(name: str) -> str:
    """What the annotation of a setting allows."""
    if name not in fields():
        return ""
    metadata = fields()[name].metadata
    units = [str(bound.unit) for bound in metadata if isinstance(bound, Unit) and bound.unit != "seconds"]
    others = [f"at most `{bound.name}`" for bound in metadata if isinstance(bound, AtMost)]
    text = allowed(fields()[name]).removeprefix("say ").removeprefix("there are ")
    return ", ".join([" ".join([text, *units]), *others])


def _is_long(default: Any) -> bool:
    return isinstance(default, dict) or len(_literal(default)) > LONGEST_DEFAULT


def _literal(default: Any) -> str:
    return repr(default).replace("'", '"').replace(str(ROOT), "PROJECT")

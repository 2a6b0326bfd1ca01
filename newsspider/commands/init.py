"""``newsspider init``: a project of one's own, with its settings, a site and a topic to start from."""

from __future__ import annotations

import keyword
import re
from argparse import Namespace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from newsspider.cli.command import DataCommand, print_lines
from newsspider.crawl.wrong_use import reason_of, wrong_use

FILE_TEMPLATES = {  # file of the project: its template
    "scrapy.cfg": "scrapy.cfg.txt",
    ".gitignore": "gitignore.txt",
    "$name/settings.py": "settings.py.txt",
    "sites/example.toml": "site.toml.txt",
    "topics/$name.toml": "topic.toml.txt",
}
PACKAGES = {  # of the project: what each is for
    "$name": "The code of the project $name.",
    "$name/spiders": "Spiders of the project $name; those of newsspider are there, too.",
}
NEXT = """\
The project $name is in the folder $folder. Put a site of yours into its file sites/example.toml, then:
  cd $folder
  newsspider sites test sites/example.toml    show which articles its lists link to
  newsspider crawl education -a sites=sites   fetch the articles of the sites in sites/
  newsspider export                           print those on the topic of topics/$name.toml
  newsspider --help                           list all commands"""

_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)


class Command(DataCommand):
    """Makes a folder, which must be new or empty, with ``scrapy.cfg``, a settings module ``NAME/settings.py`` that
    starts from newsspider's settings, a package for spiders, an example site (disabled) and an example topic:
    docs/how-to/start-a-project.md. NAME is the name of a Python package that does not exist yet. Exit code 2 if the
    name cannot be used or the folder is not empty."""

    examples = "  newsspider init mywatch\n  newsspider init projects/mywatch"

    def syntax(self) -> str:
        return "[FOLDER/]NAME"

    def short_desc(self) -> str:
        return "Make a project of your own: settings, a site and a topic to start from"

    def work(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise wrong_use("name one project, as in `newsspider init mywatch`")
        folder = _new_folder(args[0])
        names = {"name": folder.name, "folder": args[0]}
        for target, template in FILE_TEMPLATES.items():
            text = files("newsspider").joinpath("templates", template).read_text("utf-8")
            _write(folder / Template(target).substitute(names), Template(text).substitute(names))
        for target, meaning in PACKAGES.items():
            package = folder / Template(target).substitute(names)
            _write(package / "__init__.py", f'"""{Template(meaning).substitute(names)}"""\n')
        print_lines(Template(NEXT).substitute(names).splitlines())


def _new_folder(path: str) -> Path:
    """The folder of the project, which is not there yet or empty."""
    folder = Path(path)
    name = folder.name
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise wrong_use(f"{path!r}: a project has the name of a Python package: letters, digits and _, a letter first")
    if find_spec(name) is not None:
        raise wrong_use(f"{path!r}: there is a Python package {name!r} already; choose another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise wrong_use(f"{path!r} is not empty")
    except (OSError, ValueError) as error:
        raise wrong_use(f"{path!r}: {reason_of(error)}") from None
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

"""``newsspider init``: a project of one's own, with its settings, a site and a topic to start from."""

from __future__ import annotations

import keyword
import re
from argparse import ArgumentParser, Namespace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from newsspider.cli.command import DataCommand, print_lines
from newsspider.crawl.wrong_use import reason_of, wrong_use

EXAMPLE_SITE = "sites/example.toml"
FILE_TEMPLATES = {  # file of the project: its template
    "scrapy.cfg": "scrapy.cfg.txt",
    ".gitignore": "gitignore.txt",
    "$name/settings.py": "settings.py.txt",
    EXAMPLE_SITE: "site.toml.txt",
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
REGION_NEXT = """\
The project $name is in the folder $folder. Its folder sites/ has $count sources of $region and national ones.
  cd $folder
  newsspider sites check sites               name what is wrong with them; --apply repairs
  newsspider crawl education -a sites=sites  fetch the articles of the sites in sites/
  newsspider export                          print those on the topic of topics/$name.toml
  newsspider --help                          list all commands"""

_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)


class Command(DataCommand):
    """Makes a folder, which must be new or empty, with ``scrapy.cfg``, a settings module ``NAME/settings.py`` that
    starts from newsspider's settings, a package for spiders, an example site (disabled) and an example topic:
    docs/how-to/start-a-project.md. With ``--region`` it has the sources of a province from the catalogue instead of
    the example site: its education department and examination authority, universities and media, and the national
    sources. NAME is the name of a Python package that does not exist yet. Exit code 2 if the
    name cannot be used or the folder is not empty."""

    examples = "  newsspider init mywatch\n  newsspider init projects/mywatch --region 浙江"

    def syntax(self) -> str:
        return "[FOLDER/]NAME [--region NAME]"

    def short_desc(self) -> str:
        return "Make a project of your own: settings, a site and a topic to start from"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--region", metavar="NAME", help="watch the sources of this province, such as 浙江")

    def work(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise wrong_use("name one project, as in `newsspider init mywatch`")
        files_of_sites = {} if opts.region is None else _sites_of_region(opts.region)
        folder = _new_folder(args[0])
        names = {"name": folder.name, "folder": args[0]}
        for target, template in FILE_TEMPLATES.items():
            if files_of_sites and target == EXAMPLE_SITE:
                continue
            text = files("newsspider").joinpath("templates", template).read_text("utf-8")
            _write(folder / Template(target).substitute(names), Template(text).substitute(names))
        for target, meaning in PACKAGES.items():
            package = folder / Template(target).substitute(names)
            _write(package / "__init__.py", f'"""{Template(meaning).substitute(names)}"""\n')
        for file, toml in files_of_sites.items():
            _write(folder / "sites" / file, toml)
        text = REGION_NEXT if files_of_sites else NEXT
        print_lines(Template(text).substitute(names, count=len(files_of_sites), region=opts.region).splitlines())


def _sites_of_region(word: str) -> dict[str, str]:
    """The site files of a province and of the country, by file name."""
    from newsspider.cli.site_catalogue import region_of
    from newsspider.sites.loader import site_toml
    from newsspider.sites.site_lines import file_names
    from newsspider.sites.source_catalogue import sources_of_province

    sites = [source.site for source in sources_of_province(region_of(word))]
    return {name: site_toml(site) for name, site in file_names(sites).items()}


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

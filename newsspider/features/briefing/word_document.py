"""Writes a briefing as a file: as a document of an office (.docx) with title, issue, date, contents, body and page
numbers, or as a text."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from newsspider.core.text.characters import printable_text
from newsspider.features.briefing.content import Blame, Briefing, BriefingKind, Count, EventGroup, Item
from newsspider.features.briefing.pdf import pdf_of
from newsspider.features.briefing.rendering import (
    HEADINGS,
    HTML,
    OFFICE,
    PDF,
    FormError,
    blame_facts,
    briefing_document,
    count_name,
    issue_number,
    item_facts,
    item_label,
    news_line,
    scope_line,
)

NUMERALS = "一二三四五六七八九十"
PAGE_MM, MARGINS_MM = (210, 297), (37, 26, 35, 28)  # A4; above, right, below, left, as GB/T 9704 has them
FONTS = {"Normal": ("仿宋", 14), "Title": ("宋体", 22), "Heading 1": ("黑体", 16), "Heading 2": ("楷体", 15)}
COUNT_HEADS = ("", "篇", "件", "上周篇", "上周件")
LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


def file_of(briefing: Briefing, suffix: str, template: Path | None = None, browser: str = "") -> bytes:
    """What a file with this suffix holds; a template that is a .docx is one for such files only, and no other is. The
    ``browser`` prints a .pdf.

    Raises :exc:`FormError` for a template that cannot be used, :exc:`PrintError` for a .pdf that cannot be printed, and
    :exc:`ImportError` without Jinja2 or python-docx.
    """
    is_office = template is not None and template.suffix.lower() == OFFICE
    if suffix == OFFICE:
        return docx_of(briefing, template if is_office else None)
    own = None if is_office else template
    if suffix == PDF:
        return pdf_of(briefing_document(briefing, HTML, own), browser)
    return briefing_document(briefing, suffix, own).encode()


def docx_of(briefing: Briefing, template: Path | None = None) -> bytes:
    """The document; with a template its styles, page and footers are those, and its text stands first.

    Raises :exc:`FormError` for a template that is no such document, and :exc:`ImportError` without python-docx.
    """
    open_document = import_module("docx").Document
    try:
        opened = open_document(template and str(template))
    except Exception as error:  # whatever a file that is no document makes the library raise
        raise FormError(f"{template}: it is no .docx ({type(error).__name__})") from None
    written = _Written(opened)
    if template is None:
        written.set_page()
    briefing = _printable(briefing)
    parts = [part for part in HEADINGS if getattr(briefing, part)]
    try:
        written.head(briefing)
        written.contents(parts)
        for place, part in enumerate(parts):
            written.part(place, part, getattr(briefing, part))
    except KeyError as error:
        raise FormError(f"{template}: {error.args[0]}") from None
    file = BytesIO()
    opened.save(file)
    return file.getvalue()


def _printable(value: Any) -> Any:
    """The same with the printable characters of all texts: XML has no others."""
    if isinstance(value, str) and not isinstance(value, BriefingKind):
        return "".join(letter for letter in printable_text(value) if letter not in "\ufffe\uffff")
    if isinstance(value, tuple):
        return tuple(map(_printable, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _printable(getattr(value, field.name)) for field in fields(value)})
    return value


class _Written:
    """A document that is being written."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._shared = import_module("docx.shared")
        self._oxml = import_module("docx.oxml")
        self._name = import_module("docx.oxml.ns").qn

    def set_page(self) -> None:
        """Paper, fonts and the page numbers."""
        section = self._document.sections[0]
        section.page_width, section.page_height = map(self._shared.Mm, PAGE_MM)
        names = ("top_margin", "right_margin", "bottom_margin", "left_margin")
        for name, margin in zip(names, MARGINS_MM, strict=True):
            setattr(section, name, self._shared.Mm(margin))
        for name, (font, points) in FONTS.items():
            style = self._document.styles[name]
            style.font.name, style.font.size = font, self._shared.Pt(points)
            style.font.color.rgb = self._shared.RGBColor(0, 0, 0)
            fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
            for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
                fonts.attrib.pop(self._name(f"w:{theme}"), None)
            fonts.set(self._name("w:eastAsia"), font)
        border = self._document.styles["Title"].element.pPr.find(self._name("w:pBdr"))
        if border is not None:  # the blue line of Word's own title
            border.getparent().remove(border)
        footer = section.footer.paragraphs[0]
        footer.alignment = 1
        footer.add_run("— ")
        for kind, text in (("begin", ""), ("", "PAGE"), ("end", "")):
            run = footer.add_run()
            element = self._oxml.OxmlElement("w:fldChar" if kind else "w:instrText")
            if kind:
                element.set(self._name("w:fldCharType"), kind)
            element.text = text or None
            run._r.append(element)
        footer.add_run(" —")

    def head(self, briefing: Briefing) -> None:
        """The title, the issue, the date and what it is about."""
        properties = self._document.core_properties
        properties.title, properties.author, properties.comments = briefing.title, "newsspider", ""
        self._document.add_paragraph(briefing.title, style="Title").alignment = 1
        number = "" if briefing.kind is BriefingKind.SPECIAL else issue_number(briefing)
        for line in filter(None, (number, briefing.made_at[:10], scope_line(briefing))):
            self._document.add_paragraph(line).alignment = 1
        self._document.add_paragraph(news_line(briefing))

    def contents(self, parts: list[str]) -> None:
        """The parts, each with a link to its heading."""
        self._document.add_paragraph().add_run("目录").bold = True
        for place, part in enumerate(parts):
            link = self._oxml.OxmlElement("w:hyperlink")
            link.set(self._name("w:anchor"), part)
            self._linked(self._document.add_paragraph(), link, f"{NUMERALS[place]}、{HEADINGS[part]}")

    def part(self, place: int, part: str, several: tuple[Any, ...]) -> None:
        """A part under its heading."""
        heading = self._document.add_heading(f"{NUMERALS[place]}、{HEADINGS[part]}", level=1)
        for name in ("bookmarkStart", "bookmarkEnd"):
            mark = self._oxml.OxmlElement(f"w:{name}")
            mark.set(self._name("w:id"), str(place + 1))
            if name == "bookmarkStart":
                mark.set(self._name("w:name"), part)
            heading._p.append(mark)
        if part == "attention":
            self._table(several)
            return
        for number, one in enumerate(several, 1):
            match one:
                case Item():
                    self._item(one, f"{number}. ")
                case EventGroup():
                    self._document.add_heading(one.name, level=2)
                    for place_in_group, item in enumerate(one.items, 1):
                        self._item(item, f"{place_in_group}. ")
                case Blame():
                    self._kept_with_next(f"{number}. {one.sentence}")
                    self._link(self._document.add_paragraph(), one.title, one.url, f"（{blame_facts(one)}）")
                case _:
                    self._document.add_paragraph(f"{one.site}：{'、'.join(one.channels)}，自 {one.since or '-'}")

    def _item(self, item: Item, mark: str) -> None:
        title = self._kept_with_next()
        title.add_run(f"{mark}{item_label(item)}").bold = True
        self._link(title, item.title, item.url, "", bold=True)
        for quote in item.quotes:
            if quote.article == item.article:
                self._kept_with_next(quote.sentence)
            else:
                self._link(self._kept_with_next(f"{quote.sentence}（"), quote.source, quote.url, "）")
        if item.note:
            self._kept_with_next(f"按：{item.note}")
        facts = self._document.add_paragraph().add_run(f"{item_facts(item)}，编号{item.article}")
        facts.font.size = self._shared.Pt(10.5)

    def _kept_with_next(self, text: str = "") -> Any:
        """A new paragraph that stands on one page with the next one."""
        paragraph = self._document.add_paragraph(text)
        paragraph.paragraph_format.keep_with_next = True
        return paragraph

    def _link(self, paragraph: Any, text: str, url: str, behind: str, *, bold: bool = False) -> None:
        """A link to a page, and the text behind it."""
        link = self._oxml.OxmlElement("w:hyperlink")
        link.set(self._name("r:id"), paragraph.part.relate_to(url, LINK, is_external=True))
        self._linked(paragraph, link, text, bold=bold)
        paragraph.add_run(behind)

    def _linked(self, paragraph: Any, link: Any, text: str, *, bold: bool = False) -> None:
        run = paragraph.add_run(text)
        run.bold = bold or None
        run.font.color.rgb = self._shared.RGBColor(0x0B, 0x57, 0xA4)
        link.append(run._r)
        paragraph._p.append(link)

    def _table(self, counts: tuple[Count, ...]) -> None:
        table = self._document.add_table(rows=0, cols=len(COUNT_HEADS), style="Table Grid")
        equal = table.columns[0].width
        for column, eighths in zip(table.columns, (16, 6, 6, 6, 6), strict=True):
            column.width = equal * eighths // 8
        figures = (
            (count_name(one), one.articles, one.stories, one.articles_before, one.stories_before) for one in counts
        )
        for values in (COUNT_HEADS, *figures):
            row = table.add_row()
            if values is COUNT_HEADS:  # repeated on each page
                row._tr.get_or_add_trPr().append(self._oxml.OxmlElement("w:tblHeader"))
            for cell, value in zip(row.cells, values, strict=True):
                cell.text = str(value)

"""Whoever changes what an index is made of raises its version: else stores keep an index that no longer fits."""

from zlib import crc32

from newsspider.core.text.tokenizer import RULES_VERSION, units_of_text
from newsspider.store.index import postgresql, sqlite
from newsspider.store.index.contents import EVERY, Content
from newsspider.store.tables.search import CREATE

MADE_OF = {4: "74a8e300", 5: "b2abc631", 6: "b2abc631", 7: "24afe062", 8: "508c5b3d"}  # by the version: add one, never change one
TEXTS = {"title": "2024年高考：GRE", "body": "新高考，志愿填报。\n考 results", "anchor": "通知", "comment": "好"}


def test_the_version_of_the_index_follows_its_tables_and_tokens():
    content = Content({field: tuple(units_of_text(text)) for field, text in TEXTS.items()}, (EVERY, "site＝站"), 1_750_000_000)
    parts = {"tables": CREATE, "sqlite": sqlite._row(1, content), "postgresql": postgresql._fitting(content)}
    assert {RULES_VERSION: f"{crc32(repr(parts).encode()):08x}"} == {RULES_VERSION: MADE_OF.get(RULES_VERSION)}, "raise it, add its row"

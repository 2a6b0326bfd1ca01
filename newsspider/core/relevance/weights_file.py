"""The file format of trained weights: one line of JSON, then the tables column by column, compressed; numbers only."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from typing import Any

import numpy as np

from newsspider.core.relevance.learned_model import Head, Layer, Learned, Source
from newsspider.core.text.ngrams import Table

FORMAT = 2
HEADS = ("headline_alone", "headline_head", "body_alone", "body_head")
LAYERS = ("headlines", "bodies")
MOST_BYTES = 1 << 26  # unpacked; larger is not one of these files


class WeightsError(ValueError):
    """A file without weights that this version can read."""


def packed(learned: Learned) -> bytes:
    """Serialise ``learned``; the same weights give the same bytes."""
    head: dict[str, Any] = {"format": FORMAT, "thresholds": learned.thresholds, "curves": learned.curves}
    rows = b""
    for name in LAYERS:
        layer: Layer | None = getattr(learned, name)
        if layer is not None:
            table = layer.table
            head[name] = {
                "columns": table.columns,
                "bits": table.bits,
                "scales": layer.scales,
                "biases": layer.biases,
                "sources": [asdict(source) for source in layer.sources],
            }
            rows += _transposed(table.rows, table.columns)
    head |= {name: asdict(part) for name in HEADS if (part := getattr(learned, name)) is not None}
    return json.dumps(head, sort_keys=True).encode() + b"\n" + zlib.compress(rows, 9)


def unpacked(content: bytes) -> Learned:
    """Read the bytes that :func:`packed` wrote; raises :exc:`WeightsError`."""
    first, _, rest = content.partition(b"\n")
    try:
        head = json.loads(first)
        if head["format"] != FORMAT:
            raise WeightsError(f"format {head['format']} is not {FORMAT}: train again")
        rows = zlib.decompressobj().decompress(rest, MOST_BYTES)
        parts: dict[str, Any] = {}
        for name in LAYERS:
            if name in head:
                size = head[name]["columns"] << head[name]["bits"]
                parts[name] = _layer(head[name], rows[:size])
                rows = rows[size:]
        parts |= {name: Head(tuple(head[name]["weights"]), head[name]["bias"]) for name in HEADS if name in head}
        article, headline = (
            tuple((precision, recall) for precision, recall in curve) for curve in head.get("curves", ((), ()))
        )
        return Learned(thresholds=tuple(head["thresholds"]), curves=(article, headline), **parts)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        if isinstance(error, WeightsError):
            raise
        raise WeightsError(f"not a file of weights: {error}") from error


def _layer(head: dict[str, Any], content: bytes) -> Layer:
    sources = tuple(Source(entry["name"], entry["topic"], entry["others"]) for entry in head["sources"])
    table = Table(_transposed(content, 1 << head["bits"]), head["columns"], head["bits"])
    return Layer(table, tuple(head["scales"]), tuple(head["biases"]), sources)


def _transposed(content: bytes, columns: int) -> bytes:
    """The bytes of a table of ``columns`` columns, transposed."""
    return np.frombuffer(content, np.uint8).reshape(-1, columns).T.tobytes()

"""``python -m bench.reprints``: how well and how fast reprints are found, beside simhash; and the index in a large store."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, text

from bench.reprint_pairs import Pair, Piece, pairs
from newsspider.core.duplicates.first_source import first_source
from newsspider.core.duplicates.reprints import (
    FINGERPRINTS_INDEXED,
    WINDOW_GRAMS,
    KnownTexts,
    ReprintCandidates,
    fingerprints_of,
    reprint_likeness,
)
from newsspider.core.model import Version
from newsspider.core.text.text_comparison import normalise_text
from newsspider.store.articles.reprints import POSTINGS, Placement, place
from newsspider.store.engine.database import open_store, writing
from newsspider.store.engine.statement import rows_among

PAIRS, ARTICLES, ASKED = 1000, 1_000_000, 1000
PRECISION, RECALL, FIRST, MILLISECONDS, LOOKUP = 0.995, 0.98, 0.9, 1.0, 20.0  # wanted
SIMHASH_BITS, SIMHASH_GRAM = 64, 3
SIMHASH_DISTANCE = 3  # Manku, Jain, Sarma 2007
ORDINARY = 0.85  # of the texts of a news desk are no reprints: the share of the sample portal
LETTERS = 1200  # of an article, for the large store: half as many k-grams and more are fingerprints of no text here
AT_ONCE = 20_000  # articles that the large store takes in one transaction

Judge = Callable[[Piece, Piece], bool]
LINE = "{:<26}{:>10}{:>10}{:>10}"


def main() -> int:
    """Print all figures; the exit code is 1 if one is worse than wanted."""
    parser = argparse.ArgumentParser(prog="python -m bench.reprints", description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--seed", type=int, default=20_261)
    parser.add_argument("--articles", type=int, default=ARTICLES, help="in the large store; 0: none is made")
    options = parser.parse_args()
    good = judged(options.pairs, options.seed)
    good = timed(options.pairs, options.seed) and good
    if options.articles:
        with TemporaryDirectory(prefix="newsspider-reprints-") as folder:
            good = stored(Path(folder), options.articles, options.seed) and good
    return 0 if good else 1


def judged(count: int, seed: int) -> bool:
    """Pairs by make: how many of each are judged rightly, by each method."""
    all_pairs = pairs(count, seed)
    winnowing, simhash = right(all_pairs, is_reprint), right(all_pairs, alike_by_simhash)
    print(LINE.format(f"{len(all_pairs)} pairs, rightly judged", "pairs", "winnowing", "simhash"))
    for make in dict.fromkeys(pair.make for pair in all_pairs):
        mine = [place for place, pair in enumerate(all_pairs) if pair.make == make]
        shares = (f"{statistics.mean(verdicts[number] for number in mine):.1%}" for verdicts in (winnowing, simhash))
        print(LINE.format(make, len(mine), *shares))
    precision, recall = quality(all_pairs, winnowing)
    print(f"winnowing: precision {precision:.4f}, recall {recall:.4f}")
    print("simhash:   precision {:.4f}, recall {:.4f}".format(*quality(all_pairs, simhash)))
    first = first_right(all_pairs)
    print(f"first source right: {first:.1%}")
    return precision >= PRECISION and recall >= RECALL and first >= FIRST


def right(all_pairs: Sequence[Pair], judge: Judge) -> list[bool]:
    """Whether each pair is judged as it was made."""
    return [judge(*pair.pieces) == pair.same for pair in all_pairs]


def quality(all_pairs: Sequence[Pair], verdicts: Sequence[bool]) -> tuple[float, float]:
    """Precision and recall of judgements."""
    hits = sum(good for pair, good in zip(all_pairs, verdicts, strict=True) if pair.same)
    false = sum(not good for pair, good in zip(all_pairs, verdicts, strict=True) if not pair.same)
    return hits / max(1, hits + false), hits / sum(pair.same for pair in all_pairs)


def first_right(all_pairs: Sequence[Pair]) -> float:
    """Of how many reprints the first source is found."""
    same = [pair for pair in all_pairs if pair.same]
    is_first_right = [
        first_source([piece.copy for piece in pair.pieces]) is pair.pieces[pair.first].copy for pair in same
    ]
    return statistics.mean(is_first_right)


def is_reprint(first: Piece, second: Piece) -> bool:
    """By winnowing, as the crawler does it."""
    prints = fingerprints_of(normalise_text(first.text))
    return reprint_likeness(prints, Version(first.title, first.text), Version(second.title, second.text)) is not None


def alike_by_simhash(first: Piece, second: Piece) -> bool:
    """By simhash (Charikar 2002) of the letters in threes."""
    return (simhash(first.text) ^ simhash(second.text)).bit_count() <= SIMHASH_DISTANCE


def simhash(written: str) -> int:
    """The simhash of a text."""
    letters = normalise_text(written)
    sums = [0] * SIMHASH_BITS
    for start in range(len(letters) - SIMHASH_GRAM + 1):
        gram = letters[start : start + SIMHASH_GRAM].encode()
        value = int.from_bytes(blake2b(gram, digest_size=SIMHASH_BITS // 8).digest(), "big")
        for bit in range(SIMHASH_BITS):
            sums[bit] += 1 if value >> bit & 1 else -1
    return sum(1 << bit for bit, total in enumerate(sums) if total > 0)


def timed(count: int, seed: int) -> bool:
    """What a text costs, from its letters to its group, among as many reprints as a news desk has."""
    all_pairs = pairs(count, seed + 1)
    random = Random(seed)
    pieces = [pair.pieces[0] for pair in all_pairs if pair.same]
    pieces += [pair.pieces[1] for pair in all_pairs if pair.same][: round(len(pieces) * (1 / ORDINARY - 1))]
    random.shuffle(pieces)
    known_texts = KnownTexts()
    began = time.process_time()
    for piece in pieces:
        known_texts.add(piece.title, piece.text)
    spent = 1000 * (time.process_time() - began) / len(pieces)
    print(
        f"one text of {statistics.mean(len(piece.text) for piece in pieces):.0f} letters: {spent:.2f} ms of CPU, all in all"
    )
    return spent <= MILLISECONDS


def stored(folder: Path, count: int, seed: int) -> bool:
    """The index among so many articles: its size, and how long a text takes."""
    path = folder / "store.db"
    engine = open_store(f"sqlite:///{path}")
    with engine.connect() as conn:
        bytes_before = _bytes(conn)
    began = time.monotonic()
    random = Random(seed)
    for start in range(0, count, AT_ONCE):
        with writing(engine) as conn:
            _fill(conn, random, range(start + 1, min(start + AT_ONCE, count) + 1))
    with engine.connect() as conn:
        size = (_bytes(conn) - bytes_before) / count
    print(f"{count} articles indexed in {time.monotonic() - began:.0f} s, {size:.0f} bytes an article")
    spent: dict[str, list[float]] = defaultdict(list)
    with writing(engine) as conn:
        for number, pair in enumerate(pairs(ASKED, seed + 2)):
            for piece in pair.pieces:
                _measure(conn, piece, count + 1 + 2 * number + (piece is pair.pieces[1]), spent)
    engine.dispose()
    for name, times in spent.items():
        times.sort()
        middle, slow = times[len(times) // 2], times[int(0.95 * len(times))]
        print(f"{name}: median {1000 * middle:.2f} ms, p95 {1000 * slow:.2f} ms")
    return all(1000 * times[int(0.95 * len(times))] <= LOOKUP for times in spent.values())


def _fill(conn: Connection, random: Random, numbers: Sequence[int]) -> None:
    """Articles without texts, each with the least of as many fingerprints as one of so many letters has."""
    fingerprints = round(LETTERS * 2 / (WINDOW_GRAMS + 1))
    rows = []
    for number in numbers:
        least = 0.0
        for rank in range(FINGERPRINTS_INDEXED):  # the order statistics of evenly spread values, one after the other
            least += (1 - least) * (1 - random.random() ** (1 / (fingerprints - rank)))
            rows.append((int(least * 2**32) - 2**31, number))
    rows.sort()
    driver = conn.connection.cursor()
    driver.executemany("INSERT OR IGNORE INTO fingerprints (value, article_id) VALUES (?, ?)", rows)
    driver.close()


def _measure(conn: Connection, piece: Piece, number: int, spent: dict[str, list[float]]) -> None:
    began = time.perf_counter()
    prints = fingerprints_of(normalise_text(piece.text), piece.title)
    winnowed = time.perf_counter()
    ReprintCandidates.by(map(tuple, rows_among(conn, POSTINGS, prints.asked)), prints.title)
    looked = time.perf_counter()
    _store(conn, piece, number)
    indexing_began = time.perf_counter()
    place(conn, [Placement(number, Version(piece.title, piece.text), prints)])
    spent["fingerprints of a text"].append(winnowed - began)
    spent["look-up"].append(looked - winnowed)
    spent["look-up, comparing and indexing"].append(time.perf_counter() - indexing_began)


def _store(conn: Connection, piece: Piece, number: int) -> None:
    columns = [row[1] for row in conn.execute(text("PRAGMA table_info(articles)")) if row[3]]
    values = dict.fromkeys(columns, 0) | {"id": number, "title": piece.title, "text": piece.text}
    names = ", ".join(values)
    conn.execute(text(f"INSERT INTO articles ({names}) VALUES ({', '.join(f':{name}' for name in values)})"), values)


def _bytes(conn: Connection) -> int:
    pages = conn.execute(text("PRAGMA page_count")).scalar_one()
    return int(pages * conn.execute(text("PRAGMA page_size")).scalar_one())


if __name__ == "__main__":
    sys.exit(main())

"""Files that are written whole or not at all."""

from pathlib import Path

import pytest

from newsspider.sites.atomic_files import write_whole


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "weights"
    for content in (b"old", b"", b"new"):
        write_whole(target, content)
        assert target.read_bytes() == content
    assert list(tmp_path.iterdir()) == [target]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    folder.mkdir()
    for target in (folder, tmp_path / "missing" / "weights"):
        with pytest.raises(OSError, match="weights"):
            write_whole(target, b"new")
    assert list(tmp_path.iterdir()) == [folder]

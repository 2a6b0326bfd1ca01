"""A place for each province of China on a map of tiles: our own drawing, in which neighbours mostly stay neighbours."""

from __future__ import annotations

from newsspider.core.text.regions import province_names

ABBREVIATIONS = "京津冀晋蒙辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川黔滇藏陕甘青宁新台港澳"  # in the order of the codes
_DRAWING = """
      黑
      吉
新 宁蒙京津辽
青甘陕晋冀鲁
藏川渝豫皖苏沪
 滇黔鄂赣浙
  桂湘粤闽台
  琼澳港
"""
TILE_COLUMNS = 7
# of each province by its short name: its abbreviation, its column and its row
TILES: dict[str, tuple[str, int, int]] = {
    name: (abbreviation, column, row)
    for row, line in enumerate(_DRAWING.strip("\n").splitlines())
    for column, abbreviation in enumerate(line)
    for name, short in zip(province_names(), ABBREVIATIONS, strict=True)
    if short == abbreviation
}

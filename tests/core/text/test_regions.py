"""Regions by their codes and names."""

from newsspider.core.text.regions import full_name, region_code, regions, with_provinces
from tests.support.tables import each


def test_names_are_unique_and_lie_in_a_province() -> None:
    names = list(regions().values())
    assert len(names) == len(set(names))
    assert all(with_provinces([name])[-1] == name for name in names)
    assert all(region_code(name) == region_code(full_name(code)) == code for code, name in regions().items())


@each(
    ("word", "name"),
    [
        ("臺灣", "台湾"),
        ("臺灣省", "台湾"),
        ("延边州", "延边"),
        ("广西自治区", "广西"),
        ("大理市", "大理"),  # counties stand for their cities
        ("临夏县", "临夏"),
        ("昆山", "苏州"),
        ("浦东", "上海"),
        ("道真县", "遵义"),
        ("芷江侗族自治县", "怀化"),
        ("毕节地区", "毕节"),
        ("羊城", "广州"),
        ("朝阳", "朝阳"),
        ("朝阳区", None),  # Beijing and Changchun have one
        ("鼓楼", None),
        ("和平", None),
        ("海南州", "海南州"),
        ("京津冀", None),
        ("江苏市", None),
        ("苏州省", None),
        ("苏州州", None),
        ("月球", None),
    ],
)
def test_region_by_a_word(word: str, name: str | None) -> None:
    code = region_code(word)
    assert (code and regions()[code]) == name

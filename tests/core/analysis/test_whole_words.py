"""Which words may be shown alone, and how they are completed."""

from __future__ import annotations

import pytest

from newsspider.core.analysis.whole_words import shown_word


@pytest.mark.parametrize(("word", "texts", "shown"), [
    ("振华", ("教师彭振华说", "彭振华没有再提", "校长彭振华表示"), "彭振华"),
    ("中省教育厅", ("从河中省教育厅获悉", "昨天，河中省教育厅召开会议"), "河中省教育厅"),
    ("沙市", ("白沙市的孩子", "在白沙市，家长说"), "白沙市"),
    ("重庆", ("赴重庆考察", "代表团赴重庆学习"), "重庆"),
    ("丰林", ("在丰林县，学校开学", "丰林有三所学校"), "丰林"),
    ("王丽", ("教师王丽说", "王丽的学生"), "王丽"),
    ("欧阳明", ("教师欧阳明说",), "欧阳明"),
    ("空调", ("宿舍装空调", "全部空调"), "空调"),
    ("官宇轩", ("教师上官宇轩说",), "上官宇轩"),
    ("河县教育局", ("柳河县教育局通报",), "柳河县教育局"),
    ("城南区教育局", ("城南区教育局通报",), "城南区教育局"),
])  # fmt: skip
def test_whole_names_and_nouns_are_shown_and_cut_ones_completed(word: str, texts: tuple[str, ...], shown: str) -> None:
    assert shown_word(word, texts) == shown


@pytest.mark.parametrize(("word", "texts"), [
    ("志强", ("教师赵志强说", "钱志强说")),  # of two persons
    ("俊杰", ("校长吴俊杰说",)),
    ("沙市", ("沙市的孩子", "在白沙市，家长说")),
    ("梁慧", ("校长梁慧敏说", "梁慧敏带队")),
    ("萧国", ("教师萧国平说", "萧国平带队")),
    ("长孙", ("校长孙杰说", "校长孙杰来了")),
    ("上官", ("教师上官伟说",)),
    ("江滨", ("白沙市江滨学校停课", "江滨学校复课")),
    ("民族大学", ("云川民族大学招生",)),
    ("第三小学", ("沙溪县第三小学开学",)),
    ("市清理", ("长桥市清理事务",)),
    ("条硬", ("32条硬举措",)),
    ("可享", ("好资源人人可享",)),
    ("这门", ("这门选修课",)),
    ("拉开帷幕", ("考试拉开帷幕。",)),
    ("以前觉得上职校没面子", ("以前觉得上职校没面子，她拿了金牌",)),
    ("食堂", ("没有这个词",)),
])  # fmt: skip
def test_pieces_of_names_and_clauses_are_not(word: str, texts: tuple[str, ...]) -> None:
    assert shown_word(word, texts) == ""

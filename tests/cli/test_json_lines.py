"""Lines of users are read in the encodings that they come in, or say that they cannot be."""

import json

from newsspider.cli.json_lines import read_records
from tests.support.tables import each

LINE = json.dumps({"id": 7, "title": "省教育厅公布今年的中考时间", "text": "各学校要提前做好准备。"}, ensure_ascii=False)


@each("encoding", ["utf-8", "utf-8-sig", "gbk", "gb2312", "gb18030"])
@each("end", ["", "\n", "\r\n"])
def test_a_line_is_read_in_its_encoding(encoding: str, end: str) -> None:
    [record] = read_records([(LINE + end).encode(encoding)])
    assert (record.id, record.title, record.error) == (7, "省教育厅公布今年的中考时间", "")


@each("title", ["㐂山小学", "𠮷林路小学", "臺北市國中", "镕基学堂", "高考", "A é"])
def test_letters_of_gb18030_are_read(title: str) -> None:
    [record] = read_records([json.dumps({"title": title}, ensure_ascii=False).encode("gb18030")])
    assert record.title == title


@each(
    "line",
    [
        LINE.encode().replace("教".encode(), b"\xe6\x95", 1),
        LINE.encode().replace("教".encode(), b"\xff", 1),
        LINE.encode("gbk").replace("教".encode("gbk"), b"\xff\xff", 1),
        LINE.encode("utf-16"),
        b'{"title": "\x80\xff"}',
    ],
)
def test_a_line_in_no_encoding_says_so_and_the_next_is_read(line: bytes) -> None:
    bad, good = read_records([line, LINE.encode("gbk")])
    assert bad.error == "line 1 is neither UTF-8 nor GB18030"
    assert not good.error


def test_lines_of_several_encodings_may_be_mixed() -> None:
    read = list(read_records([LINE.encode(), LINE.encode("gbk"), b"no json", LINE.encode("utf-8-sig")]))
    assert [record.title[:4] for record in read] == ["省教育厅", "省教育厅", "", "省教育厅"]
    assert read[2].error.startswith("line 3 is not JSON")

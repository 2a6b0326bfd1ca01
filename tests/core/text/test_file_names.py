"""Which names are files, and which only look like one."""

from newsspider.core.text.file_names import ATTACHMENTS, is_file, names_file
from tests.support.tables import each


@each(
    ("url", "text", "file"),
    [
        ("http://a.cn/download/1", "名单.xlsx", True), ("http://a.cn/sys/getFile?id=1", "名单.xlsx", True),
        ("http://a.cn/f/1.PDF", "", True), ("http://a.cn/download/1", "名单", False), ("http://a.cn/info/1", "名单.xlsx", False),
        ("http://down.a.cn/info/1", "年报.pdf解读", False), ("http://a.cn/teacher/profile?id=3", "简历.doc的写法", False),
        ("http://a.cn/uploads/2024/1.html", "年报.pdf解读", False),
    ],
)  # fmt: skip
def test_a_page_is_no_file_whatever_it_is_called(url: str, text: str, file: bool) -> None:
    assert is_file(url, text) is file


def test_every_file_that_people_write_out_is_an_attachment_by_its_suffix() -> None:
    recognised = {suffix for suffix in ATTACHMENTS if names_file(f"附件.{suffix}（12KB）")}
    assert ATTACHMENTS - recognised == {"txt", "csv", "tar", "gz"}
    assert all(is_file(f"http://a.cn/1.{suffix}", "下载") for suffix in ATTACHMENTS)

"""Saved pages for the tests of the library."""

PARAGRAPH = "全省各地学校今天开学，教师和学生回到课堂，新的课程从这一天开始，家长也说了自己的看法。"


def page(number: int) -> tuple[bytes, str]:
    """An article page in GBK and its URL."""
    title = f"全省第{number}所学校今天开学"
    body = f"<title>{title}</title><h1>{title}</h1><p>2024-09-01 08:30</p>{4 * f'<p>{PARAGRAPH}</p>'}"
    return body.encode("gbk"), f"http://edu.example.cn/2024/0901/{number}.html"

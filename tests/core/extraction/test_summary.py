from newsspider.core.extraction.summary import ENOUGH_LETTERS, summary_of


def test_a_summary_is_the_first_sentences_without_dateline() -> None:
    lines = [
        "图为上课的学生。王小明摄",
        "新华社北京3月5日电（记者王小明）教育部今天发布通知。通知要求各地落实方案！方案自九月起施行。第四句不要。",
    ]
    assert summary_of(lines) == "教育部今天发布通知。通知要求各地落实方案！方案自九月起施行。"


def test_a_third_sentence_is_taken_only_if_two_are_short() -> None:
    first, second, third = "第一句说了一件事，", "第二句说了别的，也很重要。", "第三句接着说下去。"
    short = "学校今天开学。"
    assert summary_of([short + second + third]) == short + second + third
    long = first + "很长" * (ENOUGH_LETTERS // 2) + "。"
    assert summary_of([long + second + third]) == long + second


def test_japan_and_electricity_are_no_datelines() -> None:
    line = "日本電子產品製造商索尼已經向政府申請繼續供貨，結果還不知道。"
    assert summary_of([line]) == line


def test_the_pages_own_description_serves_where_there_is_no_text() -> None:
    assert summary_of([], "页面自己的描述") == "页面自己的描述"
    assert summary_of([]) == ""


def test_subtitles_notices_and_lines_in_another_script_are_the_last_resort_of_a_summary() -> None:
    sentences = "教育部今天发布通知，要求各地落实方案。方案自九月起施行，家长可以提出意见。"
    poor_lines = (
        "本文原标题：《新方案九月施行，家长可以提出意见》",
        "新方案来了！哪些学校先行一步",
        "下载客户端看更多新闻，还有专享福利等着你哦！",
        "Your browser does not support this page. Would you like to go to our English site?",
    )
    for line in poor_lines:
        assert summary_of([line, sentences], title="新方案九月施行") == sentences, line
        assert summary_of([line, "太短。"], "页面自己的描述", "新方案九月施行") == "页面自己的描述", line
        assert line.startswith(summary_of([line, "太短。"], title="新方案九月施行")), line
    assert summary_of([poor_lines[3]], title="An English title") == poor_lines[3]

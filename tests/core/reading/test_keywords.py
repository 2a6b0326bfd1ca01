from newsspider.core.reading.keywords import MOST_LETTERS, keywords
from newsspider.core.text.words import cut

TITLE = "乡村教师王秀兰坚守山村小学三十年"
TEXT = (
    "王秀兰是一名乡村教师。王秀兰说，山村小学最多时有四十名学生。如今，山村小学只剩下七名学生，乡村教师却还是她一个人。"
    "近日，记者来到山村小学，王秀兰正在上语文课。她表示，乡村教师需要更好的宿舍。2024年3月，王秀兰拿到了新教材。"
)


def test_words_of_title_and_body_are_found_strongest_first():
    found = keywords(TITLE, TEXT)
    assert len(found) <= 10
    assert "王秀兰" in found[:3]
    assert any("教师" in word for word in found[:4])


def test_stop_words_figures_and_single_characters_are_no_keywords():
    found = keywords(TITLE, TEXT, count=30)
    assert not {"记者", "近日", "表示", "2024", "名", "，", "说"} & set(found)
    assert all(len(word) > 1 for word in found)


def test_the_pages_own_keywords_come_first_where_the_article_holds_them():
    assert keywords(TITLE, TEXT, ("山村小学,语文课", "乡村教师"))[:3] == ("山村小学", "语文课", "乡村教师")


def test_site_names_sentences_and_absent_words_are_no_keywords():
    own = ("某某教育网", "山村小学只剩下七名学生。", "股票行情", "新闻")
    found = keywords(TITLE, TEXT + "某某教育网", own)
    assert not set(own) & set(found)


def test_words_cut_already_give_the_same_keywords():
    assert keywords(TITLE, TEXT, words=cut(TEXT)) == keywords(TITLE, TEXT)


def test_no_more_than_asked_and_nothing_from_nothing():
    assert len(keywords(TITLE, TEXT, count=2)) == 2
    assert keywords(None, "") == ()


def test_only_the_beginning_of_a_long_text_is_cut_into_words():
    beginning = "山村小学的王秀兰拿到新教材。" * 2000
    assert len(beginning) > MOST_LETTERS
    assert keywords("", beginning + "期货行情。" * 2000) == keywords("", beginning)

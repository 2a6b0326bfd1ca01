import subprocess
import sys

from newsspider.core.extraction.keywords import MOST_LETTERS, extract_keywords, is_in_table

TITLE = "乡村教师王秀兰坚守山村小学三十年"
TEXT = (
    "王秀兰是一名乡村教师。王秀兰说，山村小学最多时有四十名学生。如今，山村小学只剩下七名学生，乡村教师却还是她一个人。"
    "近日，记者来到山村小学，王秀兰正在上语文课。她表示，乡村教师需要更好的宿舍。2024年3月，王秀兰拿到了新教材。"
)


def test_words_of_title_and_body_are_found_strongest_first():
    chosen = extract_keywords(TITLE, TEXT)
    assert len(chosen) <= 10
    assert "王秀兰" in chosen[:3]
    assert any("教师" in word for word in chosen[:4])


def test_stop_words_figures_and_single_characters_are_no_keywords():
    chosen = extract_keywords(TITLE, TEXT, count=30)
    assert not {"记者", "近日", "表示", "2024", "名", "，", "说"} & set(chosen)
    assert all(len(word) > 1 for word in chosen)


def test_letters_do_not_have_the_weight_of_the_character_with_their_bytes():
    assert "景".encode("utf-16-le") == b"of"  # Python's hash of both texts is the same
    assert (is_in_table("of"), is_in_table("景")) == (False, True)


def test_the_pages_own_keywords_come_first_where_the_article_holds_them():
    assert extract_keywords(TITLE, TEXT, ("山村小学,语文课", "乡村教师"))[:3] == ("山村小学", "语文课", "乡村教师")


def test_site_names_sentences_and_absent_words_are_no_keywords():
    own = ("某某教育网", "山村小学只剩下七名学生。", "股票行情", "新闻")
    chosen = extract_keywords(TITLE, TEXT + "某某教育网", own)
    assert not set(own) & set(chosen)


def test_a_page_that_repeats_its_title_as_keywords_names_none():
    halves = ("乡村教师王秀兰", "坚守山村小学三十年")
    for own in (halves, (TITLE,), ("乡村教师王秀兰 坚守山村小学三十年",), ("王秀兰坚守山村小学三十年", "支教")):
        assert not {*halves, TITLE, "王秀兰坚守山村小学三十年"} & set(extract_keywords(TITLE, TEXT + "支教。", own))
    assert extract_keywords(TITLE, TEXT + "支教。", (TITLE, "支教"))[0] == "支教"


def test_traditional_texts_have_the_words_that_they_would_have_in_the_other_script_as_the_page_writes_them():
    title = "鄉村教師王秀蘭堅守山村小學三十年"
    text = (
        "王秀蘭是一名鄉村教師。王秀蘭說，山村小學最多時有四十名學生。如今，山村小學只剩下七名學生，鄉村教師卻還是她一個人。"
        "近日，記者來到山村小學，王秀蘭正在上語文課。她表示，鄉村教師需要更好的宿舍。2024年3月，王秀蘭拿到了新教材。"
    )
    chosen = extract_keywords(title, text)
    assert len(chosen) == len(extract_keywords(TITLE, TEXT))
    assert {"王秀蘭", "鄉村教師", "山村小學", "學生"} <= set(chosen)
    assert not {"記者", "近日", "表示", "需要"} & set(chosen)


def test_a_wrongly_segmented_word_takes_the_character_that_always_adjoins_it():
    text = "人社部今天公布办法。昨天，人社部说，办法由人社部解释。有人问人社部，何时开始。"
    assert "人社部" in extract_keywords("", text)
    assert "社部" not in extract_keywords("", text)
    text = "在岗职工按月缴费，在岗职工可以查询，在岗职工也可以补缴。"
    assert "岗职工" not in extract_keywords("", text)


def test_a_word_that_stands_nowhere_but_in_a_longer_keyword_is_replaced_by_it():
    chosen = extract_keywords("逆水寒再更新", "玩家说，逆水寒很好玩。逆水寒有新地图，逆水寒的地图很大。逆水寒明天开放。")
    assert "逆水寒" in chosen
    assert "逆水" not in chosen


def test_ordinals_sums_and_what_every_article_says_are_no_keywords():
    text = "我市第十一届艺术节昨日开幕，首届以来共投入三亿元，亿元以上的项目一行九人看过。我市第十一届艺术节再次获得好评，亿元。"
    assert not {"我市", "第十一届", "首届", "三亿元", "亿元", "一行", "再次", "获得"} & set(extract_keywords("", text, count=30))


def test_no_more_than_asked_and_nothing_from_nothing():
    assert len(extract_keywords(TITLE, TEXT, count=2)) == 2
    assert extract_keywords(None, "") == ()


def test_only_the_beginning_of_a_long_text_is_cut_into_words():
    beginning = "山村小学的王秀兰拿到新教材。" * 2000
    assert len(beginning) > MOST_LETTERS
    assert extract_keywords("", beginning + "期货行情。" * 2000) == extract_keywords("", beginning)


def test_the_table_of_frequencies_takes_little_memory() -> None:
    grown = """
import sys
import newsspider.core.extraction.keywords as keywords
from tests.support.memory import peak_mb
keywords.cut_words("")
before = peak_mb()
keywords._frequencies()
print(peak_mb() - before, "jieba" in sys.modules)
"""
    megabytes, loaded = subprocess.run([sys.executable, "-c", grown], capture_output=True, text=True, check=True).stdout.split()
    assert float(megabytes) < 30
    assert loaded == "False"

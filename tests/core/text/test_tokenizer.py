import time

import jieba

from newsspider.core.text.tokenizer import beginnings_of, cut_by_dictionary, cut_words, join_terms
from tests.support.tables import each

SENTENCES = [
    "教育部近日印发通知，部署2024年高考工作。",
    "iPhone-15与A.D时代：北京队以110-103、2-2和3.5%取胜---完",
    "张桂梅校长说：“孩子们，走出大山！”\r\n\t下一段 English words, 3-D电影",
    "",
    "　　全角空格、①②③和emoji😀",
]


def test_words_are_cut_as_jieba_cuts_them():
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True  # without its cache file in the temporary folder
    assert [cut_words(sentence) for sentence in SENTENCES] == [tokenizer.lcut(sentence) for sentence in SENTENCES]
    assert list(map(cut_by_dictionary, SENTENCES)) == [tokenizer.lcut(sentence, HMM=False) for sentence in SENTENCES]


@each("sentence", SENTENCES)
def test_the_words_of_a_text_make_up_the_text(sentence):
    assert "".join(cut_words(sentence)) == sentence


def test_a_lone_surrogate_is_cut_and_not_refused():
    assert "高考" in cut_words("高考\ud800改革")


def test_a_text_of_dates_alone_is_cut_in_time():
    began = time.process_time()
    words = cut_words("2026-11-20 10:00 " * 150_000)
    assert time.process_time() - began < 8
    assert words[:6] == ["2026", "-", "11", "-", "20", " "]


def test_the_longest_term_is_joined_and_a_mere_beginning_is_not():
    terms = {"强基计划", "强基计划招生", "职教高考"}
    words = ["强基", "计划", "招生", "强基", "计划", "书", "职教", "改革"]
    assert join_terms(words, terms, beginnings_of(terms)) == ["强基计划招生", "强基计划", "书", "职教", "改革"]

"""Measured floors of summary and keywords on short news with the description and keywords that an editor wrote, hidden from the reader."""

import re
from dataclasses import dataclass

import pytest

from bench.gist import SENTENCE, recall, rouge_l
from newsspider.core.extraction.article import SUMMARY_SENTENCES, summary_of
from newsspider.core.extraction.keywords import extract_keywords


@dataclass(frozen=True)
class News:
    title: str
    lines: tuple[str, ...]
    description: str
    words: tuple[str, ...]


NEWS = (
    News(
        "江南省发布新版中小学作息时间表",
        (
            "图为学生在操场上做操。李小红 摄",
            "江南日报讯（记者 王小明）江南省教育厅昨天发布新版中小学作息时间表，小学上午上课时间不早于8点20分。新表从秋季学期起施行。",
            "教育厅负责人说，调整作息时间是为了让学生睡得更够。调查显示，全省近六成小学生睡眠不足九小时。",
            "多所学校表示，将同步调整校车和早餐供应，课后服务时间不变。",
        ),
        "江南省教育厅发布新版中小学作息时间表，小学上午上课时间不早于8点20分，从秋季学期起施行。",
        ("作息时间表", "睡眠", "江南省", "课后服务"),
    ),
    News(
        "高考报名人数公布 考点增加三十个",
        (
            "记者从市招生考试院获悉，今年全市高考报名人数为6.2万人，比去年增加2100人。考点随之增加到98个。",
            "招生考试院提醒，考生应提前一天熟悉考点，随身带好准考证和身份证。气象部门预计考试期间有小雨。",
            "公交公司将在考试期间开通助考专线。",
        ),
        "今年全市高考报名人数为6.2万人，比去年增加2100人，考点增加到98个。",
        ("高考", "考点", "考生", "招生考试院"),
    ),
    News(
        "县里的职业学校办起茶艺专业",
        (
            "春天刚到，青山县职业中学的茶园里已经有了采茶的学生。去年秋天，学校办起茶艺专业，第一批招了42名学生。",
            "校长说，县里有两万亩茶园，缺的是懂茶艺的人。茶企同学校签了协议，毕业生优先录用。",
            "学生张晓雨说，她想学好茶艺，回村开一间茶馆。",
        ),
        "青山县职业中学办起茶艺专业，第一批招了42名学生，茶企与学校签约优先录用毕业生。",
        ("茶艺", "职业中学", "茶园", "青山县"),
    ),
    News(
        "大学图书馆向市民开放",
        (
            "（通讯员 赵强）临江大学图书馆从本月起向市民开放，市民凭身份证可以办理阅览证。周末开放时间为上午9点到下午5点。",
            "馆长介绍，图书馆有藏书180万册，向市民开放其中的一半。开放第一天，有三百多名市民前来办证。",
            "退休教师周老师说，家门口有了好书房。",
        ),
        "临江大学图书馆本月起向市民开放，市民凭身份证可办理阅览证。",
        ("图书馆", "市民", "阅览证", "临江大学"),
    ),
    News(
        "乡村小学的足球队踢进全省决赛",
        (
            "云岭乡中心小学足球队昨天以2比1战胜对手，踢进全省小学生足球联赛决赛。这支球队只有11名队员，来自四个村子。",
            "教练是数学老师陈静，她自学足球三年，带队员每天放学后训练一个小时。",
            "决赛将于下周六在省体育场举行，乡里准备组织家长去加油。",
        ),
        "云岭乡中心小学足球队以2比1战胜对手，踢进全省小学生足球联赛决赛。",
        ("足球队", "小学生", "决赛", "云岭乡"),
    ),
    News(
        "教师资格考试报名今日开始",
        (
            "教师资格考试报名今天开始，考生可登录中国教育考试网报名，报名截止到本周日。笔试将于3月9日举行。",
            "省考试院说，在校大学生须三年级以上才能报考。考试费为每科70元。",
            "专家建议，考生不要轻信“包过”的培训广告。",
        ),
        "教师资格考试报名今天开始，截止到本周日，笔试3月9日举行。",
        ("教师资格考试", "报名", "笔试", "考生"),
    ),
)


def test_a_summary_is_nearer_to_the_editors_description_than_the_first_two_sentences() -> None:
    ours = [rouge_l(summary_of(news.lines, title=news.title), news.description) for news in NEWS]
    first = [rouge_l("".join(SENTENCE.findall("".join(news.lines))[:2]), news.description) for news in NEWS]
    assert sum(ours) >= sum(first)
    assert sum(ours) / len(NEWS) >= 0.6


@pytest.mark.parametrize("news", NEWS, ids=lambda news: news.title)
def test_a_summary_is_two_or_three_sentences_of_the_text(news: News) -> None:
    sentences = SENTENCE.findall(summary_of(news.lines, title=news.title))
    assert 2 <= len(sentences) <= SUMMARY_SENTENCES
    assert all(sentence in "".join(news.lines) for sentence in sentences)


def test_keywords_meet_the_editors_oftener_than_jieba_does() -> None:
    import jieba.analyse  # reads its dictionary

    ours = [recall(extract_keywords(news.title, "\n".join(news.lines)), news.words) for news in NEWS]
    theirs = [recall(tuple(jieba.analyse.extract_tags("\n".join((news.title, *news.lines)), topK=10)), news.words) for news in NEWS]
    assert sum(ours) >= sum(theirs)
    assert sum(ours) / len(NEWS) >= 0.4


@pytest.mark.parametrize("news", NEWS, ids=lambda news: news.title)
def test_keywords_are_words_of_the_article_and_no_fragments_of_sentences(news: News) -> None:
    words = extract_keywords(news.title, "\n".join(news.lines))
    text = news.title + "\n".join(news.lines)
    assert 5 <= len(words) <= 10
    assert all(word in text and len(word) <= 8 and not re.search(r"[，。！？\s]", word) for word in words)

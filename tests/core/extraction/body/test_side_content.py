"""Which containers are side content, judged by their names and their headings."""


from tests.core.extraction.bodies import FOOTER, FURTHER, LINKS, NAV, PARAGRAPHS, RELATED, TEXT, TOP, text_of
from tests.support.tables import each


@each("heading", ["网友评论", "热门评论 10条", "评论（12）", "全部评论", "已有23条评论", "讀者留言(9)", "3 Comments"])
def test_what_readers_say_is_known_by_its_heading_however_much_it_is(heading: str) -> None:
    items = "".join(f"<li><div>网友{n}</div><div>我觉得{p}</div><div>3小时前</div></li>" for n, p in enumerate(PARAGRAPHS * 6))
    comments = f"<div><div><h3>{heading}</h3></div><ul>{items}</ul></div>"
    assert text_of(f"{TOP}<div><div>{TEXT}</div>{comments}</div>") == PARAGRAPHS


@each("heading", ["《作业怎么写》已有3件评论", "网友评论", "# re: 作业怎么写 2024-03-05 12:55 小明"])
def test_what_readers_say_is_known_by_a_heading_in_the_container_of_the_text_too(heading: str) -> None:
    items = "".join(f"<li><p>网友{n}</p><p>我觉得{p}</p></li>" for n, p in enumerate(PARAGRAPHS * 6))
    assert text_of(f"{TOP}<div>{TEXT}<h3>{heading}</h3><ol>{items}</ol></div>") == PARAGRAPHS


@each(
    "buttons",
    ["<a href=#>回复</a> <a href=#>赞(3)</a>", "回复 举报 顶(0)", "<span>支持 12</span><span>反对 3</span><span>引用</span>", "<a>踩</a>"],
)
@each("box", ["<div><ul>{}</ul></div>", "{}"], ids=["box", "beside the paragraphs"])
def test_what_readers_say_is_known_by_the_buttons_to_answer_it(buttons: str, box: str) -> None:
    items = [f"<li><div>网友{n} 3小时前</div><p>我觉得{p}</p><div>{buttons}</div></li>" for n, p in enumerate(PARAGRAPHS * 6)]
    assert text_of(f"{TOP}<div>{TEXT}{box.format(''.join(items))}</div>") == PARAGRAPHS


def test_a_text_between_buttons_and_the_posts_of_a_thread_are_no_comments() -> None:
    share = "<div><a href=#>点赞</a></div>"
    assert text_of(f"{TOP}<div>{share}<div>{TEXT}</div>{share}</div>{share}") == PARAGRAPHS
    posts = "".join(f"<div class=post><p>{n + 1}楼 发表于 3-5</p><p>{p * 3}</p><p>回复 举报</p></div>" for n, p in enumerate(PARAGRAPHS))
    assert text_of(f"<h1>作业怎么写</h1><div>{posts}</div>")[0] == PARAGRAPHS[0] * 3


@each("heading", ["为你推荐", "作者最近文章", "猜你喜欢", "关于我们"])
def test_a_box_is_known_by_its_heading(heading: str) -> None:
    teasers = "".join(f"<dl><dt>另一篇文章{n}</dt><dd>{text}</dd></dl>" for n, text in enumerate(FURTHER))
    assert text_of(f"{TOP}<div><div>{TEXT}</div><div><h4>{heading}</h4><div>{teasers}</div></div></div>") == PARAGRAPHS


def test_a_container_is_not_known_by_the_heading_of_the_box_that_it_begins_with() -> None:
    box = f"<div><h4>热点推荐</h4>{LINKS.format('p')}</div>"
    assert text_of(f"<div>{box}{TOP}<div>{TEXT}</div></div>{RELATED}") == PARAGRAPHS


def test_a_rich_text_editor_container_is_not_mistaken_for_the_name_of_an_editor() -> None:
    editor = f"<div class='TRS_Editor'>{''.join(f'<p>{p}</p>' for p in PARAGRAPHS)}</div>"
    others = "".join(f"<div><div>{text}</div></div>" for text in FURTHER * 2)
    assert text_of(f"{NAV}{TOP}<table><tr><td>{editor}</td></tr></table>{RELATED}{others}") == PARAGRAPHS
    assert text_of(f"{TOP}<div class=content>{TEXT}<div class='editor'>孙晓，{PARAGRAPHS[0]}</div></div>") == PARAGRAPHS


@each("heading", ["网友留言：", "网友回应", "读者留言", "最新回应", "留言1"])
def test_questions_and_answers_in_one_container_are_all_of_the_text(heading: str) -> None:
    inside = f"<p>{heading}</p>".join(f"<p>{p}</p>" for p in PARAGRAPHS)
    body_lines = text_of(f"{TOP}<div class=content>{inside}</div>")
    assert [line for line in body_lines if line in PARAGRAPHS] == PARAGRAPHS


@each(
    "head",
    [
        "<h1>推荐阅读｜十本好书伴你过暑假</h1>",
        "<p>相关报道您怎么看？</p>",
        "<h4>推荐阅读1：《某某的夏天》</h4>",
        "<p>版权声明制度改革启动</p>",
    ],
)
def test_a_container_is_headed_by_a_whole_line_only(head: str) -> None:
    title = "<title>推荐阅读｜十本好书伴你过暑假_某某报</title>"
    teasers = "".join(f"<div><a href='/{n}.html'>另一篇新闻的标题{n}</a><p>{p}</p></div>" for n, p in enumerate(FURTHER * 2))
    body_lines = text_of(f"{title}<div><div>{head}{TEXT}</div></div><div>{RELATED}{teasers}</div>")
    assert [line for line in body_lines if line in PARAGRAPHS] == PARAGRAPHS


def test_a_text_in_a_container_that_is_named_for_recommendations_is_found() -> None:
    title = f"<title>新学期的作业怎么写</title>{TOP}"
    assert text_of(f"{title}<div class='news-recommend'><div>{TEXT}</div></div>{FOOTER}") == PARAGRAPHS
    assert text_of(f"{title}<p>本报今天的消息</p><div class='recommend'><div>{TEXT}</div></div>{FOOTER}")[-4:] == PARAGRAPHS


def test_an_article_that_a_page_opens_in_a_box_above_itself_is_its_text() -> None:
    assert text_of(f"<title>新学期的作业怎么写</title>{NAV}<div class='modal'>{TOP}<div>{TEXT}</div></div>{FOOTER}") == PARAGRAPHS


@each("name", ["editor", "post-editor", "w-e-editor", "article-editor", "_editor"])
def test_a_container_that_is_named_for_an_editor_and_holds_paragraphs_is_that_of_the_text(name: str) -> None:
    first, second, *_ = PARAGRAPHS
    site = "".join(f"<p>某某网是一家报道学校和老师的网站，二十年来一直在做这件事，欢迎来信来电{i}。</p>" for i in range(3))
    page = f"<title>新学期的作业怎么写</title>{TOP}<div class='{name}'><p>{first}</p><p>{second}</p></div><div>{site}</div>"
    assert text_of(page + FOOTER)[:2] == [first, second]


@each("name", ["editor", "post-editor", "zebian"])
def test_a_container_that_is_named_for_an_editor_and_holds_a_line_is_not_that_of_the_text(name: str) -> None:
    assert text_of(f"{TOP}<div>{TEXT}<div class='{name}'>本文由王小明编发，投稿请寄某某信箱</div></div>{FOOTER}") == PARAGRAPHS


@each("name", ["extra-padding", "card extra-large"])
def test_a_container_named_for_its_size_is_no_side_content(name: str) -> None:
    first, second, *_ = PARAGRAPHS
    site = "".join(f"<p>某某网是一家报道学校和老师的网站，二十年来一直在做这件事，欢迎来信来电{i}。</p>" for i in range(3))
    page = f"<title>新学期的作业怎么写</title><div class='{name}'>{TOP}<div><p>{first}</p><p>{second}</p></div></div><div>{site}</div>"
    assert text_of(page + FOOTER)[:2] == [first, second]


@each("name", ["video-player", "xgplayer", "vjs-control-bar", "videoPlayer", "m-player"])
def test_the_buttons_of_a_player_are_not_the_text(name: str) -> None:
    first = PARAGRAPHS[0]
    words = ("倍速", "2.0X", "1.5X", "超清", "高清", "循环播放", "跳过片头", "当前视频播放失败，错误代码：4100")
    buttons = "".join(f"<li>{word}</li>" for word in words)
    page = f"<title>新学期的作业怎么写</title>{TOP}<div class=content><div class='{name}'><ul>{buttons}</ul></div><p>{first}</p></div>"
    assert text_of(page + FOOTER) == [first]


def test_a_player_on_a_pitch_is_one_of_the_text() -> None:
    sentence = "前锋在上半场打进一球，下半场又助攻一次，被评为全场最佳。"
    assert text_of(f"{TOP}<div>{TEXT}<div class='team-player'><p>{sentence}</p></div></div>{FOOTER}") == [*PARAGRAPHS, sentence]


@each("name", ["elec_all_replies postlist", "comment-wrap", "right"])
def test_a_box_that_holds_the_page_title_is_no_side_content_whatever_its_name(name: str) -> None:
    others = "".join(f"<div><ul>{LINKS.format('li')}</ul><p>{p}</p></div><hr>" for p in FURTHER * 3)
    page = f"<title>新学期的作业怎么写</title><div class='{name}'>{TOP}<div>{TEXT}</div></div>{others}"
    assert text_of(page) == PARAGRAPHS


@each("box", ["<div class=related><h3>教育要闻</h3>{}</div>", "<div class=comment><h4>新学期的作业怎么写</h4>{}</div>"])
def test_a_box_below_the_text_with_a_section_name_or_the_title_again_is_side_content(box: str) -> None:
    box_paragraphs = "".join(f"<p>{p}</p>" for p in FURTHER)
    top = "<title>新学期的作业怎么写_教育要闻_某某网</title><div>新学期的作业怎么写</div><div>2024-03-05</div>"
    assert text_of(f"{top}<div>{TEXT}{box.format(box_paragraphs)}</div>") == PARAGRAPHS


def test_what_readers_say_below_short_news_is_none_of_it_though_the_title_heads_it() -> None:
    comments = "<p>王小明说，人人都要关心教育，学校里的作业太多，孩子们睡得太晚，很不好。</p>" * 4
    news = "<div class=title>学校举行运动会</div><div class=content><p>昨天，学校举行了运动会，孩子们很高兴。</p></div>"
    page = f"<title>学校举行运动会_某某网</title>{news}<div class=comments><h3>学校举行运动会</h3>{comments}</div>"
    assert text_of(page)[-1] == "昨天，学校举行了运动会，孩子们很高兴。"


def test_comments_below_a_text_are_none_of_it_though_the_title_stands_there_alone() -> None:
    comments = "".join(f"<p>王小明说，{p}</p>" for p in FURTHER * 3)
    page = f"<title>新学期的作业怎么写_某某网</title><div>{TEXT}</div><div class=comments><h3>新学期的作业怎么写</h3>{comments}</div>"
    assert text_of(page) == PARAGRAPHS

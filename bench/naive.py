"""The naive whole job, as one would write it in an afternoon: the peer of ``make bench``.

A default Scrapy spider: every link by LinkExtractor, the body by trafilatura, near reprints by its simhash, keywords by jieba, the topic by
counting words, one commit an item; robots.txt, canonicalisation and default middlewares are on, and the fields stored are ours.
"""

import hashlib
import json
import re
import sqlite3
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jieba.analyse
import scrapy
import trafilatura
from htmldate import find_date
from scrapy.linkextractors import LinkExtractor
from trafilatura.deduplication import Simhash
from w3lib.url import canonicalize_url

FIELDS = (  # noqa: SIM905 -- reads better than a list
    "url canonical_url site anchor title author source published_at crawled_at meta_keywords meta_description "
    "body summary keywords language charset snapshot links priority topic score terms body_md5 editor modified_at images comments near like"
).split()
SESSION = re.compile(r"[?&](?:PHPSESSID|utm_\w+|spm)=[^&#]*")  # else a page is another one each time
EDITOR, TERMS = re.compile(r"责任编辑[:：]\s*(\w+)"), ["教育", "学校", "学生", "教师", "高考", "大学", "招生", "课程"]


class NaiveSpider(scrapy.Spider):
    name = "naive"
    custom_settings = {"ITEM_PIPELINES": {"bench.naive.CommitPipeline": 100}}  # noqa: RUF012 -- Scrapy's own way

    def __init__(self, starts: str, articles: str, database: str) -> None:
        super().__init__()
        self.start_urls = Path(starts).read_text("utf-8").split()
        self.links = LinkExtractor(canonicalize=True, unique=True, process_value=lambda url: SESSION.sub("", url))
        self.is_article = re.compile(articles).search
        self.db = sqlite3.connect(database)
        self.db.executescript(f"CREATE TABLE articles ({', '.join(FIELDS)}); CREATE TABLE links (src, dst, text)")
        self.near: dict[str, Simhash] = {}  # by URL
        jieba.initialize()  # before the clock runs

    def parse(self, response, anchor=""):
        links = self.links.extract_links(response)
        yield from (
            response.follow(link.url, cb_kwargs={"anchor": link.text}) for link in links if self.is_article(link.url)
        )
        if self.is_article(response.url):
            yield self.article(response, anchor, [(response.url, link.url, link.text) for link in links])

    def article(self, response, anchor, links):
        read: Any = trafilatura.bare_extraction(response.text, url=response.url, with_metadata=True)
        body = (read.text if read else "") or ""
        matched_terms = [term for term in TERMS if term in body]
        near, editor = Simhash(body), EDITOR.search(response.text)
        like = next((url for url, other in self.near.items() if near.similarity(other) >= 0.9), None)
        self.near[response.url] = near
        return {
            "url": response.url,
            "canonical_url": canonicalize_url(response.url),
            "site": response.url.split("/")[2],
            "anchor": anchor,
            "title": read and read.title,
            "author": read and read.author,
            "source": read and read.sitename,
            "published_at": read and read.date,
            "crawled_at": datetime.now(UTC).isoformat(),
            "meta_keywords": response.css("meta[name=keywords]::attr(content)").get(),
            "meta_description": response.css("meta[name=description]::attr(content)").get(),
            "body": body,
            "summary": body[:200],
            "keywords": json.dumps(jieba.analyse.extract_tags(body, topK=10), ensure_ascii=False),
            "language": "zh",
            "charset": response.encoding,
            "snapshot": zlib.compress(response.body),
            "links": links,
            "priority": 0,
            "topic": "education",
            "score": len(matched_terms) / len(TERMS),
            "terms": ",".join(matched_terms),
            "body_md5": hashlib.md5(body.encode()).hexdigest(),
            "editor": editor and editor[1],
            "modified_at": find_date(response.text, original_date=False),
            "comments": read and read.comments,
            "images": json.dumps(response.css("img::attr(src)").getall()),
            "near": near.to_hex(),
            "like": like,
        }


class CommitPipeline:
    def process_item(self, item, spider):
        row = {**item, "links": len(item["links"])}
        spider.db.executemany("INSERT INTO links VALUES (?, ?, ?)", item["links"])
        spider.db.execute(
            f"INSERT INTO articles VALUES ({', '.join('?' * len(FIELDS))})", [row[name] for name in FIELDS]
        )
        spider.db.commit()
        return item

"""The naive whole job, as one would write it in an afternoon: the peer of ``make bench``.

A default Scrapy spider: every link by LinkExtractor, the body by trafilatura, keywords by jieba, the topic by counting words, one commit
an item; robots.txt, canonicalisation and the default middlewares are on, and the fields stored are ours.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from datetime import UTC, datetime

import jieba.analyse
import lxml.html
import scrapy
import trafilatura
from scrapy.linkextractors import LinkExtractor
from w3lib.url import canonicalize_url

FIELDS = (
    "url canonical_url site anchor title author source published_at crawled_at meta_keywords meta_description "
    "body summary keywords language charset snapshot links priority topic score terms body_md5"
).split()


class NaiveSpider(scrapy.Spider):
    name = "naive"

    def __init__(self, starts: str, allow: str, database: str) -> None:
        super().__init__()
        self.start_urls = starts.split()
        self.lists = set(self.start_urls)
        self.links = LinkExtractor(allow=allow, canonicalize=True, unique=True)
        self.terms = ["教育", "学校", "学生", "教师", "高考", "大学", "招生", "课程"]
        self.db = sqlite3.connect(database)
        self.db.execute(f"CREATE TABLE IF NOT EXISTS articles ({', '.join(FIELDS)})")
        self.db.execute("CREATE TABLE IF NOT EXISTS links (src, dst, text)")

    def parse(self, response):
        found = self.links.extract_links(response)
        for link in found:
            yield response.follow(link.url, self.parse, cb_kwargs={"anchor": link.text})
        if response.url not in self.lists:
            yield self.article(response, found)

    def parse_article(self, response, anchor):
        yield from self.parse(response)

    def article(self, response, links):
        tree = lxml.html.fromstring(response.body)
        read = trafilatura.bare_extraction(response.text, url=response.url, with_metadata=True)
        body = (read.text if read else "") or ""
        found = [term for term in self.terms if term in body]
        return {
            "url": response.url, "canonical_url": canonicalize_url(response.url), "site": response.url.split("/")[2],
            "anchor": response.cb_kwargs.get("anchor", ""), "title": read.title if read else "",
            "author": read.author if read else "", "source": read.sitename if read else "",
            "published_at": read.date if read else "", "crawled_at": datetime.now(UTC).isoformat(),
            "meta_keywords": ",".join(tree.xpath("//meta[@name='keywords']/@content")),
            "meta_description": ",".join(tree.xpath("//meta[@name='description']/@content")), "body": body,
            "summary": body[:200], "keywords": json.dumps(jieba.analyse.extract_tags(body, topK=10), ensure_ascii=False),
            "language": "zh", "charset": response.encoding, "snapshot": zlib.compress(response.body),
            "links": [(response.url, link.url, link.text) for link in links], "priority": 0, "topic": "education",
            "score": len(found) / len(self.terms), "terms": ",".join(found),
            "body_md5": hashlib.md5(body.encode()).hexdigest(),
        }  # fmt: skip


class CommitPipeline:
    """One commit an item."""

    def process_item(self, item, spider):
        db, row = spider.db, {**item, "links": len(item["links"])}
        db.executemany("INSERT INTO links VALUES (?, ?, ?)", item["links"])
        db.execute(f"INSERT INTO articles VALUES ({', '.join('?' * len(FIELDS))})", [row[name] for name in FIELDS])
        db.commit()
        return item

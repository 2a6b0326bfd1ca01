"""Benchmarks: each prints ratios against a named peer or limit, measured in the same run.

``make bench``, or ``python -m bench [--articles N] [--rounds N]``, crawls one sample portal (``python -m demo serve
--plain``) in turn with

- *newsspider*: ``scrapy crawl education -a topic=any`` with the project's settings,
- *naive*: ``bench/naive.py``, a default Scrapy spider that does the same job as one would write it in an afternoon,
- *download only*: the pages that ours reads, downloaded by a default Scrapy spider and thrown away: the limit.

Each crawl is a process of its own, and what counts is its CPU time, all threads, from the opened spider to the stopped
engine: other work on the machine disturbs that little. A ratio is that of the medians of the rounds, and there is none
unless the contestants asked for the same pages and stored the same articles, give or take 5 %.

``python -m bench.strategies`` compares the crawl strategies on a synthetic graph. ``python -m bench.fleet`` compares the
frontier on PostgreSQL and Redis with scrapy-redis as it is shipped.
"""

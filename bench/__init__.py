"""Benchmarks: each prints ratios against a named peer or limit, measured in the same run.

``make bench``, or ``python -m bench [--articles N] [--rounds N] [--light]``, crawls one sample portal (``python -m demo
serve --plain --crowded``) in turn with

- *newsspider*: ``scrapy crawl education -a topic=any`` with the project's settings,
- *naive*: ``bench/naive.py``, a default Scrapy spider that does the same job as one would write it in an afternoon,
- *download only*: the pages that ours reads, downloaded by a default Scrapy spider and thrown away: the limit.

Each crawl is a process of its own, and what counts is its CPU time, all threads, from the opened spider to the stopped
engine: other work on the machine disturbs that little. A ratio is that of the medians of the rounds, and there is none
unless the contestants asked for the same pages and stored the same articles, give or take 5 %.

An article page of the crowded portal has 545 elements, 158 links and 59 kB in the middle: between two collections of real
Chinese article pages, of which the one has 413 elements, 70 links and 34 kB in the middle, the other 881, 173 and 131 kB. The
more stands around an article, the further the two are apart: with ``--light``, pages have 270 elements, 93 links and 49 kB.

``python -m bench.strategies`` compares the crawl strategies on a synthetic graph. ``python -m bench.fleet`` compares the
frontier on PostgreSQL and Redis with scrapy-redis as it is shipped.
"""

"""Plain functions that decide: no Scrapy, no database, no network, no clock.

:mod:`~newsspider.core.url` and :mod:`~newsspider.core.model` serve all. The packages are layers, each imports only to
the left:

    text <- query <- fetching <- extraction <- links <- relevance <- duplicates <- scheduling <- crawling
"""

"""What ``from newsspider import ...`` gives: the readers, the topics and the store for programs without Scrapy."""

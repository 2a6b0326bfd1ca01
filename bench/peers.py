"""Settings of the peers: Scrapy's defaults with robots.txt obeyed, as a new project has it, and the meter."""

SPIDER_MODULES = ["bench.naive", "bench.download_only"]
ROBOTSTXT_OBEY = True
EXTENSIONS = {"bench.cpu.CpuMeter": 0}

"""Commands that read JSON lines."""

import json
import os

from tests.support.process import answered


def scrapy(*arguments, stdin=""):
    return answered(arguments, os.environ, 120, stdin.encode())


def rows(done):
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]

"""Fifty pages that give orders to a model, each with what one that obeys would write."""

import json
from pathlib import Path

INJECTED = [json.loads(line) for line in Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines()]

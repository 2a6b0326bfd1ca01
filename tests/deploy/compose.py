"""The services of deploy/docker/compose.yaml that run newsspider."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from tests.support.scrapyd import ROOT

DOCKER, KUBERNETES = ROOT / "deploy/docker", ROOT / "deploy/kubernetes"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))
OURS = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "newsspider" and name != "backup"}


MORNING = datetime(2026, 11, 26, 8, 0, 10, tzinfo=ZoneInfo("Asia/Shanghai"))

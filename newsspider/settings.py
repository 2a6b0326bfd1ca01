"""The wiring in data-flow order, then the numbers: the only place with defaults."""

import os
from pathlib import Path

BOT_NAME = "newsspider"
SPIDER_MODULES = ["newsspider.spiders"]
NEWSPIDER_MODULE = "newsspider.spiders"
COMMANDS_MODULE = "newsspider.commands"
LOG_LEVEL = "INFO"

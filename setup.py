import re
from pathlib import Path

from setuptools import setup

REPOSITORY = "https://github.com/newsspider/newsspider"  # as in pyproject.toml

readme = Path(__file__).with_name("README.md").read_text("utf-8")
absolute = re.sub(r"\]\((?!\w+:|#)", f"]({REPOSITORY}/blob/main/", readme)
pictures = re.sub(rf"(!\[[^]]*\]\({REPOSITORY})/blob/", r"\1/raw/", absolute)
setup(long_description=pictures, long_description_content_type="text/markdown")

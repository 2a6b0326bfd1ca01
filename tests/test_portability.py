"""The package can be imported where there is no POSIX."""

import subprocess
import sys

import pytest

IMPORT_ALL = """
import builtins, importlib, pkgutil
import newsspider

POSIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
original = builtins.__import__

def guarded(name, globals=None, *rest, **more):
    if name.partition(".")[0] in POSIX and (globals or {}).get("__name__", "").startswith("newsspider"):
        raise ImportError(f"{globals['__name__']} imports {name}")
    return original(name, globals, *rest, **more)

builtins.__import__ = guarded
names = [module.name for module in pkgutil.walk_packages(newsspider.__path__, "newsspider.") if ".migrations" not in module.name]
for name in names:
    importlib.import_module(name)
from newsspider.crawl.ending import _most_files
assert _most_files() is None
print(len(names))
"""


@pytest.mark.slow
def test_no_module_needs_posix_to_be_imported() -> None:
    ran = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 300

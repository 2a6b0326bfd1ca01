"""Work that takes long or may never end, in a process of its own: nobody else waits for it."""

from __future__ import annotations

import json
import logging
import math
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

GRACE_SECONDS = 2  # seconds for the parent to end it first

logger = logging.getLogger(__name__)


class ChildError(Exception):
    """A process that took too long or failed."""


def done_apart(module: str, arguments: object, seconds: float, files: Sequence[int] = ()) -> Any:
    """Run ``main`` of a module in a process of its own with these ``arguments``, and return the JSON that it prints.
    The process keeps ``files`` open, and the locks on them, as long as it lives."""
    # Where the console is killed meanwhile, the system ends the process.
    alarm = f"import signal; signal.alarm({math.ceil(seconds) + GRACE_SECONDS}); " if hasattr(signal, "alarm") else ""
    command = [sys.executable, "-c", f"{alarm}from {module} import main; main()"]
    try:
        done = subprocess.run(
            command, input=pickle.dumps(arguments), capture_output=True, timeout=seconds, check=True, pass_fds=files
        )
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise ChildError(f"it took longer than {seconds:.0f} s") from None
    except subprocess.CalledProcessError as error:
        ended = error.stderr.decode("utf-8", "replace")[-2000:].strip() or f"it ended with exit code {error.returncode}"
        logger.warning("%s failed: %s", module, ended)
        raise ChildError("it failed; the log of the console says why") from None
    except OSError as error:  # no memory, no more processes
        raise ChildError(f"it cannot be started: {error.strerror or error}") from None
    except ValueError:
        raise ChildError("it gave no answer") from None


def arguments_of_parent() -> Any:
    """The arguments of :func:`done_apart`, in its process."""
    return pickle.loads(sys.stdin.buffer.read())  # of our own parent


def return_result(record: Mapping[str, Any]) -> None:
    """Hand the result to :func:`done_apart`, in its process."""
    json.dump(record, sys.stdout)


def own_settings(settings: BaseSettings) -> dict[str, Any]:
    """The settings that do not come from the project, whose settings the process reads itself."""
    from scrapy.settings import SETTINGS_PRIORITIES  # most of the processes do without Scrapy

    project = SETTINGS_PRIORITIES["project"]
    return {name: settings[name] for name in settings if (settings.getpriority(name) or 0) > project}

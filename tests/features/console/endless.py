"""Work that never ends, for ``newsspider.features.console.child_process``."""

import os
import time
from pathlib import Path

from newsspider.features.console.child_process import arguments_of_parent


def main() -> None:
    """Write the number of this process to the given file, and wait for ever."""
    path = Path(arguments_of_parent())
    partial = path.with_suffix(".part")
    partial.write_text(str(os.getpid()), encoding="utf-8")
    partial.rename(path)
    while True:
        time.sleep(60)

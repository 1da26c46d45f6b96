"""Entry point of the `hpc` command. Applies process settings that must be in place before any large import."""

import atexit
import gc
import os
import sys


def main() -> None:
    # The process runs for only a second or two, so garbage collection would cost time without freeing anything.
    gc.disable()
    # Even with the collector disabled, Python collects garbage at exit, which takes a fifth of a preview's time.
    atexit.register(gc.freeze)
    # Otherwise pydantic would read the metadata of every installed package to look for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from hpc_components.cli import main as command

        command()
    except KeyboardInterrupt:  # raised during the import; the command handles later interrupts
        sys.exit(130)

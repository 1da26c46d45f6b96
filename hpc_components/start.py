"""Entry point of the `hpc` command: process settings that must precede any large import."""

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command."""
    # The process lives for a second or two: garbage collection would only cost time, and free nothing.
    gc.disable()
    # Python collects once more at exit, even if the collector is disabled: a fifth of a preview's time.
    atexit.register(gc.freeze)
    # To look for plugins, pydantic would read the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from hpc_components.cli import main as command

        command()
    except KeyboardInterrupt:  # during the import; afterwards the command handles it
        sys.exit(130)

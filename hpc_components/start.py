"""Entry point of the `hpc` command. It applies process settings that must be in place before any large import."""

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command."""
    # The process runs for only a second or two, so garbage collection would cost time without freeing anything.
    gc.disable()
    # Python collects garbage at exit even if the collector is disabled, which takes a fifth of a preview's time.
    atexit.register(gc.freeze)
    # pydantic would read the metadata of every installed package to look for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from hpc_components.cli import main as command

        command()
    except KeyboardInterrupt:  # raised during the import; later ones are handled by the command
        sys.exit(130)

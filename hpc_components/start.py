"""Entry point of the `hpc` command: settings that must be made before anything large is imported."""

import atexit
import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command."""
    # It lives for a second or two: the collector would walk all that is imported again and again, and free nothing.
    gc.disable()
    # Nor at the end, where Python collects once more, whatever was disabled: a fifth of the time of a preview.
    atexit.register(gc.freeze)
    # Looking for plugins of pydantic reads the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from hpc_components.cli import main as command

        command()
    except KeyboardInterrupt:  # while it is imported; later, the command itself ends
        sys.exit(130)

"""Git repositories that tests make."""

import subprocess
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    """What git says there; whoever commits is Ada."""
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()

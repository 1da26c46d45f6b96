"""Resolves the dependencies into requirements/*.txt: all packages pinned, with hashes, without index addresses."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {
    "dev": ["--all-extras", "requirements/dev.in"],
    "aws": ["--extra=aws", "--constraint=requirements/dev.txt"],  # the tests run with the versions that users install
}


def main() -> None:
    """Write every lock file."""
    for name, extras in LOCKS.items():
        target = ROOT / "requirements" / f"{name}.txt"
        command = [
            sys.executable, "-m", "piptools", "compile", "--quiet", "--generate-hashes", "--strip-extras",
            "--allow-unsafe",
            "--no-emit-index-url", "--no-emit-trusted-host", "--no-emit-find-links", "--no-annotate",
            "--no-header", "--upgrade", *extras, f"--output-file={target}", "pyproject.toml", "requirements/build.in",
        ]  # fmt: skip
        subprocess.run(command, check=True, cwd=ROOT)
        print(f"requirements/{name}.txt: {target.read_text().count('==')} packages")


if __name__ == "__main__":
    main()

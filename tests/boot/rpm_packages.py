"""Small packages for dnf, and repositories of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from .sandbox import Sandbox

SIGNER = "Publisher of the tests"

_SIGN = f"""
export GNUPGHOME=/gpg
install -d -m 700 $GNUPGHOME
[[ -e /srv/key.asc ]] || gpg --batch --quiet --passphrase '' --quick-generate-key '{SIGNER}' rsa3072 sign
gpg --armor --export >/srv/key.asc
rpmsign --define '_gpg_name {SIGNER}' --addsign "$@" >/dev/null
gpgconf --kill all
"""


@dataclass(frozen=True)
class Rpm:
    """A package."""

    name: str
    version: str
    requires: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts by path. They are executable."""

    @property
    def spec(self) -> str:
        lines = [f"Name: {self.name}", f"Version: {self.version}", "Release: 1", "Summary: For tests", "License: MIT"]
        lines += ["BuildArch: noarch", *(f"Requires: {each}" for each in self.requires)]
        lines += ["%description", "For tests.", "%install"]
        for path, text in self.files.items():
            lines += [f"install -D -m 755 /dev/stdin %{{buildroot}}{path} <<'EOF'", text.rstrip("\n"), "EOF"]
        return "\n".join([*lines, "%files", *self.files, ""])


def repository(box: Sandbox, place: str, packages: Sequence[Rpm], *, signed: bool = False) -> Path:
    """Build the packages and the index of their repository with the real tools, in /srv of the sandbox."""
    if not any((layer / "usr/bin/rpmbuild").exists() for layer in box.lower):
        pytest.skip("needs dnf and rpm in build/rfs/trixie-boot: `make system` puts them there")
    for number, package in enumerate(packages):
        box.write(f"specs/{place}/{number}.spec", package.spec)
    options = f"--define '_rpmdir /srv/{place}' --define '__os_install_post true'"
    build = f'rpmbuild --quiet --nodeps -bb {options} "$0"/*.spec'
    done(box, "bash", "-ec", build, f"/specs/{place}")
    if signed:
        built = (box.root / "srv" / place).rglob("*.rpm")
        done(box, "bash", "-ec", _SIGN, "-", *(f"/{file.relative_to(box.root)}" for file in built))
    done(box, "createrepo_c", "--quiet", f"/srv/{place}")
    return box.root / "srv" / place


def done(box: Sandbox, *command: str) -> str:
    run = box.run(*command)
    assert run.returncode == 0, run.stdout
    return run.stdout

#!/usr/bin/python3
"""Stands in for `mount.cvmfs`: reads settings as CernVM-FS does, refuses what it refuses, and shows a prepared tree.

The order of files, and what is refused: cvmfs 2.12 (ae7450ec9), cvmfs/options.cc ParseDefault and
mount/mount.cvmfs.cc; mount/default.conf for the defaults.
"""

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

CONFIG = Path("/etc/cvmfs")
TREE = "/lab/eessi"
OPTIONS = {"", "rw", "ro", "nodev", "nosuid", "_netdev", "defaults"}
"""Options that the client knows. It passes others to libfuse, which fails. Source: run with cvmfs 2.12, loader.cc."""
FAILS = Path("/lab/no-server-answers")


def settings(fqrn: str) -> dict[str, str]:
    domain = fqrn.partition(".")[2]
    files = [*sorted(CONFIG.glob("default.d/*.conf")), CONFIG / "default.local"]
    files += [CONFIG / f"domain.d/{domain}.conf", CONFIG / f"config.d/{fqrn}.conf"]
    found = {"CVMFS_CACHE_BASE": "/var/lib/cvmfs", "CVMFS_QUOTA_LIMIT": "4000"}
    for file in (file for file in files if file.exists()):
        for line in file.read_text().splitlines():
            if line and not line.startswith("#"):
                key, value = line.split("=", 1)
                assert re.fullmatch("CVMFS_[A-Z_]+", key), line
                found[key] = value.strip('"')
    return found


def refusals(fqrn: str, found: dict[str, str]) -> list[str]:
    cache = Path(found["CVMFS_CACHE_BASE"])
    wrong = {
        f"Not allowed to mount {fqrn}, add it to CVMFS_REPOSITORIES": found.get("CVMFS_STRICT_MOUNT") == "yes"
        and fqrn not in found.get("CVMFS_REPOSITORIES", "").split(","),
        "CVMFS_HTTP_PROXY required": not found.get("CVMFS_HTTP_PROXY"),
        "the configuration repository is not mounted": bool(found.get("CVMFS_CONFIG_REPOSITORY")),
        "no server": not re.fullmatch(r"(http://[^;]+/cvmfs/@fqrn@;?)+", found.get("CVMFS_SERVER_URL", "")),
        "no public key": not any(Path(found.get("CVMFS_KEYS_DIR", "/none")).glob("*.pub")),
        "the quota is not a number of MB": not found["CVMFS_QUOTA_LIMIT"].isdigit(),
        f"cannot create {cache}": not cache.is_dir() or cache.stat().st_uid != pwd.getpwnam("cvmfs").pw_uid,
        "Failed to discover HTTP proxy servers": FAILS.exists(),
    }
    return [reason for reason, applies in wrong.items() if applies]


def main() -> int:
    fqrn, mountpoint = sys.argv[1:3]
    options = ",".join(sys.argv[sys.argv.index("-o") + 1 :][:1] if "-o" in sys.argv else []).split(",")
    wrong = refusals(fqrn, settings(fqrn))
    wrong += ["failed to create Fuse session"] if set(options) - OPTIONS else []
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    return subprocess.run(["mount", "--bind", TREE, mountpoint], check=False).returncode


if __name__ == "__main__":
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sys.exit(main())

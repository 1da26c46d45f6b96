"""Writes `spec/slurm/data/keys.json` from the option tables in Slurm's own source.

Usage: make_slurm_keys.py REPOSITORY, a git directory of github.com/SchedMD/slurm with the release tags below.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "hpc_components" / "spec" / "slurm" / "data" / "keys.json"
TAGS = {
    "22.05": "slurm-22-05-8-1",
    "23.11": "slurm-23-11-4-1",
    "24.11": "slurm-24-11-5-1",
    "25.11": "slurm-25-11-2-1",
}
TABLES = {"global": "slurm_conf_options", "partition": "_partition_options", "node": "_nodename_options"}
TYPES = {"STRING": "text", "BOOLEAN": "flag", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64"}
OPTION = re.compile(r'\{\s*"(\w+)"\s*,\s*S_P_(\w+)\s*(?:,\s*(\w+))?')
REMOVED = re.compile(r'fatal\("The (\w+) option has been removed|fatal\("(\w+) has been removed')


def main() -> None:
    """Read all tables of all releases, and write one record per key."""
    keys: dict[tuple[str, str], dict[str, str]] = {}
    for version, tag in TAGS.items():
        source = subprocess.run(
            ["git", "-C", sys.argv[1], "show", f"{tag}:src/common/read_config.c"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        removed = {name for found in REMOVED.findall(source) for name in found if name}
        for scope, table in TABLES.items():
            for name, type, handler in OPTION.findall(_table(source, table)):
                gone = handler == "_defunct_option" or (scope == "global" and name in removed)
                kind = TYPES.get(type, "line" if handler else "text")
                keys.setdefault((scope, name), {})[version] = "removed" if gone else kind
    records = [
        {
            "kind": scope,
            "name": name,
            "types": types,
            "source": f"Slurm's src/common/read_config.c, {', '.join(TAGS[version] for version in types)}",
            "as_of": "2026-11",
        }
        for (scope, name), types in sorted(keys.items())
    ]
    DATA.write_text("[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n")


def _table(source: str, name: str) -> str:
    match = re.search(rf"s_p_options_t {name}\[\] = \{{(.*?)\{{NULL\}}", source, re.DOTALL)
    if match is None:
        raise SystemExit(f"there is no table {name}")
    return match[1]


if __name__ == "__main__":
    main()

"""Writes the generated files of the clouds' catalogues; with `--check`, lists those that are out of date.

Facts of EC2 (sizes, network cards, zones) come from the answers to DescribeInstanceTypes and
DescribeInstanceTypeOfferings that moto contains. Facts that no API returns (prices, memory visible to the operating
system, the other clouds) come from `tools/catalog_sources/`. All other data files are maintained by hand.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

import catalog_from_azure as azure
import catalog_from_gcp as gcp
import catalog_from_moto as moto
import catalog_regional as regional

PACKAGE = Path(__file__).resolve().parent.parent / "hpc_components"


def main() -> int:
    """Write or check all generated files. Return 1 if a checked file is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    check = parser.parse_args().check
    stale = {name: text for name, text in generate().items() if read(name) != text}
    if not check:
        for name, text in stale.items():
            (PACKAGE / name).write_text(text)
    print(("stale: " if check else "written: ") + (", ".join(stale) or "nothing"))
    return int(check and bool(stale))


def generate() -> dict[str, str]:
    """Return the texts of the generated files by their paths in the package."""
    types, offerings = moto.read_types(), moto.read_offerings()
    files: dict[str, Iterable[moto.Record]] = {
        "aws/catalog/data/machines.json": moto.machines(types, offerings),
        "aws/catalog/data/other_machines.json": moto.other_machines(types, offerings),
        "aws/catalog/data/regional_prices.json": regional.prices(types, offerings),
        "aws/catalog/data/known_types.json": moto.known_families(types),
        "aws/catalog/data/regions.json": moto.regions(offerings),
        "aws/catalog/data/efa.json": moto.efa_layouts(types),
        "azure/catalog/data/machines.json": azure.machines(usual=True),
        "azure/catalog/data/other_machines.json": azure.machines(usual=False),
        "gcp/catalog/data/machines.json": gcp.machines(usual=True),
        "gcp/catalog/data/other_machines.json": gcp.machines(usual=False),
    }
    return {name: as_lines(records) for name, records in files.items()}


def as_lines(records: Iterable[moto.Record]) -> str:
    """Return a JSON array with one record per line, so that a diff shows the changed records."""
    return "[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n]\n"


def read(name: str) -> str | None:
    """Return the current text of a file of the package; empty if it does not exist."""
    path = PACKAGE / name
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())

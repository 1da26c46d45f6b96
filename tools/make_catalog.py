"""Write the generated files of `hpc_components/catalog/data/`, or say with `--check` which of them are stale.

What describes EC2 (sizes, network cards, zones) comes from the DescribeInstanceTypes and
DescribeInstanceTypeOfferings answers that moto ships; what no API answers (prices, memory as the operating
system sees it, the other clouds) comes from `tools/catalog_sources/`. The other files of `data/` are kept by hand.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

import catalog_from_drafts as drafts
import catalog_from_moto as moto
import catalog_regional as regional

DATA = Path(__file__).resolve().parent.parent / "hpc_components" / "catalog" / "data"


def main() -> int:
    """Write or check every generated file; 1 when a checked file is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    check = parser.parse_args().check
    stale = {name: text for name, text in generate().items() if read(name) != text}
    if not check:
        for name, text in stale.items():
            (DATA / name).write_text(text)
    print(("stale: " if check else "written: ") + (", ".join(stale) or "nothing"))
    return int(check and bool(stale))


def generate() -> dict[str, str]:
    """File name -> its text."""
    types, offerings = moto.read_types(), moto.read_offerings()
    files = {
        "machines.json": [*moto.machines(types, offerings), *drafts.machines()],
        "aws_other_machines.json": list(moto.other_machines(types, offerings)),
        "aws_regional_prices.json": list(regional.prices(types, offerings)),
        "aws_known_types.json": list(moto.known_families(types)),
        "aws_regions.json": list(moto.regions(offerings)),
        "efa.json": list(moto.efa_layouts(types)),
    }
    return {name: as_lines(records) for name, records in files.items()}


def as_lines(records: Iterable[moto.Record]) -> str:
    """A JSON array with one record per line, so that a diff names the records it touches."""
    return "[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n]\n"


def read(name: str) -> str | None:
    """The present text of a data file, if there is one."""
    path = DATA / name
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())

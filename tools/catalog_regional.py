"""On-demand prices of EC2 types by region, from the types that `tools/catalog_sources/aws_regional.csv` has.

All sizes of a family differ between two regions by one factor: c6i.large costs 0.085 USD in us-east-1 and 0.091 in
eu-north-1, c6i.32xlarge 5.44 and 5.824. So one size of a family that was read in all regions gives the others.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import catalog_from_drafts as drafts

Record = dict[str, Any]

SOURCE = "skypilot-catalog v9 (commit 2c3d7ea), catalogs/v9/aws/vms.csv"
AS_OF = "2026"  # the file has no date of its own


def prices(described: dict[str, Record], offerings: dict[str, dict[str, list[str]]]) -> Iterator[Record]:
    """One record for each type that was read, or whose family was and whose price in a region of it is known."""
    read: dict[str, dict[str, float]] = defaultdict(dict)
    for row in drafts.rows("aws_regional.csv"):
        read[row["name"]][row["region"]] = float(row["usd_per_hour"])
    listed = {row["name"]: float(row["usd_per_hour"]) for row in drafts.rows("aws_on_demand.csv")}
    models = {name.split(".")[0]: name for name in read if name in listed and drafts.HOME in read[name]}
    for name in sorted(described):
        model = models.get(name.split(".")[0], "")
        sold = {region for region, types in offerings.items() if name in types}
        if name in read:
            usd, source = read[name], SOURCE
        elif model and name in listed:
            factors = {region: usd / read[model][drafts.HOME] for region, usd in read[model].items()}
            usd = {region: float(f"{listed[name] * factor:.5g}") for region, factor in factors.items()}
            source = f"derived: {drafts.HOME}'s price times that of {model} in the region; {SOURCE}"
        else:
            continue
        if here := {region: drafts.number(usd[region]) for region in sorted(usd) if region in sold}:
            yield {"name": name, "usd": here, "source": source, "as_of": AS_OF, "unsure": True}

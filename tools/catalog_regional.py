"""On-demand prices of EC2 types by region, derived from the types in `tools/catalog_sources/aws_regional.csv`.

All sizes of a family differ between two regions by one factor: c6i.large costs 0.085 USD in us-east-1 and 0.091 in
eu-north-1, c6i.32xlarge 5.44 and 5.824. So the prices of one size in all regions give those of the other sizes.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import catalog_from_drafts as drafts

Record = dict[str, Any]

SOURCE = "skypilot-catalog v9 (commit 2c3d7ea), catalogs/v9/aws/vms.csv"
AS_OF = "2026"  # the file has no date


def prices(described: dict[str, Record], offerings: dict[str, dict[str, list[str]]]) -> Iterator[Record]:
    """Yield a record for each type in the source, and for each type of the same family with a known price in one
    region.
    """
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

"""Machine types of Google Cloud: facts from `tools/catalog_sources/gcp_types.csv`, regions and zones from
`gcp_offered.csv`, prices from `hpc_components/gcp/catalog/data/regional_prices.json`.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from catalog_from_drafts import Record, number, rows, whole

DATA = Path(__file__).resolve().parent.parent / "hpc_components" / "gcp" / "catalog" / "data"
HOMES = ("us-central1", "us-east4")
"""Regions for the price in a machine's own record: the first of them with a price."""
SOURCE = (
    "Cyclenerd google-cloud-pricing-cost-calculator (Compute Engine API, machineTypes), regions and memory; "
    "Cyclenerd google-cloud-compute-machine-types (Compute Engine documentation, Machine families), network; "
    "Cluster Toolkit 1.95.0 (1047080), sockets and memory of the system; "
    "skypilot-catalog v9 (commit 2c3d7ea), zones"
)
AS_OF = "2026-08-17"


def machines(*, usual: bool) -> Iterator[Record]:
    """Yield the types that clusters usually consist of, or all others, in file order."""
    prices = {record["name"]: record for record in json.loads((DATA / "regional_prices.json").read_bytes())}
    offered = {row["name"]: row["offered"] for row in rows("gcp_offered.csv")}
    for row in rows("gcp_types.csv"):
        if (row["usual"] == "1") == usual:
            yield {
                **processor(row),
                **network(row),
                **market(row, prices.get(row["name"]), offered[row["name"]]),
            }


def processor(row: dict[str, str]) -> Record:
    """Return name, processor, memory, accelerator and disks of a type."""
    threads = int(row["threads"])
    gpu = row["gpu"] and {
        "manufacturer": "NVIDIA",
        "model": row["gpu"],
        "count": int(row["gpu_count"]),
        "memory_gib": number(row["gpu_memory_gib"]),
    }
    return {
        "cloud": "gcp",
        "name": row["name"],
        "arch": row["arch"],
        "cpu_vendor": row["cpu_vendor"] or None,
        "vcpus": int(row["vcpus"]),
        "cores": int(row["vcpus"]) // threads,
        "threads_per_core": threads,
        # Compute Engine accepts threadsPerCore when a machine is created.
        "valid_threads_per_core": [1, 2] if threads == 2 else [1],
        "memory_gib": number(row["memory_gib"]),
        "os_memory_mib": whole(row["os_memory_mib"]),
        "numa_nodes": None,
        "sockets": whole(row["sockets"]),
        "accelerator": gpu or None,
        "local_nvme_gb": int(row["local_nvme_gb"]),
        "burstable": row["notes"] == "shared core",
    }


def network(row: dict[str, str]) -> Record:
    """Return bandwidth, cards, fabric and placement of a type."""
    fabric = row["fabric"] and {
        "kind": row["fabric_kind"],
        "name": row["fabric"],
        "interfaces": int(row["interfaces"]),
        "gbps": number(row["fabric_gbps"]),
    }
    placed = row["name"].partition("-")[0] in compact_series()
    return {
        "network_gbps": number(row["network_gbps"]),
        "network_up_to": False,
        "network_cards": int(row["cards"]),
        "fabric": fabric or None,
        "cluster_placement": placed,
        "placement": "compact policy" if placed else None,
    }


@cache
def compact_series() -> frozenset[str]:
    """Return the series that support compact placement."""
    return frozenset(
        r["prefix"] for r in json.loads((DATA.parents[1] / "placement" / "facts.json").read_bytes()) if r["compact"]
    )


def market(row: dict[str, str], regional: Record | None, offered: str) -> Record:
    """Return regions, zones, prices and quotas of a type, with their sources.

    `offered` names zones, or a region if its zones are not known.
    """
    zones: dict[str, list[str]] = {}
    for place in offered.split():
        region = place.rpartition("-")[0] if place.count("-") == 2 else place
        zones.setdefault(region, []).extend([place] if place != region else [])
    prices = []
    if regional:
        home = next((region for region in HOMES if region in regional["usd"]), min(regional["usd"]))
        told = {key: regional[key] for key in ("source", "as_of", "unsure") if key in regional}
        prices.append({"region": home, "purchase": "on_demand", "usd": regional["usd"][home], **told})
    if row["spot_usd"]:
        # Google may change spot prices once a day.
        told = {"source": row["spot_source"], "as_of": row["spot_as_of"], "unsure": True}
        price = {"region": row["spot_region"], "purchase": "spot", "usd": number(row["spot_usd"])}
        prices.append({**price, **told})
    return {
        "usage": row["usage"].split(),
        "offered": {region: " ".join(zones[region]) for region in sorted(zones)},
        "prices": prices,
        "quotas": {"on_demand": row["quota"], **({"spot": row["spot_quota"]} if row["spot_quota"] else {})},
        "notes": row["notes"],
        "source": SOURCE,
        "as_of": AS_OF,
        "unsure": row["unsure"].split(),
    }

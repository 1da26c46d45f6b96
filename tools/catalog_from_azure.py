"""Machine types of Azure: facts from `tools/catalog_sources/azure_sizes.csv`, regions and prices from
`hpc_components/azure/catalog/data/regional_prices.json`.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from catalog_from_drafts import Record, number, rows, whole

DATA = Path(__file__).resolve().parent.parent / "hpc_components" / "azure" / "catalog" / "data"
HOMES = ("eastus", "eastus2", "southcentralus")
"""Regions for the price in a machine's own record: the first of them that sells the size."""
SPOT_SOURCE = "skypilot-catalog v6 (commit 098741e)"
SPOT_YEAR = "2025"
"""Date of these prices, whose day is not known."""


def machines(*, usual: bool) -> Iterator[Record]:
    """Yield the types that clusters usually consist of, or all others, in file order."""
    prices = {record["name"]: record for record in json.loads((DATA / "regional_prices.json").read_bytes())}
    for row in rows("azure_sizes.csv"):
        if (row["usual"] == "1") == usual:
            yield {**processor(row), **network(row), **market(row, prices[row["name"]])}


def processor(row: dict[str, str]) -> Record:
    """Return name, processor, memory, accelerator and disks of a size."""
    threads = int(row["threads"])
    gpu = row["gpu"] and {
        "manufacturer": "AMD" if row["gpu"].startswith("MI") else "NVIDIA",
        "model": row["gpu"],
        "count": int(row["gpu_count"]),
        "memory_gib": number(row["gpu_memory_gib"]),
    }
    return {
        "cloud": "azure",
        "name": row["name"],
        "arch": row["arch"],
        "cpu_vendor": row["cpu_vendor"],
        "vcpus": int(row["vcpus"]),
        "cores": int(row["vcpus"]) // threads,
        "threads_per_core": threads,
        "valid_threads_per_core": [threads],
        "memory_gib": number(row["memory_gib"]),
        "os_memory_mib": whole(row["os_memory_mib"]),
        "numa_nodes": whole(row["numa_nodes"]),
        "sockets": whole(row["sockets"]),
        "accelerator": gpu or None,
        "local_nvme_gb": int(row["local_nvme_gb"] or 0),
    }


def network(row: dict[str, str]) -> Record:
    """Return bandwidth, fabric and placement of a size. Only machines in one placement group share InfiniBand."""
    fabric = row["fabric"] and {
        "kind": "infiniband",
        "name": row["fabric"],
        "interfaces": int(row["interfaces"]),
        "gbps": number(row["fabric_gbps"]),
    }
    return {
        "network_gbps": number(row["network_gbps"]) if row["network_gbps"] else None,
        "network_up_to": False,
        "network_cards": None,
        "fabric": fabric or None,
        "cluster_placement": True,
        "placement": "VMSS single placement group" if fabric else "PPG",
    }


def market(row: dict[str, str], regional: Record) -> Record:
    """Return regions, prices and quotas of a size, with their sources.

    The price list is complete: a size without a price in a region is not sold there. A size with a price may still be
    unavailable to some subscriptions; its zones depend on the subscription, so `offered` names none.
    """
    home = next((region for region in HOMES if region in regional["usd"]), min(regional["usd"]))
    told = {"source": regional["source"], "as_of": regional["as_of"]}
    prices = [{"region": home, "purchase": "on_demand", "usd": regional["usd"][home], **told}]
    if row["spot_usd"]:
        spot = {"source": SPOT_SOURCE, "as_of": SPOT_YEAR, "unsure": True}
        prices.append({"region": "eastus", "purchase": "spot", "usd": number(row["spot_usd"]), **spot})
    return {
        "usage": ["on_demand", "spot"],
        "offered": dict.fromkeys(regional["usd"], ""),
        "prices": prices,
        "quotas": {"on_demand": row["quota"], "spot": "lowPriorityCores"},
        "notes": row["notes"],
        "source": row["source"],
        "as_of": row["as_of"],
        "unsure": sorted(row["unsure"].split()),
    }

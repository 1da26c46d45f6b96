"""What `tools/catalog_sources/` holds by hand: prices, measured memory, and the machines of GCP."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]

SOURCES = Path(__file__).resolve().parent / "catalog_sources"
PRICE_SOURCE = "karpenter-provider-aws zz_generated.pricing_aws.go"
PRICE_DATE = "2026-07-20"
HOME = "us-east-1"
"""The region of these prices."""

# First words of the draft's `rdma` column -> our kind of fabric.
FABRIC_KINDS = {
    "Cloud RDMA": "cloud_rdma",
    "GPUDirect-TCPXO": "gpudirect_tcpxo",
    "GPUDirect-TCPX": "gpudirect_tcpx",
    "GPUDirect RDMA": "gpudirect_rdma",
}
# Words in a draft row's notes -> the fields they put in doubt.
UNSURE_WORDS = {
    "numa unsure": ["numa_nodes"],
    "network unsure": ["network_gbps"],
    "network from public docs": ["network_gbps"],
    "physical cores unsure": ["cores"],
    "rdma interface count unsure": ["fabric.interfaces"],
    "SSD size unsure": ["local_nvme_gb"],
    "local SSD and cores unsure": ["cores", "local_nvme_gb"],
    "H3 spot support is unsure": ["usage"],
}


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one hand-kept source."""
    with (SOURCES / name).open(newline="") as stream:
        return list(csv.DictReader(stream))


def read_json(name: str) -> list[Record]:
    """The records of one hand-kept source."""
    return json.loads((SOURCES / name).read_bytes())


def machines(cloud: str) -> Iterator[Record]:
    """The draft's rows of a cloud other than AWS, in its order."""
    for row in rows("machines.csv"):
        if row["cloud"] == cloud:
            yield {**processor(row), **network(row), **market(row)}


def processor(row: dict[str, str]) -> Record:
    """Name, processor, memory, accelerator and disks of a draft row."""
    threads = int(row["threads_per_core"])
    return {
        "cloud": row["cloud"],
        "name": row["instance_type"],
        "arch": row["arch"],
        "vcpus": int(row["vcpus"]),
        "cores": int(row["physical_cores"]),
        "threads_per_core": threads,
        # GCP takes threadsPerCore at launch.
        "valid_threads_per_core": [1, 2] if threads == 2 else [threads],
        "memory_gib": number(row["memory_gib"]),
        "os_memory_mib": whole(row["os_visible_mem_mib"]),
        "numa_nodes": whole(row["numa_nodes"]),
        "accelerator": accelerator(row),
        "local_nvme_gb": int(row["local_nvme_gb"]),
    }


def accelerator(row: dict[str, str]) -> Record | None:
    """The GPUs of a draft row; memory is per device."""
    if not row["gpu_type"]:
        return None
    return {
        "manufacturer": "AMD" if row["gpu_type"].startswith("MI") else "NVIDIA",
        "model": row["gpu_type"],
        "count": int(row["gpu_count"]),
        "memory_gib": number(row["gpu_mem_gib_each"]),
    }


def network(row: dict[str, str]) -> Record:
    """Bandwidth, fabric and placement of a draft row."""
    gbps, up_to = bandwidth(row["network_gbps"])
    fabric = None
    if row["rdma"]:
        kind = next(kind for words, kind in FABRIC_KINDS.items() if row["rdma"].startswith(words))
        interfaces, total = int(row["rdma_interfaces"]), number(row["rdma_gbps"])
        fabric = {"kind": kind, "name": row["rdma"], "interfaces": interfaces, "gbps": total}
    placed = row["cluster_placement"] != "no"
    return {
        "network_gbps": gbps,
        "network_up_to": up_to,
        "network_cards": whole(row["network_cards"]),
        "fabric": fabric,
        "cluster_placement": placed,
        "placement": re.sub(r"^yes \((.*)\)$", r"\1", row["cluster_placement"]) if placed else None,
    }


def market(row: dict[str, str]) -> Record:
    """Where a draft row is sold, for what price, under which quotas, and who says so."""
    zones = {row["region"]: row["zones"]}
    doubts = [field for words, fields in UNSURE_WORDS.items() if words in row["notes"] for field in fields]
    if "unsure" in row["spot_supported"]:
        doubts.append("usage")
    return {
        "usage": ["on_demand", "spot"] if row["spot_supported"].startswith("yes") else ["on_demand"],
        "offered": {region: zones.get(region, "") for region in row["regions_offered"].split()},
        "prices": list(prices(row)),
        "quotas": {"on_demand": row["quota_od"], "spot": row["quota_spot"]},
        "notes": notes(row),
        "source": row["spec_source"],
        "as_of": last_day(row["spec_date"]),
        "unsure": sorted(set(doubts)),
    }


def prices(row: dict[str, str]) -> Iterator[Record]:
    """On-demand and spot price of a draft row, where it has them."""
    for purchase, usd, source, dated in (
        ("on_demand", row["od_usd_hour"], row["price_source"], row["price_date"]),
        ("spot", row["spot_usd_hour"], row["spot_source"], row["spot_source"]),
    ):
        if usd:
            if source.startswith("same"):
                source = "cloud.google.com GPU pricing page, second hand"
                dated = "2026-09-17"
            yield priced(row["region"], purchase, usd, source, last_day(dated))


def priced(region: str, purchase: str, usd: str, source: str = PRICE_SOURCE, as_of: str = PRICE_DATE) -> Record:
    """One price record (USD per hour); what is derived, second hand or without a day is unsure."""
    doubt = any(word in source for word in ("derived", "second hand", "quoted")) or len(as_of) == 4
    record = {"region": region, "purchase": purchase, "usd": number(usd), "source": source, "as_of": as_of}
    return {**record, "unsure": True} if doubt else record


def notes(row: dict[str, str]) -> str:
    """The draft's notes that a user can act on; how a price or bandwidth was derived is not among them."""
    parts = row["notes"].split("; ")
    return "; ".join(part for part in parts if not re.search("advisor savings|DescribeInstanceTypes", part))


def bandwidth(text: str) -> tuple[float | None, bool]:
    """(Gbit/s, whether only a peak) from "Up to 12.5 Gigabit", "4x 100 Gigabit" or "32 default / 100 Tier_1"."""
    match = re.search(r"(?:(\d+)x )?([\d.]+)", text)
    if not match:
        return None, False
    return number(int(match[1] or 1) * float(match[2])), text.startswith("Up to")


def number(value: float | str) -> float:
    """An int where the value is whole, so that the files say 100 and not 100.0."""
    value = float(value)
    return int(value) if value.is_integer() else value


def whole(text: str) -> int | None:
    """A count, or None where the source has none."""
    return int(text) if text else None


def last_day(text: str) -> str:
    """The latest day (or else month, or else year) that a text names."""
    dates = re.findall(r"20\d\d(?:-\d\d(?:-\d\d)?)?", text)
    return max(dates, key=lambda date: (len(date), date))

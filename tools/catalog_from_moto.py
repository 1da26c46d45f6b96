"""Facts from moto's copy of EC2's answers: machines, names of all types, regions and EFA layouts."""

import gzip
import importlib.metadata
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catalog_from_drafts as drafts

Record = dict[str, Any]
Offerings = dict[str, dict[str, list[str]]]  # region -> instance type -> sorted zone ids

VERSION = "5.2.5"
SOURCE = f"moto {VERSION} (EC2 DescribeInstanceTypes and DescribeInstanceTypeOfferings)"
AS_OF = "2026-10-27"
MEASURED = "ec2instances.info, measured"

# Families for head, login and small compute nodes; the catalogue has all their sizes.
WHOLE_FAMILIES = {"c6i", "c7i", "m6i", "m7i", "r6i", "r7i", "c7a", "m7a", "t3", "g5", "g6"}
# The API calls these generations outdated, but AWS still sells them, so that may be an error.
UNSURE_GENERATION = {"c6gn", "g5", "m6i", "r6i", "r7g", "r7gd"}
LARGEST_PROCESSOR = 128
"""Cores of the largest processors of Intel (Xeon 6980P) and AMD (EPYC 9755), from their data sheets. Graviton4 has 96
cores; Graviton5 (`c9g`) has 192 in one processor.
"""
TWO_SOCKETS = r"(p5en|p6-b[23]00|trn2u?|[cmr]6a|i7ie?)\.(48xlarge|metal|metal-48xl)"
"""Types with 96 cores, of processor generations with at most 64 (Sapphire and Emerald Rapids, Milan). Source: EC2
user guide, instance types, and the data sheets of Intel and AMD.
"""
EFA_SOURCE = "AWS ParallelCluster 3.16.1 launch templates; EC2 user guide, EFA and accelerated instance types"


def resource(name: str) -> Path:
    """Return the path of one of moto's EC2 resources. Exit if another version of moto is installed."""
    if importlib.metadata.version("moto") != VERSION:
        sys.exit(f"the catalogue needs moto {VERSION}, but {importlib.metadata.version('moto')} is installed")
    import moto  # imported after the check of the version

    return Path(moto.__file__).parent / "ec2" / "resources" / name


def read_types() -> dict[str, Record]:
    """Return the DescribeInstanceTypes entry of each instance type."""
    return json.loads(gzip.decompress(resource("instance_types.json.gz").read_bytes()))


def read_offerings() -> Offerings:
    """Return the zones that offer each type, by region; as ids, since zone letters differ between accounts."""
    offered: Offerings = {}
    for path in sorted(resource("instance_type_offerings/availability-zone-id").glob("*.json.gz")):
        region = offered.setdefault(path.name.removesuffix(".json.gz"), {})
        for offer in json.loads(gzip.decompress(path.read_bytes())):
            region.setdefault(offer["InstanceType"], []).append(offer["Location"])
            region[offer["InstanceType"]].sort()
    return offered


def machines(described: dict[str, Record], offerings: Offerings) -> Iterator[Record]:
    """Yield the types listed by hand and all sizes of `WHOLE_FAMILIES`, sorted by name."""
    yield from _records(chosen(described), described, offerings)


def other_machines(described: dict[str, Record], offerings: Offerings) -> Iterator[Record]:
    """Yield all other types that run Linux and are sold in some region, sorted by name."""
    sold = {name for types in offerings.values() for name in types}
    rest = {name for name in described.keys() & sold if not name.startswith("mac")}
    yield from _records(rest - chosen(described), described, offerings)


def chosen(described: dict[str, Record]) -> set[str]:
    """Return the names of the types that `machines` yields."""
    whole = {name for name in described if name.split(".")[0] in WHOLE_FAMILIES or name.startswith("hpc")}
    return whole | {row["instance_type"] for row in drafts.rows("machines.csv") if row["cloud"] == "aws"}


def _records(names: set[str], described: dict[str, Record], offerings: Offerings) -> Iterator[Record]:
    draft_rows = {row["instance_type"]: row for row in drafts.rows("machines.csv") if row["cloud"] == "aws"}
    measured = {row["name"]: row for row in drafts.rows("aws_measured.csv")}
    on_demand = {row["name"]: row for row in drafts.rows("aws_on_demand.csv")}
    if unknown := names - described.keys():
        raise SystemExit(f"moto does not describe {', '.join(sorted(unknown))}: use a later moto, or remove the line")
    for name in sorted(names):
        draft, real, price = draft_rows.get(name), measured.get(name), on_demand.get(name)
        prices = list(drafts.prices(draft)) if draft else []
        if not draft and price:
            prices = [drafts.priced(price["region"], "on_demand", price["usd_per_hour"])]
        yield {
            "cloud": "aws",
            "name": name,
            **processor(described[name]),
            "os_memory_mib": drafts.whole(real["memory_mib"]) if real else None,
            "numa_nodes": drafts.whole(real["numa_nodes"]) if real else None,
            "sockets": sockets(name, described[name], real),
            **network(described[name]),
            "offered": {region: " ".join(types[name]) for region, types in offerings.items() if name in types},
            "prices": prices,
            "notes": drafts.notes(draft) if draft else "",
            "source": f"{SOURCE}; {MEASURED} {real['measured']}" if real else SOURCE,
            "as_of": AS_OF,
        }


def sockets(name: str, info: Record, real: dict[str, str] | None) -> int | None:
    """Return the number of sockets: as measured, else two if no processor has so many cores, else None."""
    if real and real["sockets"]:
        return int(real["sockets"])
    cores = info["VCpuInfo"]["DefaultCores"]
    if re.match(r"u|\w+9g", name):  # u-: up to sixteen sockets
        return None
    return 2 if re.fullmatch(TWO_SOCKETS, name) or LARGEST_PROCESSOR < cores <= 2 * LARGEST_PROCESSOR else None


def processor(info: Record) -> Record:
    """Return processor, memory, accelerators, disks and purchase options of a DescribeInstanceTypes entry."""
    cpus, maker = info["VCpuInfo"], info["ProcessorInfo"]
    return {
        "arch": "arm64" if "arm64" in maker["SupportedArchitectures"] else "x86_64",
        "cpu_vendor": maker["Manufacturer"],
        "vcpus": cpus["DefaultVCpus"],
        "cores": cpus["DefaultCores"],
        "threads_per_core": cpus["DefaultThreadsPerCore"],
        "valid_threads_per_core": cpus.get("ValidThreadsPerCore", [cpus["DefaultThreadsPerCore"]]),
        "memory_gib": drafts.number(info["MemoryInfo"]["SizeInMiB"] / 1024),
        "accelerator": accelerator(info),
        "local_nvme_gb": info.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        "bare_metal": info["BareMetal"],
        "burstable": info["BurstablePerformanceSupported"],
        "usage": sorted(usage.replace("-", "_") for usage in info["SupportedUsageClasses"]),
    }


def accelerator(info: Record) -> Record | None:
    """Return the GPUs or Neuron devices of an entry; memory is per device."""
    gpus = info.get("GpuInfo", {}).get("Gpus")
    devices = gpus or info.get("NeuronInfo", {}).get("NeuronDevices")
    if not devices:
        return None
    return {
        "manufacturer": devices[0]["Manufacturer"] if gpus else "AWS",
        "model": devices[0]["Name"],
        "count": devices[0]["Count"] or 1,  # g6f has a fraction of a GPU, which counts as one device
        "memory_gib": drafts.number(round(devices[0]["MemoryInfo"]["SizeInMiB"] / 1024, 1)),
    }


def network(info: Record) -> Record:
    """Return network cards, bandwidth, fabric and placement of an entry."""
    said = info["NetworkInfo"]
    # The sum over the cards is wrong for hpc6id, hpc8a, p6-b200 and others; the total in the entry is right.
    gbps, up_to = drafts.bandwidth(said["NetworkPerformance"])
    efa = said.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
    cluster = "cluster" in info["PlacementGroupInfo"]["SupportedStrategies"]
    return {
        "network_gbps": gbps,
        "network_up_to": up_to,
        "network_cards": said["MaximumNetworkCards"],
        "interfaces_per_card": [card["MaximumNetworkInterfaces"] for card in said["NetworkCards"]],
        "fabric": {"kind": "efa", "name": "EFA", "interfaces": efa, "gbps": gbps} if efa else None,
        "cluster_placement": cluster,
        "placement": "cluster placement group" if cluster else None,
    }


def known_families(described: dict[str, Record]) -> Iterator[Record]:
    """Return the names of all EC2 types, one record per family."""
    families: dict[str, list[str]] = {}
    for name in sorted(described.keys() | layouts_by_hand().keys()):
        families.setdefault(name.split(".")[0], []).append(name.split(".")[1])
    retired = {name.split(".")[0] for name, info in described.items() if not info["CurrentGeneration"]}
    for family, sizes in families.items():
        current = family not in retired
        record = {"family": family, "sizes": sizes, "current": current, "source": SOURCE, "as_of": AS_OF}
        yield {**record, "unsure": ["current"]} if family in UNSURE_GENERATION else record


def regions(offerings: Offerings) -> Iterator[Record]:
    """Return the regions with the ids of their zones."""
    for region, types in offerings.items():
        zones = sorted({zone for offered in types.values() for zone in offered})
        yield {"region": region, "zones": zones, "source": SOURCE, "as_of": AS_OF}


def efa_layouts(described: dict[str, Record]) -> Iterator[Record]:
    """Return one record for all types with the same network cards. Layouts listed by hand take precedence."""
    by_hand, alike = layouts_by_hand(), {}
    for name, info in sorted(described.items()):
        if info["NetworkInfo"].get("EfaSupported") and name not in by_hand:
            alike.setdefault(json.dumps(efa_layout(info["NetworkInfo"])), []).append(name)
    for layout, names in alike.items():
        yield {**json.loads(layout), "types": names, "source": f"{SOURCE}; {EFA_SOURCE}", "as_of": AS_OF}
    yield from drafts.read_json("efa_layouts.json")


def layouts_by_hand() -> dict[str, Record]:
    """Return the layouts listed by hand, by type: of types that moto lacks or that need another layout."""
    return {name: layout for layout in drafts.read_json("efa_layouts.json") for name in layout["types"]}


def efa_layout(said: Record) -> Record:
    """Return the cards that have an EFA, and those that support only a single interface."""
    capable = [c["NetworkCardIndex"] for c in said["NetworkCards"] if "efa" in c["InterfaceTypes"]]
    # If a type allows fewer EFAs than it has suitable cards, card 0 carries only IP traffic.
    cards = capable[len(capable) - said["EfaInfo"]["MaximumEfaInterfaces"] :]
    single = [card["NetworkCardIndex"] for card in said["NetworkCards"] if card["MaximumNetworkInterfaces"] == 1]
    layout: Record = {"cards": len(said["NetworkCards"]), "efa_cards": cards, "single_cards": single}
    return layout if cards == capable else {**layout, "unsure": ["efa_cards"]}

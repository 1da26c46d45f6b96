from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, flag, made
from hpc_components.aws.convert.network import Access
from hpc_components.aws.convert.place import Place
from hpc_components.spec.findings import Path, dotted

_OLD_DISKS = {"gp2": "gp3", "standard": "gp3"}
"""Maps each previous-generation volume type to its replacement. Source: EBS user guide, "EBS volume types"."""

_DEFAULT_GIB = 64


def head_node_of(root: Entry, ledger: Ledger, access: Access, place: Place) -> dict[str, Any]:
    head = root.get("HeadNode") or Entry(("HeadNode",), root.at, {})
    node: dict[str, Any] = {}
    if (machine := ledger.word(head.get("InstanceType"), ("head_node",))) is not None:
        node["machine"] = machine
        ledger.taken(head.value["InstanceType"], made("head_node.machine", machine))
    if access.public_head:
        node["public"] = True
    if disk := disk_of(head.get("LocalStorage.RootVolume"), ledger, ("head_node", "root")):
        node["root"] = disk
    if key := head.get("Ssh.KeyName"):
        node["key_pair"] = str(key.value)
        told = f"the region is now {place.region}" if place.left else ""
        ledger.taken(
            key, made("head_node.key_pair", key.value), told, "import the key pair in that region" if told else ""
        )
    if profile := instance_profile_of(head.get("Iam.InstanceProfile"), ledger, ("head_node",)):
        node["instance_profile"] = profile
    for image in (root.get("Image.CustomAmi"), head.get("Image.CustomAmi")):
        custom_image(image, ledger, ("head_node",))
    return node


def login_nodes_of(root: Entry, ledger: Ledger, access: Access) -> dict[str, Any] | None:
    """Return the login nodes of the first pool that contains nodes, or None if all pools are empty."""
    node: dict[str, Any] | None = None
    for pool in root.items("LoginNodes.Pools"):
        count = ledger.number(pool.get("Count"), ("login_nodes",))
        if node is not None:
            for each in (entry for key in ("InstanceType", "Count", "Iam", "Image") if (entry := pool.get(key))):
                reason = "a cluster has only one group of login nodes, which is taken from the first pool"
                ledger.decide(
                    each, reason, "increase login_nodes.max, or use a larger machine type", ("login_nodes",)
                )
            continue
        if count == 0:
            for each in (entry for key in ("Count", "InstanceType") if (entry := pool.get(key))):
                ledger.dropped(each, "the pool has no nodes")
            continue
        node = _login_pool(pool, ledger, count, root.plain("HeadNode.Ssh.KeyName"))
        if access.public_login:
            node["public"] = True
    return node


def _login_pool(pool: Entry, ledger: Ledger, count: int | None, head_key: str | None) -> dict[str, Any]:
    node: dict[str, Any] = {}
    if (machine := ledger.word(pool.get("InstanceType"), ("login_nodes",))) is not None:
        node["machine"] = machine
        ledger.taken(pool.value["InstanceType"], made("login_nodes.machine", machine))
    if count is not None:
        ledger.taken(pool.value["Count"], f"login_nodes.min, max: {count}")
        node |= {"min": count, "max": count} if count != 1 else {}
    key = pool.get("Ssh.KeyName")
    if key is not None:
        ledger.taken(key, made("login_nodes.key_pair", key.value))
    if key is not None or head_key is not None:
        node["key_pair"] = str(key.value if key is not None else head_key)
    if profile := instance_profile_of(pool.get("Iam.InstanceProfile"), ledger, ("login_nodes",)):
        node["instance_profile"] = profile
    custom_image(pool.get("Image.CustomAmi"), ledger, ("login_nodes",))
    return node


def instance_profile_of(entry: Entry | None, ledger: Ledger, place: Path) -> str | None:
    """Return the name of an instance profile, which the file specifies by ARN."""
    found = ledger.word(entry, place)
    if entry is None or found is None:
        return None
    name = found.rsplit("/", 1)[-1]
    ledger.taken(entry, made(f"{dotted(place)}.instance_profile", name))
    return name


def custom_image(entry: Entry | None, ledger: Ledger, place: Path) -> None:
    if entry is not None:
        ledger.decide(
            entry,
            "ParallelCluster images contain their own Slurm and scripts, but nodes need a plain Ubuntu or "
            "Debian image",
            "use the default image, or install your software in a plain image and specify that image in "
            f"{dotted(place)}.image",
            place,
        )


def disk_of(entry: Entry | None, ledger: Ledger, place: Path) -> dict[str, Any] | None:
    """Return the root disk, or None if the file specifies only default settings."""
    if entry is None:
        return None
    disk: dict[str, Any] = {}
    where = dotted(place)
    if (size := ledger.number(entry.get("Size"), place)) is not None:
        disk["size"] = f"{size}GiB"
        ledger.taken(entry.value["Size"], made(f"{where}.size", disk["size"]))
    written = ""
    if type_ := entry.get("VolumeType"):
        written = str(type_.value)
        disk |= _type(type_, ledger, where)
    for key in ("Iops", "Throughput"):
        figure = entry.get(key)
        if figure and written in _OLD_DISKS:
            ledger.dropped(
                figure,
                f"{written} does not support {key}, and {_OLD_DISKS[written]} provides at least as much by default",
            )
        elif (number := ledger.number(figure, place)) is not None:
            disk[key.lower()] = number
            ledger.taken(entry.value[key], made(f"{where}.{key.lower()}", number))
    if encrypted := entry.get("Encrypted"):
        if flag(encrypted.value, True):
            ledger.taken(encrypted, "", "disks are always encrypted")
        else:
            ledger.corrected(encrypted, "", "disks are always encrypted")
    return {"size": f"{_DEFAULT_GIB}GiB"} | disk if disk else None


def _type(entry: Entry, ledger: Ledger, where: str) -> dict[str, Any]:
    word = str(entry.value)
    new = _OLD_DISKS.get(word, word)
    told = made(f"{where}.type", new)
    if new != word:
        ledger.corrected(entry, told, f"{new} replaces {word} at a lower price")
    else:
        ledger.taken(entry, told)
    return {"type": new} if new != "gp3" else {}

"""Azure as a node sees it."""

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hpc_components.azure.spec import AzureClusterSpec

from .azure_rights import PEOPLE_GRANTS
from .fake_azure import STREAM, FakeAzure
from .fake_imds import Vm
from .fake_vault import UNSET
from .sandbox import Sandbox
from .stage import Stage

IDENTITIES = {
    "head": "1d000000-0000-4000-8000-000000000001",
    "login": "1d000000-0000-4000-8000-000000000002",
    "compute": "1d000000-0000-4000-8000-000000000003",
    "data": "1d000000-0000-4000-8000-000000000004",
}
"""Client id of the identity of each kind of node, and of that which nodes lend."""


def azure_spec(**more: Any) -> AzureClusterSpec:
    """Two CPUs a node, which any machine has. Debian 13, because its packages are at hand."""
    described = {
        "cloud": "azure",
        "name": "lab",
        "region": "eastus",
        "zone": "eastus-1",
        "os": "debian-13",
        "network": {"cidr": "10.90.0.0/16"},
        "head_node": {"machine": "Standard_D2s_v5"},
        "login_nodes": {"machine": "Standard_D2s_v5", "max_sessions_per_user": 4},
        "queues": [{"name": "debug", "machine": "Standard_D2s_v5", "max": 4, "smt": True}],
        "slurm": {"version": "24.11", "accounting": {}},
        "buckets": {"data": {"type": "blob"}},
    }
    return AzureClusterSpec.model_validate(described | more)


def azure_tags(role: str, logs: str, **more: str) -> dict[str, str]:
    """Tags of a machine, as the components write them."""
    own = {"hpc:role": role, "hpc:config": "labconfig1a2b3c/config", "hpc:identity": IDENTITIES[role]}
    return {"ClusterName": "lab", **own, "hpc:vault": "lab-1a2b3c", "hpc:logs": logs, **more}


class AzureStage(Stage):
    """Azure, whose stand-in answers all nodes of a test."""

    def __init__(self, make: Callable[..., Sandbox], azure: FakeAzure) -> None:
        self.make, self.azure, self.cluster = make, azure, azure_spec()
        self.facts = {
            "id": "02aab8a4-74ef-476e-8182-f6d2ba4166a6", "address": "10.90.128.101", "queue": "debug", "number": "9",
        }  # fmt: skip
        names = {"version": 1, "names": {self.facts["id"].upper(): "debug-9"}, "launches": {}}
        azure.grants = {IDENTITIES[place]: grants for place, grants in PEOPLE_GRANTS.items()}
        azure.blob.containers["nodes"] = {"lab-debug-d2s-v5-1.json": json.dumps(names).encode()}

    def node(self, role: str) -> Sandbox:
        tags = azure_tags(role, f"{self.azure.url}{STREAM}", **{"hpc:queue": "debug"})
        vm = Vm(tags, self.facts["id"], self.facts["address"], "lab-debug-d2s-v5-1")
        self.azure.imds.machines[""] = vm
        return self.make(role)

    def silent(self, box: Sandbox) -> None:
        box.environment["IMDS"] = "http://127.0.0.1:9"

    def put_secret(self, name: str, value: bytes | None) -> None:
        if value is None:
            self.azure.vault.make(name)
        else:
            encoded = base64.b64encode(gzip.compress(value)).decode()
            self.azure.vault.put(name, encoded, "hpc/gzip+base64")

    def secret(self, name: str) -> bytes | None:
        newest = self.azure.vault.secrets[name][-1]
        return None if newest.content_type == UNSET else gzip.decompress(base64.b64decode(newest.value))

    def user_secret(self, value: bytes) -> str:
        self.azure.vault.secrets["db"] = []
        self.azure.vault.put("db", value.decode(), "")
        for role in ("head", "login", "compute"):
            self.azure.grants[IDENTITIES[role]] |= {("Key Vault Secrets User", "secret/db")}
        return f"{self.azure.url}/secrets/db"

    @contextmanager
    def folder(self, box: Sandbox, objects: Mapping[str, bytes]) -> Iterator[str]:
        there = {f"slurm/{name}": content for name, content in objects.items()}
        self.azure.blob.containers["packages"] = {**there, "slurm-old/a.deb": b"", "other": b""}
        self.azure.grants[IDENTITIES[box.role]] |= {("Storage Blob Data Reader", "container/packages")}
        yield f"{self.azure.url}/packages/slurm"

    def logs(self) -> list[list[str]]:
        return list(self.azure.logs.values())

    def disks(self, box: Sandbox, own: tuple[str, ...], state: str | None) -> None:
        kinds = ("Microsoft NVMe Direct Disk", "Microsoft NVMe Direct Disk v2      ")
        models = "".join(f"{device} {kind}\\n" for device, kind in zip(own, kinds, strict=False))
        box.fake(
            "lsblk",
            f"""case $* in
              *po*MODEL) printf '/dev/sda Virtual Disk\\n/dev/nvme0n1 MSFT NVMe Accelerator v1.0\\n{models}' ;;
              *) echo sda Virtual Disk ;;
            esac""",
        )
        found = f'[[ $2 == /dev/disk/azure/scsi1/lun0 ]] && echo "{state}"' if state else "false"
        box.fake("readlink", found)

"""The bucket of an organization on nodes that boot on AWS: its people and their jobs use it, and no others."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .cluster import Cluster, booted, spec
from .lab import GATEWAY, wait_for
from .lab_cluster import configuration
from .people_scenarios import HOMES, Key, Site

pytestmark = [pytest.mark.boot, pytest.mark.slow]

ROLES = "common/organizations.json"

USE = f"""
import boto3
s3 = boto3.client("s3", region_name="us-east-2", endpoint_url="http://{GATEWAY}")  # where AWS is, for people
for name, address in (line.split() for line in open("/etc/hpc/buckets")):
    try:
        s3.get_object(Bucket=address.removeprefix("s3://"), Key="shard-0")
        print(name, "read")
    except Exception as error:
        print(name, "refused" if "(AccessDenied)" in str(error) else error)
"""
"""A user's program, which tries every bucket that the node names."""

ITS = "data read\nacme read\n"
OTHERS = "data read\nacme refused\n"


class OrganizationsSite(Site):
    """People of two organizations, one of them with a bucket."""

    cluster: Cluster

    def describe(self, *_: str) -> None:
        files = configuration(self.cluster.described) | {ROLES: self.cluster.plan.objects[ROLES]}
        mounts = [*json.loads(files["common/mounts.json"]), HOMES]
        self.cluster.publish({**files, "common/mounts.json": json.dumps(mounts)})
        (self.cluster.lab.files / "shared/use.py").write_text(USE)


def described(key: Key) -> dict[str, Any]:
    keys = [key.file.with_suffix(".pub").read_text().strip()]
    people = {"ada": {"uid": 2001, "organization": "acme"}, "bea": {"uid": 2002, "organization": "birch"}}
    return {
        "people": {"users": {name: {**one, "keys": keys} for name, one in people.items()}},
        "organizations": {"acme": {"gid": 3101, "bucket": True}, "birch": {"gid": 3102}},
        "storage": {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"}},
    }


@pytest.fixture(scope="module")
def site(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[OrganizationsSite]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    with booted(layers, spec(**described(key))) as cluster:
        yield OrganizationsSite(cluster, key, spec)


def test_people_of_the_organization_use_its_bucket_at_login(site: OrganizationsSite) -> None:
    assert site.login.alive
    assert site.ssh("ada", "python3 /shared/use.py") == ITS
    assert site.ssh("bea", "python3 /shared/use.py") == OTHERS


def test_their_jobs_use_it(site: OrganizationsSite) -> None:
    for user in ("ada", "bea"):
        site.ssh(user, f"sbatch -o /shared/{user}.out --wrap 'python3 /shared/use.py'")
    wait_for(lambda: not site.head.run("squeue", "-h"), "the jobs have ended")
    written = [(site.cluster.lab.files / f"shared/{user}.out").read_text() for user in ("ada", "bea")]
    assert written == [ITS, OTHERS]

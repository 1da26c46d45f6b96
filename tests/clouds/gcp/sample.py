"""Ids of existing resources, as a user of single components writes them."""

from hpc_components.gcp.ports import BucketRef, ConfigStore, Identities, Identity, Network, SecretRef, Services
from hpc_components.gcp.tags import Tags

PROJECT = "wing-lab"
REGION, ZONE = "us-central1", "us-central1-a"
TAGS = Tags("cfd", {"Project": "Wing"})
NETWORK = Network(
    id=f"projects/{PROJECT}/global/networks/site",
    cidr="10.20.0.0/16",
    subnets={
        place: f"projects/{PROJECT}/regions/{REGION}/subnetworks/site-{place}" for place in ("head", "login", "nodes")
    },
)
SECRETS = f"projects/{PROJECT}/secrets"
SERVICES = Services(
    config=ConfigStore(bucket="cfd-config-1c09"),
    munge=SecretRef(name="munge", id=f"{SECRETS}/cfd-munge"),
    jwt=SecretRef(name="jwt", id=f"{SECRETS}/cfd-jwt"),
    host_keys=SecretRef(name="ssh-host", id=f"{SECRETS}/cfd-ssh-host"),
)


def email(name: str) -> str:
    """Return the email of a service account."""
    return f"{name}@{PROJECT}.iam.gserviceaccount.com"


OWN = Identity(email=email("cfd-head"))
THEIRS = Identities(own=Identity(email=email("theirs"), is_ours=False))


def bucket(name: str) -> BucketRef:
    """Return an existing bucket."""
    return BucketRef(name=name, bucket=f"wing-{name}", url=f"gs://wing-{name}")

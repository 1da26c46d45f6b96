"""Defines `ClusterSpec`, the complete description of a cluster under `hpc:cluster` in a stack file."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network

from hpc_components.cloud import cloud_named
from hpc_components.spec.audit import Audit
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.billing import Billing
from hpc_components.spec.directory import Directory
from hpc_components.spec.findings import Path
from hpc_components.spec.health import Health
from hpc_components.spec.identities import NodeIdentity
from hpc_components.spec.images import ImageRecipe
from hpc_components.spec.model import Flag, Int, Model, Number
from hpc_components.spec.monitoring import Monitoring
from hpc_components.spec.network import Network
from hpc_components.spec.nodes import HeadNode, LoginNodes
from hpc_components.spec.organizations import Organization
from hpc_components.spec.people import People, User
from hpc_components.spec.queue_defaults import is_reserved
from hpc_components.spec.queues import Queue
from hpc_components.spec.scripts import Script
from hpc_components.spec.slurm import Account, Accounting, Slurm
from hpc_components.spec.slurm.account_tree import MAX_ACCOUNT_LEVELS, above
from hpc_components.spec.software import BUILDER, Software, build_directory
from hpc_components.spec.storage import FileSystem, SharedBucket
from hpc_components.spec.values import Duration


class Budget(Model):
    """A monthly budget for everything tagged with the cluster's name."""

    monthly: Number
    """Budget in USD per month."""
    alert_at: tuple[Int, ...] = (80, 100)
    """Percentages of the budget at which to send email. Email is also sent if the forecast exceeds the last
    percentage."""
    notify: tuple[str, ...]
    """Recipients' email addresses."""
    stop_launches: Flag = False
    """Whether the cluster launches nothing from the minute in which the month's budget is spent until the month ends
    (UTC) or the budget is raised. Running jobs finish, and others wait. Default: the budget only sends email."""
    webhook_secret: str | None = None
    """Full name of the secret that holds the address of a chat program's incoming webhook. On AWS, this is its ARN.
    The head node tells this webhook within minutes what the cloud's email tells within a day."""


class ClusterSpec(Model):
    """The description of a cluster on any cloud. It contains only plain values."""

    cloud: str
    """Name of the cloud."""
    name: str
    """Name of the cluster, also used as its `ClusterName` tag and as Slurm's ClusterName."""
    region: str
    """Region in which the cluster runs."""
    zone: str
    """Id of the zone for the head node, the storage, and queues that don't specify zones."""
    os: str = "ubuntu-24.04"
    """Operating system of all nodes: `ubuntu-24.04`, `ubuntu-22.04`, `debian-13` or `debian-12`; untested:
    `rocky-9`, `almalinux-9`."""
    images: Mapping[str, ImageRecipe] = {}
    """Recipes for images that the stack makes, keyed by name. Nodes use one by naming it as their `image`."""
    network: Network
    """The cluster's network, either new or existing."""
    storage: Mapping[str, FileSystem] = {}
    """File systems, keyed by name."""
    buckets: Mapping[str, SharedBucket] = {}
    """Buckets, keyed by name."""
    head_node: HeadNode
    """The node that runs Slurm's controller."""
    login_nodes: LoginNodes | None = None
    """Nodes that users log in to."""
    queues: tuple[Queue, ...]
    """Slurm partitions. The first is the default."""
    slurm: Slurm = Slurm()
    """Settings for Slurm, the workload manager."""
    software: Software | None = None
    """Software that users find by `module load`. Default: what the images contain."""
    people: People | None = None
    """Users and groups. Default: the image or a directory defines them."""
    organizations: Mapping[str, Organization] = {}
    """Organizations that share the cluster, keyed by name. Default: all users see each other's jobs."""
    scripts: Mapping[str, Script] = {}
    """Scripts of your own that nodes run, keyed by name. Scripts for the same moment run in this order."""
    health: Health = Health()
    """Checks that keep jobs off broken nodes."""
    monitoring: Monitoring | None = None
    """Metrics of the cluster, and alerts. Default: none are kept."""
    budget: Budget | None = None
    """Monthly budget with alerts."""
    billing: Billing | None = None
    """Your own rates, where they differ from list prices."""
    tags: dict[str, str] = {}
    """Tags to add to every resource, in addition to `ClusterName`."""
    audit: Audit | None = None
    """The audit trail, which nodes send to the cloud's log service. Default: none is kept."""
    log_retention: Duration = Duration.parse("180d")
    """How long to keep logs of failed boots, which nodes send to the cloud's log service."""
    throw_away: Flag = False
    """Whether destroying the stack also deletes file systems, buckets and state, with all their data. Meant for
    experiments."""
    silence: dict[str, str] = {}
    """Findings not to report: maps each id to the reason, e.g. `HPC-NET-010: reached over VPN only`."""

    @property
    def zones(self) -> tuple[str, ...]:
        """All zones in which this cluster has nodes, without duplicates. The cluster's own zone comes first."""
        named = [self.zone, *(self.login_nodes.zones if self.login_nodes else ())]
        named += [zone for queue in self.queues for zone in queue.zones]
        return tuple(dict.fromkeys(named))

    def mentioned_zones(self) -> Iterator[tuple[Path, str]]:
        """Yield (path, zone) for every zone in the description. Models of clouds with additional zone keys override
        this method.
        """
        yield ("zone",), self.zone
        for index, zone in enumerate(self.login_nodes.zones if self.login_nodes else ()):
            yield ("login_nodes", "zones", index), zone
        for number, queue in enumerate(self.queues):
            for index, zone in enumerate(queue.zones):
                yield ("queues", number, "zones", index), zone

    def queue_zones(self, queue: Queue) -> tuple[str, ...]:
        """Return the zones to try for `queue`, in order."""
        return queue.zones or (self.zone,)

    def holds_quota(self, queue: Queue) -> bool:
        """Return whether `queue`'s machines already count against a quota, as reserved machines do."""
        return is_reserved(queue)

    def queue(self, name: str) -> Queue:
        """Return the queue named `name`."""
        return next(queue for queue in self.queues if queue.name == name)

    def recipe_of(self, image: str | None) -> str | None:
        """Return the name of the recipe that `image`, the key of a node, names. Return None if it is an image id or
        missing."""
        return image if image in self.images else None

    def base_of(self, image: str | None) -> str | None:
        """Return the id of the image that nodes with this `image` begin with, or None for their public image. A
        recipe adds to its base, so what a base lacks, such as a GPU driver, nodes lack."""
        recipe = None if image is None else self.images.get(image)
        return recipe.base if recipe else image

    def nvidia_driver_of(self, image: str | None) -> str | None:
        """Return the branch of NVIDIA's driver that the recipe of nodes with this `image` installs, if any."""
        recipe = None if image is None else self.images.get(image)
        return recipe.nvidia_driver if recipe else None

    @property
    def users(self) -> dict[str, User]:
        """The described users who are admitted to this cluster, keyed by login name."""
        return self.people.admitted if self.people else {}

    @property
    def directory(self) -> Directory | None:
        """The directory that names further users."""
        return self.people.directory if self.people else None

    @property
    def accounting(self) -> Accounting | None:
        """The accounting in `slurm`, with an account for each organization, and with the people who name an account,
        or whose only account is their organization's, added to that account's users. The user who builds software
        has an account too, if the cluster has any."""
        accounting = self._accounting_of_people
        built = self.software.easybuild if self.software else None
        if accounting is None or built is None or not accounting.accounts:
            return accounting
        name = built.account or BUILDER
        joined = accounting.accounts.get(name, Account()).joined_by([BUILDER])
        return accounting.model_copy(update={"accounts": accounting.accounts | {name: joined}})

    @property
    def _accounting_of_people(self) -> Accounting | None:
        accounting, users = self.slurm.accounting, self.users
        if accounting is None or not (users or self.organizations):
            return accounting
        listed = {user for account in accounting.accounts.values() for user in account.users}
        chosen = {
            name: one.account or (one.organization if name not in listed else None) for name, one in users.items()
        }
        accounts = {name: Account() for name in self.organizations} | accounting.accounts
        joined = {
            name: account.joined_by([user for user, its in chosen.items() if its == name])
            for name, account in accounts.items()
        }
        return accounting.model_copy(update={"accounts": joined})

    @property
    def organization_of_account(self) -> dict[str, str]:
        """The organization of each account that belongs to one, keyed by the account's name."""
        accounting = self.accounting
        accounts = accounting.accounts if accounting else {}
        tree = {name: (name, *above(name, accounts, MAX_ACCOUNT_LEVELS)) for name in accounts}
        owners = {name: next((one for one in line if one in self.organizations), None) for name, line in tree.items()}
        return {name: owner for name, owner in owners.items() if owner is not None}

    @property
    def images_read_buckets(self) -> bool:
        """Whether machines that make images may read buckets: for packages, or for scripts."""
        return self.slurm.package_source is not None or any(
            script.at == "image" and script.address for script in self.scripts.values()
        )

    @property
    def build_directory(self) -> str | None:
        """The directory into which `software.easybuild` is built, or None if nothing is built or no file system can
        hold it."""
        built = self.software.easybuild if self.software else None
        types = {store.mount: store.type for store in self.storage.values()}
        return build_directory(built, types) if built else None

    @property
    def build_queue(self) -> Queue | None:
        """The queue whose machines build `software.easybuild`: the first one if the named one does not exist. None if
        nothing is built."""
        built = self.software.easybuild if self.software else None
        named = next((queue for queue in self.queues if built and queue.name == built.queue), None)
        return (named or self.queues[0]) if built else None

    @property
    def module_directories(self) -> tuple[str, ...]:
        """Directories with module files that `software` adds to those of the images."""
        directory = self.build_directory
        built = (f"{directory}/modules/all",) if directory else ()
        return (*built, *(self.software.modules if self.software else ()))

    @property
    def max_nodes(self) -> int:
        """Number of compute nodes when every queue is at its maximum."""
        return sum(queue.max for queue in self.queues)

    def subnet_place(self, zone: str) -> str:
        """Return the key of the subnet for nodes in `zone`: the zone itself, or the region if subnets are
        regional."""
        return zone if cloud_named(self.cloud).zonal_subnets else self.region

    @property
    def subnet_places(self) -> tuple[str, ...]:
        """Keys of the subnets in which this cluster has nodes, without duplicates. The key for the cluster's own zone
        comes first.
        """
        return tuple(dict.fromkeys(map(self.subnet_place, self.zones)))

    def paid_services(self) -> Iterator[PaidService]:
        """Yield the services billed for as long as the cluster exists, e.g. head-node disks, file systems and
        gateways.

        Machines and the disks of elastic nodes are not included.
        """
        raise NotImplementedError

    def node_services(self, queue: Queue, machine: str) -> Iterator[PaidService]:
        """Yield what is billed with each of a queue's nodes of this machine type, e.g. the root disk.

        Default: nothing, because the price of the machine includes everything.
        """
        return iter(())

    def other_addresses(self) -> Iterator[AddressNeed]:
        """Yield everything except compute and login nodes that needs addresses in the node subnets, e.g. file systems
        and load balancers."""
        return iter(())

    def other_logins(self) -> Iterator[str]:
        """Yield a sentence about each way to log in other than SSH."""
        return iter(())

    def node_identities(self) -> Iterator[NodeIdentity]:
        """Yield the node identities that the description specifies or whose names are derived from it."""
        return iter(())

    @property
    def head_subnet(self) -> IPv4Network:
        """The address range of the head node's subnet, according to the cloud's address plan.

        Raise KeyError or ValueError if the description lacks this subnet. A rule reports that mistake.
        """
        raise NotImplementedError

    def node_subnet(self, zone: str) -> IPv4Network:
        """Return the address range of the subnet for elastic nodes in `zone`, according to the cloud's address plan.

        Raise KeyError or ValueError if the description lacks this subnet. A rule reports that mistake.
        """
        raise NotImplementedError

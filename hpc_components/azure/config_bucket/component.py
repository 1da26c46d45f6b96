from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.components.storage_account import make_storage_account
from hpc_components.azure.network.endpoints import make_private_endpoint
from hpc_components.azure.ports import ConfigStore, Group, Network
from hpc_components.azure.tags import Tags
from hpc_components.boot.manifest import MANIFEST, check_files, manifest
from hpc_components.component import Component

CONFIG, NODES = "config", "nodes"
"""Names of two containers: one for the configuration and one for the nodes' names."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigBucketArgs:
    """Arguments of `ConfigBucket`."""

    group: Group
    """Resource group of the storage account."""
    network: Network | None = None
    """Network in which to create a private endpoint for the account, if the network has a DNS zone for `blob`. Pulumi
    itself uses the public endpoint."""
    files: Mapping[str, Input[str]]
    """File contents, keyed by path. A node fetches `boot/<role>.sh` and everything under `common/` and `<role>/`,
    where the role is `head`, `login` or `compute`. Previews show changes to plain strings, but not to strings that
    contain Outputs."""
    publishes: bool = False
    """Whether the head node publishes files for all nodes in the container `nodes`, under `published/`."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError for files that nodes can't fetch, files that belong to another cluster, and empty files,
        which Pulumi doesn't support as assets.
        """
        check_files("ConfigBucketArgs.files", self.files, self.tags.cluster, may_be_empty=False)


class ConfigBucket(Component[ConfigBucketArgs]):
    """A storage account with two containers: one with a blob per file, and one for the nodes' names.

    The head node writes the names. All content can be recreated, so the account is not protected.
    """

    store: ConfigStore
    """Location from which nodes fetch their configuration."""
    account_id: Output[str]
    """Id of the storage account."""

    def _make(self, name: str, args: ConfigBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:ConfigBucket", name, {"files": sorted(args.files)}, opts)
        self._name, self._group = name, args.group
        child = pulumi.ResourceOptions(parent=self)
        self._account = make_storage_account(
            name,
            group=args.group,
            kind=azure_native.storage.Kind.STORAGE_V2,
            sku=azure_native.storage.SkuName.STANDARD_LRS,
            # Pulumi's provider writes blobs with the account key, while nodes get access through roles
            shared_keys=True,
            tags=args.tags,
            said=opts,
            opts=child,
        )
        if args.network is not None:
            make_private_endpoint(
                name,
                "blob",
                target=self._account.id,
                group=args.group,
                network=args.network,
                tags=args.tags,
                opts=child,
            )
        config, nodes = self._make_container(CONFIG), self._make_container(NODES)

        files = [self._put(path, text, config, []) for path, text in sorted(args.files.items())]
        # created last, so that a node that reads the manifest finds all files listed in it
        self._put(MANIFEST, _manifest_of(args.files), config, [*files])
        self.store = ConfigStore(
            address=Output.concat(self._account.name, f"/{CONFIG}"),
            container_id=config.id,
            nodes_container_id=nodes.id,
            publishes=args.publishes,
        )
        self.account_id = self._account.id
        self.register_outputs({"address": self.store.address})

    def _make_container(self, what: str) -> "azure_native.storage.BlobContainer":
        return azure_native.storage.BlobContainer(
            f"{self._name}-{what}",
            account_name=self._account.name,
            resource_group_name=self._group.name,
            container_name=what,
            public_access=azure_native.storage.PublicAccess.NONE,
            opts=pulumi.ResourceOptions(parent=self, deleted_with=self._account),
        )

    def _put(
        self,
        path: str,
        text: Input[str],
        container: "azure_native.storage.BlobContainer",
        after: list[pulumi.Resource],
    ) -> "azure_native.storage.Blob":
        return azure_native.storage.Blob(
            f"{self._name}/{path}",
            account_name=self._account.name,
            resource_group_name=self._group.name,
            container_name=container.name,
            blob_name=path,
            type=azure_native.storage.BlobType.BLOCK,
            content_type="text/plain; charset=utf-8",
            source=_asset(text),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=after,
                deleted_with=self._account,
                # when the text changes, the provider replaces the blob with a new one of the same name
                delete_before_replace=True,
            ),
        )


def _asset(text: Input[str]) -> Input[pulumi.Asset]:
    if isinstance(text, str):
        return pulumi.StringAsset(text)
    return Output.concat(text).apply(lambda known: pulumi.StringAsset(known))


def _manifest_of(files: Mapping[str, Input[str]]) -> Input[str]:
    plain = {path: text for path, text in files.items() if isinstance(text, str)}
    return manifest(plain) if len(plain) == len(files) else Output.all(**files).apply(manifest)

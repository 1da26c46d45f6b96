"""File systems and buckets on the toy cloud. It makes no file system: it mounts those that are there."""

from typing import Annotated, Literal

from pydantic import Field

from hpc_components.spec.storage import Existing, ExistingExport, LustreFileSystem, NfsFileSystem, ObjectBucket


class Trawler(Existing):
    """A Lustre file system that is there already."""

    address: str
    """Address of its management server."""

    @property
    def identity(self) -> tuple[str, ...]:
        """The address."""
        return (self.address,)


class ToyNfs(NfsFileSystem):
    """A file system of another server."""

    existing: ExistingExport
    """What is mounted."""

    @property
    def mounted_from(self) -> str:
        """As it stands in fstab."""
        return f"{self.existing.server}:{self.existing.export}"


class ToyLustre(LustreFileSystem):
    """A Lustre file system of another server."""

    existing: Trawler
    """What is mounted."""

    @property
    def mounted_from(self) -> str:
        """As it stands in fstab."""
        return f"{self.existing.address}@tcp:/lustre"


AnyFileSystem = Annotated[ToyNfs | ToyLustre, Field(discriminator="type")]


class Bucket(ObjectBucket):
    """A bucket, as AWS's model of this name, with which it has nothing to do."""

    type: Literal["pond"]
    depth: Literal["shallow", "deep"] = "shallow"
    """How often it is read."""

"""Replaces SDK functions whose results a recording doesn't use.

The replacements save time without changing anything that is recorded.
"""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from pulumi import Alias
from pulumi import resource as pulumi_resources
from pulumi.runtime import resource as pulumi_resource
from pulumi.runtime.proto import alias_pb2

from hpc_components.preview.recorder.replaced import replaced


@contextmanager
def shortcuts() -> Generator[None]:
    """Install the replacements within the block."""
    with ExitStack() as patches:
        for owner, name, value in (
            (pulumi_resources, "collapse_alias_to_urn", _alias_as_written),
            (pulumi_resource, "prepare_aliases", _prepared_aliases),
            (pulumi_resource, "create_urn", _UnusedUrn),
        ):
            patches.enter_context(replaced(owner, name, value))
        yield


def _alias_as_written(alias: Any, *_defaults: Any) -> Any:
    """Return an alias as the program or the SDK wrote it.

    The SDK would compute the alias's URN for engines that can't do so themselves. Azure's SDK has an alias for each
    former version of each resource. In a cluster, these add up to 1,500 aliases, each of whose URNs would take six
    futures.
    """
    return alias


_prepare_aliases = pulumi_resource.prepare_aliases


async def _prepared_aliases(resource: Any, options: Any, specs: bool) -> list[alias_pb2.Alias]:
    """Return the aliases for a request. Aliases that consist only of a former type, as in Azure's SDK, are created
    without the three futures that the SDK would use for each.
    """
    aliases = (options and options.aliases) or ()
    if specs and all(map(_is_former_type, aliases)):
        return [alias_pb2.Alias(spec=alias_pb2.Alias.Spec(type=alias.type_)) for alias in aliases]
    return await _prepare_aliases(resource, options, specs)


def _is_former_type(alias: Any) -> bool:
    return (
        isinstance(alias, Alias)
        and isinstance(alias.type_, str)
        and all(each is ... for each in (alias.name, alias.parent, alias.stack, alias.project))
    )


class _UnusedUrn:
    """A replacement for the URN that the SDK computes for each resource in case the program runs without an
    engine."""

    def __init__(self, *_parts: object) -> None:
        pass

    async def future(self) -> None:
        return None

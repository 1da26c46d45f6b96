"""Replaces SDK functions whose results are not recorded, to save time."""

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
    with ExitStack() as patches:
        for owner, name, value in (
            (pulumi_resources, "collapse_alias_to_urn", _alias_as_written),
            (pulumi_resource, "prepare_aliases", _prepared_aliases),
            (pulumi_resource, "create_urn", _UnusedUrn),
        ):
            patches.enter_context(replaced(owner, name, value))
        yield


def _alias_as_written(alias: Any, *_defaults: Any) -> Any:
    """Return an alias as written in the program or the SDK.

    The SDK would compute a URN for each alias, for engines that can't do so themselves. This would be slow, because
    each URN takes six futures. Azure's SDK has an alias for every former version of every resource, which adds up to
    1,500 aliases in a cluster.
    """
    return alias


_prepare_aliases = pulumi_resource.prepare_aliases


async def _prepared_aliases(resource: Any, options: Any, specs: bool) -> list[alias_pb2.Alias]:
    """Return a request's aliases.

    Aliases that specify only a former type, as in Azure's SDK, are converted here, because the SDK would create three
    futures for each of them.
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
    """Replaces the URN that the SDK computes for each resource in case no engine is running."""

    def __init__(self, *_parts: object) -> None:
        pass

    async def future(self) -> None:
        return None

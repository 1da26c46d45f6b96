"""Waits during `pulumi up` until a machine that makes or tests an image has finished.

No resource of the provider waits for this. So the image's id is an Output that resolves only when the machine has
powered off and its result says `ok`. What it is asked with are two calls of the provider, with the provider's own
credentials: the machine's status and the object with the result. Previews never ask.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.errors import HpcError

PAUSE_SECONDS = 15
OFF = ("STOPPED", "SUSPENDED", "TERMINATED")
"""Status of a machine that no longer runs. Source: Compute Engine documentation, "VM instance lifecycle"."""


@dataclass(frozen=True)
class Seen:
    """What a machine has come to."""

    status: str
    """Status in Compute Engine, such as `RUNNING`."""
    result: str | None = None
    """Content of the machine's result, or None until the machine has written it."""


class ImageError(HpcError):
    """Raised if an image could not be made, or has failed its test."""


async def wait_for_result(
    what: str,
    look: Callable[[], Seen],
    *,
    seconds: int,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Return when the machine is off and its result is `ok`. Raise ImageError if its result is anything else, if it
    has none, or if it still runs after `seconds`.
    """
    for _ in range(0, seconds, PAUSE_SECONDS):
        seen = look()
        if seen.status in OFF:
            if seen.result is not None and seen.result.strip() == "ok":
                return
            raise ImageError(f"{what} {seen.result or 'failed: its machine has powered off without a result'}")
        await sleep(PAUSE_SECONDS)
    raise ImageError(f"{what} failed: its machine still runs after {seconds // 60} minutes")


def finished(
    what: str,
    machine: "gcp.compute.Instance",
    *,
    project: str,
    zone: str,
    bucket: Input[str],
    prefix: str,
    seconds: int,
    opts: pulumi.InvokeOptions,
) -> Output[str]:
    """Return the machine's id, once it has finished. `prefix` is the path of its result without its id and `.txt`."""

    async def wait(name: str, number: str, in_bucket: str) -> str:
        if not pulumi.runtime.is_dry_run():
            path = f"{prefix}{number}.txt"
            await wait_for_result(what, lambda: _look(name, project, zone, in_bucket, path, opts), seconds=seconds)
        return number

    return Output.all(machine.name, machine.instance_id, bucket).apply(lambda known: wait(*known))


def _look(name: str, project: str, zone: str, bucket: str, path: str, opts: pulumi.InvokeOptions) -> Seen:
    status = gcp.compute.get_instance(name=name, project=project, zone=zone, opts=opts).current_status
    if status not in OFF:
        return Seen(status)
    if not gcp.storage.get_bucket_objects(bucket=bucket, prefix=path, opts=opts).bucket_objects:
        return Seen(status)
    return Seen(status, gcp.storage.get_bucket_object_content(bucket=bucket, name=path, opts=opts).content)

"""Waits during `pulumi up` until a machine that makes or tests an image has finished.

No resource of the provider waits for this. So the image's id is an Output that resolves only when the machine has
deleted itself and its result says `ok`. What it is asked with are two calls of the provider, with the provider's own
credentials: the machine's status and the object with the result. Previews never ask.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.errors import HpcError

PAUSE_SECONDS = 15
GONE = "GONE"
"""Status of a machine that has deleted itself. It is our own word: Google has none for it."""
OFF = (GONE, "STOPPED", "SUSPENDED", "TERMINATED")
"""Status of a machine that no longer runs. Source: Compute Engine documentation, "VM instance lifecycle"."""


@dataclass(frozen=True)
class Seen:
    """What a machine has come to."""

    status: str
    """Status in Compute Engine, such as `RUNNING`, or `GONE`."""
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
    """Return when the machine no longer runs and its result is `ok`. Raise ImageError if its result is anything else,
    if it has none, or if it still runs after `seconds`.
    """
    for _ in range(0, seconds, PAUSE_SECONDS):
        seen = look()
        if seen.status in OFF:
            if seen.result is not None and seen.result.strip() == "ok":
                return
            raise ImageError(f"{what} {seen.result or 'failed: its machine has ended without a result'}")
        await sleep(PAUSE_SECONDS)
    raise ImageError(f"{what} failed: its machine still runs after {seconds // 60} minutes")


def finished(
    what: str,
    machine: "gcp.compute.Instance",
    *,
    project: str,
    zone: str,
    bucket: Input[str],
    result: Input[str],
    seconds: int,
    opts: pulumi.InvokeOptions,
) -> Output[str]:
    """Return the machine's id, once it has finished. `result` is the path of its result in the bucket."""

    async def wait(name: str, number: str, in_bucket: str, path: str) -> str:
        if not pulumi.runtime.is_dry_run():
            await wait_for_result(what, lambda: _look(name, project, zone, in_bucket, path, opts), seconds=seconds)
        return number

    return Output.all(machine.name, machine.instance_id, bucket, result).apply(lambda known: wait(*known))


def _look(name: str, project: str, zone: str, bucket: str, path: str, opts: pulumi.InvokeOptions) -> Seen:
    status = _status(name, project, zone, opts)
    if status not in OFF:
        return Seen(status)
    if not gcp.storage.get_bucket_objects(bucket=bucket, prefix=path, opts=opts).bucket_objects:
        return Seen(status)
    return Seen(status, gcp.storage.get_bucket_object_content(bucket=bucket, name=path, opts=opts).content)


def _status(name: str, project: str, zone: str, opts: pulumi.InvokeOptions) -> str:
    try:
        return gcp.compute.get_instance(name=name, project=project, zone=zone, opts=opts).current_status
    except Exception as error:  # the SDK has no narrower class
        if re.search("not found|notFound|404", str(error)):
            return GONE
        raise

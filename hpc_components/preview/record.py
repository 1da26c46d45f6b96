"""Recording of a Pulumi program without a cloud: no CLI, credentials, network or passphrase."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpc_components.preview.recording import (
    ProgramError,
    RecordedResource,
    Recording,
    RecordingLookupError,
    SaidLine,
)
from hpc_components.preview.resources import SECRET, UNKNOWN

if TYPE_CHECKING:
    from hpc_components.preview.recorder.monitor import InvokeAnswer

__all__ = [
    "SECRET",
    "UNKNOWN",
    "ProgramError",
    "RecordedResource",
    "Recording",
    "RecordingLookupError",
    "SaidLine",
    "record",
]


def record(
    program: Callable[[], object] | Path,
    *,
    project: str = "hpc",
    stack: str = "test",
    config: Mapping[str, Any] | None = None,
    secret_config: Collection[str] = (),
    preview: bool = True,
    organization: str = "organization",
    invokes: "Mapping[str, InvokeAnswer] | None" = None,
) -> Recording:
    """Run `program` with the real SDKs and return what it registers.

    `program` is a function (asynchronous or not) or the path of a program directory, run as Pulumi's language host
    runs it. `config` holds any JSON under `namespace:key` (or `key`, in the project's own namespace). `secret_config`
    names the keys whose values are encrypted: the program gets unknown secrets for them. As in a preview, ids and
    computed outputs are unknown; with `preview=False` they are stand-ins derived from the URN, as if in an update.
    `invokes` answers calls such as `aws:ec2/getAmi:getAmi` by a mapping, or by a function from the arguments to a
    mapping.

    Raises ProgramError if the program fails, registers a URN twice, or asks something that only a cloud can answer. A
    run leaves no state behind in this process.
    """
    from hpc_components.preview.recorder.session import Session

    session = Session(
        program, project=project, stack=stack, preview=preview, organization=organization, invokes=invokes or {}
    )
    return session.run(config or {}, secret_config)

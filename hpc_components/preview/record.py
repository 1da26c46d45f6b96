"""Records a Pulumi program without access to a cloud. It needs no CLI, credentials, network or passphrase."""

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

    `program` is a function, which may be asynchronous, or the path of a program directory, which is run in the same
    way as by Pulumi's language host. `config` maps `namespace:key`, or just `key` in the project's own namespace, to
    any JSON value. `secret_config` names the keys with encrypted values, for which the program receives unknown
    secrets. As in a preview, ids and computed outputs are unknown; with `preview=False`, they are stand-ins derived
    from the URN, as if this were an update. `invokes` contains the results of calls such as `aws:ec2/getAmi:getAmi`.
    Each result is a mapping, or a function that takes the arguments and returns a mapping.

    Raise ProgramError if the program fails, registers a URN twice, or makes a request that only a cloud can answer. A
    run leaves no state behind in this process.
    """
    from hpc_components.preview.recorder.session import Session

    session = Session(
        program, project=project, stack=stack, preview=preview, organization=organization, invokes=invokes or {}
    )
    return session.run(config or {}, secret_config)

"""Records what a Pulumi program registers, without a cloud, CLI, credentials, network or passphrase."""

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
    root: Path | None = None,
    invokes: "Mapping[str, InvokeAnswer] | None" = None,
) -> Recording:
    """Run `program` with the real SDKs and return what it registers.

    `program` is a function, which may be asynchronous, or the path of a program directory, which runs in the same way
    as under Pulumi's language host. `config` maps `namespace:key`, or just `key` in the project's own namespace, to
    any JSON value. `secret_config` lists the keys of encrypted values, which the program receives as unknown secrets.
    By default, ids and computed outputs are unknown, as in a preview. With `preview=False`, they have values, as in
    an update, but the values are stand-ins derived from the URN. `invokes` maps calls such as `aws:ec2/getAmi:getAmi`
    to their results. Each result is a mapping, or a function that takes the arguments and returns a mapping. `root`
    is the directory that contains `Pulumi.yaml`, by default the one above the program.

    Raise ProgramError if the program fails, registers a URN twice, or makes a request that only a cloud can answer. A
    run leaves no state behind in this process.
    """
    from hpc_components.preview.recorder.session import Session

    session = Session(
        program,
        project=project,
        stack=stack,
        preview=preview,
        organization=organization,
        invokes=invokes or {},
        root=root,
    )
    return session.run(config or {}, secret_config)

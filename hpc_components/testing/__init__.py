"""Tools for testing Pulumi programs without a cloud: record the resources that a program registers, and check the
recording with assertions.

    from hpc_components.testing import assert_no_input_faults, assert_same_graph, record

    def test_the_stack():
        recording = record(Path("stacks"), stack="aws-cfd", config={...})
        assert recording.one("LaunchTemplate").inputs["cpuOptions"] == {"coreCount": 96, "threadsPerCore": 1}
        assert_no_input_faults(recording)

A failing `assert_...` function lists all offenders, not just the first. If `pulumi` is on PATH,
`hpc_components.testing.engine` can run the real Pulumi engine with a stand-in provider.
"""

from hpc_components.preview.inputs import InputFault, check_inputs
from hpc_components.preview.record import (
    SECRET,
    UNKNOWN,
    ProgramError,
    RecordedResource,
    Recording,
    RecordingLookupError,
    SaidLine,
    record,
)
from hpc_components.testing.access import assert_no_wildcard_actions, assert_not_open_to_the_world
from hpc_components.testing.graph import (
    assert_named_after_parents,
    assert_no_input_faults,
    assert_parented,
    assert_protected,
    assert_same_graph,
    assert_tagged,
)
from hpc_components.testing.rules import assert_no_violations
from hpc_components.testing.secrets import assert_no_secret

__all__ = [
    "SECRET",
    "UNKNOWN",
    "InputFault",
    "ProgramError",
    "RecordedResource",
    "Recording",
    "RecordingLookupError",
    "SaidLine",
    "assert_named_after_parents",
    "assert_no_input_faults",
    "assert_no_secret",
    "assert_no_violations",
    "assert_no_wildcard_actions",
    "assert_not_open_to_the_world",
    "assert_parented",
    "assert_protected",
    "assert_same_graph",
    "assert_tagged",
    "check_inputs",
    "record",
]

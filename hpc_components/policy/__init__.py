"""Provides the plan rules as a Pulumi policy pack.

With `pulumi preview --policy-pack "$(hpc policy-pack)"`, Pulumi runs the program in `pack/`. To include the policies
in your own pack, call `policies.policies()`.
"""

from pathlib import Path

PACK = Path(__file__).parent / "pack"
"""The folder to pass to `--policy-pack`."""

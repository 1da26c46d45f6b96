"""Provides the plan rules as a Pulumi policy pack.

Use it with `pulumi preview --policy-pack "$(hpc policy-pack)"`. Pulumi then runs `pack/`. To include the policies in
your own pack, call `policies.policies()`.
"""

from pathlib import Path

PACK = Path(__file__).parent / "pack"
"""The folder to pass to `--policy-pack`."""

"""The rules of the plan as a Pulumi policy pack: `pulumi preview --policy-pack "$(hpc policy-pack)"`.

Pulumi runs `pack/`. `policies.policies()` returns the policies for your own pack.
"""

from pathlib import Path

PACK = Path(__file__).parent / "pack"
"""The folder to name as a policy pack."""

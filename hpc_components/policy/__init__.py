"""The rules of the plan as a policy pack of Pulumi: `pulumi preview --policy-pack "$(hpc policy-pack)"`.

`pack/` is what Pulumi runs. `policies.policies()` has the policies for a pack of your own.
"""

from pathlib import Path

__all__ = ["PACK"]

PACK = Path(__file__).parent / "pack"
"""The folder that Pulumi takes as a policy pack."""

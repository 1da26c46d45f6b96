"""Serves the policies until Pulumi stops the process. Pulumi runs this program as the policy pack."""

import sys

try:
    from pulumi_policy import PolicyPack

    from hpc_components.policy.policies import policies
except ModuleNotFoundError as error:
    sys.exit(
        f"{sys.executable} can't import {error.name}: install hpc with its policies (pip install "
        "'hpc-components[policy]'), and run pulumi with that environment's Python first on PATH"
    )

PolicyPack("hpc-components", policies())

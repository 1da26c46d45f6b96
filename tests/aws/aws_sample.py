"""Plain ids of a network and a config bucket that are there already, as a user of single components writes them."""

import json
import warnings
from typing import Any

from hpc_components.ports import ConfigStore, Network, SecurityGroupIds, Tags

TAGS = Tags("cfd", {"Project": "wing"})
CONFIG = ConfigStore(bucket="cfd-config", arn="arn:aws:s3:::cfd-config")
NETWORK = Network(
    id="vpc-0123456789abcdef0",
    cidr="10.20.0.0/16",
    private_subnets={"use2-az1": "subnet-1", "use2-az2": "subnet-2"},
    public_subnets={"use2-az2": "subnet-9"},
    security_groups=SecurityGroupIds(
        head=("sg-head",), login=("sg-login",), compute=("sg-compute",), storage=("sg-fs",)
    ),
)


def policy_findings(document: Any) -> list[str]:
    """What the policy linter says of a document; a warning is a finding too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves its own data files open
        import parliament

    text = document if isinstance(document, str) else json.dumps(document)
    return [str(finding) for finding in parliament.analyze_policy_string(text).findings]

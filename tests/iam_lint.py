"""IAM documents under a linter."""

import json
import warnings
from typing import Any

SPOT_REQUESTS = ["arn:aws:ec2:*:*:spot-instances-request/*"]
"""RunInstances has had this resource since 2020; the linter's list is older, so it never sees a statement of it."""


def policy_findings(document: Any) -> list[str]:
    """What the policy linter says of a document; a warning is a finding too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves its own data files open
        import parliament

    read = json.loads(document) if isinstance(document, str) else document
    seen = [statement for statement in read["Statement"] if statement["Resource"] != SPOT_REQUESTS]
    text = json.dumps({**read, "Statement": seen})
    return [str(finding) for finding in parliament.analyze_policy_string(text).findings]

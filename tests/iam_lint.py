"""IAM documents under a linter."""

import json
import warnings
from typing import Any


def policy_findings(document: Any) -> list[str]:
    """What the policy linter says of a document; a warning is a finding too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves its own data files open
        import parliament

    text = document if isinstance(document, str) else json.dumps(document)
    return [str(finding) for finding in parliament.analyze_policy_string(text).findings]

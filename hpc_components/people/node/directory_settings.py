"""How a cluster's directory is asked, as the description says it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

CONFIGURATION = Path("/opt/hpc/config")
SETTINGS_FILE = "head/directory.json"
CA_FILE = "head/directory-ca.pem"


@dataclass(frozen=True)
class Settings:
    """The directory's part of a description, for the head node."""

    servers: tuple[str, ...]
    """Addresses such as `ldaps://ldap.example.org`, asked in this order until one answers."""
    base: str
    filter: str
    bind_dn: str
    password_secret: str
    attributes: str = "rfc2307"
    """Where the directory keeps ids and members: `rfc2307`, `rfc2307bis` or `active_directory`."""
    ca_file: str = ""
    """Certificate of the servers' authority. Empty for the authorities that the system trusts."""
    key_attribute: str = "sshPublicKey"
    administrators: str = ""
    """Group of the directory whose members administer the cluster."""
    account: str = ""
    """Slurm account of people in none of the groups of `accounts`. Empty for no account."""
    accounts: Mapping[str, str] = field(default_factory=dict)
    """Slurm accounts, keyed by a group of the directory. Of several groups, the first one counts."""
    cluster: str = ""
    """Name of the cluster in Slurm's accounting. Empty without accounting."""
    domain_sid: str = ""
    """Security identifier of the domain if ids are made from those of people. Empty if entries have ids."""

    @classmethod
    def read(cls, text: str) -> "Settings":
        """Read settings. Raise ValueError or TypeError if the text does not hold them."""
        data = json.loads(text)
        return cls(**data | {"servers": tuple(data["servers"])})

    def write(self) -> str:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps({name: value for name, value in values.items() if value}, indent=1) + "\n"

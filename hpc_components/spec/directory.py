"""Model of a directory that names the people of a cluster."""

from typing import Literal

from hpc_components.spec.model import Model


class Directory(Model):
    """An LDAP directory or Active Directory that names the people of the cluster.

    The head node asks it once a minute, over verified TLS, and tells all other nodes. While it does not answer,
    people stay as they are.
    """

    servers: tuple[str, ...]
    """Servers to ask, in this order, until one answers: `ldaps://<host>`, or `ldap://<host>` for StartTLS. A port may
    follow."""
    base: str
    """Entry below which people and groups are, e.g. `dc=example,dc=org`."""
    filter: str
    """Filter for those who may use the cluster, e.g. `(memberOf=cn=hpc,ou=groups,dc=example,dc=org)`. Source: RFC
    4515."""
    bind_dn: str
    """Name with which the head node reads the directory. It should be allowed to do nothing else."""
    password_secret: str
    """Full name of the secret that holds its password. On AWS, this is its ARN."""
    attributes: Literal["rfc2307", "rfc2307bis", "active_directory"] = "rfc2307"
    """Where the directory keeps ids and members: `rfc2307` (groups list login names in `memberUid`), `rfc2307bis`
    (groups list full names in `member`), or `active_directory`."""
    domain_sid: str | None = None
    """Security identifier of an Active Directory domain whose people have no `uidNumber`. A person's id is then
    200000 plus the last number of the person's own identifier, as with sssd's `ldap_id_mapping`. Default: ids are in
    `uidNumber` and `gidNumber`."""
    ca_certificate: str | None = None
    """Certificate of the authority that signed those of the servers, in PEM form. Default: the authorities that the
    head node's operating system trusts."""
    key_attribute: str = "sshPublicKey"
    """Attribute with a person's public SSH keys. In Active Directory, this is often `altSecurityIdentities`."""
    administrators: str | None = None
    """Group of the directory whose members administer the cluster, as with `admin: true`."""
    account: str | None = None
    """Slurm account of the people who are in none of the groups under `accounts`."""
    accounts: dict[str, str] = {}
    """Slurm accounts, keyed by group of the directory. Of several groups, the first one counts."""

"""Rules about a directory that names the people of a cluster."""

import re
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import is_host, is_own_host
from hpc_components.spec.rules._values import wrong_secret
from hpc_components.wording import any_of, did_you_mean

PLACE = ("people", "directory")

EVERYONE = re.compile(r"\((\w+)=\*\)|\(objectClass=(posixAccount|person|user|inetOrgPerson)\)", re.IGNORECASE)
"""Filters that match whomever the directory has."""

NAME_OF_ENTRY = re.compile(r"[A-Za-z][\w.-]*=[^,]+(,\s*[A-Za-z][\w.-]*=[^,]+)*")


@rule("HPC-DIR-001", Level.ERROR)
def servers(cluster: ClusterSpec) -> Iterator[Problem]:
    """The directory's servers must be addresses such as `ldaps://ldap.example.org`.

    The server's certificate must contain the host name. With `ldap://`, the head node asks for TLS (StartTLS) before
    it sends the password. Source: RFC 4511, 4.14; RFC 4513, 3.1.3.
    """
    directory = cluster.directory
    if directory is None:
        return
    if not directory.servers:
        yield Problem(path=(*PLACE, "servers"), value=[], reason="no server is named", remedy="name at least one")
    for index, server in enumerate(directory.servers):
        at = re.fullmatch(r"ldaps?://([^/:@]+)(:\d{1,5})?/?", server)
        path = (*PLACE, "servers", index)
        if at is None or not is_host(at[1]):
            host = urlsplit(server if "://" in server else f"//{server}").hostname
            remedy = f"write ldaps://{host}" if host and is_host(host) else "write ldaps://<host>"
            yield Problem(path=path, value=server, reason="this is not the address of an LDAP server", remedy=remedy)
        elif is_own_host(at[1]):
            reason = f"{at[1]} is the head node itself, which runs no directory"
            yield Problem(path=path, value=server, reason=reason, remedy="use the server's host name")


@rule("HPC-DIR-002", Level.ERROR)
def names_of_entries(cluster: ClusterSpec) -> Iterator[Problem]:
    """`base` and `bind_dn` must be names of entries, such as `dc=example,dc=org`.

    Active Directory also accepts `user@example.org` for `bind_dn`. Source: RFC 4514; Microsoft, [MS-ADTS]
    5.1.1.1.1, simple authentication.
    """
    directory = cluster.directory
    if directory is None:
        return
    for key, value in (("base", directory.base), ("bind_dn", directory.bind_dn)):
        may_be_mail = key == "bind_dn" and directory.attributes == "active_directory"
        is_mail = may_be_mail and re.fullmatch(r"[^@=\s]+@\S+", value)
        if not is_mail and not NAME_OF_ENTRY.fullmatch(value.replace("\\,", "")):
            yield Problem(
                path=(*PLACE, key),
                value=value,
                reason="this is not the name of an entry",
                remedy=f"write it like {'cn=hpc,ou=services,' if key == 'bind_dn' else ''}dc=example,dc=org",
            )


@rule("HPC-DIR-003", Level.ERROR)
def filter_of_people(cluster: ClusterSpec) -> Iterator[Problem]:
    """The directory's filter must be in parentheses, and should match only those who may use the cluster.

    Whoever matches it can log in. A filter for everyone in the directory causes a warning. Source: RFC 4515.
    """
    directory = cluster.directory
    if directory is None:
        return
    text, path = directory.filter.strip(), (*PLACE, "filter")
    if not (text.startswith("(") and text.endswith(")")) or text.count("(") != text.count(")"):
        remedy = f"write ({text})" if "(" not in text and "=" in text else "close every parenthesis"
        yield Problem(path=path, value=directory.filter, reason="this is not a filter", remedy=remedy)
    elif EVERYONE.fullmatch(text):
        yield Problem(
            path=path,
            value=directory.filter,
            reason="everyone in the directory may use the cluster",
            remedy=f"name a group, e.g. (memberOf=cn=hpc,{directory.base})",
            level=Level.WARNING,
        )


@rule("HPC-DIR-004", Level.ERROR)
def password(cluster: ClusterSpec) -> Iterator[Problem]:
    """The password for the directory must be in a secret in the cluster's region, specified by its full name.

    Only the head node reads the secret, so that no file contains the password.
    """
    if directory := cluster.directory:
        yield from wrong_secret(cluster, (*PLACE, "password_secret"), directory.password_secret)


@rule("HPC-DIR-005", Level.ERROR)
def certificate(cluster: ClusterSpec) -> Iterator[Problem]:
    """`ca_certificate` must be a certificate in PEM form, and must not contain a private key.

    Source: RFC 7468, 5.
    """
    directory = cluster.directory
    if directory is None or directory.ca_certificate is None:
        return
    path, text = (*PLACE, "ca_certificate"), directory.ca_certificate
    if "PRIVATE KEY-----" in text:
        yield Problem(
            path=path,
            reason="this contains a private key, which must stay secret",
            remedy="replace the key, and write only the authority's certificate",
        )
    elif not _is_certificate(text):
        yield Problem(
            path=path,
            reason="this is not a certificate",
            remedy="write the text from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, after a |",
        )


def _is_certificate(text: str) -> bool:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        return False
    return True


@rule("HPC-DIR-006", Level.ERROR)
def accounts(cluster: ClusterSpec) -> Iterator[Problem]:
    """The Slurm accounts of a directory's people must be described under `slurm.accounting.accounts`.

    If there are accounts, Slurm refuses the jobs of everyone without one ("Invalid account"), so a missing `account`
    causes a warning. Source: slurm.conf(5), AccountingStorageEnforce.
    """
    directory, accounting = cluster.directory, cluster.accounting
    if directory is None:
        return
    known = accounting.accounts if accounting else {}
    named: list[tuple[Path, str]] = [
        ((*PLACE, "accounts", group), account) for group, account in directory.accounts.items()
    ]
    if directory.account is not None:
        named.append(((*PLACE, "account"), directory.account))
    for path, account in named:
        if account not in known:
            reason = f"slurm.accounting.accounts does not describe {account!r}"
            remedy = did_you_mean(account, known, f"use {any_of(known)}" if known else "add it there")
            yield Problem(path=path, value=account, reason=reason, remedy=remedy)
    if known and directory.account is None:
        yield Problem(
            path=PLACE,
            reason="Slurm refuses the jobs of people who are in none of the groups under accounts"
            if directory.accounts
            else "the directory's people have no account, so Slurm refuses their jobs",
            remedy=f"add account: {next(iter(known))}",
            level=Level.WARNING,
        )


@rule("HPC-DIR-007", Level.ERROR)
def organizations(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster that organizations share must describe its people itself.

    The people of a directory would belong to no organization, and would see files that are open to all.
    """
    if cluster.directory is not None and cluster.organizations:
        yield Problem(
            path=PLACE,
            reason="the directory's people would belong to no organization",
            remedy="describe them under people.users, each with an organization, or remove organizations",
        )


@rule("HPC-DIR-008", Level.ERROR)
def domain(cluster: ClusterSpec) -> Iterator[Problem]:
    """`domain_sid` must be the security identifier of an Active Directory domain.

    It is `S-1-5-21-` and three numbers. Source: Microsoft, [MS-DTYP] 2.4.2; sssd-ldap(5), ID MAPPING.
    """
    directory = cluster.directory
    if directory is None or directory.domain_sid is None:
        return
    path = (*PLACE, "domain_sid")
    if directory.attributes != "active_directory":
        reason = f"{directory.attributes} has no security identifiers"
        remedy = "remove domain_sid, or write attributes: active_directory"
        yield Problem(path=path, value=directory.domain_sid, reason=reason, remedy=remedy)
    elif not re.fullmatch(r"S-1-5-21(-\d{1,10}){3}", directory.domain_sid):
        yield Problem(
            path=path,
            value=directory.domain_sid,
            reason="this is not the security identifier of a domain",
            remedy="write what (Get-ADDomain).DomainSID.Value returns: S-1-5-21-, and three numbers",
        )

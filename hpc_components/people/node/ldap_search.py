"""Asks LDAP servers."""

import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from hpc_components.people.node.directory_entries import Entry
from hpc_components.people.node.directory_settings import Settings

PAGE_SIZE = 500
"""Entries in one answer. OpenLDAP and Active Directory refuse more than 500 and 1000 unless they are configured
otherwise. Source: slapd.conf(5), sizelimit; Microsoft, "View and set LDAP policy", MaxPageSize."""

TIMEOUT_SECONDS = 10

_START_TLS = b"\x30\x1d\x02\x01\x01\x77\x18\x80\x161.3.6.1.4.1.1466.20037"
"""An extended request. Source: RFC 4511, 4.14.1."""


class WrongPasswordError(OSError):
    """The server does not accept the name with this password."""


def search(settings: Settings, password: str, queries: Mapping[str, Iterable[str]]) -> list[list[Entry]]:
    """Return the entries that match each of the queries, a mapping from filter to attributes. The first server that
    answers counts.

    Raise WrongPasswordError if the server does not know the name or the password, and OSError with the reason of
    each server if none answers.
    """
    reasons = []
    for server in settings.servers:
        try:
            return _search(settings, server, password, queries)
        except WrongPasswordError:
            raise
        except OSError as error:
            reasons.append(str(error))
    raise OSError("; ".join(reasons))


def _search(
    settings: Settings, server: str, password: str, queries: Mapping[str, Iterable[str]]
) -> list[list[Entry]]:
    ldap = import_module("ldap")  # Debian's python3-ldap, which only head nodes of clusters with a directory have
    try:
        connection = _connected(ldap, settings, server)
        connection.simple_bind_s(settings.bind_dn, password)
        try:
            return [list(_entries(ldap, connection, settings.base, *query)) for query in queries.items()]
        finally:
            connection.unbind_s()
    except ldap.INVALID_CREDENTIALS:
        # the same answer for both, so that no one finds out names. Source: RFC 4513, 6.3.1
        raise WrongPasswordError(f"{server} refuses bind_dn {settings.bind_dn}, or its password") from None
    except (ldap.SERVER_DOWN, ldap.CONNECT_ERROR, ldap.TIMEOUT) as error:
        raise OSError(_why(server, settings.ca_file) or f"{server}: {_described(error)}") from None
    except (ldap.SIZELIMIT_EXCEEDED, ldap.ADMINLIMIT_EXCEEDED):
        raise OSError(
            f"{server} gives {settings.bind_dn} only a part of the entries: raise its limit (OpenLDAP: "
            f'limits dn.exact="{settings.bind_dn}" size.prtotal=unlimited)'
        ) from None
    except ldap.NO_SUCH_OBJECT:
        raise OSError(f"{server} has no entry {settings.base}: correct base") from None
    except ldap.FILTER_ERROR:
        raise OSError(f"{settings.filter} is not a filter: RFC 4515 has examples") from None
    except ldap.LDAPError as error:
        raise OSError(f"{server}: {_described(error)}") from None


def _connected(ldap: Any, settings: Settings, server: str) -> Any:
    connection = ldap.initialize(server)
    connection.set_option(ldap.OPT_PROTOCOL_VERSION, 3)
    connection.set_option(ldap.OPT_REFERRALS, 0)  # those of Active Directory lead to anonymous binds
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, TIMEOUT_SECONDS)
    connection.set_option(ldap.OPT_TIMEOUT, TIMEOUT_SECONDS)
    connection.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND)
    if settings.ca_file:
        connection.set_option(ldap.OPT_X_TLS_CACERTFILE, settings.ca_file)
    connection.set_option(ldap.OPT_X_TLS_NEWCTX, 0)  # makes the options above count
    if server.startswith("ldap:"):
        connection.start_tls_s()
    return connection


def _entries(ldap: Any, connection: Any, base: str, filter: str, attributes: Iterable[str]) -> Iterator[Entry]:
    control = import_module("ldap.controls").SimplePagedResultsControl(True, size=PAGE_SIZE, cookie="")
    while True:
        id = connection.search_ext(base, ldap.SCOPE_SUBTREE, filter, list(attributes), serverctrls=[control])
        _, found, _, controls = connection.result3(id)
        yield from (Entry.of(dn, values) for dn, values in found if dn is not None)  # a referral has no name
        cookies = (each.cookie for each in controls if each.controlType == control.controlType)
        control.cookie = next(cookies, b"")
        if not control.cookie:
            return


def _why(server: str, ca_file: str) -> str:
    """Return what prevents a verified connection to the server; empty if nothing does now.

    libldap does not say more than "Can't contact LDAP server" about a certificate that GnuTLS refuses. Source: run
    with Debian's libldap 2.5 and 2.6.
    """
    at = urlsplit(server)
    host = at.hostname or ""
    port = at.port or (636 if at.scheme == "ldaps" else 389)
    try:
        with socket.create_connection((host, port), TIMEOUT_SECONDS) as plain:
            if at.scheme == "ldap":
                plain.sendall(_START_TLS)
                plain.recv(4096)
            context = ssl.create_default_context(cafile=ca_file or None)
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # Python 3.13's default, for which libldap does not ask
            with context.wrap_socket(plain, server_hostname=host):
                return ""
    except ssl.SSLCertVerificationError as error:
        return f"{server}: its certificate is refused: {error.verify_message}"
    except OSError as error:
        return f"{server}: {error.strerror or error}"


def _described(error: Exception) -> str:
    given = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
    return ": ".join(str(given[key]) for key in ("desc", "info") if key in given) or str(error)

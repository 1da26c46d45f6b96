"""An OpenLDAP server for tests: slapd with TLS, and people that tests choose."""

import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

BASE = "dc=example,dc=org"
BIND_DN, PASSWORD = f"cn=hpc,{BASE}", "read only"

Attributes = Mapping[str, str | Sequence[str]]

_CONF = """\
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include {nis}
include /etc/ldap/schema/inetorgperson.schema
include {folder}/lpk.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCACertificateFile {folder}/ca.pem
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
database mdb
maxsize 100000000
suffix {base}
rootdn cn=admin,{base}
directory {folder}/db
index objectClass eq
limits dn.exact="{bind_dn}" size=500 size.prtotal={max_entries}
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{bind_dn}" read by * none
"""

_KEYS_SCHEMA = """\
attributetype ( 1.3.6.1.4.1.24552.500.1.1.1.13 NAME 'sshPublicKey'
  EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )
objectclass ( 1.3.6.1.4.1.24552.500.1.1.2.0 NAME 'ldapPublicKey' SUP top AUXILIARY MAY ( sshPublicKey $ uid ) )
"""
"""Source: OpenSSH-LPK, openssh-lpk_openldap.schema."""

_BIS_SCHEMA = """\
attributetype ( 1.3.6.1.1.1.1.3 NAME 'homeDirectory' EQUALITY caseExactIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )
attributetype ( 1.3.6.1.1.1.1.10 NAME 'shadowExpire' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )
objectclass ( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY
  MUST ( cn $ uid $ uidNumber $ gidNumber $ homeDirectory ) )
objectclass ( 1.3.6.1.1.1.2.1 NAME 'shadowAccount' SUP top AUXILIARY MUST uid MAY shadowExpire )
objectclass ( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top AUXILIARY MUST gidNumber )
"""
"""The part of it that the tests use, without what slapd itself knows. Source: draft-howard-rfc2307bis-02."""


@dataclass
class DirectoryServer:
    """A server with the entries that a test adds. A restart loads them anew."""

    folder: Path
    address: str = "127.0.0.1"
    name: str = ""
    """Host name with which it is asked, or empty for the address."""
    port: int = 10636
    bis: bool = False
    other_address: str = ""
    """Listen here too, where the certificate is not valid."""
    max_entries: str = "unlimited"
    """How many entries a search returns."""
    enter: tuple[str, ...] = ()
    """Words before its command, which start it in a namespace."""
    entries: dict[str, Attributes] = field(default_factory=dict)
    """Attributes, keyed by relative name, such as `uid=ada`."""
    _process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        return f"ldaps://{self.name or self.address}:{self.port}"

    @property
    def plain_uri(self) -> str:
        return f"ldap://{self.address}:{self.port + 1}"

    @property
    def authority(self) -> Path:
        return self.folder / "ca.pem"

    def add_person(self, name: str, uid: int, gid: int = 5000, **more: str | Sequence[str]) -> None:
        classes = ("inetOrgPerson", "posixAccount", "shadowAccount", "ldapPublicKey")
        given = {"cn": name.title(), "sn": name, "uid": name, "uidNumber": str(uid), "gidNumber": str(gid)}
        self.entries[f"uid={name}"] = {"objectClass": classes, **given, "homeDirectory": f"/home/{name}", **more}

    def add_group(self, name: str, gid: int, *members: str) -> None:
        if self.bis:
            dns = [f"uid={member},{BASE}" for member in members] or [BASE]
            classes: tuple[str, ...] = ("groupOfNames", "posixGroup")
            self.entries[f"cn={name}"] = {"objectClass": classes, "cn": name, "gidNumber": str(gid), "member": dns}
        else:
            self.entries[f"cn={name}"] = {"objectClass": "posixGroup", "cn": name, "gidNumber": str(gid)} | (
                {"memberUid": members} if members else {}
            )

    def start(self) -> None:
        self._configure()
        shutil.rmtree(self.folder / "db", ignore_errors=True)
        (self.folder / "db").mkdir(parents=True)
        conf = str(self.folder / "slapd.conf")
        added = subprocess.run(["slapadd", "-q", "-f", conf], input=self._ldif().encode(), capture_output=True)
        assert added.returncode == 0, added.stderr
        uris = [f"ldaps://{self.address}:{self.port}", self.plain_uri]
        uris += [f"ldaps://{self.other_address}:{self.port}"] if self.other_address else []
        command = (
            *self.enter,
            "setpriv",
            "--pdeathsig",
            "KILL",
            "slapd",
            "-f",
            conf,
            "-h",
            " ".join(uris),
            "-d",
            "0",
        )
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if self._listens():
                return
            time.sleep(0.1)
        raise AssertionError("slapd does not listen")

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _listens(self) -> bool:
        assert self._process
        assert self._process.poll() is None, "slapd has ended"
        command = [*self.enter, "bash", "-c", f": </dev/tcp/{self.address}/{self.port}"]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    def _configure(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.authority.exists():
            make_certificates(self.folder, self.name or self.address)
        (self.folder / "lpk.schema").write_text(_KEYS_SCHEMA)
        (self.folder / "bis.schema").write_text(_BIS_SCHEMA)
        nis = self.folder / "bis.schema" if self.bis else "/etc/ldap/schema/nis.schema"
        conf = _CONF.format(folder=self.folder, base=BASE, bind_dn=BIND_DN, nis=nis, max_entries=self.max_entries)
        (self.folder / "slapd.conf").write_text(conf)

    def _ldif(self) -> str:
        top: dict[str, Attributes] = {
            BASE: {"objectClass": ("dcObject", "organization"), "dc": "example", "o": "Example"},
            BIND_DN: {"objectClass": ("organizationalRole", "simpleSecurityObject"), "userPassword": PASSWORD},
        }
        every = top | {f"{name},{BASE}": attributes for name, attributes in self.entries.items()}
        return "\n".join(_entry(dn, attributes) for dn, attributes in every.items())


def _entry(dn: str, attributes: Attributes) -> str:
    lines = [f"dn: {dn}"]
    for name, values in attributes.items():
        lines += [f"{name}: {value}" for value in ([values] if isinstance(values, str) else values)]
    return "\n".join(lines) + "\n"


def make_certificates(folder: Path, host: str) -> None:
    """Make `ca.pem`, and `server.pem` and `server.key` for a host name or address."""

    name = f"IP:{host}" if host[-1].isdigit() else f"DNS:{host}"

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    new = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    openssl(*new, "-subj", "/CN=Example CA", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(
        *new, "-subj", "/CN=ldap", "-keyout", "server.key", "-out", "server.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-addext", f"subjectAltName={name}", "-addext", "basicConstraints=critical,CA:FALSE",
    )  # fmt: skip

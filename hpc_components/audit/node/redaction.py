"""Removes secrets from logs before they leave the cluster's administrators: exports are attached to tickets, and the
audit trail is kept by the cloud's log service.
"""

import re
from collections.abc import Callable

LEFT_OUT = "[left-out]"

_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
_ENDS = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY-----")

_NAMED = re.compile(
    r"""(?ix)
    ( [\w.-]{0,64} (?:passwor[dt] | passwd | passphrase | storagepass | secret(?!s?\b[ ]) | token | api_?key
      | access_?key | account_?key | credential) [\w.-]{0,64} ["']? \s* [=:] \s* ["']? )
    ( (?:bearer[ ])? [^\s"',;&]+ )
    """
)
_SCHEMES = re.compile(r"(?i)\b(bearer|basic) +[A-Za-z0-9+/=._~-]{8,}")
_ADDRESS = re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)")
_SIGNED = re.compile(r"(?i)\b(sig|x-[a-z]+-signature|x-[a-z]+-security-token)=[^&\s\"']+")
_SHAPES = re.compile(
    r"\beyJ[\w-]+\.[\w-]+\.[\w-]*"  # JSON Web Tokens, RFC 7519
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bya29\.[\w-]+"  # ids of access keys and access tokens of two clouds
)


def line_filter() -> Callable[[str], str]:
    """Return a function that takes the lines of a log in order, and returns them without secrets.

    It recognizes values by their names before an equals sign or a colon, and keys and tokens by their shapes. A
    secret with neither remains.
    """
    in_key = False

    def without_secrets(line: str) -> str:
        nonlocal in_key
        if in_key:
            in_key = not _ENDS.search(line)
            return LEFT_OUT
        if _BEGINS.search(line):
            in_key = not _ENDS.search(line)
            return LEFT_OUT
        line = _SHAPES.sub(LEFT_OUT, _ADDRESS.sub(LEFT_OUT, line))
        line = _SCHEMES.sub(rf"\1 {LEFT_OUT}", _SIGNED.sub(rf"\1={LEFT_OUT}", line))
        return _NAMED.sub(rf"\1{LEFT_OUT}", line)

    return without_secrets


_OPTIONS = re.compile(
    r"""(?ix)
    (?<!\S) ( --? [\w-]{0,64} (?:passwor[dt] | passwd | passphrase | secret | token | api-?key
      | access-?key | account-?key | credential) [\w-]{0,64} \s+ ) (?!-) ( '[^']*' | "[^"]*" | \S+ )
    """
)
_KNOWN_PROGRAMS = re.compile(
    r"((?:mysql|mariadb|mysqldump|mysqladmin|mariadb-dump)\b[^|;]*?\s-p)(?=\S)\S+"  # mysql(1): no space after -p
    r"|(\bsshpass\s+-p\s*)\S+"
    r"|(\bcurl\b[^|;]*?\s(?:-u|--user)[\s=]*)\S+"
)


def command_filter() -> Callable[[str], str]:
    """Return a function that returns a command line without secrets.

    Besides what `line_filter` removes, it removes the values of options with such names on a command line, and
    the passwords of a few programs whose options have other names.
    """
    clean = line_filter()

    def without_secrets(line: str) -> str:
        line = _OPTIONS.sub(rf"\1{LEFT_OUT}", line)
        line = _KNOWN_PROGRAMS.sub(lambda found: f"{found[1] or found[2] or found[3]}{LEFT_OUT}", line)
        return clean(line)

    return without_secrets

"""A certificate authority, so that services can have the real ones' names, and be asked by https."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
"""Where Debian keeps the authorities that it trusts, for curl and Python alike."""


def certified(folder: Path, names: Sequence[str]) -> ssl.SSLContext:
    """What a server with these names needs; `authorities.pem` in the folder is what its clients must trust."""
    own, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of a test")])
    authority = _certificate(issuer, own, issuer, own, x509.BasicConstraints(ca=True, path_length=0))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "services")])
    others = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    server = _certificate(subject, key, issuer, own, others)
    (folder / "authorities.pem").write_bytes(authority.public_bytes(Encoding.PEM))
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "server.pem").write_bytes(secret + server.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context


def _certificate(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    now = datetime.now(UTC)
    keys = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    signers = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    made = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    critical = isinstance(extension, x509.BasicConstraints)
    made = made.add_extension(extension, critical).add_extension(keys, False).add_extension(signers, False)
    if critical:
        usage = dict.fromkeys(
            ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "encipher_only", "decipher_only"), False,
        )  # fmt: skip
        made = made.add_extension(x509.KeyUsage(**usage, key_cert_sign=True, crl_sign=True), True)
    return made.sign(signer, hashes.SHA256())

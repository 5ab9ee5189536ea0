"""An authority for one cluster and a certificate signed by it, for trial and for small clusters of one's own.

Whoever holds the certificate's key belongs to the cluster and may run programs on all of it: the folder is
for its owner alone.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.x509 import Certificate

DAYS = 30
"""How long they are good for."""

_AHEAD = timedelta(minutes=5)
"""They are good from a little before now, for machines whose clocks are behind."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files in PEM form: the authority, a certificate that every member of the cluster may show, its key."""

    ca: Path
    cert: Path
    key: Path


def make_certificates(folder: Path) -> Certificates:
    """Make an authority and a certificate in a folder, which is closed to everybody else.

    Raises:
        OSError: they cannot be written.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    files = Certificates(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
    now = datetime.now(UTC)

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    base = (
        x509.CertificateBuilder()
        .issuer_name(named("gtparena cluster authority"))
        .not_valid_before(now - _AHEAD)
        .not_valid_after(now + timedelta(days=DAYS))
    )
    authority = (
        base.subject_name(named("gtparena cluster authority"))
        .public_key(authority_key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        base.subject_name(named("gtparena cluster member"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
        .sign(authority_key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for path, content in ((files.ca, _pem(authority)), (files.cert, _pem(certificate)), (files.key, secret)):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    return files


def _pem(certificate: Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)

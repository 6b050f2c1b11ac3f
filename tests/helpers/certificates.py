"""A certificate authority, and certificates of loopback that it signed, made for one test."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, in PEM files."""

    certificate: Path
    key: Path


class Authority:
    """Who signs; its own certificate is `ca`."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._builder(self._name, self._key, days=1).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        made = made.add_extension(
            x509.KeyUsage(True, False, False, False, False, True, True, False, False), critical=True
        )
        self._own = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        signed = made.add_extension(self._own, critical=False).sign(self._key, hashes.SHA256())
        self.ca = folder / f"{name}.pem"
        self.ca.write_bytes(signed.public_bytes(Encoding.PEM))

    def sign(self, name: str, *, days: int = 1, addresses: tuple[str, ...] = ("127.0.0.1",)) -> Pair:
        """Return a certificate for *addresses* that is valid from two days ago for so many days from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = [x509.IPAddress(ipaddress.ip_address(one)) for one in addresses]
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        made = (
            self._builder(subject, key, days)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._own), critical=False
            )
        )
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        pair.certificate.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))
        pair.key.write_bytes(
            key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        )
        return pair

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=2))
            .not_valid_after(now + timedelta(days=days))
        )

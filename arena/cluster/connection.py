"""The way to the scheduler, tried with a deadline before Dask is asked: so that every refusal has its reason.

Dask itself answers a wrong certificate, a closed port and a silent host alike, with a time-out.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
import ssl
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from distributed import Client

CONNECT_S = 10.0
"""How long the scheduler may take to answer."""

INSTALL = "pip install 'gtparena[cluster]'"

_ADDRESS = re.compile(r"(tls|tcp)://(\[[0-9a-fA-F:]+\]|[^:/\[\]]+):([0-9]{1,5})")


class ConnectionRefusal(Exception):  # noqa: N818  a sentence for the user, like `Failure`
    """The cluster cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Access:
    """Where the scheduler is, and what it is approached with.

    Attributes:
        address: `tls://HOST:PORT`, or `tcp://` on this machine.
        ca, cert, key: files in PEM form; None without TLS.
    """

    address: str
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def host(self) -> str:
        """The host in the address."""
        return _parts(self.address)[1]

    @property
    def port(self) -> int:
        """The port in the address."""
        return _parts(self.address)[2]

    @property
    def is_encrypted(self) -> bool:
        """Whether it is TLS."""
        return _parts(self.address)[0] == "tls"


def checked(access: Access) -> Access:
    """Return an access whose parts fit together.

    Raises:
        ConnectionRefusal: the address is none, files are missing, or the way is open to everybody.
    """
    scheme, host, port = _parts(access.address)
    if not 0 < port < 65536:
        raise ConnectionRefusal(f"--scheduler {access.address}: a port from 1 to 65535 is needed")
    if scheme == "tcp":
        if not _is_here(host):
            raise ConnectionRefusal(
                f"--scheduler {access.address}: tcp:// is open to whoever reaches it and lets him run "
                "programs on every worker; start the scheduler with TLS and name it tls://HOST:PORT "
                "(docs/cluster.md)"
            )
        return access
    for option, path in (("--tls-ca", access.ca), ("--tls-cert", access.cert), ("--tls-key", access.key)):
        if path is None:
            raise ConnectionRefusal(f"--scheduler {access.address}: {option} FILE is needed with tls://")
        if not path.is_file():
            raise ConnectionRefusal(f"{option} {path}: there is no such file")
    return access


def probe(access: Access) -> None:
    """Knock at the scheduler's door.

    Raises:
        ConnectionRefusal: nobody answers, or the certificates do not agree.
    """
    start = "is it started, and is the port open?"
    try:
        connection = socket.create_connection((access.host, access.port), CONNECT_S)
    except socket.gaierror as error:
        raise ConnectionRefusal(
            f"scheduler {access.address}: its host is not known ({error.strerror}); check the name"
        ) from error
    except TimeoutError as error:
        raise ConnectionRefusal(
            f"scheduler {access.address} does not answer within {CONNECT_S:g} s: {start}"
        ) from error
    except OSError as error:
        raise ConnectionRefusal(
            f"scheduler {access.address} cannot be reached ({error.strerror or error}): {start}"
        ) from error
    with connection:
        if access.is_encrypted:
            _shake_hands(access, connection)


def _shake_hands(access: Access, connection: socket.socket) -> None:
    context = _context(access)
    try:
        with context.wrap_socket(connection, server_hostname=access.host) as secured:
            # With TLS 1.3 a certificate that the other side refuses shows with the first bytes only.
            if not secured.recv(1):
                raise ConnectionRefusal(
                    f"scheduler {access.address} closed the connection: does it take the certificate "
                    f"{access.cert}? It must be signed by the authority that the scheduler was given"
                )
    except ssl.SSLCertVerificationError as error:
        raise ConnectionRefusal(
            f"scheduler {access.address} shows a certificate that {access.ca} does not vouch for "
            f"({error.verify_message}): name the authority its certificate was signed by (--tls-ca)"
        ) from error
    except ssl.SSLError as error:
        if error.reason is not None and "ALERT" in error.reason:
            raise ConnectionRefusal(
                f"scheduler {access.address} does not accept the certificate {access.cert} "
                f"({_plain(error.reason)}): use one signed by the authority that the scheduler was given "
                "(--tls-cert, --tls-key)"
            ) from error
        raise ConnectionRefusal(
            f"scheduler {access.address} does not speak TLS ({_plain(error.reason or str(error))}): was it "
            "started with --protocol tls?"
        ) from error
    except TimeoutError as error:
        raise ConnectionRefusal(
            f"scheduler {access.address} does not answer within {CONNECT_S:g} s: is it a Dask scheduler?"
        ) from error
    except OSError as error:
        raise ConnectionRefusal(
            f"scheduler {access.address} broke the connection off ({error.strerror or error}): does it take "
            f"the certificate {access.cert}?"
        ) from error


def _context(access: Access) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=access.ca)
    except (ssl.SSLError, OSError) as error:
        words = f"--tls-ca {access.ca}: no certificate in PEM form can be read there"
        raise ConnectionRefusal(words) from error
    # As Dask does: the authority signs for this cluster alone, so whoever has its signature belongs to it.
    context.check_hostname = False
    try:
        context.load_cert_chain(str(access.cert), str(access.key))
    except (ssl.SSLError, OSError) as error:
        raise ConnectionRefusal(
            f"--tls-cert {access.cert} and --tls-key {access.key}: no certificate with its key in PEM form"
        ) from error
    return context


def connected(access: Access) -> Client:
    """Return a client of the scheduler, on a thread of its own.

    Raises:
        ConnectionRefusal: it cannot be had; the message says what to do.
    """
    probe(access)
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise ConnectionRefusal(f"--executor dask needs {error.name}: {INSTALL}") from error
    # What Dask would say of lost workers and connections the run says itself.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    logging.getLogger("tornado").setLevel(logging.CRITICAL)
    keys: dict[str, Any] = {}
    if access.is_encrypted:
        keys["security"] = distributed.Security(
            tls_ca_file=str(access.ca),
            tls_client_cert=str(access.cert),
            tls_client_key=str(access.key),
            require_encryption=True,
        )
    try:
        return distributed.Client(
            access.address, timeout=CONNECT_S, set_as_default=False, name="gtparena", **keys
        )
    except (OSError, TimeoutError, ValueError) as error:
        raise ConnectionRefusal(
            f"scheduler {access.address} does not answer as Dask does ({error}): is it one, and of the "
            f"version that is installed here ({version('distributed')})?"
        ) from error


def _parts(address: str) -> tuple[str, str, int]:
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ConnectionRefusal(f"--scheduler {address[:100]}: tls://HOST:PORT is needed")
    return found[1], found[2].strip("[]"), int(found[3])


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _plain(reason: str) -> str:
    return reason.replace("_", " ").lower()

"""A certificate for 127.0.0.1 that nobody has signed but itself."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Make certificate and key in `folder` by the `openssl` command, valid for a day.

    Raises RuntimeError when there is no `openssl`; a test may then bring a pair of its own to `StandIn`.
    """
    if shutil.which("openssl") is None:
        raise RuntimeError("there is no openssl here to make a certificate with; pass `certificate=(certificate, key)`")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
        " -addext subjectAltName=IP:127.0.0.1,DNS:localhost"
    )
    subprocess.run(
        [*words.split(), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    return certificate, key


def context_for(certificate: Path, key: Path) -> ssl.SSLContext:
    """The server side of TLS with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context

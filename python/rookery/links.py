"""The ways to whoever speaks the bot protocol: standard input and output, TCP, WebSocket, with TLS or without."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import struct
import sys
import time
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Iterator, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import ssl

#: The longest line that Rookery sends.
MAX_LINE = 1 << 20
#: Where a server behind TLS is, unless its address says otherwise.
TLS_PORT = 443


class ProtocolError(ConnectionError):
    """The other side does not speak as it should: it may be no Rookery at all."""


class Link(Protocol):
    """Whole messages, whatever carries them."""

    #: Why the other side has closed it, if it said so: a code of WebSocket and a sentence.
    closed: tuple[int, str] | None

    def send(self, text: str) -> None: ...
    def lines(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Stdio:
    closed: tuple[int, str] | None = None

    def __init__(self) -> None:
        self._out = sys.stdout

    def send(self, text: str) -> None:
        self._out.write(text + "\n")
        # Without the flush Rookery would wait for a line that is still in a buffer here.
        self._out.flush()

    def lines(self) -> Iterator[bytes]:
        yield from sys.stdin.buffer

    def close(self) -> None:
        pass


class Tcp:
    closed: tuple[int, str] | None = None

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._file = link.makefile("rb")

    def send(self, text: str) -> None:
        self._link.sendall(text.encode() + b"\n")

    def lines(self) -> Iterator[bytes]:
        while line := self._file.readline(MAX_LINE + 2):
            if not line.endswith(b"\n"):
                raise ProtocolError("the connection ended in the middle of a message, or the message is too long")
            yield line

    def close(self) -> None:
        self._file.close()
        self._link.close()


class WebSocket:
    """As much of RFC 6455 as a client needs."""

    def __init__(self, link: socket.socket, host: str, path: str) -> None:
        self._link = link
        self.closed: tuple[int, str] | None = None
        key = base64.b64encode(os.urandom(16)).decode()
        link.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._file = link.makefile("rb")
        head = self._file.readline(4096)
        accepted = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        fields: dict[bytes, bytes] = {}
        for _ in range(100):
            line = self._file.readline(4096).strip()
            if not line:
                break
            name, _, value = line.partition(b":")
            fields[name.strip().lower()] = value.strip()
        if b" 101 " not in head or fields.get(b"sec-websocket-accept") != accepted:
            raise ProtocolError(f"no WebSocket there: {head.decode(errors='replace').strip()!r}")

    def _frame(self, kind: int, data: bytes) -> None:
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[idx % 4] for idx, byte in enumerate(data))
        self._link.sendall(head + mask + masked)

    def send(self, text: str) -> None:
        self._frame(1, text.encode())

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise ProtocolError("the connection ended in the middle of a frame")
        return data

    def lines(self) -> Iterator[bytes]:
        message = b""
        while head := self._file.read(1):
            size = self._read(1)[0] & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._read(8))
            if size + len(message) > MAX_LINE:
                raise ProtocolError(f"a message of more than {MAX_LINE} bytes")
            data = self._read(size)
            kind = head[0] & 0x0F
            if kind == 8:
                if len(data) >= 2:
                    self.closed = struct.unpack("!H", data[:2])[0], data[2:].decode(errors="replace")
                return
            if kind == 9:
                self._frame(10, data)
            elif kind in (0, 1, 2):
                message += data
                if head[0] & 0x80:
                    yield message
                    message = b""

    def close(self) -> None:
        try:
            self._frame(8, b"")
        except OSError:
            pass
        self._file.close()
        self._link.close()


@dataclass(frozen=True)
class Way:
    """Where somebody is, and how it is reached."""

    host: str
    port: int
    #: What is asked for by WebSocket; None over TCP.
    path: str | None
    tls: ssl.SSLContext | None

    @staticmethod
    def of(address: str, ca: str | PathLike[str] | None) -> Way:
        url = urlsplit(address if "://" in address else f"tcp://{address}")
        port = url.port or (TLS_PORT if url.scheme == "wss" else None)
        if url.scheme not in ("tcp", "ws", "wss") or not url.hostname or not port:
            raise ValueError(f"expected HOST:PORT, ws://HOST:PORT or wss://HOST, got {address!r}")
        if ca is not None and url.scheme != "wss":
            raise ValueError("`ca` is for an address that begins with wss://; others show no certificate")
        tls = None
        if url.scheme == "wss":
            import ssl

            tls = ssl.create_default_context(cafile=ca)
        return Way(url.hostname, port, None if url.scheme == "tcp" else url.path or "/", tls)

    def secure(self, link: socket.socket) -> socket.socket:
        """The link, so that nobody on the way can read it, if that is wanted."""
        if self.tls is None:
            return link
        import ssl

        try:
            return self.tls.wrap_socket(link, server_hostname=self.host)
        except ssl.SSLCertVerificationError:
            raise
        except ssl.SSLError as error:
            raise ProtocolError(f"no TLS with {self.named()}: {error}") from None

    def named(self) -> str:
        """The host as a request names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.tls and self.port == TLS_PORT else f"{host}:{self.port}"


def open_link(way: Way, timeout: float) -> Link:
    link = socket.create_connection((way.host, way.port), timeout=timeout)
    try:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A connection that nobody closed and nobody has any more is noticed within half a minute.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, seconds in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                link.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
        link = way.secure(link)
        opened: Link = Tcp(link) if way.path is None else WebSocket(link, way.named(), way.path)
        # The wait for a turn may be long.
        link.settimeout(None)
    except BaseException:
        link.close()
        raise
    return opened


def open_again(way: Way, grace: float) -> Link:
    """Tries until the grace is over, more slowly each time."""
    until, pause = time.monotonic() + grace, 0.05
    while True:
        try:
            return open_link(way, max(until - time.monotonic(), 0.1))
        except OSError as error:
            # A certificate that does not hold is both, and does not become better.
            if isinstance(error, ValueError) or time.monotonic() + pause >= until:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 2.0)

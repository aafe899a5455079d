"""The bot protocol of docs/protocol.md: one bot, over standard input and output, TCP or WebSocket.

A bot that plays in `rookery.match` plays here as it is:

    import rookery

    class First(rookery.Bot):
        def choose(self, position):
            return position.legal_moves()[0]

    rookery.Client(First()).run()                      # started by Rookery: `cmd:python3 first.py`
    rookery.Client(First()).connect("there:4000")      # a seat `tcp:4000`
    rookery.Client(First()).connect("ws://there:4000") # a seat `ws:4000`

A client whose connection breaks in a game comes back by the token of its seat.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import socket
import struct
import sys
import time
from typing import Any, Callable, Iterator, Protocol
from urllib.parse import SplitResult, urlsplit

from ._rookery import RESIGN, Position
from .matches import Bot, Ending, Game

#: The longest line that Rookery sends.
MAX_LINE = 1 << 20
#: How often a connection may break between two turns before the bot gives up.
MAX_BREAKS = 10
#: The pause before somebody who came at a busy moment comes again.
PAUSE = 0.5
#: The code of WebSocket for whoever has connected a second time: this connection is not listened to any more.
REPLACED = 4010
#: The codes of WebSocket that blame nobody: it is over, or the server ends.
GOODBYES = (1000, 1001)


class ProtocolError(ConnectionError):
    """The other side does not speak as it should."""


class _Lost(Exception):
    """The connection broke, which is no mistake of the bot's."""


class _Busy(Exception):
    """Too many are at the door; who comes again is let in."""


class Link(Protocol):
    """Whole messages, whatever carries them."""

    #: Why the other side has closed it, if it said so: a code of WebSocket and a sentence.
    closed: tuple[int, str] | None

    def send(self, text: str) -> None: ...
    def lines(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class _Stdio:
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


class _Tcp:
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


class _WebSocket:
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


class Client:
    """Plays for a bot: `run` by standard input and output, `connect` over a network.

    The bot is a `rookery.Bot` or a function from a position to a move. With `name` and `secret` it takes a seat that
    waits for them. Over a network it comes back to its game when the connection breaks.

    >>> import rookery
    >>> def first(position):
    ...     return position.legal_moves()[0]
    >>> client = rookery.Client(first)
    >>> client.name
    'first'
    >>> client.connect("nowhere")
    Traceback (most recent call last):
    ValueError: expected HOST:PORT or ws://HOST:PORT, got 'nowhere'
    """

    def __init__(
        self, bot: Bot | Callable[[Position], str | int], *, name: str | None = None, secret: str | None = None
    ) -> None:
        if not isinstance(bot, Bot) and not callable(bot):
            raise TypeError(f"expected a Bot or a function of a position, got {type(bot).__name__}")
        self.bot = bot
        own = getattr(bot, "name", None) or getattr(bot, "__name__", None) or type(bot).__name__
        # A name begins with a letter or digit and has 24 letters, digits, `_` and `-` at the most.
        self.name: str = re.sub(r"[^A-Za-z0-9_-]", "-", name or own).lstrip("_-")[:24] or "python"
        self.secret = secret
        self._game = ""
        self._spec = ""
        self._players: list[str] = []
        #: What lets it come back to the game that is on.
        self._token: str | None = None
        #: The last answer, by the id of its turn: who comes back is asked the same again.
        self._answered: tuple[Any, dict[str, Any]] | None = None
        self._breaks = 0
        #: How many games have begun, and until when a busy moment is waited for.
        self._games = 0
        self._patience: float | None = None

    def run(self) -> None:
        """Plays until Rookery says `quit` or closes the input.

        Meanwhile `print` writes to standard error: standard output belongs to the protocol.
        """
        try:
            link = _Stdio()
            with contextlib.redirect_stdout(sys.stderr):
                self._play(link)
        except _Lost as lost:
            raise lost.__cause__ or ConnectionError("the connection ended") from None
        except _Busy as busy:
            raise ConnectionError(str(busy)) from None

    def connect(self, address: str, timeout: float = 60.0, *, grace: float = 30.0) -> None:
        """Plays at `HOST:PORT` (a seat `tcp:PORT`) or `ws://HOST:PORT` (a seat `ws:PORT`) until the end.

        `timeout` is how many seconds the first connection may take, also where so many others come that it is asked to come
        again. If the connection breaks while a game is on, the client tries for `grace` seconds to come back to its seat; a
        referee waits for 30 seconds, and the clock runs on. A ConnectionError says what else ended it: that nobody let the
        bot in, that its seat is gone, or that another connection of the same bot has taken its place.
        """
        url = urlsplit(address if "://" in address else f"tcp://{address}")
        if url.scheme not in ("tcp", "ws") or not url.hostname or not url.port:
            raise ValueError(f"expected HOST:PORT or ws://HOST:PORT, got {address!r}")
        self._token, self._answered, self._breaks, self._games, self._patience = None, None, 0, 0, None
        link = _open(url, timeout)
        while True:
            try:
                if not self._play(link):
                    self._judge_end(link)
                return
            except _Busy as busy:
                self._wait(timeout if self._token is None else grace, busy)
            except _Lost as lost:
                self._breaks += 1
                if self._token is None or self._breaks > MAX_BREAKS:
                    raise lost.__cause__ or ConnectionError("the connection ended in the middle of a game") from None
            finally:
                link.close()
            link = _open_again(url, grace)

    def _wait(self, seconds: float, busy: _Busy) -> None:
        """A pause, until so many seconds were waited for a game."""
        self._patience = self._patience or time.monotonic() + seconds
        if time.monotonic() + PAUSE >= self._patience:
            raise ConnectionError(f"not let in within {seconds:g} seconds: {busy}") from None
        time.sleep(PAUSE)

    def _judge_end(self, link: Link) -> None:
        """The connection ended while no game was on, and without `quit`: an error, unless the bot has played and nobody blames it."""
        if link.closed is not None and link.closed[0] not in GOODBYES:
            code, reason = link.closed
            raise ConnectionError(f"the other side closed the connection with the code {code}: {reason or 'no reason'}")
        if self._games == 0:
            raise ConnectionError("the connection was closed before a game began")

    def _play(self, link: Link) -> bool:
        """Plays until the end of the connection, and says whether it came with `quit`; one that ends while a game is on is lost."""
        lines = link.lines()
        while (line := _next(lines)) is not None:
            message = json.loads(line)
            kind = message.get("type")
            if kind == "hello":
                known = {"secret": self.secret, "token": self._token}
                given = {key: value for key, value in known.items() if value is not None}
                _send(link, {"type": "hello", "version": 1, "name": self.name, **given})
            elif kind == "new_game":
                self._new_game(message)
                _send(link, {"type": "ready"})
            elif kind == "turn":
                _send(link, self._answer(message))
            elif kind == "game_over":
                self._token, self._answered = None, None
                self._game_over(message)
            elif kind in ("reject", "error"):
                print(f"{kind} ({message.get('code')}): {message.get('message')}", file=sys.stderr)
                if kind == "error":
                    self._refused(str(message.get("code")), str(message.get("message")))
            elif kind == "quit":
                return True
        if link.closed is not None and link.closed[0] == REPLACED:
            self._refused("replaced", link.closed[1])
        if self._token is not None:
            raise _Lost
        return False

    def _refused(self, code: str, message: str) -> None:
        """An `error`: most of them close the connection, and not all of them are worth coming back."""
        if code == "unknown_type":
            return
        if code == "busy":
            raise _Busy(f"{code}: {message}")
        if code == "replaced":
            # Whoever came back would take the place of the other one, and so on for ever.
            raise ConnectionError("another connection of this bot has taken its place; only one can play, so this one ends")
        if self._token is None:
            raise ConnectionError(f"the bot is not let in: {code}: {message}")
        if code == "no_seat":
            raise ConnectionError("the seat is gone: its game is over, or went on without this bot")

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a turn; to one that was answered already, the same once more."""
        turn = message["id"]
        if self._answered is None or self._answered[0] != turn:
            move = self._choose(message)
            answer = {"type": "resign", "id": turn} if move == RESIGN else {"type": "move", "id": turn, "move": move}
            self._answered, self._breaks = (turn, answer), 0
        return self._answered[1]

    def _new_game(self, message: dict[str, Any]) -> None:
        token = message.get("token")
        self._patience = None
        if token is not None and token == self._token:
            # The game that it has come back to; every turn tells the position.
            return
        self._token, self._answered = token, None
        self._games += 1
        self._game, self._spec = message["game"], message["spec"]
        self._players = [seat["name"] for seat in message["seats"]]
        if isinstance(self.bot, Bot):
            self.bot.new_game(message["seat"], self._spec)

    def _choose(self, message: dict[str, Any]) -> str:
        position = Position.from_text(message["position"], self._game)
        choose = self.bot.choose if isinstance(self.bot, Bot) else self.bot
        move = choose(position)
        return move if isinstance(move, str) else position.action_to_move(move)

    def _game_over(self, message: dict[str, Any]) -> None:
        if not isinstance(self.bot, Bot):
            return
        results = message["results"]
        places = [result["place"] for result in results]
        known = all(place is not None for place in places)
        removed = [
            Ending(result["cause"], result["seat"], result["cause"]) for result in results if result["cause"]
        ]
        self.bot.game_over(
            Game(
                game=self._spec,
                players=self._players,
                winners=[seat for seat, place in enumerate(places) if place == 1] if known else None,
                scores=[result["score"] for result in results] if known else None,
                plies=message["plies"],
                ending=Ending(message["cause"], message["seat"], message["message"]),
                removed=removed,
                text=message["message"],
            )
        )


def _open(url: SplitResult, timeout: float) -> Link:
    assert url.hostname and url.port
    link = socket.create_connection((url.hostname, url.port), timeout=timeout)
    try:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A connection that nobody closed and nobody has any more is noticed within half a minute.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, seconds in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                link.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
        opened: Link = (
            _Tcp(link) if url.scheme == "tcp" else _WebSocket(link, f"{url.hostname}:{url.port}", url.path or "/")
        )
        # The wait for a turn may be long.
        link.settimeout(None)
    except BaseException:
        link.close()
        raise
    return opened


def _open_again(url: SplitResult, grace: float) -> Link:
    """Tries until the grace is over, more slowly each time."""
    until, pause = time.monotonic() + grace, 0.05
    while True:
        try:
            return _open(url, max(until - time.monotonic(), 0.1))
        except OSError:
            if time.monotonic() + pause >= until:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 2.0)


def _next(lines: Iterator[bytes]) -> bytes | None:
    try:
        return next(lines, None)
    except OSError as error:
        raise _Lost from error


def _send(link: Link, message: dict[str, Any]) -> None:
    try:
        link.send(json.dumps(message))
    except OSError as error:
        raise _Lost from error

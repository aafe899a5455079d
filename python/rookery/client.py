"""The bot protocol of docs/protocol.md: one bot, over standard input and output, TCP or WebSocket.

A bot that plays in `rookery.match` plays here as it is:

    import rookery

    class First(rookery.Bot):
        def choose(self, position):
            return position.legal_moves()[0]

    rookery.Client(First()).run()                      # started by Rookery: `cmd:python3 first.py`
    rookery.Client(First()).connect("there:4000")      # a seat `tcp:4000`
    rookery.Client(First()).connect("ws://there:4000") # a seat `ws:4000`
    rookery.Client(First()).connect("wss://play.example.org/bots")  # a server behind TLS

What travels is in `rookery.messages` as types. A client whose connection breaks in a game comes back by the token of its seat.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from os import PathLike
from typing import Callable, Iterator, cast

from ._rookery import RESIGN, Position
from .links import Link, ProtocolError, Stdio, Way, open_again, open_link
from .matches import Bot, Ending, Game
from .messages import BotHello, FromBot, GameOver, Hello, Move, NewGame, Resign, ToBot, Turn

#: How often a connection may break between two turns before the bot gives up.
MAX_BREAKS = 10
#: The pause before somebody who came at a busy moment comes again.
PAUSE = 0.5
#: The code of WebSocket for whoever has connected a second time: this connection is not listened to any more.
REPLACED = 4010
#: The codes of WebSocket that blame nobody: it is over, or the server ends.
GOODBYES = (1000, 1001)


class _Lost(Exception):
    """The connection broke, which is no mistake of the bot's."""


class _Busy(Exception):
    """Too many are at the door; who comes again is let in."""


class Client:
    """Plays for a bot: `run` by standard input and output, `connect` over a network.

    The bot is a `rookery.Bot`, the class of one, or a function from a position to a move. With `name` and `secret` it takes
    a seat that waits for them. Over a network it comes back to its game when the connection breaks.

    >>> import rookery
    >>> def first(position):
    ...     return position.legal_moves()[0]
    >>> client = rookery.Client(first)
    >>> client.name
    'first'
    >>> client.connect("nowhere")
    Traceback (most recent call last):
    ValueError: expected HOST:PORT, ws://HOST:PORT or wss://HOST, got 'nowhere'
    """

    def __init__(
        self,
        bot: Bot | type[Bot] | Callable[[Position], str | int],
        *,
        name: str | None = None,
        secret: str | None = None,
    ) -> None:
        if isinstance(bot, type) and issubclass(bot, Bot):
            bot = bot()
        if not isinstance(bot, Bot) and not callable(bot):
            raise TypeError(f"expected a Bot or a function of a position, got {type(bot).__name__}")
        # What is still a class is called as a function is.
        self.bot = cast("Bot | Callable[[Position], str | int]", bot)
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
        self._answered: tuple[int, Move | Resign] | None = None
        self._breaks = 0
        #: How many games have begun, and until when a busy moment is waited for.
        self._games = 0
        self._patience: float | None = None

    def run(self) -> None:
        """Plays until Rookery says `quit` or closes the input.

        Meanwhile `print` writes to standard error: standard output belongs to the protocol.
        """
        try:
            link = Stdio()
            with contextlib.redirect_stdout(sys.stderr):
                self._play(link)
        except _Lost as lost:
            raise lost.__cause__ or ConnectionError("the connection ended") from None
        except _Busy as busy:
            raise ConnectionError(str(busy)) from None

    def connect(
        self, address: str, timeout: float = 60.0, *, grace: float = 30.0, ca: str | PathLike[str] | None = None
    ) -> None:
        """Plays at `HOST:PORT` (a seat `tcp:PORT`), `ws://HOST:PORT` (a seat `ws:PORT`) or `wss://HOST/bots` (a server behind
        TLS) until the end.

        `timeout` is how many seconds the first connection may take, also where so many others come that it is asked to come
        again. If the connection breaks while a game is on, the client tries for `grace` seconds to come back to its seat; a
        referee waits for 30 seconds, and the clock runs on. A ConnectionError says what else ended it: that nobody let the
        bot in, that its seat is gone, that another connection of the same bot has taken its place, or that the other side does
        not speak the bot protocol (`rookery.client.ProtocolError`).

        With `wss://` the server has to show a certificate of an authority that this system trusts, or with `ca`, a file of
        certificates (PEM), of one of those.
        """
        way = Way.of(address, ca)
        self._token, self._answered, self._breaks, self._games, self._patience = None, None, 0, 0, None
        link = open_link(way, timeout)
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
            link = open_again(way, grace)

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
        lines, greeted = link.lines(), False
        while (line := _next(lines)) is not None:
            message = _read(line)
            if message["type"] == "hello":
                greeted = _check(message)
                _send(link, self._hello())
            elif message["type"] in ("new_game", "turn") and not greeted:
                raise ProtocolError(f"a {message['type']} before any hello")
            elif message["type"] == "new_game":
                self._new_game(message)
                _send(link, {"type": "ready"})
            elif message["type"] == "turn":
                _send(link, self._answer(message))
            elif message["type"] == "game_over":
                self._token, self._answered = None, None
                self._game_over(message)
            elif message["type"] == "reject" or message["type"] == "error":
                kind, code, text = message["type"], str(message.get("code")), str(message.get("message"))
                print(f"{kind} ({code}): {text}", file=sys.stderr)
                if kind == "error":
                    self._refused(code, text)
            elif message["type"] == "quit":
                return True
        if link.closed is not None and link.closed[0] == REPLACED:
            self._refused("replaced", link.closed[1])
        if self._token is not None:
            raise _Lost
        return False

    def _hello(self) -> BotHello:
        hello: BotHello = {"type": "hello", "version": 1, "name": self.name}
        if self.secret is not None:
            hello["secret"] = self.secret
        if self._token is not None:
            hello["token"] = self._token
        return hello

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

    def _answer(self, message: Turn) -> Move | Resign:
        """The answer to a turn; to one that was answered already, the same once more."""
        with _understood(message):
            turn, position = message["id"], Position.from_text(message["position"], self._game)
        if self._answered is None or self._answered[0] != turn:
            move = self._choose(position)
            answer: Move | Resign = (
                {"type": "resign", "id": turn} if move == RESIGN else {"type": "move", "id": turn, "move": move}
            )
            self._answered, self._breaks = (turn, answer), 0
        return self._answered[1]

    def _new_game(self, message: NewGame) -> None:
        with _understood(message):
            token, seat, game, spec = message.get("token"), message["seat"], message["game"], message["spec"]
            players = [seated["name"] for seated in message["seats"]]
        self._patience = None
        if token is not None and token == self._token:
            # The game that it has come back to; every turn tells the position.
            return
        self._token, self._answered = token, None
        self._games += 1
        self._game, self._spec, self._players = game, spec, players
        if isinstance(self.bot, Bot):
            self.bot.new_game(seat, spec)

    def _choose(self, position: Position) -> str:
        choose = self.bot.choose if isinstance(self.bot, Bot) else self.bot
        move = choose(position)
        return move if isinstance(move, str) else position.action_to_move(move)

    def _game_over(self, message: GameOver) -> None:
        if not isinstance(self.bot, Bot):
            return
        with _understood(message):
            results = message["results"]
            places = [result["place"] for result in results]
            known = all(place is not None for place in places)
            game = Game(
                game=self._spec,
                players=self._players,
                winners=[seat for seat, place in enumerate(places) if place == 1] if known else None,
                scores=[result["score"] or 0 for result in results] if known else None,
                plies=message["plies"],
                ending=Ending(message["cause"], message["seat"], message["message"]),
                removed=[Ending(result["cause"], result["seat"], result["cause"]) for result in results if result["cause"]],
                text=message["message"],
            )
        self.bot.game_over(game)


def _read(line: bytes) -> ToBot:
    """A message, whatever else is in it."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ProtocolError(f"no message of the bot protocol: {_shown(line)}; is it a port of Rookery for bots?")
    return cast(ToBot, message)


def _check(hello: Hello) -> bool:
    """Whether the other side speaks this protocol; another one is an error."""
    said = hello.get("protocol"), hello.get("version")
    if said != ("rookery", 1):
        raise ProtocolError(f"the other side speaks {said[0]!r}, version {said[1]!r}; this client speaks 'rookery', version 1")
    return True


@contextlib.contextmanager
def _understood(message: ToBot) -> Iterator[None]:
    """What is read here is as docs/protocol.md says, or it is an error of the other side."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ProtocolError(f"a {message['type']} that cannot be read ({why}): {_shown(json.dumps(message).encode())}") from None


def _shown(line: bytes) -> str:
    """So much of what was received that one sees what it is."""
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 100 else text[:100] + "…")


def _next(lines: Iterator[bytes]) -> bytes | None:
    try:
        return next(lines, None)
    except OSError as error:
        raise _Lost from error


def _send(link: Link, message: FromBot) -> None:
    try:
        link.send(json.dumps(message))
    except OSError as error:
        raise _Lost from error

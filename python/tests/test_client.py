"""The client over TCP and WebSocket, against a small server of the test's own and against the real referee."""

import base64
import contextlib
import hashlib
import json
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest

import rookery
import rookery.client
import rookery.links

START = rookery.load("hexapawn:rows=3,cols=3").text
SAID = [
    {"type": "hello", "protocol": "rookery", "version": 1, "server": "test", "features": [], "line_bytes": 65536, "reply_ms": 1},
    {"type": "new_game", "game": "hexapawn", "spec": "hexapawn:rows=3,cols=3", "seat": 0, "seed": "1", "position": START,
     "seats": [{"name": "me", "label": "player 1"}, {"name": "you", "label": "player 2"}], "time": {"mode": "none"}, "moves": []},
    {"type": "turn", "id": 1, "seat": 0, "ply": 0, "count": 3, "legal": [], "position": START, "moves": [], "clock": {}},
    {"type": "turn", "id": 2, "seat": 0, "ply": 0, "count": 3, "legal": [], "position": START, "moves": [], "clock": {}},
    {"type": "news_of_the_future"},
    {"type": "game_over", "cause": "resigned", "seat": 0, "message": "over", "plies": 1,
     "results": [{"seat": 0, "name": "me", "place": 2, "score": 0, "cause": None}, {"seat": 1, "name": "you", "place": 1, "score": 1, "cause": None}]},
    {"type": "quit"},
]


def read_exactly(link, size):
    data = b""
    while len(data) < size:
        more = link.recv(size - len(data))
        if not more:
            raise ConnectionError("the client has gone")
        data += more
    return data


def frame(text):
    data = text.encode()
    head = struct.pack("!BB", 0x81, len(data)) if len(data) < 126 else struct.pack("!BBH", 0x81, 126, len(data))
    return head + data


def unframe(link):
    kind, size = read_exactly(link, 2)
    size &= 0x7F
    if size == 126:
        (size,) = struct.unpack("!H", read_exactly(link, 2))
    mask, data = read_exactly(link, 4), read_exactly(link, size)
    return bytes(byte ^ mask[idx % 4] for idx, byte in enumerate(data)).decode()


def shake_hands(link):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read_exactly(link, 1)
    key = next(line for line in head.decode().splitlines() if line.startswith("Sec-WebSocket-Key")).split()[1]
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    link.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    return head.decode()


def serve(listener, websocket, heard):
    link, _ = listener.accept()
    with link:
        if websocket:
            shake_hands(link)
            link.sendall(struct.pack("!BB", 0x89, 2) + b"hi")  # a ping
            reader = None
        else:
            reader = link.makefile("r")
        for message in SAID:
            text = json.dumps(message)
            link.sendall(frame(text) if websocket else text.encode() + b"\n")
            if message["type"] in ("hello", "new_game", "turn"):
                if websocket:
                    answer = unframe(link)
                    if answer == "hi":
                        answer = unframe(link)
                else:
                    answer = reader.readline()
                if not answer:
                    # The client has gone.
                    return
                heard.append(json.loads(answer))


@pytest.mark.parametrize("scheme", ["", "ws://"])
def test_a_bot_plays_over_a_network(scheme):
    class Mine(rookery.Bot):
        over = None

        def choose(self, position):
            assert position.text == START
            self.turns = getattr(self, "turns", 0) + 1
            return position.legal_actions()[0] if self.turns == 1 else rookery.RESIGN

        def game_over(self, game):
            self.over = game

    heard, bot = [], Mine()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener, bool(scheme), heard), daemon=True)
        thread.start()
        rookery.Client(bot, name="my bot", secret="s").connect(f"{scheme}127.0.0.1:{listener.getsockname()[1]}")
        thread.join(60)
    assert heard[0] == {"type": "hello", "version": 1, "name": "my-bot", "secret": "s"}
    assert heard[1:] == [{"type": "ready"}, {"type": "move", "id": 1, "move": "c1-c2"}, {"type": "resign", "id": 2}]
    assert bot.over.winners == [1] and bot.over.players == ["me", "you"]


@pytest.mark.parametrize("address", ["nowhere", "http://x:1", "https://x", "", ":7", "ws://host", "wss://", "wss://:443", "wss://x:99999"])
def test_addresses_that_are_none(address):
    with pytest.raises(ValueError):
        rookery.Client(lambda position: "").connect(address)


def test_a_bot_is_a_bot():
    for other in (7, "first", None):
        with pytest.raises(TypeError):
            rookery.Client(other)


def test_a_bot_may_be_handed_over_as_its_class():
    class First(rookery.Bot):
        def __init__(self):
            self.over = []

        def choose(self, position):
            return position.legal_moves()[0]

        def game_over(self, game):
            self.over.append(game)

    client = rookery.Client(First)
    assert client.name == "First"
    with Saying(False, SAID) as server:
        client.connect(server.address)
    assert [answer["type"] for answer in server.heard[0]] == ["hello", "ready", "move", "move"]
    assert len(client.bot.over) == 1


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Cutting:
    """Stands between the client and the referee, and cuts connections at certain messages of the referee."""

    def __init__(self, target, cuts):
        self.target, self.cuts, self.connections = target, list(cuts), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(near, self.cuts.pop(0) if self.cuts else None), daemon=True).start()

    def serve(self, near, cut):
        until = time.monotonic() + 60
        while True:
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
                break
            except OSError:
                # The referee is not there yet, or will never be: then the client is not to wait for it.
                if time.monotonic() > until:
                    near.close()
                    raise
                time.sleep(0.02)
        threading.Thread(target=self.pump, args=(near, far, None), daemon=True).start()
        self.pump(far, near, cut)

    def pump(self, source, sink, cut):
        """`cut` is the message, which one of its kind, and whether it still arrives."""
        seen = b""
        try:
            while data := source.recv(65536):
                seen += data
                if cut and seen.count(b'"type":"%s"' % cut[0].encode()) >= cut[1]:
                    if cut[2]:
                        sink.sendall(data)
                    break
                sink.sendall(data)
        except OSError:
            pass
        for link in (source, sink):
            try:
                link.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            link.close()


class Counting(rookery.Bot):
    def __init__(self):
        self.begun, self.over, self.asked = [], [], []

    def new_game(self, seat, spec):
        self.begun.append(seat)

    def choose(self, position):
        self.asked.append(position.text)
        return position.legal_moves()[0]

    def game_over(self, game):
        self.over.append(game)


def play_with_cuts(kind, cuts, **options):
    """Two games of the real referee against a client whose connections are cut."""
    port, result = free_port(), []
    seat = f"mine={kind}:{port}"
    players = ["first=level:1", seat]
    referee = threading.Thread(
        target=lambda: result.append(rookery.match("hexapawn:rows=4,cols=4", players, games=2, seed=3)), daemon=True
    )
    between, bot = Cutting(port, cuts), Counting()
    referee.start()
    try:
        scheme = "ws://" if kind == "ws" else ""
        rookery.Client(bot, name="mine").connect(f"{scheme}127.0.0.1:{between.port}", **options)
    finally:
        between.listener.close()
    referee.join(60)
    assert result, "the referee has come to an end"
    return result[0], bot, between


@pytest.mark.parametrize("kind", ["tcp", "ws"])
@pytest.mark.parametrize(
    "cuts",
    [
        [],
        [("turn", 1, True)],
        [("turn", 2, False)],
        [("moved", 1, False)],
        [("new_game", 1, True), ("turn", 1, False), ("turn", 1, True)],
    ],
)
def test_who_loses_its_connection_comes_back_to_its_seat(kind, cuts):
    result, bot, between = play_with_cuts(kind, cuts)
    assert between.connections == len(cuts) + 1
    assert len(result.games) == 2 and all(game.winners and not game.removed for game in result.games), result.games
    assert sorted(bot.begun) == [0, 1] and len(bot.over) == 2, "each game is begun and ended once"
    moves = sum(game.plies for game in bot.over)
    assert len(bot.asked) <= moves // 2 + 1, "nobody is asked twice for one move"


def test_who_cannot_come_back_says_so():
    port = free_port()

    def serve(listener):
        link, _ = listener.accept()
        with link, link.makefile("r") as reader:
            for message in SAID[:2]:
                link.sendall(json.dumps({**message, "token": "abc"}).encode() + b"\n")
                reader.readline()
        listener.close()

    listener = socket.create_server(("127.0.0.1", port))
    thread = threading.Thread(target=serve, args=(listener,), daemon=True)
    thread.start()
    begin = time.monotonic()
    with pytest.raises(OSError):
        rookery.Client(lambda position: "").connect(f"127.0.0.1:{port}", grace=0.5)
    assert time.monotonic() - begin < 60
    thread.join(60)


def test_a_mistake_of_the_bot_is_no_lost_connection():
    def wrong(position):
        raise ConnectionResetError("my own database")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener, False, []), daemon=True)
        thread.start()
        with pytest.raises(ConnectionResetError, match="my own database"):
            rookery.Client(wrong).connect(f"127.0.0.1:{listener.getsockname()[1]}")
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize("kind", ["tcp", "ws"])
def test_who_has_connected_plays_every_game_against_a_function(kind):
    port, result, bot = free_port(), [], Counting()
    players = [lambda position: position.legal_moves()[-1], f"mine={kind}:{port}"]
    referee = threading.Thread(
        target=lambda: result.append(rookery.match("hexapawn:rows=4,cols=4", players, games=4)), daemon=True
    )
    referee.start()
    connect_when_open(rookery.Client(bot, name="mine"), f"{'ws://' if kind == 'ws' else ''}127.0.0.1:{port}")
    referee.join(60)
    assert len(result[0].games) == 4 and not any(game.removed for game in result[0].games), result[0].games
    assert len(bot.over) == 4


def connect_when_open(client, address):
    until = time.monotonic() + 30
    while True:
        try:
            return client.connect(address)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def test_what_a_bot_prints_is_no_answer(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import rookery\n"
        "def choose(position):\n"
        "    print('thinking about', position.text)\n"
        "    return position.legal_moves()[0]\n"
        "rookery.Client(choose, name='talker').run()\n"
        "print('done')\n"
    )
    result = rookery.match("hexapawn:rows=3,cols=3", [f"talker=cmd:{sys.executable} {bot}", "random"], games=2)
    assert not any(standing.faults for standing in result.standings), result.games[0].text


class Saying:
    """A server that says to each connection what is its turn to be said, and closes it."""

    def __init__(self, websocket, *said, code=None, tls=None):
        self.websocket, self.said, self.code, self.tls, self.heard, self.requests = websocket, list(said), code, tls, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"{'ws://' if websocket else ''}127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Whoever is in `accept` wakes up.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(60)

    def accept(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            self.heard.append([])
            with contextlib.suppress(OSError, ConnectionError):
                with self.tls.wrap_socket(link, server_side=True) if self.tls else link as link:
                    self.talk(link, self.said[min(len(self.heard), len(self.said)) - 1])

    def talk(self, link, messages):
        if self.websocket:
            self.requests.append(shake_hands(link))
        reader = link.makefile("r")
        for message in messages:
            text = message if isinstance(message, str) else json.dumps(message)
            link.sendall(frame(text) if self.websocket else text.encode() + b"\n")
            if isinstance(message, dict) and message["type"] in ("hello", "new_game", "turn"):
                answer = unframe(link) if self.websocket else reader.readline()
                if not answer:
                    raise ConnectionError("the client has gone")
                self.heard[-1].append(json.loads(answer))
        if self.code:
            link.sendall(struct.pack("!BBH", 0x88, 5, self.code) + b"why")
            # It is the client's turn to close it.
            link.recv(1)


HELLO, BEGUN, ASKED = SAID[0], {**SAID[1], "token": "abc"}, SAID[2]


def error(code):
    return {"type": "error", "code": code, "message": f"sorry, {code}"}


@pytest.mark.parametrize("websocket", [False, True])
@pytest.mark.parametrize("code", ["bad_hello", "bad_name", "bad_secret", "bad_token", "too_many", "no_seat", "name_taken", "closed"])
def test_who_is_not_let_in_is_told_why(websocket, code):
    with Saying(websocket, [HELLO, error(code)]) as server:
        with pytest.raises(ConnectionError, match=f"not let in: {code}: sorry"):
            rookery.Client(Counting()).connect(server.address)
    assert len(server.heard) == 1, "it does not come again by itself"


@pytest.mark.parametrize("websocket", [False, True])
def test_a_connection_that_ends_before_a_game_is_no_success(websocket):
    with Saying(websocket, [HELLO]) as server:
        with pytest.raises(ConnectionError, match="before a game began"):
            rookery.Client(Counting()).connect(server.address)
    with Saying(websocket, [HELLO, error("unknown_type"), *SAID[1:]]) as server:
        rookery.Client(Counting()).connect(server.address)


@pytest.mark.parametrize("code, played, why", [(1008, False, "code 1008: why"), (1008, True, "code 1008: why"), (1001, False, "before a game"),
                                               (1001, True, None), (1000, True, None)])
def test_why_a_websocket_was_closed_is_told(code, played, why):
    with Saying(True, SAID[:-1] if played else [HELLO], code=code) as server:
        client, over = rookery.Client(Counting()), contextlib.nullcontext()
        with pytest.raises(ConnectionError, match=why) if why else over:
            client.connect(server.address)


@pytest.mark.parametrize("websocket, last, code", [(False, [error("replaced")], None), (True, [error("replaced")], 4010), (True, [], 4010)])
@pytest.mark.parametrize("played", [[HELLO], [HELLO, BEGUN], [HELLO, BEGUN, ASKED]])
def test_who_was_replaced_does_not_come_back(websocket, last, code, played):
    with Saying(websocket, [*played, *last], SAID, code=code) as server:
        with pytest.raises(ConnectionError, match="taken its place"):
            rookery.Client(Counting()).connect(server.address)
    assert len(server.heard) == 1, "they would take the place from each other for ever"


@pytest.mark.parametrize("websocket", [False, True])
def test_who_comes_at_a_busy_moment_comes_again(websocket, monkeypatch):
    monkeypatch.setattr(rookery.client, "PAUSE", 0.01)
    with Saying(websocket, [error("busy")], [HELLO, error("busy")], SAID) as server:
        bot = Counting()
        rookery.Client(bot).connect(server.address)
        assert len(server.heard) == 3 and len(bot.over) == 1
    with Saying(websocket, [HELLO, BEGUN, error("busy")], [error("busy")], [HELLO, BEGUN, *SAID[2:]]) as server:
        bot = Counting()
        rookery.Client(bot).connect(server.address)
        assert server.heard[-1][0]["token"] == "abc" and len(bot.begun) == len(bot.over) == 1
    with Saying(websocket, [error("busy")]) as server:
        with pytest.raises(ConnectionError, match="not let in within 2 seconds: busy"):
            rookery.Client(Counting()).connect(server.address, timeout=2.0)
        assert len(server.heard) > 1


@pytest.mark.parametrize("websocket", [False, True])
@pytest.mark.parametrize(
    "said, words",
    [
        (["HTTP/1.1 400 Bad Request"], "no message of the bot protocol: 'HTTP/1.1 400 Bad Request'"),
        (["x" * 5000], "x" * 100 + "…'"),
        (["[1, 2]"], "no message"),
        (["{}"], "no message"),
        (['{"type": 7}'], "no message"),
        (["[" * 50_000], "no message"),
        ([{**HELLO, "protocol": "gtp"}], "speaks 'gtp', version 1"),
        ([{**HELLO, "version": 2}], "speaks 'rookery', version 2"),
        ([{"type": "hello"}], "speaks None, version None"),
        ([SAID[1]], "a new_game before any hello"),
        ([SAID[2]], "a turn before any hello"),
        ([HELLO, {"type": "new_game", "game": "hexapawn"}], "a new_game that cannot be read .KeyError: 'seat'"),
        ([HELLO, {**SAID[1], "seats": [7, 8]}], "a new_game that cannot be read"),
        ([HELLO, SAID[1], {"type": "turn", "position": START}], "a turn that cannot be read .KeyError: 'id'"),
        ([HELLO, SAID[1], {**ASKED, "position": "nowhere"}], "a turn that cannot be read .ValueError"),
        ([HELLO, SAID[1], {"type": "game_over", "results": None}], "a game_over that cannot be read"),
    ],
)
def test_somebody_who_is_no_rookery_is_told_apart(websocket, said, words):
    with Saying(websocket, said) as server:
        with pytest.raises(rookery.client.ProtocolError, match=words):
            rookery.Client(Counting()).connect(server.address)
    assert len(server.heard) == 1, "nobody comes again for this"


def test_a_mistake_of_the_bot_is_its_own():
    class Mistaken(Counting):
        def choose(self, position):
            return {}[position.text]

    with Saying(False, SAID) as server:
        with pytest.raises(KeyError, match="p1 111"):
            rookery.Client(Mistaken()).connect(server.address)


def certified(folder, names):
    """An authority, and a certificate of it for these names: for the server, and the file for the client."""
    import ssl

    (folder / "names").write_text(f"subjectAltName={names}\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    authority = "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -days 2 -subj /CN=course"
    for words in (
        f"req -x509 {key} -keyout ca.key -out ca.pem {authority}",
        f"req {key} -keyout server.key -out server.csr -subj /CN=server",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    ):
        subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return context, folder / "ca.pem"


@pytest.fixture
def tls(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    return lambda names: certified(tmp_path, names)


def test_a_bot_plays_at_a_server_behind_tls(tls):
    context, ca = tls("DNS:localhost,IP:127.0.0.1")
    with Saying(True, [HELLO, BEGUN], [HELLO, BEGUN, *SAID[2:]], tls=context) as server:
        bot = Counting()
        rookery.Client(bot, secret="s").connect(f"wss://localhost:{server.port}/bots", ca=ca)
    assert len(bot.over) == 1 and server.heard[0][0]["secret"] == "s"
    assert len(server.heard) == 2 and server.heard[1][0]["token"] == "abc", "it comes back by TLS, too"
    assert server.requests[0].startswith("GET /bots HTTP/1.1") and f"Host: localhost:{server.port}\r\n" in server.requests[0]


@pytest.mark.parametrize("names, trusted", [("DNS:elsewhere.example", True), ("DNS:localhost", False)])
def test_whoever_cannot_prove_its_name_hears_no_secret(tls, names, trusted):
    import ssl

    context, ca = tls(names)
    with Saying(True, SAID, tls=context) as server:
        with pytest.raises(ssl.SSLCertVerificationError, match="certificate"):
            rookery.Client(Counting(), secret="s").connect(f"wss://localhost:{server.port}", ca=ca if trusted else None)
    assert server.requests == [] and server.heard == [[]]


def test_a_certificate_that_does_not_hold_any_more_is_not_tried_again(tls, monkeypatch):
    import ssl

    context, ca = tls("DNS:localhost")
    way, tried = rookery.links.Way.of("wss://localhost:1", ca), []

    def refuse(way, timeout):
        tried.append(way)
        raise ssl.SSLCertVerificationError(1, "it has expired")

    monkeypatch.setattr(rookery.links, "open_link", refuse)
    with pytest.raises(ssl.SSLCertVerificationError):
        rookery.links.open_again(way, 60.0)
    assert tried == [way]


def test_a_server_without_tls_is_told_apart(tls):
    _, ca = tls("DNS:localhost")
    with Saying(False, ["HTTP/1.1 400 Bad Request"]) as server:
        with pytest.raises(rookery.client.ProtocolError, match="no TLS with localhost"):
            rookery.Client(Counting()).connect(f"wss://localhost:{server.port}", ca=ca)
    with pytest.raises(ValueError, match="`ca` is for"):
        rookery.Client(Counting()).connect("ws://localhost:1", ca=ca)
    with pytest.raises(OSError):
        rookery.Client(Counting()).connect("wss://localhost:1", ca=ca.with_name("none.pem"))


@pytest.mark.parametrize(
    "address, at, named",
    [
        ("wss://there", ("there", 443), "there"),
        ("wss://there:8443/bots", ("there", 8443), "there:8443"),
        ("wss://[2001:db8::1]/bots", ("2001:db8::1", 443), "[2001:db8::1]"),
        ("ws://[2001:db8::1]:443", ("2001:db8::1", 443), "[2001:db8::1]:443"),
        ("there:4000", ("there", 4000), "there:4000"),
    ],
)
def test_what_a_request_calls_a_server(address, at, named):
    way = rookery.links.Way.of(address, None)
    assert (way.host, way.port) == at and way.named() == named


def test_tls_is_imported_when_it_is_used():
    code = "import sys, rookery.client; assert 'ssl' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

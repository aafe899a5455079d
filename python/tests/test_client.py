"""The client over TCP and WebSocket, against a small server of the test's own."""

import base64
import hashlib
import json
import socket
import struct
import threading

import pytest

import rookery

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
        data += link.recv(size - len(data))
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


def serve(listener, websocket, heard):
    link, _ = listener.accept()
    with link:
        if websocket:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += link.recv(1)
            key = next(line for line in head.decode().splitlines() if line.startswith("Sec-WebSocket-Key")).split()[1]
            accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
            link.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
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


@pytest.mark.parametrize("address", ["nowhere", "http://x:1", "", ":7", "ws://host"])
def test_addresses_that_are_none(address):
    with pytest.raises(ValueError):
        rookery.Client(lambda position: "").connect(address)


def test_a_bot_is_a_bot():
    with pytest.raises(TypeError):
        rookery.Client(7)

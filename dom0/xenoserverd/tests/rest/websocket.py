# SPDX-License-Identifier: Apache-2.0
"""A client of WebSockets, which can also misbehave."""
import base64
import hashlib
import http.client
import io
import os
import struct

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def head(key, **more):
    return {"Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key, **more}


class Response:
    """The answer to a handshake, byte by byte: frames come behind it."""

    def __init__(self, socket):
        text = b""
        while not text.endswith(b"\r\n\r\n"):
            byte = socket.recv(1)
            assert byte, text
            text += byte
        line, rest = text.split(b"\r\n", 1)
        self.status = int(line.split()[1])
        self.headers = http.client.parse_headers(io.BytesIO(rest))
        self.socket = socket

    def read(self):
        body, count = b"", int(self.headers["Content-Length"])
        while len(body) < count:
            body += self.socket.recv(count - len(body))
        return body


class WebSocket:
    def __init__(self, client, path, **headers):
        key = base64.b64encode(os.urandom(16)).decode()
        headers = head(key, Host="node", **headers)
        if client.token:
            headers["Authorization"] = f"Bearer {client.token}"
        self.connection = client.connect()
        self.connection.connect()
        self.socket = self.connection.sock
        lines = [f"GET {path} HTTP/1.1"] + [f"{k}: {v}"
                                            for k, v in headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        self.response = Response(self.socket)
        self.bytes = b""
        self.output = b""
        if self.response.status != 101:
            return
        accept = hashlib.sha1((key + MAGIC).encode()).digest()
        assert self.response.headers["Sec-WebSocket-Accept"] == \
            base64.b64encode(accept).decode()

    def send(self, payload=b"", opcode=BINARY, first=None, mask=b"\1\2\3\4"):
        if isinstance(payload, str):
            payload = payload.encode()
        count = len(payload)
        flag = 0x80 if mask else 0
        length = (bytes([flag | count]) if count < 126 else
                  bytes([flag | 126]) + struct.pack(">H", count)
                  if count < 65536 else
                  bytes([flag | 127]) + struct.pack(">Q", count))
        if mask:
            payload = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.socket.sendall(bytes([first if first is not None
                                   else 0x80 | opcode]) + length +
                            (mask or b"") + payload)

    def take(self, count):
        while len(self.bytes) < count:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.bytes += more
        got, self.bytes = self.bytes[:count], self.bytes[count:]
        return got

    def receive(self):
        """Opcode and payload."""
        first, second = self.take(2)
        assert first & 0xf0 == 0x80 and not second & 0x80
        count = second
        if second == 126:
            count, = struct.unpack(">H", self.take(2))
        elif second == 127:
            count, = struct.unpack(">Q", self.take(8))
        return first & 0x0f, self.take(count)

    def read_until(self, text):
        """What the console has said, up to the text."""
        while text not in self.output:
            opcode, payload = self.receive()
            assert opcode in (BINARY, PING), (opcode, payload)
            if opcode == BINARY:
                self.output += payload
        at = self.output.index(text) + len(text)
        got, self.output = self.output[:at], self.output[at:]
        return got

    def ping(self, payload):
        """Until it is answered."""
        self.send(payload, PING)
        while True:
            opcode, got = self.receive()
            if opcode == PONG:
                assert got == payload
                return
            self.output += got if opcode == BINARY else b""

    def closed(self):
        """The status with which the node closes."""
        while True:
            opcode, payload = self.receive()
            if opcode == CLOSE:
                assert self.ended()
                return struct.unpack(">H", payload)[0]

    def ended(self):
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        return True

    def close(self):
        self.connection.close()

"""A client of links, written from docs/book/src/link.md alone: python3 link_client.py HOST:PORT

Subscribes to the topic `Odometry` (float64 x, float64 y, ..) and answers each message with a `Wish` (float64 radius). Ends after ten."""
import socket
import struct
import sys
from time import monotonic_ns

HELLO, OFFER, ANSWER, MESSAGE, GOODBYE, VALUE, PING, PONG, REQUEST, RESPONSE, REFUSAL = range(1, 12)
TOPIC, REPRESENTATION, REQUESTS, ANSWERS = range(4)
CDR, UNWANTED, WANTED = b"\x00\x01\x00\x00", 0, 2

def text(string):
    return struct.pack("<I", len(string.encode())) + string.encode()

def read_text(data):
    return data[4:4 + struct.unpack_from("<I", data)[0]].decode()

class Link:
    def __init__(self, address):
        self.socket = socket.create_connection(address.rsplit(":", 1), timeout=30)
        self.stream = self.socket.makefile("rb")
        self.send(HELLO, text("hemiola link") + struct.pack("<I", 1) + text("python"))

    def send(self, kind, contents):
        self.socket.sendall(struct.pack("<IB", 1 + len(contents), kind) + contents)

    def offer(self, number, subject, name, definition):
        self.send(OFFER, struct.pack("<IB", number, subject) + text(name) + text("python/msg/" + name) + text("") + text(definition))

    def frames(self, wanted):
        """Yields the frames of the robot, and names by offers; takes what is wanted, and answers what measures time."""
        names = {}
        while True:
            frame = self.stream.read(struct.unpack("<I", self.stream.read(4))[0])
            kind, contents = frame[0], frame[1:]
            if kind == OFFER:
                number, subject = struct.unpack_from("<IB", contents)
                names[number] = read_text(contents[5:])
                answer = WANTED if (subject, names[number]) in wanted else UNWANTED
                self.send(ANSWER, struct.pack("<IB", number, answer) + text(""))
            elif kind == PING:
                self.send(PONG, contents + struct.pack("<qq", monotonic_ns(), monotonic_ns()))
            elif kind == GOODBYE:
                sys.exit("goodbye: " + read_text(contents))
            yield kind, contents, names

if __name__ == "__main__":
    link, is_wanted = Link(sys.argv[1]), False
    link.offer(0, TOPIC, "Wish", "float64 radius\n")
    for kind, contents, names in link.frames([(TOPIC, "Odometry")]):
        if kind == ANSWER:
            is_wanted = contents[4] == WANTED
        elif kind == MESSAGE:
            topic, sequence, time, x, y = struct.unpack("<IQq4xdd", contents[:40])
            print(f"{names[topic]} {sequence}: x {x} y {y}")
            if is_wanted:
                link.send(MESSAGE, struct.pack("<IQq", 0, sequence, time) + CDR + struct.pack("<d", 2 * x))
            if sequence == 10:
                sys.exit(link.send(GOODBYE, text("ten are enough")))

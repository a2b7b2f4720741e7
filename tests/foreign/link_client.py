"""A client of links, written from docs/link.md alone: python3 link_client.py HOST:PORT

Receives the topic `Odometry` (float64 x, float64 y, ..) and answers each message with a `Wish` (float64 radius). Ends after ten. Shows the
representation `Drive` (float64 radius, ..), too.
"""
import socket
import struct
import sys
from time import monotonic_ns

HELLO, OFFER, ANSWER, MESSAGE, GOODBYE, VALUE, PING, PONG = 1, 2, 3, 4, 5, 6, 7, 8
TOPIC, REPRESENTATION = 0, 1
WANTED = 2
CDR = b"\x00\x01\x00\x00"


def text(string):
    data = string.encode()
    return struct.pack("<I", len(data)) + data


def texts(data, count):
    found = []
    for _ in range(count):
        (length,) = struct.unpack_from("<I", data)
        found.append(data[4 : 4 + length].decode())
        data = data[4 + length :]
    return found


class Link:
    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=30)
        self.stream = self.socket.makefile("rb")
        self.say(HELLO, text("hemiola link") + struct.pack("<I", 1) + text("python"))

    def say(self, kind, contents):
        self.socket.sendall(struct.pack("<IB", 1 + len(contents), kind) + contents)

    def hear(self):
        (length,) = struct.unpack("<I", self.stream.read(4))
        frame = self.stream.read(length)
        return frame[0], frame[1:]


def main():
    link = Link(sys.argv[1])
    link.say(OFFER, struct.pack("<IB", 0, TOPIC) + text("Wish") + text("python/msg/Wish") + text("") + text("float64 radius\n"))
    names, heard, sent, is_wanted = {}, 0, 0, False
    while heard < 10:
        kind, contents = link.hear()
        if kind == HELLO:
            print("robot:", texts(contents[len(text("hemiola link")) + 4 :], 1)[0])
        elif kind == OFFER:
            topic, subject = struct.unpack_from("<IB", contents)
            names[topic], schema, type_hash, definition = texts(contents[5:], 4)
            is_shown = (subject, names[topic]) in [(TOPIC, "Odometry"), (REPRESENTATION, "Drive")]
            link.say(ANSWER, struct.pack("<IB", topic, WANTED if is_shown else 0) + text(""))
        elif kind == ANSWER:
            is_wanted = contents[4] == WANTED
        elif kind == MESSAGE:
            topic, sequence, time = struct.unpack_from("<IQq", contents)
            x, y = struct.unpack_from("<dd", contents, 20 + len(CDR))
            heard += 1
            print(f"{names[topic]} {sequence}: x {x} y {y}")
            if is_wanted:
                sent += 1
                link.say(MESSAGE, struct.pack("<IQq", 0, sent, time) + CDR + struct.pack("<d", 2 * x))
        elif kind == VALUE:
            topic, sequence, time, stamp = struct.unpack_from("<IQqq", contents)
            (radius,) = struct.unpack_from("<d", contents, 28 + len(CDR))
            print(f"{names[topic]} {sequence}: radius {radius}, of {stamp / 1e9:.3f} s, committed at {time / 1e9:.3f} s")
        elif kind == PING:
            now = monotonic_ns()
            link.say(PONG, contents + struct.pack("<qq", now, now))
        elif kind == GOODBYE:
            sys.exit("goodbye: " + texts(contents, 1)[0])
    link.say(GOODBYE, text("ten are enough"))


main()

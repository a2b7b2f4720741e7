"""A client of links, written from docs/book/src/link.md alone: python3 link_client.py HOST:PORT

Subscribes to the topic `Odometry` (float64 x, float64 y, ..) and answers each message with a `Wish` (float64 radius). Ends after ten. Also
prints the representation `Drive` (float64 radius, ..), and calls the service `IsRoom` (float64 radius; the response is a bool) once.
"""
import socket
import struct
import sys
from time import monotonic_ns

HELLO, OFFER, ANSWER, MESSAGE, GOODBYE, VALUE, PING, PONG, REQUEST, RESPONSE, REFUSAL = range(1, 12)
TOPIC, REPRESENTATION, REQUESTS, ANSWERS = 0, 1, 2, 3
WISH, ROOM = 0, 1
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
    link.say(OFFER, struct.pack("<IB", WISH, TOPIC) + text("Wish") + text("python/msg/Wish") + text("") + text("float64 radius\n"))
    link.say(OFFER, struct.pack("<IB", ROOM, REQUESTS) + text("IsRoom") + text("python/msg/IsRoom") + text("") + text("float64 radius\n"))
    names, heard, sent, wanted, is_answered = {}, 0, 0, set(), False
    while heard < 10 or (ROOM in wanted and not is_answered):
        kind, contents = link.hear()
        if kind == HELLO:
            print("robot:", texts(contents[len(text("hemiola link")) + 4 :], 1)[0])
        elif kind == OFFER:
            topic, subject = struct.unpack_from("<IB", contents)
            names[topic], schema, type_hash, definition = texts(contents[5:], 4)
            is_shown = (subject, names[topic]) in [(TOPIC, "Odometry"), (REPRESENTATION, "Drive"), (ANSWERS, "IsRoom")]
            link.say(ANSWER, struct.pack("<IB", topic, WANTED if is_shown else 0) + text(""))
        elif kind == ANSWER:
            (offer, answer) = struct.unpack_from("<IB", contents)
            if answer == WANTED and offer not in wanted:
                wanted.add(offer)
                if offer == ROOM:
                    link.say(REQUEST, struct.pack("<IQ", ROOM, 1) + CDR + struct.pack("<d", 1.5))
        elif kind == RESPONSE:
            (call,) = struct.unpack_from("<Q", contents)
            is_answered = True
            print(f"answer to call {call}: there is {'room' if contents[8 + len(CDR)] else 'no room'}")
        elif kind == REFUSAL:
            is_answered = True
            print("no answer:", texts(contents[9:], 1)[0])
        elif kind == MESSAGE:
            topic, sequence, time = struct.unpack_from("<IQq", contents)
            x, y = struct.unpack_from("<dd", contents, 20 + len(CDR))
            heard += 1
            print(f"{names[topic]} {sequence}: x {x} y {y}")
            if WISH in wanted:
                sent += 1
                link.say(MESSAGE, struct.pack("<IQq", WISH, sent, time) + CDR + struct.pack("<d", 2 * x))
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

"""A client of links that reads a representation and calls a service: python3 link_caller.py HOST:PORT

Prints ten values of the representation `Drive` (float64 radius, ..), and calls the service `IsRoom` (float64 radius; the response is a bool) once.
"""
import struct
import sys

from link_client import ANSWER, ANSWERS, CDR, GOODBYE, HELLO, REFUSAL, REPRESENTATION, REQUEST, REQUESTS, RESPONSE, VALUE, WANTED
from link_client import Link, read_text, text

link, values, is_called, is_answered = Link(sys.argv[1]), 0, False, False
link.offer(0, REQUESTS, "IsRoom", "float64 radius\n")
for kind, contents, names in link.frames([(REPRESENTATION, "Drive"), (ANSWERS, "IsRoom")]):
    if kind == HELLO:
        print("robot:", read_text(contents[len(text("hemiola link")) + 4 :]))
    elif kind == ANSWER and contents[4] == WANTED and not is_called:
        is_called = True
        link.send(REQUEST, struct.pack("<IQ", 0, 1) + CDR + struct.pack("<d", 1.5))
    elif kind == RESPONSE:
        is_answered = True
        print(f"answer to call {struct.unpack_from('<Q', contents)[0]}: there is {'room' if contents[8 + len(CDR)] else 'no room'}")
    elif kind == REFUSAL:
        is_answered = True
        print("no answer:", read_text(contents[9:]))
    elif kind == VALUE:
        topic, sequence, time, stamp, radius = struct.unpack("<IQqq4xd", contents[:40])
        values += 1
        print(f"{names[topic]} {sequence}: radius {radius}, of {stamp / 1e9:.3f} s, committed at {time / 1e9:.3f} s")
    if values >= 10 and is_answered:
        break
link.send(GOODBYE, text("ten are enough"))

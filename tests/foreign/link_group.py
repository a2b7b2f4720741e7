"""A member of a group, written from docs/book/src/link.md alone: python3 link_group.py GROUP:PORT ADDRESS_OF_THE_INTERFACE

Receives the topic `Picture` (uint32 number, uint8[] pixels), whole or in fragments, from all members that send it. Ends after three pictures.
"""
import secrets
import select
import socket
import struct
import sys
from time import monotonic, monotonic_ns

HELLO, OFFER, ANSWER, MESSAGE, GOODBYE, PING, PONG, FRAGMENT = 1, 2, 3, 4, 5, 7, 8, 16
TOPIC, WANTED, PIECE = 0, 2, 32768


def text(string):
    data = string.encode()
    return struct.pack("<I", len(data)) + data


class Member:
    def __init__(self, group, interface):
        host, port = group.rsplit(":", 1)
        host, interface = socket.inet_aton(host), socket.inet_aton(interface)
        self.group = (socket.inet_ntoa(host), int(port))
        self.own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, interface)
        self.shared = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.shared.bind(self.group)
        self.shared.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, host + interface)
        self.number = secrets.randbits(63) + 1
        # The numbers of the others, by their addresses; what they send that is wanted; what has come of long messages.
        self.others, self.wanted, self.pieces = {}, set(), {}

    def say(self, address, to, kind, contents):
        self.own.sendto(struct.pack("<QQB", self.number, to, kind) + contents, address)

    def say_hello(self, address, to):
        self.say(address, to, HELLO, text("hemiola link") + struct.pack("<I", 2) + text("python"))

    def say_all_hellos(self):
        self.say_hello(self.group, 0)
        for address, number in self.others.items():
            self.say_hello(address, number)

    def hear(self):
        """Handles what comes until a picture does, and returns that; None after a while."""
        ready, _, _ = select.select([self.own, self.shared], [], [], 0.1)
        for each in ready:
            datagram, address = each.recvfrom(65536)
            sender, to = struct.unpack_from("<QQ", datagram)
            kind, contents = datagram[16], datagram[17:]
            is_mine = to == self.number
            if sender == self.number or not (is_mine or to == 0):
                continue
            if kind == HELLO:
                is_new = self.others.get(address) != sender
                self.others[address] = sender
                if is_new:
                    self.say_hello(address, sender)
            elif kind == OFFER and is_mine:
                topic, subject = struct.unpack_from("<IB", contents)
                is_wanted = subject == TOPIC and contents[5:].startswith(text("Picture"))
                if is_wanted:
                    self.wanted.add((address, topic))
                self.say(address, sender, ANSWER, struct.pack("<IB", topic, WANTED if is_wanted else 0) + text(""))
            elif kind == PING and is_mine:
                self.say(address, sender, PONG, contents + struct.pack("<qq", monotonic_ns(), monotonic_ns()))
            elif kind == FRAGMENT and self.others.get(address) == sender:
                contents = self.complete(address, contents)
                if contents is not None:
                    return self.picture(address, contents)
            elif kind == MESSAGE and self.others.get(address) == sender:
                return self.picture(address, contents)
            elif kind == GOODBYE and is_mine:
                del self.others[address]
        return None

    def complete(self, address, contents):
        """Adds a fragment. Returns the contents of its message with the last one."""
        topic, sequence, length, number = struct.unpack_from("<IQII", contents)
        pieces = self.pieces.setdefault((address, topic, sequence), {})
        pieces[number] = contents[20:]
        if len(pieces) < -(-length // PIECE):
            return None
        self.pieces = {key: value for key, value in self.pieces.items() if key[:2] != (address, topic) or key[2] > sequence}
        whole = b"".join(pieces[index] for index in sorted(pieces))
        assert len(whole) == length and whole[0] == MESSAGE
        return whole[1:]

    def picture(self, address, contents):
        (topic,) = struct.unpack_from("<I", contents)
        if (address, topic) not in self.wanted:
            return None
        number, length = struct.unpack_from("<II", contents, 20 + 4)
        pixels = contents[20 + 4 + 8 :]
        assert len(pixels) == length and set(pixels) == {number % 256}
        return number, length


def main():
    member, seen, hello_due = Member(sys.argv[1], sys.argv[2]), 0, 0
    while seen < 3:
        if monotonic() >= hello_due:
            member.say_all_hellos()
            hello_due = monotonic() + 1
        picture = member.hear()
        if picture:
            seen += 1
            print("Picture {} of {} pixels".format(*picture), flush=True)
    for address, number in member.others.items():
        member.say(address, number, GOODBYE, text("three are enough"))


main()

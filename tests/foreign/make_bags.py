"""Writes bags of ROS 1 with rosbags' writer, one for each compression of chunks: make_bags.py DIR

They hold the same messages, with all primitive types and nested ones, and random values of a fixed seed.
"""

import random
import struct
import sys
from pathlib import Path

from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

MESSAGES = {
    "mix/msg/Leaf": "string name\nbyte flag\nchar letter\ntime seen\nduration lasted\n",
    "mix/msg/Root": "Header header\nbool yes\nint8 a\nuint8 b\nint16 c\nuint16 d\nint32 e\nuint32 f\nint64 g\nuint64 h\nfloat32 i\n"
    "float64 j\nuint8[] image\nfloat32[3] fixed\nfloat64[] many\nstring[] words\nLeaf[] leaves\nLeaf[2] pair\ntime[] times\n"
    "int32 BIG=7\nstring TEXT= not # a comment\n",
}


def main(directory):
    store = get_typestore(Stores.ROS1_NOETIC)
    for name, text in MESSAGES.items():
        store.register(get_types_from_msg(text, name))
    for packing in [None, *Writer.CompressionFormat]:
        path = Path(directory) / f"{packing.name.lower() if packing else 'none'}.bag"
        writer = Writer(path)
        if packing:
            writer.set_compression(packing)
        with writer:
            write(writer, store, random.Random(20))


def write(writer, store, chance):
    mix = writer.add_connection("/mix", "mix/msg/Root", typestore=store)
    other = writer.add_connection("/mix", "mix/msg/Root", typestore=store, callerid="/another")
    words = writer.add_connection("words", "std_msgs/msg/String", typestore=store)
    time = 1_400_000_000_000_000_000
    for number in range(300):
        time += chance.randrange(1, 10**9)
        writer.write(chance.choice([mix, other]), time, root(chance))
        if number % 3 == 0:
            writer.write(words, time + 1, text(chance))


def root(chance):
    pack = struct.pack
    header = pack("<III", chance.randrange(2**32), chance.randrange(2**31), chance.randrange(10**9)) + text(chance)
    numbers = pack("<?bBhHiIqQ", chance.random() < 0.5, *[chance.randrange(-(2**bits) // 2, 2**bits // 2) if signed else chance.randrange(2**bits)
                   for bits in (8, 16, 32, 64) for signed in (True, False)])
    parts = [header, numbers, pack("<fd", chance.uniform(-1, 1), chance.gauss(0, 1e9)), sequence(chance, 2000, lambda: pack("B", chance.randrange(256)))]
    parts += [pack("<3f", *(chance.gauss(0, 1) for _ in range(3))), sequence(chance, 50, lambda: pack("<d", chance.gauss(0, 1)))]
    parts += [sequence(chance, 5, lambda: text(chance)), sequence(chance, 4, lambda: leaf(chance)), leaf(chance), leaf(chance)]
    parts += [sequence(chance, 4, lambda: pack("<II", chance.randrange(2**31), chance.randrange(10**9)))]
    return b"".join(parts)


def leaf(chance):
    numbers = (chance.randrange(-128, 128), chance.randrange(256), chance.randrange(2**31), chance.randrange(10**9))
    return text(chance) + struct.pack("<bBIIii", *numbers, chance.randrange(-(2**31), 2**31), chance.randrange(10**9))


def text(chance):
    data = "".join(chance.choice("abcäöü €😀") for _ in range(chance.randrange(12))).encode()
    return struct.pack("<I", len(data)) + data


def sequence(chance, most, item):
    count = chance.randrange(most)
    return struct.pack("<I", count) + b"".join(item() for _ in range(count))


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)

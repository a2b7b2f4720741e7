"""Checks messages against rosbags' definitions of ROS 2 Jazzy: check_messages.py FILE

FILE has one message per line, as JSON: its name, schema text, type hash, and the bytes of some values in hexadecimal digits.
Fails unless the hash is the one of ROS 2, the text defines the same fields, and every value can be read and is written back as the
same bytes. For a message that ROS 2 does not have, hash and bytes are compared with what rosbags computes from the text.
"""

import json
import sys

from rosbags.typesys import Stores, get_types_from_msg, get_typestore


def main(path):
    known = get_typestore(Stores.ROS2_JAZZY)
    problems, values = [], 0
    with open(path, encoding="utf-8") as file:
        messages = [json.loads(line) for line in file]
    for message in messages:
        name = message["name"]
        ours = get_typestore(Stores.EMPTY)
        ours.register(get_types_from_msg(message["text"], name))
        store = known if name in known.fielddefs else ours
        if ours.fielddefs[name][1] != store.fielddefs[name][1]:
            problems.append(f"{name}: other fields: {ours.fielddefs[name][1]} instead of {store.fielddefs[name][1]}")
        if message["hash"] != store.hash_rihs01(name):
            problems.append(f"{name}: hash {message['hash']} instead of {store.hash_rihs01(name)}")
        for digits in message["values"]:
            bytes_of_value = bytes.fromhex(digits)
            again = bytes(store.serialize_cdr(store.deserialize_cdr(bytes_of_value, name), name))
            if again != bytes_of_value:
                problems.append(f"{name}: {bytes_of_value.hex()} is written again as {again.hex()}")
            values += 1
    for problem in problems:
        print(problem)
    print(f"{len(messages)} messages, {values} values, {len(problems)} problems")
    sys.exit(1 if problems or not messages else 0)


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)

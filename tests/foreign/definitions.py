"""Prints all message definitions of ROS 2 Jazzy that rosbags has, a line of JSON for each: definitions.py

A line has the full name, the text with the definitions of all messages in it, and the hash.
"""

import json

from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_JAZZY)
for name in sorted(STORE.fielddefs):
    text, _ = STORE.generate_msgdef(name, ros_version=2)
    print(json.dumps({"name": name, "text": text, "hash": STORE.hash_rihs01(name)}))

"""Checks a log that we wrote with the MCAP project's own reader and with rosbags: check_log.py LOG VALUES

VALUES has one message per line, as JSON: its topic, time in nanoseconds, and value as we decode it. Fails unless both readers accept
the file with its checksums and its index, find the same messages as are in VALUES, and rosbags decodes the same values.
"""

import json
import math
import sys
from collections import Counter
from pathlib import Path

from mcap.reader import make_reader
from rosbags.highlevel import AnyReader


def main(log, values):
    with open(values, encoding="utf-8") as file:
        expected = [json.loads(line) for line in file]
    problems = list(check_container(log, expected)) + list(check_values(log, expected))
    for problem in problems[:20]:
        print(problem)
    print(f"{Path(log).name}: {len(expected)} messages, {len(problems)} problems")
    sys.exit(1 if problems or not expected else 0)


def check_container(log, expected):
    with open(log, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        found = Counter((channel.topic, message.log_time) for _, channel, message in reader.iter_messages())
        summary = reader.get_summary()
        if summary is None or summary.statistics.message_count != len(expected):
            yield f"{log}: its statistics do not count {len(expected)} messages"
        if not summary or not summary.chunk_indexes:
            yield f"{log}: there is no index"
    if found != Counter((message["topic"], message["log_time"]) for message in expected):
        yield f"{log}: the MCAP project's reader finds other messages"


def check_values(log, expected):
    ours = {}
    for message in expected:
        ours.setdefault((message["topic"], message["log_time"]), []).append(message["value"])
    with AnyReader([Path(log)]) as reader:
        for connection, time, data in reader.messages():
            decoded = reader.deserialize(data, connection.msgtype)
            candidates = ours.get((connection.topic, time), [])
            if not candidates:
                yield f"{connection.topic} at {time}: rosbags finds a message that is not there"
            elif not same(decoded, candidates.pop(0)):
                yield f"{connection.topic} at {time}: rosbags decodes another value"
    left = sum(len(values) for values in ours.values())
    if left:
        yield f"{log}: rosbags lacks {left} messages"


def same(theirs, ours):
    if isinstance(ours, dict):
        return all(same(getattr(theirs, name), value) for name, value in ours.items())
    if isinstance(ours, list):
        return len(theirs) == len(ours) and all(same(a, b) for a, b in zip(theirs, ours))
    if ours is None:
        return math.isnan(theirs) or math.isinf(theirs)
    return theirs == ours


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 3 else sys.exit(__doc__)

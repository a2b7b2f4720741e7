"""Checks an imported log against third-party readers of the original recording: check_import.py RECORDING LOG VALUES

RECORDING is a bag of ROS 1 or a ULog of PX4, LOG is the log imported from it, and VALUES has one message of LOG per line, as JSON: its topic,
time in nanoseconds, and value as we decode it. Fails unless rosbags and pyulog find the same messages with the same values: all
fields but the `seq` of headers, which ROS 2 does not have.
"""

import json
import math
import sys
from pathlib import Path

import numpy
from mcap.reader import make_reader
from pyulog import ULog
from rosbags.highlevel import AnyReader

LEVELS = {"EMERGENCY": 50, "ALERT": 50, "CRITICAL": 50, "ERROR": 40, "WARNING": 30, "NOTICE": 20, "INFO": 20, "DEBUG": 10}


def main(recording, log, values):
    ours = {}
    with open(values, encoding="utf-8") as file:
        for message in map(json.loads, file):
            ours.setdefault((message["topic"], message["log_time"]), []).append(message["value"])
    count = sum(len(values) for values in ours.values())
    check = check_bag if recording.endswith(".bag") else check_ulog
    problems = list(check(recording, log, ours))
    left = {key: len(values) for key, values in ours.items() if values}
    problems += [f"{topic} at {time}: nobody else finds {number} of our messages" for (topic, time), number in left.items()]
    for problem in problems[:20]:
        print(problem)
    print(f"{Path(recording).name}: {count} messages, {len(problems)} problems")
    sys.exit(1 if problems or not count else 0)


def taken(ours, topic, time):
    values = ours.get((topic, time))
    return values.pop(0) if values else None


def check_bag(recording, log, ours):
    with AnyReader([Path(recording)]) as reader:
        for connection, time, data in reader.messages():
            theirs = reader.deserialize(data, connection.msgtype)
            topic = "/" + connection.topic.lstrip("/")
            value = taken(ours, topic, time)
            if value is None:
                yield f"{topic} at {time}: a message is missing"
            elif different := difference(reader.typestore, theirs, value):
                yield f"{topic} at {time}: rosbags decodes another value{different}"


def difference(store, theirs, ours):
    """Returns where the two differ, or an empty string."""
    if isinstance(ours, dict):
        names = [name for name, _ in store.fielddefs[theirs.__msgtype__][1]]
        if theirs.__msgtype__ == "std_msgs/msg/Header":
            names = [name for name in names if name != "seq"]
        if [name.lower() for name in names] != list(ours) and not empty(names, ours):
            return f": fields {names} and {list(ours)}"
        found = (f".{name}{found}" for name in names if (found := difference(store, getattr(theirs, name), ours[name.lower()])))
        return next(found, "")
    if isinstance(ours, list):
        if len(theirs) != len(ours):
            return f": {len(theirs)} and {len(ours)} items"
        found = (f"[{index}]{found}" for index, (a, b) in enumerate(zip(theirs, ours)) if (found := difference(store, a, b)))
        return next(found, "")
    return "" if same(theirs, ours) else f": {theirs!r} and {ours!r}"


def empty(names, ours):
    return set(names) <= {"structure_needs_at_least_one_member"} and set(ours) == {"structure_needs_at_least_one_member"}


def same(theirs, ours):
    """Compares leaves. JSON has null for what is not finite, and only the digits that identify a number of 32 bits."""
    if ours is None:
        return not math.isfinite(theirs)
    if theirs == ours:
        return True
    return isinstance(ours, float) and numpy.float32(theirs) == theirs and numpy.float32(ours) == numpy.float32(theirs)


def check_ulog(recording, log, ours):
    ulog = ULog(recording)
    for data in ulog.data_list:
        topic = f"/{data.name}" + (f"_{data.multi_id}" if data.multi_id else "")
        letters = {field.field_name for field in data.field_data if field.type_str == "char"}
        for index, stamp in enumerate(data.data["timestamp"]):
            value = taken(ours, topic, int(stamp) * 1000)
            if value is None:
                yield f"{topic} at {stamp} us: a message is missing"
                continue
            leaves = dict(flat("", value))
            for name, column in data.data.items():
                if "_padding" in name:
                    continue
                theirs = column[index]
                if name in letters and "[" in name:
                    word, place = name.rsplit("[", 1)
                    text = leaves[word].encode()
                    place = int(place[:-1])
                    mine = text[place] if place < len(text) else theirs
                else:
                    mine = leaves[name]
                if not same(theirs, mine):
                    yield f"{topic} at {stamp} us: {name} is {theirs!r} for pyulog, and {mine!r} for us"
    logged = list(ulog.logged_messages)
    tagged = [message for messages in ulog.logged_messages_tagged.values() for message in messages]
    for message in logged + tagged:
        value = taken(ours, "/logged_messages", message.timestamp * 1000)
        tag = str(getattr(message, "tag", ""))
        expected = (LEVELS.get(message.log_level_str(), 20), message.message, tag)
        if value is None or (value["level"], value["msg"], value["name"]) != expected:
            yield f"/logged_messages at {message.timestamp} us: {expected} for pyulog, and {value} for us"
    for dropout in ulog.dropouts:
        value = taken(ours, "/dropouts", dropout.timestamp * 1000)
        if value != {"duration_ms": dropout.duration}:
            yield f"/dropouts at {dropout.timestamp} us: {dropout.duration} ms for pyulog, and {value} for us"
    yield from check_parameters(ulog, ours)
    yield from check_information(ulog, log)


def check_parameters(ulog, ours):
    ours_in_order = []
    for key in [key for key in ours if key[0] == "/parameters"]:
        ours_in_order += [(key[1], value["name"], value["value"]) for value in ours.pop(key)]
    start = ulog.start_timestamp * 1000
    theirs = [(start, name, float(value)) for name, value in ulog.initial_parameters.items()]
    theirs += [(max(time * 1000, start), name, float(value)) for time, name, value in ulog.changed_parameters]
    if sorted(theirs) != sorted(ours_in_order):
        yield f"/parameters: {sorted(set(theirs) ^ set(ours_in_order))[:4]} are not the same"
    defaults = {}
    for key in [key for key in ours if key[0] == "/parameter_defaults"]:
        for value in ours.pop(key):
            for bit, scope in enumerate(["of_system", "of_setup"]):
                if value[scope]:
                    defaults.setdefault(bit, {})[value["name"]] = value["value"]
    for bit, values in ulog._default_parameters.items():
        theirs = {name: float(value) for name, value in values.items()}
        if theirs != defaults.get(bit, {}):
            yield f"/parameter_defaults: other values than pyulog has for {bit}"


def check_information(ulog, log):
    with open(log, "rb") as file:
        ours = {name: value for metadata in make_reader(file).iter_metadata() for name, value in metadata.metadata.items()}
    for name, value in ulog.msg_info_dict.items():
        theirs = value.rstrip("\0") if isinstance(value, str) else value.hex() if isinstance(value, bytes) else str(value)
        if ours.get(name) != theirs:
            yield f"information {name}: {theirs!r} for pyulog, and {ours.get(name)!r} for us"
    for name, lists in ulog.msg_info_multiple_dict.items():
        for index, parts in enumerate(lists):
            if all(isinstance(part, str) for part in parts) and ours.get(f"{name}[{index}]") != "".join(parts):
                yield f"information {name}[{index}]: other than pyulog's"


def flat(path, value):
    """Yields names and values as pyulog has them: `esc[1].rpm`."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from flat(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flat(f"{path}[{index}]", inner)
    else:
        yield path, value


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 4 else sys.exit(__doc__)

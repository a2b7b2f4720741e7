"""Checks a trace against Perfetto's official protobuf definitions: check_perfetto.py FILE...

Fails unless the file parses, has no field that the definitions do not know, serialises to the same size, refers only to
tracks and interned names that were defined before, closes every slice, and gives every flow both ends.
"""

import sys
from collections import Counter, defaultdict

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


def main(paths):
    if not paths:
        sys.exit(__doc__)
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        trace = Trace()
        trace.ParseFromString(data)
        problems = list(check(trace, data))
        for problem in problems[:20]:
            print(f"{path}: {problem}")
        if problems:
            sys.exit(1)
        kinds = Counter(TrackEvent.Type.Name(packet.track_event.type) for packet in events(trace))
        facts = ", ".join(f"{count} {kind.removeprefix('TYPE_').lower()}" for kind, count in sorted(kinds.items()))
        print(f"{path}: {len(data)} bytes, {len(trace.packet)} packets, {facts}: sound")


def check(trace, data):
    if trace.ByteSize() != len(data):
        yield f"serialises to {trace.ByteSize()} bytes instead of {len(data)}"
    if not trace.packet:
        yield "has no packet"
        return
    yield from (f"unknown field {name}" for name in unknown_fields(trace, "Trace"))
    yield from check_clock(trace.packet[0])
    yield from check_references(trace)
    yield from check_slices(trace)
    yield from check_flows(trace)


def events(trace):
    return (packet for packet in trace.packet if packet.HasField("track_event"))


def unknown_fields(message, path):
    for field in UnknownFieldSet(message):
        yield f"{path}.{field.field_number}"
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for child in value if descriptor.is_repeated else [value]:
            yield from unknown_fields(child, f"{path}.{descriptor.name}")


def check_clock(packet):
    clock = packet.trace_packet_defaults.timestamp_clock_id
    if clock not in {entry.clock_id for entry in packet.clock_snapshot.clocks}:
        yield f"the first packet's clock snapshot lacks the default clock {clock}"
    if packet.sequence_flags & 1 == 0:
        yield "the first packet does not clear the incremental state"


def check_references(trace):
    tracks, names, annotations = set(), {}, {}
    for packet in trace.packet:
        for table, entries in (
            (names, packet.interned_data.event_names),
            (annotations, packet.interned_data.debug_annotation_names),
        ):
            for entry in entries:
                if entry.iid == 0 or entry.iid in table:
                    yield f"interned name {entry.name!r} has the number {entry.iid} of another"
                table[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            if descriptor.HasField("parent_uuid") and descriptor.parent_uuid not in tracks:
                yield f"track {descriptor.name!r} hangs on an unknown track"
            tracks.add(descriptor.uuid)
        if packet.HasField("track_event"):
            event = packet.track_event
            if event.track_uuid not in tracks:
                yield f"an event is on track {event.track_uuid}, which is not described before"
            if event.HasField("name_iid") and event.name_iid not in names:
                yield f"the name {event.name_iid} is not defined before its use"
            for annotation in event.debug_annotations:
                if annotation.name_iid not in annotations:
                    yield f"the annotation name {annotation.name_iid} is not defined before its use"
            named = event.type in (TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_INSTANT)
            if named and not event.HasField("name_iid"):
                yield "a slice or an instant has no name"


def check_slices(trace):
    depth = defaultdict(int)
    for packet in sorted(events(trace), key=lambda packet: packet.timestamp):
        event = packet.track_event
        depth[event.track_uuid] += event.type == TrackEvent.TYPE_SLICE_BEGIN
        depth[event.track_uuid] -= event.type == TrackEvent.TYPE_SLICE_END
        if depth[event.track_uuid] < 0:
            yield f"at {packet.timestamp} a slice ends on track {event.track_uuid} that did not begin"
            return
    yield from (f"{count} slices on track {track} do not end" for track, count in depth.items() if count)


def check_flows(trace):
    begins, ends = Counter(), Counter()
    for packet in events(trace):
        begins.update(packet.track_event.flow_ids)
        ends.update(packet.track_event.terminating_flow_ids)
    for flow in begins.keys() | ends.keys():
        if (begins[flow], ends[flow]) != (1, 1):
            yield f"flow {flow} has {begins[flow]} beginnings and {ends[flow]} ends"


if __name__ == "__main__":
    main(sys.argv[1:])

"""A third-party ROS 2 node that sets parameters and sends goals: python3 ros2_requests.py HOST PORT [NODE]

It follows the conventions of rmw_zenoh without code of Hemiola: keys, tokens and attachments are those of ROBOTIS's zenoh-ros2-sdk, definitions and
CDR those of rosbags, and hashes are computed here as in REP-2016. NODE is the node whose parameters are read and set. Reads commands, a line each,
and prints a line for each command and for each message received.

    list [PREFIX]              names NAME..
    get NAME..                 values VALUE..
    types NAME..               types NUMBER..
    describe NAME              described TYPE READ_ONLY FROM TO CONSTRAINTS | DESCRIPTION
    set NAME=JSON..            set OK REASON | OK REASON..
    atomically NAME=JSON..     set OK REASON
    events                     events, and later: event NODE NAME=VALUE..
    goal NUMBER FRAME X Y      accepted NUMBER, or: rejected NUMBER; and later, if it is wanted: feedback NUMBER X DISTANCE
    result NUMBER              asked NUMBER, and later: ended NUMBER STATUS ERROR, or: no result NUMBER
    cancel NUMBER              canceling CODE HOW_MANY
    status                     status, and later: status NUMBER:STATUS..
    serve                      serving; then goals come: asked X Y, and commands say what becomes of the last one:
    tell X DISTANCE            told
    end STATUS ERROR           ended
"""
import hashlib
import json
import sys
import threading
import time

import numpy
import zenoh
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from zenoh_ros2_sdk.attachment import Attachment
from zenoh_ros2_sdk.entity import EndpointEntity, EntityKind, NodeEntity
from zenoh_ros2_sdk.keyexpr import endpoint_liveliness_keyexpr, node_liveliness_keyexpr, topic_keyexpr
from zenoh_ros2_sdk.session import ZenohSession
from zenoh_ros2_sdk.utils import ros2_to_dds_type

HOST, PORT, DOMAIN = sys.argv[1], int(sys.argv[2]), 7
NODE = sys.argv[3] if len(sys.argv) > 3 else "/rover"
ACTION, ACTION_TYPE = "/navigate_to_pose", "nav2_msgs/action/NavigateToPose"
QUALITY = "::,10:,:,:,,"
STORE = get_typestore(Stores.ROS2_JAZZY)

# Definitions of ROS 2 Jazzy.
PARAMETERS = "rcl_interfaces/srv/"
SERVICES = {
    "ListParameters": ("string[] prefixes\nuint64 depth\n", "rcl_interfaces/ListParametersResult result\n"),
    "GetParameters": ("string[] names\n", "rcl_interfaces/ParameterValue[] values\n"),
    "GetParameterTypes": ("string[] names\n", "uint8[] types\n"),
    "DescribeParameters": ("string[] names\n", "rcl_interfaces/ParameterDescriptor[] descriptors\n"),
    "SetParameters": ("rcl_interfaces/Parameter[] parameters\n", "rcl_interfaces/SetParametersResult[] results\n"),
    "SetParametersAtomically": ("rcl_interfaces/Parameter[] parameters\n", "rcl_interfaces/SetParametersResult result\n"),
}
GOAL = "geometry_msgs/PoseStamped pose\nstring behavior_tree\n"
RESULT = "uint16 error_code\n"
FEEDBACK = ("geometry_msgs/PoseStamped current_pose\nbuiltin_interfaces/Duration navigation_time\n"
            "builtin_interfaces/Duration estimated_time_remaining\nint16 number_of_recoveries\nfloat32 distance_remaining\n")
IDENTITY = "unique_identifier_msgs/UUID goal_id\n"
ACCEPTED = "bool accepted\nbuiltin_interfaces/Time stamp\n"
CANCEL = ("action_msgs/GoalInfo goal_info\n", "int8 return_code\naction_msgs/GoalInfo[] goals_canceling\n")
EVENT_INFO = "service_msgs/msg/ServiceEventInfo"
EVENT_INFO_TEXT = "uint8 event_type\nbuiltin_interfaces/Time stamp\nuint8[16] client_gid\nint64 sequence_number\n"

# The numbers that ROS 2 gives to types; a `byte` is an `octet` in IDL.
TYPE_IDS = {"int8": 2, "uint8": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9, "float32": 10, "float64": 11,
            "bool": 15, "byte": 16, "octet": 16, "string": 17}


# Hashes: REP-2016.

def described(name, type_id, capacity=0, nested=""):
    return {"name": name, "type": {"type_id": type_id, "capacity": capacity, "string_capacity": 0, "nested_type_name": nested}}


def parsed(name, text):
    """Parses a definition with rosbags."""
    (definition,) = get_types_from_msg(text, name).values()
    return definition


def describe(types, definition):
    """Describes the fields of a type, and adds the messages in it to types."""
    def field(name, kind, offset=0, capacity=0):
        if kind[0] == Nodetype.BASE:
            return described(name, TYPE_IDS[kind[1][0]] + offset, capacity)
        if kind[0] == Nodetype.NAME:
            if kind[1] not in types:
                types[kind[1]] = describe(types, STORE.fielddefs[kind[1]])
            return described(name, 1 + offset, capacity, kind[1])
        inner, length = kind[1]
        return field(name, inner, 48 if kind[0] == Nodetype.ARRAY else 96 if length else 144, length)
    return [field(name, kind) for name, kind in definition[1]]


def digest(types, name):
    root, rest = types[name], sorted(one for one in types if one != name)
    text = json.dumps({"type_description": {"type_name": name, "fields": root},
                       "referenced_type_descriptions": [{"type_name": one, "fields": types[one]} for one in rest]})
    return "RIHS01_" + hashlib.sha256(text.encode()).hexdigest()


def service_hash(name, parts, inner=()):
    """Computes the hash of a service; `inner` has the message that is the last field of each part."""
    types = {EVENT_INFO: None}
    types[EVENT_INFO] = describe(types, parsed(EVENT_INFO, EVENT_INFO_TEXT))
    request, response, event = f"{name}_Request", f"{name}_Response", f"{name}_Event"
    for part, text, last in zip([request, response], parts, list(inner) + [None, None]):
        types[part] = describe(types, parsed(part, text)) if text else []
        if last:
            field, message, inner_text = last
            types[message] = describe(types, parsed(message, inner_text))
            types[part].append(described(field, 1, 0, message))
    types[event] = [described("info", 1, 0, EVENT_INFO), described("request", 97, 1, request), described("response", 97, 1, response)]
    types[name] = [described("request_message", 1, 0, request), described("response_message", 1, 0, response),
                   described("event_message", 1, 0, event)]
    return digest(types, name)


def feedback_hash():
    types, message, name = {}, f"{ACTION_TYPE}_Feedback", f"{ACTION_TYPE}_FeedbackMessage"
    types[message] = describe(types, parsed(message, FEEDBACK))
    types[name] = describe(types, parsed(name, IDENTITY)) + [described("feedback", 1, 0, message)]
    return digest(types, name)


SEND_GOAL = service_hash(f"{ACTION_TYPE}_SendGoal", (IDENTITY, ACCEPTED), [("goal", f"{ACTION_TYPE}_Goal", GOAL)])
GET_RESULT = service_hash(f"{ACTION_TYPE}_GetResult", (IDENTITY, "int8 status\n"), [None, ("result", f"{ACTION_TYPE}_Result", RESULT)])
CANCEL_GOAL = service_hash("action_msgs/srv/CancelGoal", CANCEL)

# Messages. A message in a message has the same bytes as its fields.


def message(name, text):
    STORE.register({name: parsed(name, text)})
    return name


SERVICE_TYPES = {name: [message(f"{PARAMETERS}{name}_{part}", text) for part, text in zip(["Request", "Response"], parts)]
                 for name, parts in SERVICES.items()}
GOAL_MESSAGE = message("demo/msg/Goal", IDENTITY + GOAL)
ACCEPTED_MESSAGE = message("demo/msg/Accepted", ACCEPTED)
IDENTITY_MESSAGE = message("demo/msg/Identity", IDENTITY)
RESULT_MESSAGE = message("demo/msg/Result", "int8 status\n" + RESULT)
FEEDBACK_MESSAGE = message("demo/msg/Feedback", IDENTITY + FEEDBACK)
CANCEL_MESSAGES = [message("demo/msg/Cancel", CANCEL[0]), message("demo/msg/Canceled", CANCEL[1])]


def read(name, payload):
    return STORE.deserialize_cdr(payload, name)


def write(of_type, /, **fields):
    return bytes(STORE.serialize_cdr(of(of_type, **fields), of_type))


def of(of_type, /, **fields):
    return STORE.types[of_type](**fields)


# The node: each endpoint with its token.

manager = ZenohSession.get_instance(HOST, PORT)
session = manager.session
node = NodeEntity(DOMAIN, str(session.zid()), manager.get_next_node_id(), "requests")
kept = [session.liveliness().declare_token(node_liveliness_keyexpr(node))]
GID = manager.generate_gid()
numbers = iter(range(1, 1 << 60))
speaking = threading.Lock()


def say(*words):
    with speaking:
        print(*words, flush=True)


def declare(kind, name, of_type, hash, quality=QUALITY, answer=None):
    """Declares an endpoint, and returns its key. What answers its queries is declared before its token, as rmw_zenoh does: whoever has seen the
    token may call it."""
    dds = ros2_to_dds_type(of_type)
    key = topic_keyexpr(DOMAIN, name, dds, hash)
    if answer:
        kept.append(session.declare_queryable(key, answer, complete=True))
    token = endpoint_liveliness_keyexpr(EndpointEntity(node, manager.get_next_entity_id(), kind, name, dds, hash, quality))
    kept.append(session.liveliness().declare_token(token))
    return key


def attachment():
    return Attachment(next(numbers), time.time_ns(), GID).to_bytes()


def ask(key, payload, then):
    """Calls a service; `then` receives the response, or None."""
    heard = []

    def answer(reply):
        heard.append(True)
        then(reply.ok.payload.to_bytes() if reply.ok else None)

    def over():
        if not heard:
            then(None)
    session.get(key, zenoh.handlers.Callback(answer, over), payload=payload, attachment=attachment(), target=zenoh.QueryTarget.ALL_COMPLETE,
                consolidation=zenoh.ConsolidationMode.NONE, timeout=600.0)


def call(key, payload):
    come, answers = threading.Event(), []
    ask(key, payload, lambda answer: (answers.append(answer), come.set()))
    come.wait(60.0)
    return answers[0] if answers else None


# Parameters.

keys = {}
# The fields of a value by the numbers of their types, and what is in them if they are not used.
FIELDS = ["type", "bool_value", "integer_value", "double_value", "string_value", "byte_array_value", "bool_array_value", "integer_array_value",
          "double_array_value", "string_array_value"]
EMPTY = [0, False, 0, 0.0, "", numpy.uint8, numpy.bool_, numpy.int64, numpy.float64, []]


def parameters(service, **request):
    """Calls a service of parameters."""
    if service not in keys:
        name = "".join("_" + letter.lower() if letter.isupper() else letter for letter in service).lstrip("_")
        keys[service] = declare(EntityKind.CLIENT, f"{NODE}/{name}", PARAMETERS + service, service_hash(PARAMETERS + service, SERVICES[service]))
    wanted, given = SERVICE_TYPES[service]
    answer = call(keys[service], write(wanted, **request))
    return read(given, answer) if answer is not None else None


def value_of(value):
    found = getattr(value, FIELDS[value.type]) if value.type else None
    # rosbags reads a `byte` as a signed number.
    found = found.astype(numpy.uint8) if value.type == 5 else found
    return json.dumps(found.tolist() if isinstance(found, numpy.ndarray) else found).replace(" ", "")


def value_from(text):
    """Converts a value as `ros2 param` does; `["bytes", 1, 2]` are bytes."""
    fields = dict(zip(FIELDS, [numpy.array([], dtype=empty) if isinstance(empty, type) else empty for empty in EMPTY]))
    value = json.loads(text)
    if not isinstance(value, list):
        number = {bool: 1, int: 2, float: 3, str: 4}[type(value)]
    elif isinstance(value[0], str) and value[0] != "bytes":
        number = 9
    else:
        number = 5 if value[0] == "bytes" else {bool: 6, int: 7, float: 8}[type(value[0])]
        value = numpy.array(value[number == 5:], dtype=EMPTY[number])
    return of("rcl_interfaces/msg/ParameterValue", **{**fields, "type": number, FIELDS[number]: value})


def wanted(words):
    pairs = (word.split("=", 1) for word in words)
    return [of("rcl_interfaces/msg/Parameter", name=name, value=value_from(value)) for name, value in pairs]


def heard_event(sample):
    event = read("rcl_interfaces/msg/ParameterEvent", sample.payload.to_bytes())
    say("event", event.node, *(f"{one.name}={value_of(one.value)}" for one in event.changed_parameters))


# The action.

def identity(number):
    return of("unique_identifier_msgs/msg/UUID", uuid=numpy.frombuffer(int(number).to_bytes(16, "big"), dtype=numpy.uint8))


def number_of(goal_id):
    return int.from_bytes(bytes(goal_id.uuid), "big")


def pose(frame, x, y):
    header = of("std_msgs/msg/Header", stamp=of("builtin_interfaces/msg/Time", sec=0, nanosec=0), frame_id=frame)
    point = of("geometry_msgs/msg/Point", x=x, y=y, z=0.0)
    turn = of("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    return of("geometry_msgs/msg/PoseStamped", header=header, pose=of("geometry_msgs/msg/Pose", position=point, orientation=turn))


def action_keys(kind, topic_kind, send=None, cancel=None, result=None):
    name = lambda part: f"{ACTION}/_action/{part}"
    # Whoever has seen that goals can be sent needs the other parts, too.
    return {
        "feedback": declare(topic_kind, name("feedback"), f"{ACTION_TYPE}_FeedbackMessage", feedback_hash()),
        "status": declare(topic_kind, name("status"), "action_msgs/msg/GoalStatusArray", STORE.hash_rihs01("action_msgs/msg/GoalStatusArray"),
                          ":1:,1:,:,:,,"),
        "cancel": declare(kind, name("cancel_goal"), "action_msgs/srv/CancelGoal", CANCEL_GOAL, answer=cancel),
        "result": declare(kind, name("get_result"), f"{ACTION_TYPE}_GetResult", GET_RESULT, answer=result),
        "send": declare(kind, name("send_goal"), f"{ACTION_TYPE}_SendGoal", SEND_GOAL, answer=send),
    }


def client():
    if "action" not in keys:
        keys["action"] = action_keys(EntityKind.CLIENT, EntityKind.SUBSCRIPTION)
        kept.append(session.declare_subscriber(keys["action"]["feedback"], heard_feedback))
    return keys["action"]


def heard_feedback(sample):
    feedback = read(FEEDBACK_MESSAGE, sample.payload.to_bytes())
    say("feedback", number_of(feedback.goal_id), round(feedback.current_pose.pose.position.x, 3), round(feedback.distance_remaining, 3))


def heard_status(sample):
    status = read("action_msgs/msg/GoalStatusArray", sample.payload.to_bytes())
    say("status", *(f"{number_of(one.goal_info.goal_id)}:{one.status}" for one in status.status_list))


def heard_result(number, answer):
    if answer is None:
        say("no result", number)
    else:
        result = read(RESULT_MESSAGE, answer)
        say("ended", number, result.status, result.error_code)


STAMP = lambda: of("builtin_interfaces/msg/Time", sec=0, nanosec=0)
serving = {"result": None, "waiting": []}


def answered(query, payload):
    given = Attachment.from_bytes(query.attachment.to_bytes())
    query.reply(query.key_expr, payload, attachment=Attachment(given.sequence_id, time.time_ns(), given.gid).to_bytes())
    query.drop()


def asked_goal(query):
    goal = read(GOAL_MESSAGE, query.payload.to_bytes())
    serving.update(goal=goal.goal_id, result=None)
    answered(query, write(ACCEPTED_MESSAGE, accepted=goal.pose.header.frame_id == "map", stamp=STAMP()))
    say("asked", goal.pose.pose.position.x, goal.pose.pose.position.y)


def asked_result(query):
    if serving["result"] is None:
        serving["waiting"].append(query)
    else:
        answered(query, serving["result"])


def asked_cancel(query):
    wish = read(CANCEL_MESSAGES[0], query.payload.to_bytes())
    is_ours = bytes(wish.goal_info.goal_id.uuid) == bytes(serving["goal"].uuid)
    answered(query, write(CANCEL_MESSAGES[1], return_code=0 if is_ours else 2, goals_canceling=[wish.goal_info] if is_ours else []))
    say("canceled", is_ours)


for line in sys.stdin:
    command, *words = line.split()
    if command == "list":
        result = parameters("ListParameters", prefixes=words, depth=0)
        say("names", *result.result.names)
    elif command == "get":
        say("values", *map(value_of, parameters("GetParameters", names=words).values))
    elif command == "types":
        say("types", *parameters("GetParameterTypes", names=words).types)
    elif command == "describe":
        (one,) = parameters("DescribeParameters", names=words).descriptors
        (bounds,) = one.floating_point_range or one.integer_range or [None]
        ends = (bounds.from_value, bounds.to_value) if bounds else (None, None)
        say("described", one.type, one.read_only, *ends, one.additional_constraints, "|", one.description)
    elif command == "set":
        results = parameters("SetParameters", parameters=wanted(words)).results
        say("set", " | ".join(f"{one.successful} {one.reason}" for one in results))
    elif command == "atomically":
        result = parameters("SetParametersAtomically", parameters=wanted(words)).result
        say("set", result.successful, result.reason)
    elif command == "events":
        name = "rcl_interfaces/msg/ParameterEvent"
        key = declare(EntityKind.SUBSCRIPTION, "/parameter_events", name, STORE.hash_rihs01(name))
        kept.append(session.declare_subscriber(key, heard_event))
        say("events")
    elif command == "goal":
        number, frame, x, y = words
        payload = write(GOAL_MESSAGE, goal_id=identity(number), pose=pose(frame, float(x), float(y)), behavior_tree="")
        answer = call(client()["send"], payload)
        say("accepted" if answer is not None and read(ACCEPTED_MESSAGE, answer).accepted else "rejected", number)
    elif command == "result":
        (number,) = words
        ask(client()["result"], write(IDENTITY_MESSAGE, goal_id=identity(number)), lambda answer, number=number: heard_result(number, answer))
        say("asked", number)
    elif command == "cancel":
        info = of("action_msgs/msg/GoalInfo", goal_id=identity(words[0]), stamp=STAMP())
        answer = read(CANCEL_MESSAGES[1], call(client()["cancel"], write(CANCEL_MESSAGES[0], goal_info=info)))
        say("canceling", answer.return_code, len(answer.goals_canceling))
    elif command == "status":
        kept.append(zenoh.ext.declare_advanced_subscriber(session, client()["status"], heard_status,
                                                          history=zenoh.ext.HistoryConfig(detect_late_publishers=True, max_samples=1)))
        say("status")
    elif command == "serve":
        served = action_keys(EntityKind.SERVICE, EntityKind.PUBLISHER, send=asked_goal, cancel=asked_cancel, result=asked_result)
        say("serving")
    elif command == "tell":
        x, distance = map(float, words)
        span = of("builtin_interfaces/msg/Duration", sec=1, nanosec=0)
        payload = write(FEEDBACK_MESSAGE, goal_id=serving["goal"], current_pose=pose("map", x, 0.0), navigation_time=span,
                        estimated_time_remaining=span, number_of_recoveries=0, distance_remaining=distance)
        session.put(served["feedback"], payload, attachment=attachment())
        say("told")
    elif command == "end":
        status, error = map(int, words)
        serving["result"] = write(RESULT_MESSAGE, status=status, error_code=error)
        for query in serving["waiting"]:
            answered(query, serving["result"])
        serving["waiting"] = []
        say("ended")

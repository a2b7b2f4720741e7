"""A third-party ROS 2 node: python3 ros2_node.py HOST PORT

It uses ROBOTIS's zenoh-ros2-sdk, which follows the conventions of rmw_zenoh and has no code of Hemiola. Reads commands, a line each, and prints a
line for each command and for each message received. The SDK computes the hashes of types from the definitions below.

    subscribe TOPIC QUALITY    subscribed TOPIC, and later: TOPIC x y z
    publisher TOPIC            publisher TOPIC
    publish X Y Z              published
    client SERVICE             client SERVICE
    call A B                   answer SUM, or: no answer
    serve SERVICE              serving SERVICE, and later: asked A B
"""
import sys
import threading

import zenoh_ros2_sdk as sdk
from zenoh_ros2_sdk.qos import QosDurability, QosProfile, QosReliability

HOST, PORT, DOMAIN = sys.argv[1], int(sys.argv[2]), 7
VECTOR = {"msg_type": "geometry_msgs/msg/Vector3", "msg_definition": "float64 x\nfloat64 y\nfloat64 z\n"}
ADD = {
    "srv_type": "example_interfaces/srv/AddTwoInts",
    "request_definition": "int64 a\nint64 b\n",
    "response_definition": "int64 sum\n",
}
QUALITIES = {
    "reliable": QosProfile(),
    "best-effort": QosProfile(reliability=QosReliability.BEST_EFFORT),
    "transient-local": QosProfile(durability=QosDurability.TRANSIENT_LOCAL),
}
WHERE = {"domain_id": DOMAIN, "router_ip": HOST, "router_port": PORT}
speaking = threading.Lock()


def say(*words):
    with speaking:
        print(*words, flush=True)


def add(request):
    say("asked", request.a, request.b)
    response = server.response_msg_class(sum=request.a + request.b)
    return response


kept = []
for line in sys.stdin:
    command, *words = line.split()
    if command == "subscribe":
        topic, quality = words
        heard = lambda message, topic=topic: say(topic, message.x, message.y, message.z)
        kept.append(sdk.ROS2Subscriber(topic, callback=heard, qos=QUALITIES[quality], node_name="foreign", **VECTOR, **WHERE))
        say("subscribed", topic)
    elif command == "publisher":
        publisher = sdk.ROS2Publisher(words[0], node_name="foreign", **VECTOR, **WHERE)
        say("publisher", words[0])
    elif command == "publish":
        publisher.publish(**dict(zip("xyz", map(float, words))))
        say("published")
    elif command == "client":
        client = sdk.ROS2ServiceClient(words[0], node_name="foreign", timeout=60.0, **ADD, **WHERE)
        say("client", words[0])
    elif command == "call":
        response = client.call(a=int(words[0]), b=int(words[1]))
        say(*(["no", "answer"] if response is None else ["answer", response.sum]))
    elif command == "serve":
        server = sdk.ROS2ServiceServer(words[0], callback=add, node_name="foreign", **ADD, **WHERE)
        say("serving", words[0])

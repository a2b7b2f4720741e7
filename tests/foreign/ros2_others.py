"""The other nodes of a ROS 2 system for `hemiola new --template node`: python3 ros2_others.py NODE

A lidar, wheels, somebody who listens to /cmd_vel, and one who switches the node off and on again: nodes of ROBOTIS's zenoh-ros2-sdk with the
definitions of rosbags, without code of Hemiola. NODE is the program of the node; it is started here, as the router. Fails unless its commands are
those that the template's description promises.
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy
from rosbags.typesys import Stores, get_typestore
from zenoh_ros2_sdk.message_registry import get_registry

STORE = get_typestore(Stores.ROS2_JAZZY)
WHERE = {"domain_id": 0, "router_ip": "127.0.0.1", "router_port": 7447}


def write_definitions(folder, name):
    """Writes a type and those in it as .msg files, where the SDK looks for them."""
    main, *others = STORE.generate_msgdef(name, ros_version=2)[0].split("=" * 80 + "\n")
    texts = {name: main}
    for other in others:
        head, text = other.split("\n", 1)
        parts = head.removeprefix("MSG: ").strip().split("/")
        texts[f"{parts[0]}/msg/{parts[-1]}"] = text
    for full, text in texts.items():
        path = folder / f"{full}.msg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


folder = pathlib.Path(tempfile.mkdtemp())
for name in ["sensor_msgs/msg/LaserScan", "nav_msgs/msg/Odometry", "geometry_msgs/msg/Twist"]:
    write_definitions(folder, name)
node = subprocess.Popen([os.path.abspath(sys.argv[1]), "run", "--headless", "--no-trace", "--set", "ros2.router=true"], stdout=sys.stderr)
time.sleep(2)

get_registry(str(folder))
import zenoh_ros2_sdk as sdk  # noqa: E402  the registry has to be there before
from zenoh_ros2_sdk.qos import QosProfile, QosReliability  # noqa: E402

commands = []
looker = sdk.ROS2Subscriber("/cmd_vel", "geometry_msgs/msg/Twist", callback=lambda twist: commands.append((twist.linear.x, twist.angular.z)), node_name="looker", **WHERE)
best_effort = QosProfile(reliability=QosReliability.BEST_EFFORT)
lidar = sdk.ROS2Publisher("/scan", "sensor_msgs/msg/LaserScan", node_name="lidar", qos=best_effort, **WHERE)
switch = sdk.ROS2ServiceClient(
    "/my_node/enable",
    srv_type="std_srvs/srv/SetBool",
    request_definition="bool data\n",
    response_definition="bool success\nstring message\n",
    node_name="caller",
    timeout=10.0,
    **WHERE,
)
distance = 9.0


def scan():
    """Publishes ten scans a second: what is on the right is one metre nearer than what is on the left."""
    angles = numpy.radians(numpy.arange(-180, 180))
    while True:
        seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
        stamp = STORE.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
        ranges = numpy.where(angles < 0, distance, distance + 1).astype(numpy.float32)
        lidar.publish(
            header=STORE.types["std_msgs/msg/Header"](stamp=stamp, frame_id="base"),
            angle_min=-math.pi,
            angle_max=math.pi,
            angle_increment=math.radians(1),
            time_increment=0.0,
            scan_time=0.1,
            range_min=0.05,
            range_max=10.0,
            ranges=ranges,
            intensities=numpy.zeros(0, numpy.float32),
        )
        time.sleep(0.1)


threading.Thread(target=scan, daemon=True).start()
failures = 0


def expect(what, wanted):
    """Waits until the node commands this, at most 20 s."""
    global failures
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and commands[-1:] != [wanted]:
        time.sleep(0.05)
    failures += commands[-1:] != [wanted]
    print(f"{what}: {commands[-1] if commands else 'no command'}, after {len(commands)} commands", flush=True)


try:
    expect("nothing ahead", (0.3, 0.0))
    distance = 0.3
    expect("an obstacle, nearer on the right", (0.0, 0.8))
    distance = 9.0
    print(f"switched off: {switch.call(data=False).message}", flush=True)
    expect("switched off", (0.0, 0.0))
    print(f"switched on: {switch.call(data=True).message}", flush=True)
    expect("switched on", (0.3, 0.0))
    commands.clear()
    node.terminate()
    expect("at its end", (0.0, 0.0))
finally:
    node.kill()
# Threads of the SDK would keep this program running.
os._exit(1 if failures else 0)

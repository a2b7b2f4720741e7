"""Checks ROS 2 packages that Hemiola has written: check_ros_package.py FOLDER HASHES

FOLDER has a folder for each package. HASHES has a type's full name and its hash on each line. Fails unless rosbags reads all
definitions and computes the same hashes, names follow rosidl's rules, manifests are complete, and CMake lists every
file and every package that a definition needs. Where rosidl's own parser is installed (rosidl_adapter), it reads them as well.
"""

import hashlib
import json
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

try:
    from rosidl_adapter import parser as rosidl
except ImportError:
    rosidl = None

# The patterns of ROS 2's rosidl_adapter/parser.py.
FIELD = re.compile(r"^(?!.*__)(?!.*_$)[a-z][a-z0-9_]*$")
MESSAGE = re.compile(r"^[A-Z][A-Za-z0-9]*$")
ENDING = re.compile(r"_(Request|Response|Goal|Result|Feedback)$")
CONSTANT = re.compile(r"^[A-Z]([A-Z0-9_]?[A-Z0-9]+)*$")


def check_names(name, text, problems):
    if not FIELD.match(name.split("/")[0]) or not MESSAGE.match(ENDING.sub("", name.split("/")[-1])):
        problems.append(f"{name}: no name for a package or a type")
    fields = [line.split("#")[0].split() for line in text.splitlines() if line.split("#")[0].strip()]
    for field in fields:
        constant = "=" in "".join(field[1:])
        if not (CONSTANT if constant else FIELD).match(field[1].split("=")[0]):
            problems.append(f"{name}: no name for a field or a constant: {field[1]}")


def check_package(folder, problems):
    """Returns the package's definitions by their full names; services have two, actions three."""
    manifest = xml.parse(folder / "package.xml").getroot()
    for element in ["name", "version", "description", "maintainer", "license"]:
        if not (manifest.findtext(element) or "").strip():
            problems.append(f"{folder.name}/package.xml: no {element}")
    depends = {element.text for element in manifest.findall("depend")}
    build = (folder / "CMakeLists.txt").read_text()
    generated = re.search(r"rosidl_generate_interfaces\(\$\{PROJECT_NAME\}(.*?)\)", build, re.S).group(1)
    listed = set(re.findall(r'"([^"]+)"', generated))
    needed = set(generated.partition("DEPENDENCIES")[2].split())
    found = set(re.findall(r"find_package\((\w+) REQUIRED\)", build)) - {"ament_cmake", "rosidl_default_generators"}
    if manifest.findtext("name") != folder.name or f"project({folder.name})" not in build:
        problems.append(f"{folder.name}: is called otherwise in its files")
    files = {path.relative_to(folder).as_posix() for path in folder.glob("*/*") if path.suffix in (".msg", ".srv", ".action")}
    if listed != files:
        problems.append(f"{folder.name}/CMakeLists.txt: lists {sorted(listed)}, there are {sorted(files)}")
    definitions = {}
    for path in files:
        text = (folder / path).read_text()
        kind, stem = path.split(".")[0].split("/")
        endings = {"msg": [""], "srv": ["_Request", "_Response"], "action": ["_Goal", "_Result", "_Feedback"]}[kind]
        parts = [text] if kind == "msg" else text.split("---\n")
        if len(parts) != len(endings):
            problems.append(f"{folder.name}/{path}: {len(parts)} parts")
        for ending, part in zip(endings, parts):
            definitions[f"{folder.name}/{kind}/{stem}{ending}"] = part
        if rosidl is not None:
            parse = {"msg": rosidl.parse_message_string, "srv": rosidl.parse_service_string, "action": rosidl.parse_action_string}
            parse[kind](folder.name, stem, text)
    uses = {name for text in definitions.values() for name in re.findall(r"^([a-z]\w*)/\w+", text, re.M)} - {folder.name}
    if any(path.endswith(".action") for path in files):
        uses.add("action_msgs")
    if not uses == needed == found == depends:
        problems.append(f"{folder.name}: uses {uses}, CMake {needed} and {found}, package.xml {depends}")
    return definitions


# The type numbers of ROS 2; a `char` is a `uint8` there, and not in rosbags.
TYPE_IDS = {"int8": 2, "uint8": 3, "char": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9, "float32": 10,
            "float64": 11, "bool": 15, "octet": 16, "string": 17}
EVENT_INFO = "service_msgs/msg/ServiceEventInfo"


def described(name, type_id, capacity=0, nested=""):
    return {"name": name, "type": {"type_id": type_id, "capacity": capacity, "string_capacity": 0, "nested_type_name": nested}}


def field(store, types, name, kind, offset=0, capacity=0):
    """Describes a field of a type that rosbags has read, and adds the messages in it to types."""
    if kind[0] == Nodetype.BASE:
        return described(name, TYPE_IDS[kind[1][0]] + offset, capacity)
    if kind[0] == Nodetype.NAME:
        add_type(store, types, kind[1])
        return described(name, 1 + offset, capacity, kind[1])
    inner, length = kind[1]
    offset = 48 if kind[0] == Nodetype.ARRAY else 96 if length else 144
    return field(store, types, name, inner, offset, length)


def add_type(store, types, name):
    if name not in types:
        types[name] = []
        types[name] = [field(store, types, one, kind) for one, kind in store.fielddefs[name][1]]


def service_hash(store, name):
    """Computes the hash of a service from its two parts (REP-2016), which rosbags does not."""
    types = {}
    request, response, event = f"{name}_Request", f"{name}_Response", f"{name}_Event"
    for part in [request, response, EVENT_INFO]:
        add_type(store, types, part)
    types[event] = [described("info", 1, 0, EVENT_INFO), described("request", 97, 1, request), described("response", 97, 1, response)]
    root = [described("request_message", 1, 0, request), described("response_message", 1, 0, response),
            described("event_message", 1, 0, event)]
    text = json.dumps({"type_description": {"type_name": name, "fields": root},
                       "referenced_type_descriptions": [{"type_name": one, "fields": types[one]} for one in sorted(types)]})
    return "RIHS01_" + hashlib.sha256(text.encode()).hexdigest()


def main(folder, hashes):
    problems, definitions = [], {}
    for package in sorted(path for path in Path(folder).iterdir() if path.is_dir()):
        definitions.update(check_package(package, problems))
    store = get_typestore(Stores.ROS2_JAZZY)
    for name, text in definitions.items():
        check_names(name, text, problems)
        # rosbags leaves messages without fields as they are; rosidl adds this one.
        text = text if re.search(r"^[^#\n]*\w", text, re.M) else "uint8 structure_needs_at_least_one_member\n"
        # rosbags and ROS 2 name the parts of services differently.
        (definition,) = get_types_from_msg(text, name).values()
        store.register({name: definition})
    expected = [line.split() for line in Path(hashes).read_text().splitlines()]
    for name, ours in expected:
        is_service = "/srv/" in name and name not in store.fielddefs
        theirs = service_hash(store, name) if is_service else store.hash_rihs01(name)
        if ours != theirs:
            problems.append(f"{name}: hash {ours} instead of {theirs}")
    for problem in problems:
        print(problem)
    by = "rosbags and rosidl" if rosidl else "rosbags"
    print(f"{len(definitions)} definitions read by {by}, {len(expected)} hashes, {len(problems)} problems")
    sys.exit(1 if problems or not definitions or not expected else 0)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 3 else sys.exit(__doc__)

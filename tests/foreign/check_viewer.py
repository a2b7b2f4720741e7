"""Tests a robot's door with a minimal client of Foxglove's protocol: check_viewer.py ws://HOST:PORT/?token=.."""

import asyncio
import json
import struct
import sys

import websockets


async def main(url):
    async with websockets.connect(url, subprotocols=["foxglove.sdk.v1"], max_size=None) as socket:
        info = json.loads(await socket.recv())
        assert info["op"] == "serverInfo" and "parameters" in info["capabilities"], info
        channels = json.loads(await socket.recv())["channels"]
        drive = next(channel for channel in channels if channel["topic"] == "Drive")
        await socket.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 3, "channelId": drive["id"]}]}))
        seen = 0
        while seen < 10:
            message = await asyncio.wait_for(socket.recv(), 60)
            if isinstance(message, bytes) and message[0] == 1:
                subscription, time = struct.unpack_from("<IQ", message, 1)
                metres, *history, runs = struct.unpack_from("<d3fI", message, 17)
                assert subscription == 3 and time > 0 and history == [1.0, 2.0, 3.0] and metres == runs * 0.5, message
                seen += 1
    print("as expected")


asyncio.run(main(sys.argv[1]))

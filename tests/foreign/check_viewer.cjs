// Tests a robot's door with the client and the decoders of Lichtblick: check_viewer.cjs
// ws://HOST:PORT/?token=.. The robot is the one of crates/hemiola-live/tests/common: it provides
// Drive, has Pilot.step, publishes Beat, draws track/cart, and serves double.
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader, MessageWriter } = require("@foxglove/rosmsg2-serialization");
const { WebSocket } = require("ws");
const assert = require("node:assert");

const client = new FoxgloveClient({ ws: new WebSocket(process.argv[2], ["foxglove.sdk.v1"]) });
// The next event that matches. Each is examined as it arrives, so that none is missed.
const until = (event, isIt) => new Promise((resolve) => {
  const look = (what) => { if (isIt(what)) { client.off(event, look); resolve(what); } };
  client.on(event, look);
});
const next = (event) => until(event, () => true);
const messageOf = (subscription, isIt = () => true) =>
  until("message", (message) => message.subscriptionId === subscription && isIt(message));
const readerOf = (channel) => {
  const reader = new MessageReader(parse(channel.schema, { ros2: true }));
  return ({ data }) => reader.readMessage(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
};
const failed = (why) => { console.error(why); process.exit(1); };
client.on("error", failed);
client.on("close", () => failed("the door has closed"));
client.on("status", (status) => status.level > 0 && failed(status.message));
setTimeout(() => failed("it took too long"), 60_000).unref();

async function main() {
  const isCart = ({ topic }) => topic === "/debug/track/cart";
  const shown = until("advertise", (channels) => channels.some(isCart));
  const [info, channels, services] = await Promise.all([next("serverInfo"), next("advertise"), next("advertiseServices")]);
  assert(info.capabilities.includes("clientPublish") && info.capabilities.includes("services"));
  const channel = (topic) => channels.find((channel) => channel.topic === topic) ?? failed(`no ${topic}`);

  const drive = channel("Drive");
  const read = readerOf(drive);
  const subscription = client.subscribe(drive.id);
  for (let count = 0; count < 10; count++) {
    const message = await next("message");
    assert.equal(message.subscriptionId, subscription);
    assert(message.timestamp > 0n);
    const { metres, history, runs } = read(message);
    assert.deepEqual([...history], [1, 2, 3]);
    assert.equal(metres, runs * 0.5);
  }
  client.unsubscribe(subscription);

  const cart = (await shown).find(isCart);
  assert.equal(cart.schemaName, "foxglove_msgs/msg/SceneUpdate");
  const drawn = client.subscribe(cart.id);
  const scene = readerOf(cart)(await messageOf(drawn));
  assert.deepEqual(scene.entities.map(({ frame_id, id }) => [frame_id, id]), [["track", "Pilot.drive"]]);
  assert.equal(scene.entities[0].lines[0].points.length, 33, "a circle");
  client.unsubscribe(drawn);

  client.getParameters(["Pilot.step"], "read");
  const { parameters } = await next("parameterValues");
  assert.deepEqual(parameters, [{ name: "Pilot.step", value: 0.5 }]);
  client.setParameters([{ name: "Pilot.step", value: 1.25 }], "set");
  assert.equal((await next("parameterValues")).parameters[0].value, 1.25);

  client.subscribeConnectionGraph();
  const graph = await next("connectionGraphUpdate");
  assert(graph.publishedTopics.some(({ name, publisherIds }) => name === "Drive" && publisherIds.includes("Pilot")));

  const double = services.find(({ name }) => name === "double");
  const request = new MessageWriter(parse(double.request.schema, { ros2: true })).writeMessage({ data: 21 });
  client.sendServiceCallRequest({ serviceId: double.id, callId: 1, encoding: "cdr", data: new DataView(request.buffer, request.byteOffset, request.byteLength) });
  const { callId, data: answer } = await next("serviceCallResponse");
  const response = new MessageReader(parse(double.response.schema, { ros2: true })).readMessage(answer);
  assert.deepEqual([callId, response.data], [1, 42]);

  const beat = channel("Beat");
  const readBeat = readerOf(beat);
  const beats = client.subscribe(beat.id);
  // The robot's own messages arrive, so the subscription exists.
  await messageOf(beats);
  const came = messageOf(beats, (message) => readBeat(message).count === 123456);
  const published = client.advertise({ topic: "Beat", encoding: "json", schemaName: beat.schemaName });
  client.sendMessage(published, Buffer.from(JSON.stringify({ count: 123456 })));
  await came;
  console.log("as expected");
  process.exit(0);
}
main().catch(failed);

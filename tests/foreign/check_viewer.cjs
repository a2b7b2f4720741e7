// Looks at a robot's door with the client and the decoders that Lichtblick has: check_viewer.cjs
// ws://HOST:PORT/?token=.. The robot is the one of crates/hemiola-live/tests/common: it provides
// Drive, has Pilot.step, publishes Beat, and serves double.
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader, MessageWriter } = require("@foxglove/rosmsg2-serialization");
const { WebSocket } = require("ws");
const assert = require("node:assert");

const client = new FoxgloveClient({ ws: new WebSocket(process.argv[2], ["foxglove.sdk.v1"]) });
const next = (event) => new Promise((resolve) => client.on(event, resolve));
const failed = (why) => { console.error(why); process.exit(1); };
client.on("error", failed);
client.on("close", () => failed("the door has closed"));
client.on("status", (status) => status.level > 0 && failed(status.message));
setTimeout(() => failed("it took too long"), 60_000).unref();

async function main() {
  const [info, channels, services] = await Promise.all([next("serverInfo"), next("advertise"), next("advertiseServices")]);
  assert(info.capabilities.includes("clientPublish") && info.capabilities.includes("services"));
  const channel = (topic) => channels.find((channel) => channel.topic === topic) ?? failed(`no ${topic}`);

  const drive = channel("Drive");
  const reader = new MessageReader(parse(drive.schema, { ros2: true }));
  const subscription = client.subscribe(drive.id);
  for (let count = 0; count < 10; count++) {
    const message = await next("message");
    assert.equal(message.subscriptionId, subscription);
    assert(message.timestamp > 0n);
    const { metres, history, runs } = reader.readMessage(new Uint8Array(message.data.buffer, message.data.byteOffset, message.data.byteLength));
    assert.deepEqual([...history], [1, 2, 3]);
    assert.equal(metres, runs * 0.5);
  }
  client.unsubscribe(subscription);

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
  const beats = new MessageReader(parse(beat.schema, { ros2: true }));
  client.subscribe(beat.id);
  const published = client.advertise({ topic: "Beat", encoding: "json", schemaName: beat.schemaName });
  client.sendMessage(published, Buffer.from(JSON.stringify({ count: 123456 })));
  for (;;) {
    const { data } = await next("message");
    if (beats.readMessage(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)).count === 123456) break;
  }
  console.log("as expected");
  process.exit(0);
}
main().catch(failed);

//! The messages to clients of Foxglove's protocol: `tests/foreign` has other implementations of
//! such clients.

mod common;

use common::viewer::Viewer;
use common::{Drive, House, TOKEN, wait_until};
use hemiola::prelude::*;
use hemiola_model::module::{ImageFormat, PixelFormat};
use hemiola_runtime::Change;
use serde_json::json;
use tungstenite::Message;

/// The outputs of the gallery that somebody has subscribed to, as far as the gallery knows.
#[derive(Representation, Clone, Default, PartialEq)]
struct Wanted {
    plot: bool,
    scene: bool,
    image: bool,
    annotations: bool,
    text: bool,
    annotation: bool,
    annex: bool,
}

#[derive(Parameters)]
struct GalleryParameters {
    /// Shows what is in the annex, too.
    #[parameter(default = false)]
    shows_annex: bool,
}

/// Shows one output of each kind.
#[derive(Module)]
struct Gallery {
    #[parameters]
    parameters: GalleryParameters,
}

#[module]
impl Gallery {
    #[update]
    fn wanted(&self, wanted: &mut Wanted, debug: &Debug) {
        *wanted = Wanted {
            plot: debug.wants("gallery.visitors"),
            scene: debug.wants("hall/statues"),
            image: debug.wants("gallery.view"),
            annotations: debug.wants("gallery.view/frame"),
            text: debug.wants("gallery.state"),
            annotation: debug.wants("gallery.bell"),
            annex: debug.wants("annex/frame"),
        };
        debug.plot("gallery.visitors", 2.5);
        debug.draw("hall/statues", |canvas| {
            canvas.circle([1.0, 2.0], 0.5, Color::ORANGE);
            canvas.circle([3.0, 2.0], 0.5, Color::ORANGE);
            canvas.place("alcove", [4.0, 1.0], 0.0);
        });
        let format = ImageFormat { width: 4, height: 2, pixels: PixelFormat::Mono8 };
        debug.image("gallery.view", format, |pixels| pixels.fill(7));
        debug.draw("gallery.view/frame", |canvas| canvas.circle([1.5, 0.5], 1.0, Color::ORANGE));
        debug.text("gallery.state", "open");
        debug.annotate("gallery.bell", "it rings");
        debug.draw("annex/frame", |canvas| canvas.circle([0.5, 0.5], 1.0, Color::ORANGE));
        if debug.wants("vault.depth") {
            debug.plot("vault.depth", 3.0);
        }
        if self.parameters.shows_annex {
            debug.image("annex", format, |pixels| pixels.fill(8));
            debug.text("annex.state", "open, too");
        }
    }
}

/// Waits until the gallery knows that these outputs are wanted.
fn wait_for(house: &House, wanted: Wanted) {
    wait_until(|| house.robot.handle().with_value(Wanted::clone).is_ok_and(|now| now == wanted));
}

fn open_annex(house: &House) {
    house.robot.handle().change(Change::parameter("Gallery", "shows_annex", true)).wait().unwrap();
}

#[test]
fn a_viewer_gets_channels_values_and_the_time() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let info = viewer.hear("serverInfo");
    assert_eq!((&info["name"], info["capabilities"].to_string().contains("clientPublish")), (&json!("cart"), false));
    let channels = viewer.hear("advertise")["channels"].as_array().unwrap().clone();
    let drive = channels.iter().find(|channel| channel["topic"] == "Drive").unwrap();
    assert_eq!((&drive["encoding"], &drive["schemaEncoding"]), (&json!("cdr"), &json!("ros2msg")));
    viewer.say(json!({"op": "subscribe", "subscriptions": [{"id": 5, "channelId": drive["id"]}]}));
    let message = viewer.bytes(1);
    assert_eq!(u32::from_le_bytes(message[1..5].try_into().unwrap()), 5);
    assert_eq!(message[13..17], [0, 1, 0, 0]);
    assert_eq!(message.len(), 13 + 28);
    assert_eq!(viewer.bytes(2).len(), 9);
    viewer.say(json!({"op": "subscribeConnectionGraph"}));
    let graph = viewer.hear("connectionGraphUpdate");
    assert_eq!(graph["publishedTopics"][1], json!({"name": "Drive", "publisherIds": ["Pilot"]}));
}

#[test]
fn a_viewer_with_the_token_sets_parameters_and_publishes() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, &format!("?token={TOKEN}"));
    viewer.say(json!({"op": "subscribeParameterUpdates", "parameterNames": []}));
    viewer.say(json!({"op": "setParameters", "id": "a", "parameters": [{"name": "Pilot.step", "value": 1.5}]}));
    let values = viewer.hear("parameterValues");
    assert_eq!(
        (&values["parameters"][0]["name"], &values["parameters"][0]["value"]),
        (&json!("Pilot.step"), &json!(1.5))
    );
    viewer.say(json!({"op": "setParameters", "id": "b", "parameters": [{"name": "Pilot.step", "value": 9.0}]}));
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("step"));

    let goals = house.robot.handle().bus().readable_topic::<common::Beat>("Beat").unwrap();
    let mut beats = goals.queue(64, hemiola_bus::WhenFull::DropOldest);
    viewer.say(json!({"op": "advertise", "channels": [
        {"id": 1, "topic": "Beat", "encoding": "json", "schemaName": ""},
        {"id": 2, "topic": "Beat", "encoding": "cdr", "schemaName": ""},
    ]}));
    let message = |channel: u8, payload: &[u8]| Message::binary([&[1, channel, 0, 0, 0], payload].concat());
    viewer.0.send(message(1, br#"{"count": 777000}"#)).unwrap();
    viewer.0.send(message(2, &[0, 1, 0, 0, 0x10, 0xdf, 0x0b, 0])).unwrap();
    let (mut json, mut cdr) = (false, false);
    wait_until(|| {
        while let Some(beat) = beats.receive() {
            json |= beat.value().count == 777_000;
            cdr |= beat.value().count == 0x000b_df10;
        }
        json && cdr
    });
}

#[test]
fn a_viewer_with_the_token_calls_services_in_json_and_in_cdr() {
    let house = House::plain();
    let server = house.doubling();
    let mut viewer = Viewer::come(&house, &format!("?token={TOKEN}"));
    let service = viewer.hear("advertiseServices")["services"][0].clone();
    assert_eq!((&service["name"], &service["type"]), (&json!("double"), &json!("hemiola/srv/Double")));
    assert_eq!(service["request"]["schema"], "uint32 data\n");
    let call = |encoding: &[u8], request: &[u8]| {
        let numbers = [service["id"].as_u64().unwrap() as u32, 7, encoding.len() as u32];
        let head: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        [head.as_slice(), encoding, request].concat()
    };
    for (encoding, request, response) in [
        (&b"json"[..], &b"21"[..], &b"42"[..]),
        (&b"cdr"[..], &[0, 1, 0, 0, 4, 0, 0, 0][..], &[0, 1, 0, 0, 8, 0, 0, 0][..]),
    ] {
        viewer.0.send(Message::binary([&[2], call(encoding, request).as_slice()].concat())).unwrap();
        assert_eq!(viewer.bytes(3), [&[3], call(encoding, response).as_slice()].concat());
    }
    for (encoding, request, why) in
        [(&b"json"[..], &b"no"[..], "JSON"), (b"cdr", b"", "CDR"), (b"ros1", b"", "ros1"), (b"json", b"-1", "double")]
    {
        viewer.0.send(Message::binary([&[2], call(encoding, request).as_slice()].concat())).unwrap();
        let failure = viewer.hear("serviceCallFailure");
        assert_eq!((&failure["serviceId"], &failure["callId"]), (&service["id"], &json!(7)));
        assert!(failure["message"].as_str().unwrap().contains(why), "{failure}");
    }
    drop(server);
}

#[test]
fn a_viewer_without_the_token_changes_nothing() {
    let house = House::plain();
    let server = house.doubling();
    let mut viewer = Viewer::come(&house, "");
    for request in [
        json!({"op": "setParameters", "parameters": [{"name": "Pilot.step", "value": 0.0}]}),
        json!({"op": "advertise", "channels": [{"id": 1, "topic": "Beat", "encoding": "json", "schemaName": ""}]}),
        json!({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99}]}),
        json!({"op": "dance"}),
    ] {
        viewer.say(request);
        assert_eq!(viewer.hear("status")["level"], 2);
    }
    viewer.0.send(Message::binary(vec![1, 1, 0, 0, 0, 1])).unwrap();
    assert_eq!(viewer.hear("status")["level"], 2);
    viewer.0.send(Message::binary(Vec::new())).unwrap();
    assert_eq!(viewer.hear("status")["level"], 2);
    viewer.0.send(Message::binary(vec![2, 1, 0, 0, 0])).unwrap();
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("too short"));
    viewer.0.send(Message::binary(b"\x02\x01\0\0\0\x01\0\0\0\x04\0\0\0json1".to_vec())).unwrap();
    assert!(viewer.hear("serviceCallFailure")["message"].as_str().unwrap().contains("token"));
    drop(server);
    let before = common::value(house.robot.handle(), |drive: &Drive| drive.metres);
    wait_until(|| common::value(house.robot.handle(), |drive: &Drive| drive.metres) > before);
}

#[test]
fn a_viewer_that_says_nothing_is_told_the_time_and_what_modules_show() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    assert_eq!(viewer.bytes(2).len(), 9);
    viewer.channels([("/debug/gallery/visitors", "hemiola/msg/Plot")]);
}

#[test]
fn what_modules_show_only_on_request_has_a_channel() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let [depth] = viewer.channels([("/debug/vault/depth", "hemiola/msg/Plot")]);
    viewer.subscribe(1, &depth);
    assert_eq!(viewer.message(1, &depth), json!({"value": 3.0}));
}

#[test]
fn what_modules_show_comes_to_those_who_subscribe_and_is_computed_for_nobody_else() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let [plot, scene, image, annotations, log] = viewer.channels([
        ("/debug/gallery/visitors", "hemiola/msg/Plot"),
        ("/debug/hall/statues", "foxglove_msgs/msg/SceneUpdate"),
        ("/debug/gallery/view", "sensor_msgs/msg/Image"),
        ("/debug/gallery/view/frame", "foxglove_msgs/msg/ImageAnnotations"),
        ("/debug/log", "foxglove_msgs/msg/Log"),
    ]);
    wait_for(&house, Wanted::default());

    viewer.subscribe(1, &plot);
    assert_eq!(viewer.message(1, &plot), json!({"value": 2.5}));
    wait_for(&house, Wanted { plot: true, ..Wanted::default() });
    viewer.unsubscribe(1);

    viewer.subscribe(2, &scene);
    let entities = viewer.message(2, &scene)["entities"].clone();
    assert_eq!((&entities[0]["frame_id"], &entities[0]["id"]), (&json!("hall"), &json!("Gallery.wanted")));
    assert_eq!(entities[0]["lines"].as_array().unwrap().len(), 2, "what a run draws is one message");
    wait_for(&house, Wanted { scene: true, ..Wanted::default() });
    viewer.unsubscribe(2);

    viewer.subscribe(3, &image);
    let view = viewer.message(3, &image);
    assert_eq!((&view["width"], &view["encoding"]), (&json!(4), &json!("mono8")));
    assert_eq!(view["data"], json!([7, 7, 7, 7, 7, 7, 7, 7]));
    // The drawing over the image is not subscribed to.
    wait_for(&house, Wanted { image: true, ..Wanted::default() });

    viewer.subscribe(4, &annotations);
    let circle = viewer.message(4, &annotations)["circles"][0].clone();
    assert_eq!((&circle["position"], &circle["diameter"]), (&json!({"x": 1.5, "y": 0.5}), &json!(2.0)));
    wait_for(&house, Wanted { image: true, annotations: true, ..Wanted::default() });
    viewer.unsubscribe(3);
    viewer.unsubscribe(4);

    viewer.subscribe(5, &log);
    for said in ["open", "it rings"] {
        while viewer.message(5, &log)["message"] != said {}
    }
    wait_for(&house, Wanted { text: true, annotation: true, ..Wanted::default() });

    // A client that has disconnected wants nothing.
    drop(viewer);
    wait_for(&house, Wanted::default());
}

#[test]
fn places_come_to_who_subscribes_to_them_and_only_their_drawings_are_computed() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let [places, scene] = viewer.channels([
        ("/debug/tf", "foxglove_msgs/msg/FrameTransform"),
        ("/debug/hall/statues", "foxglove_msgs/msg/SceneUpdate"),
    ]);
    viewer.subscribe(1, &places);
    // The drawing that places the alcove is not subscribed to.
    let place = loop {
        let place = viewer.message(1, &places);
        if place["parent_frame_id"] == "hall" {
            break place;
        }
    };
    assert_eq!(place["child_frame_id"], json!("alcove"));
    assert_eq!(place["translation"], json!({"x": 4.0, "y": 1.0, "z": 0.0}));
    wait_for(&house, Wanted { scene: true, ..Wanted::default() });
    viewer.subscribe(2, &scene);
    viewer.message(2, &scene);
    while viewer.message(1, &places)["parent_frame_id"] != "hall" {}
    viewer.subscribe(3, &places);
    assert!(viewer.hear("status")["message"].as_str().unwrap().contains("subscribed to already"));
    viewer.unsubscribe(1);
    viewer.unsubscribe(2);
    wait_for(&house, Wanted::default());
}

#[test]
fn who_is_subscribed_to_texts_gets_those_of_names_that_come_later_as_well() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let [log] = viewer.channels([("/debug/log", "foxglove_msgs/msg/Log")]);
    viewer.subscribe(1, &log);
    viewer.message(1, &log);
    open_annex(&house);
    while viewer.message(1, &log)["message"] != "open, too" {}
}

#[test]
fn a_drawing_moves_to_another_channel_when_its_space_turns_out_to_be_an_image() {
    let house = House::plain();
    let mut viewer = Viewer::come(&house, "");
    let [scene] = viewer.channels([("/debug/annex/frame", "foxglove_msgs/msg/SceneUpdate")]);
    viewer.subscribe(1, &scene);
    viewer.message(1, &scene);
    open_annex(&house);
    while !viewer.hear("unadvertise")["channelIds"].as_array().unwrap().contains(&scene["id"]) {}
    let [annotations] = viewer.channels([("/debug/annex/frame", "foxglove_msgs/msg/ImageAnnotations")]);
    viewer.subscribe(1, &annotations);
    assert_eq!(viewer.message(1, &annotations)["circles"].as_array().unwrap().len(), 1);
}

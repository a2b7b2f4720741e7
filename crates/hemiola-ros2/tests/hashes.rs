//! Checks that hashes of types are those of ROS 2, whoever computes them.

use hemiola_log::{Definition, Element, NumberType, Shape};
use hemiola_model::Data;
use hemiola_model::cdr::{ActionSchema, MessageSchema, ServiceSchema};
use hemiola_model::data::{DataType, Field, Variant};
use hemiola_ros::nav2_msgs::{NavigateToPose, NavigateToPoseOutcome, NavigateToPoseProgress};
use hemiola_ros::{geometry_msgs, nav_msgs, sensor_msgs, std_msgs, std_srvs, tf2_msgs, visualization_msgs};
use hemiola_ros2::{Interface, TypeHash, message_hash, service_hash};
use hiroz_schema::{
    FieldDescription, FieldTypeDescription, TypeDescription, TypeDescriptionMsg, TypeId, calculate_hash,
};
use proptest::prelude::*;

fn message<T: Data>() -> TypeHash {
    message_hash("Message", &T::data_type())
}

fn structure(name: &str, fields: &[(&str, DataType)]) -> DataType {
    let fields = fields.iter().map(|(name, data_type)| Field::new(name, data_type.clone(), "")).collect();
    DataType::structure(name, fields)
}

/// The expected hashes are what `tests/foreign/ros2_requests.py` computes from Jazzy's definition.
#[test]
fn an_action_has_the_hashes_of_ros_2() {
    let types = [NavigateToPose::data_type(), NavigateToPoseOutcome::data_type(), NavigateToPoseProgress::data_type()];
    let action = ActionSchema::called("nav2_msgs", "NavigateToPose", types.each_ref());
    assert_eq!(action.send_goal_hash, "RIHS01_a4fcb3bee1bf32e21a0e541a943b221aa0826996e2c98f079b47022b256f48b5");
    assert_eq!(action.get_result_hash, "RIHS01_12dc670d3dac446019bb61a2bef1fd92ada02d582ca70922706d933a54b07f1c");
    assert_eq!(action.feedback_hash, "RIHS01_9d1f6fa2eb975ce733b419ac2e97b134d8ff92b6478b6559feed9a50bdfd82b3");
}

/// The hashes that `rosbags` 0.11.9 has for the messages of ROS 2 Jazzy.
#[test]
fn messages_have_the_hashes_of_ros_2() {
    let text = structure("std_msgs/String", &[("data", DataType::Text)]);
    let empty = structure("std_msgs/Empty", &[]);
    let known = [
        (message_hash("", &text), "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"),
        (message_hash("", &empty), "20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312"),
        (message::<geometry_msgs::Vector3>(), "cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d"),
        (message::<geometry_msgs::Point>(), "6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881"),
        (message::<geometry_msgs::Point32>(), "2fc4db7cae16a4582c79a56b66173a8d48d52c7dc520ddc55a0d4bcf2a4bfdbc"),
        (message::<geometry_msgs::Quaternion>(), "8a765f66778c8ff7c8ab94afcc590a2ed5325a1d9a076ffff38fbce36f458684"),
        (message::<geometry_msgs::Pose>(), "d501954e9476cea2996984e812054b68026ae0bfae789d9a10b23daf35cc90fa"),
        (message::<geometry_msgs::PoseStamped>(), "10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8"),
        (message::<geometry_msgs::PoseArray>(), "af0cc36d190e104d546d168d6b39df04fa4b4ccecf59cb4c9ed328d3d5004aa0"),
        (
            message::<geometry_msgs::PoseWithCovariance>(),
            "9a7c0fd234b7f45c6098745ecccd773ca1085670e64107135397aee31c02e1bb",
        ),
        (
            message::<geometry_msgs::PoseWithCovarianceStamped>(),
            "26432f9803e43727d3c8f668d1fdb3c630f548af631e2f4e31382371bfea3b6e",
        ),
        (message::<geometry_msgs::Transform>(), "beb83fbe698636351461f6f35d1abb20010c43d55374d81bd041f1ba2581fddc"),
        (
            message::<geometry_msgs::TransformStamped>(),
            "0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206",
        ),
        (message::<geometry_msgs::Twist>(), "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"),
        (message::<geometry_msgs::TwistStamped>(), "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64"),
        (
            message::<geometry_msgs::TwistWithCovariance>(),
            "49f574f033f095d8b6cd1beaca5ca7925e296e84af1716d16c89d38b059c8c18",
        ),
        (message::<geometry_msgs::Accel>(), "dc448243ded9b1fcbcca24aba0c22f013dae06c354ba2d849571c0a2a3f57ca0"),
        (message::<geometry_msgs::Wrench>(), "018e8519d57c16adbe97c9fe1460ef21fec7e31bc541de3d653a35895677ce52"),
        (message::<geometry_msgs::WrenchStamped>(), "8dc3deaf06b2ab281f9f9a742a8961c328ca7cec16e3fd6586d3a5c83fa78f77"),
        (message::<geometry_msgs::Polygon>(), "3782f9f0bf044964d692d6c017d705e37611afb1f0bf6a9dee248a7dda0f784a"),
        (
            message::<geometry_msgs::PolygonStamped>(),
            "b7cf07932f1523d4b4088075945c1a0141f7cd21da87cc940fc61652e9138b46",
        ),
        (message::<nav_msgs::Odometry>(), "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0"),
        (message::<nav_msgs::Path>(), "1957a5bb3cee5da65c4e52e52b65a93df227efce4c20f8458b36e73066ca334b"),
        (message::<nav_msgs::MapMetaData>(), "2772d4b2000ef2b35dbaeb80fd3946c1369f817fb4f75677d916d27c17d763c8"),
        (message::<nav_msgs::OccupancyGrid>(), "8d348150c12913a31ee0ec170fbf25089e4745d17035792a1ba94d6f0bc0cfc7"),
        (message::<sensor_msgs::Image>(), "d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47"),
        (message::<sensor_msgs::CompressedImage>(), "15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a"),
        (
            message::<sensor_msgs::RegionOfInterest>(),
            "ad16bcba5f9131dcdba6fbded19f726f5440e3c513b4fb586dd3027eeed8abb1",
        ),
        (message::<sensor_msgs::CameraInfo>(), "b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275"),
        (message::<sensor_msgs::Imu>(), "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"),
        (message::<sensor_msgs::JointState>(), "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"),
        (message::<sensor_msgs::LaserScan>(), "64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828"),
        (message::<sensor_msgs::PointField>(), "5c6a4750728c2bcfbbf7037225b20b02d4429634732146b742dee1726637ef01"),
        (message::<sensor_msgs::PointCloud2>(), "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"),
        (message::<sensor_msgs::NavSatStatus>(), "d1ed3befa628e09571bd273b888ba1c1fd187c9a5e0006b385d7e5e9095a3204"),
        (message::<sensor_msgs::NavSatFix>(), "62223ab3fe210a15976021da7afddc9e200dc9ec75231c1b6a557fc598a65404"),
        (message::<sensor_msgs::MagneticField>(), "e80f32f56a20486c9923008fc1a1db07bbb273cbbf6a5b3bfa00835ee00e4dff"),
        (message::<sensor_msgs::Range>(), "b42b62562e93cbfe9d42b82fe5994dfa3d63d7d5c90a317981703f7388adff3a"),
        (message::<sensor_msgs::Temperature>(), "72514a14126ab9f8a9abec974c78e5610a367b59db5da355ff1fb982d5bad4b8"),
        (message::<sensor_msgs::FluidPressure>(), "22dfb2b145a0bd5a31a1ac3882a1b32148b51d9b2f3bab250290d66f3595bc32"),
        (message::<sensor_msgs::BatteryState>(), "4bee5dfce981c98faa6828b868307a0a73f992ed0789f374ee96c8f840e69741"),
        (message::<std_msgs::Header>(), "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01"),
        (message::<std_msgs::ColorRGBA>(), "77a7a5b9ae477306097665106e0413ba74440245b1f3d0c6d6405fe5c7813fe8"),
        (message::<tf2_msgs::TFMessage>(), "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"),
        (message::<visualization_msgs::Marker>(), "45b13ccf791f225962bf74e746f9644518855d783a6f42ba0cc14fde2b4f3ce0"),
        (
            message::<visualization_msgs::MarkerArray>(),
            "86cb8800b6fb05b5eff1abd7a56f62a5641d3ae9a1c29e78e67e704f1d067dcf",
        ),
        (
            message::<visualization_msgs::UVCoordinate>(),
            "f27f7ed21fe360c6066944f856b801a0c0d1e94e815b6886444b42d90b196a26",
        ),
        (message::<visualization_msgs::MeshFile>(), "7710ece15a148fb7c9b546364cfb215bb06098087bd6394fe5b73a493508f8c4"),
    ];
    for (row, (hash, expected)) in known.iter().enumerate() {
        assert_eq!(hash.to_string(), format!("RIHS01_{expected}"), "row {row}");
    }
}

/// The hashes of a ROS 2 system, as tokens of `rmw_zenoh` and `zenoh-ros2-sdk` 0.1.8 contain them.
#[test]
fn services_have_the_hashes_of_ros_2() {
    let number = |name| (name, DataType::Signed(64));
    let done = [("success", DataType::Boolean), ("message", DataType::Text)];
    let response = structure("demo/Done", &done);
    for (name, request, response, expected) in [
        (
            "example_interfaces/srv/AddTwoInts",
            structure("demo/AddTwoInts", &[number("a"), number("b")]),
            structure("demo/Sum", &[number("sum")]),
            "e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a",
        ),
        (
            "std_srvs/srv/SetBool",
            structure("demo/Request", &[("data", DataType::Boolean)]),
            response.clone(),
            "abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a",
        ),
        (
            "std_srvs/srv/Trigger",
            structure("demo/Request", &[]),
            response,
            "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
        ),
    ] {
        let hash = service_hash(&name.parse().expect("it is a name"), &request, &response);
        assert_eq!(hash.to_string(), format!("RIHS01_{expected}"), "{name}");
    }
}

/// The hash of `Empty` is what `tests/foreign/ros2_requests.py` computes.
#[test]
fn services_of_std_srvs_have_the_names_and_hashes_of_ros_2() {
    fn service<Q: Data, A: Data>() -> ServiceSchema {
        ServiceSchema::of("Some", &Q::data_type(), &A::data_type())
    }
    for (schema, name, hash) in [
        (
            service::<std_srvs::SetBoolRequest, std_srvs::SetBoolResponse>(),
            "std_srvs/srv/SetBool",
            "abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a",
        ),
        (
            service::<std_srvs::TriggerRequest, std_srvs::TriggerResponse>(),
            "std_srvs/srv/Trigger",
            "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
        ),
        (
            service::<std_srvs::EmptyRequest, std_srvs::EmptyResponse>(),
            "std_srvs/srv/Empty",
            "5888399dedec5ccc85ea6451949fd2c9f97bfdf963f9a588821639fcd31b5d19",
        ),
    ] {
        assert_eq!((schema.name.as_str(), schema.type_hash), (name, format!("RIHS01_{hash}")));
    }
}

#[test]
fn a_service_is_named_after_its_requests() {
    let nothing = structure("nav_demo/Nothing", &[]);
    for (request, name) in [
        (structure("nav_demo/PlanPathRequest", &[]), "nav_demo/srv/PlanPath"),
        (structure("nav_demo/PlanPath_Request", &[]), "nav_demo/srv/PlanPath"),
        (structure("nav_demo/PlanPath", &[]), "nav_demo/srv/PlanPath"),
        (structure("nav_demo/Request", &[]), "nav_demo/srv/Request"),
        // Types that are not structures have no names; the service has one.
        (DataType::Float64, "hemiola/srv/PlanPath"),
    ] {
        let service = Interface::service("plan path", &request, &nothing).expect("it has a name");
        assert_eq!(service.name.to_string(), name);
        assert_eq!(service.hash, Some(service_hash(&service.name, &request, &nothing)));
    }
}

#[test]
fn what_is_no_hash_is_refused() {
    let digits = "ab".repeat(32);
    assert_eq!(format!("RIHS01_{digits}").parse(), Ok(TypeHash::from_bytes([0xab; 32])));
    for (text, why) in [
        (String::new(), "`` is not a type hash: it does not begin with `RIHS01_`"),
        (format!("RIHS02_{digits}"), "it does not begin with `RIHS01_`"),
        (format!("RIHS01_{digits}a"), "`RIHS01_` is not followed by 64 digits"),
        (format!("RIHS01_{}", "ö".repeat(32)), "its digits are not all of `0` to `9` and `a` to `f`"),
        (format!("RIHS01_{}", digits.to_uppercase()), "its digits are not all of `0` to `9` and `a` to `f`"),
    ] {
        let error = text.parse::<TypeHash>().expect_err(&text).to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// Describes a message, and all messages that it uses, as ROS 2 does.
fn described(name: &str, definition: &Definition, all: &mut Vec<TypeDescription>) {
    let full = |name: &str| name.replace('/', "/msg/");
    if all.iter().any(|known| known.type_name == name) {
        return;
    }
    let mut inner = Vec::new();
    let fields = definition.fields.iter().map(|field| {
        let (id, nested_type_name) = match &field.element {
            Element::Boolean => (TypeId::BOOL, String::new()),
            Element::Number(number) => (number_id(*number), String::new()),
            Element::Text { .. } => (TypeId::STRING, String::new()),
            Element::WideText => (TypeId::WSTRING, String::new()),
            Element::Message(message) => {
                inner.push(message.clone());
                (TypeId::NESTED_TYPE, full(&message.name))
            }
        };
        let (offset, capacity) = match field.shape {
            Shape::One => (0, 0),
            Shape::Array { length } => (48, length),
            Shape::Sequence { limit: Some(limit) } => (96, limit),
            Shape::Sequence { limit: None } => (144, 0),
        };
        let field_type = FieldTypeDescription {
            type_id: id + offset,
            capacity: capacity as u64,
            string_capacity: 0,
            nested_type_name,
        };
        FieldDescription { name: field.name.to_string(), field_type, default_value: String::new() }
    });
    let description = TypeDescription { type_name: name.to_owned(), fields: fields.collect() };
    all.push(description);
    inner.iter().for_each(|message| described(&full(&message.name), message, all));
}

fn number_id(number: NumberType) -> u8 {
    match number {
        NumberType::U8 => TypeId::UINT8,
        NumberType::I8 => TypeId::INT8,
        NumberType::U16 => TypeId::UINT16,
        NumberType::I16 => TypeId::INT16,
        NumberType::U32 => TypeId::UINT32,
        NumberType::I32 => TypeId::INT32,
        NumberType::U64 => TypeId::UINT64,
        NumberType::I64 => TypeId::INT64,
        NumberType::F32 => TypeId::FLOAT32,
        NumberType::F64 => TypeId::FLOAT64,
    }
}

/// Returns the hash that `hiroz-schema` computes from a root, which comes first, and all types in
/// it.
fn foreign_hash(mut all: Vec<TypeDescription>) -> String {
    let type_description = all.remove(0);
    all.sort_by(|one, other| one.type_name.cmp(&other.type_name));
    calculate_hash(&TypeDescriptionMsg { type_description, referenced_type_descriptions: all }).to_rihs_string()
}

/// Returns the hash that `hiroz-schema` computes from a definition's text.
fn of_text(schema: &MessageSchema) -> String {
    let mut all = Vec::new();
    described(&schema.name, &Definition::parse(&schema.name, &schema.text).expect("it can be read"), &mut all);
    foreign_hash(all)
}

/// Returns the hash that `hiroz-schema` computes from the texts of requests and responses.
fn of_service(schema: &ServiceSchema) -> String {
    let nested = |name: &str, type_name: &str, type_id, capacity| {
        let field_type =
            FieldTypeDescription { type_id, capacity, string_capacity: 0, nested_type_name: type_name.to_owned() };
        FieldDescription { name: name.to_owned(), field_type, default_value: String::new() }
    };
    let [request, response, event] = ["Request", "Response", "Event"].map(|part| format!("{}_{part}", schema.name));
    let fields = vec![
        nested("request_message", &request, 1, 0),
        nested("response_message", &response, 1, 0),
        nested("event_message", &event, 1, 0),
    ];
    let mut all = vec![TypeDescription { type_name: schema.name.clone(), fields }];
    let info = "service_msgs/msg/ServiceEventInfo";
    let fields =
        vec![nested("info", info, 1, 0), nested("request", &request, 97, 1), nested("response", &response, 97, 1)];
    all.push(TypeDescription { type_name: event, fields });
    let text = "uint8 event_type\nbuiltin_interfaces/Time stamp\nuint8[16] client_gid\nint64 sequence_number\n\
                ================================================================================\n\
                MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
    described(info, &Definition::parse(info, text).expect("it can be read"), &mut all);
    for part in [&schema.request, &schema.response] {
        described(&part.name, &Definition::parse(&part.name, &part.text).expect("it can be read"), &mut all);
    }
    foreign_hash(all)
}

/// Generates a type, nested up to some depth.
fn data_type() -> impl Strategy<Value = DataType> {
    let leaf = prop_oneof![
        Just(DataType::Boolean),
        prop::sample::select(vec![8, 16, 32, 64]).prop_map(DataType::Signed),
        prop::sample::select(vec![8, 16, 32, 64]).prop_map(DataType::Unsigned),
        Just(DataType::Float32),
        Just(DataType::Float64),
        Just(DataType::Text),
        Just(DataType::Time),
        Just(DataType::Duration),
        Just(geometry_msgs::PoseStamped::data_type()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let fields = prop::collection::vec(inner, 0..4).prop_map(|types| {
            let field = |(index, data_type)| Field::new(&format!("field_{index}"), data_type, "");
            types.into_iter().enumerate().map(field).collect::<Vec<_>>()
        });
        prop_oneof![
            boxed.clone().prop_map(DataType::Optional),
            boxed.clone().prop_map(DataType::Sequence),
            (boxed.clone(), 1..9_usize).prop_map(|(inner, length)| DataType::Array(inner, length)),
            (boxed, 1..9_usize).prop_map(|(inner, limit)| DataType::Bounded(inner, limit)),
            ("[A-Z][a-z]{0,3}", fields.clone())
                .prop_map(|(name, fields)| DataType::structure(&*format!("invented/{name}"), fields)),
            ("[A-Z][a-z]{0,3}", prop::collection::vec(fields, 1..4)).prop_map(|(name, variants)| {
                let variant = |(index, fields)| Variant::new(&format!("Variant{index}"), fields);
                let variants = variants.into_iter().enumerate().map(variant).collect();
                DataType::enumeration(&*format!("invented/{name}"), variants)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn the_hash_of_any_type_is_that_of_its_definition(data_type in data_type()) {
        let schema = MessageSchema::of("Root", &data_type);
        prop_assert_eq!(of_text(&schema), message_hash("Root", &data_type).to_string());
        // Each type that it uses is defined once, by its full name.
        let names: Vec<_> = schema.definitions().map(|(name, _)| name).collect();
        prop_assert_eq!(&names[0], &schema.name);
        prop_assert!(names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1));
    }

    #[test]
    fn the_hash_of_any_service_is_that_of_its_definition(request in data_type(), response in data_type()) {
        let schema = ServiceSchema::called("invented", "Serve", &request, &response);
        let name = "invented/srv/Serve".parse()?;
        prop_assert_eq!(of_service(&schema), service_hash(&name, &request, &response).to_string());
    }
}

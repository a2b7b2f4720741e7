//! What other programs of a ROS 2 system write is read or refused: tokens, names, hashes, qualities,
//! attachments, definitions. What is read is written so that it is read as the same, and what does not fit together
//! can be said of any tokens.
#![no_main]

use hemiola_ros2::{
    Attachment, Definition, Endpoint, NodeName, Quality, Ros2Error, Token, TopicName, TypeHash, TypeName, mismatches,
};
use libfuzzer_sys::fuzz_target;
use std::fmt::{Debug, Display};
use std::str::FromStr;

fuzz_target!(|input: &[u8]| {
    match Attachment::from_bytes(input) {
        Ok(read) => assert_eq!(&read.to_bytes()[..], input),
        Err(error) => is_said(&error),
    }
    let Ok(text) = str::from_utf8(input) else { return };
    comes_back::<NodeName>(text);
    comes_back::<TypeName>(text);
    comes_back::<TypeHash>(text);
    if let Ok(name) = TypeName::from_dds(text) {
        assert_eq!(name.dds(), text);
    }
    if let Ok(topic) = TopicName::new(text) {
        assert_eq!(topic.as_str(), text);
        assert!(text.len() < 256);
    }
    match Quality::from_token(text) {
        Ok(read) => assert_eq!(Quality::from_token(&read.to_token()), Ok(read)),
        Err(error) => is_said(&error),
    }
    if let Err(error) = text.parse::<Quality>() {
        is_said(&error);
    }
    for read in
        [definition(text, "demo/msg/A", Definition::message), definition(text, "demo/srv/A", Definition::service)]
    {
        match read {
            Ok(read) => comes_back::<TypeHash>(&read.hash().to_string()),
            Err(error) => is_said(&error),
        }
    }
    // A token a line: what they say of each other.
    let endpoints: Vec<Endpoint> = text.lines().filter_map(endpoint).collect();
    for mismatch in mismatches(&endpoints) {
        let sentence = mismatch.to_string();
        assert!(sentence.contains(&mismatch.from.node.name.to_string()), "{sentence}");
        assert!(sentence.contains(&mismatch.to.node.name.to_string()), "{sentence}");
        assert_eq!(mismatch.from.topic, mismatch.to.topic);
    }
});

fn definition(
    text: &str,
    name: &str,
    parse: fn(&TypeName, &str) -> Result<Definition, Ros2Error>,
) -> Result<Definition, Ros2Error> {
    parse(&name.parse()?, text)
}

fn endpoint(line: &str) -> Option<Endpoint> {
    match line.parse::<Token>() {
        Ok(token) => {
            let written = token.to_string();
            assert!(written.split('/').all(|part| !part.is_empty()), "{written}");
            assert_eq!(written.parse(), Ok(token.clone()));
            let Token::Endpoint(endpoint) = token else { return None };
            assert!(endpoint.key().starts_with(&format!("{}{}/", endpoint.node.domain, endpoint.topic)));
            assert_eq!(endpoint.gid(), endpoint.clone().gid());
            Some(*endpoint)
        }
        Err(error) => {
            is_said(&error);
            None
        }
    }
}

fn comes_back<T: FromStr<Err = Ros2Error> + Display + Debug + PartialEq>(text: &str) {
    match text.parse::<T>() {
        Ok(read) => assert_eq!(read.to_string().parse(), Ok(read)),
        Err(error) => is_said(&error),
    }
}

fn is_said(error: &Ros2Error) {
    assert!(!error.to_string().is_empty());
}

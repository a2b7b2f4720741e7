//! What a run got of a service is written down, and a replay gets the same again, without a server.

use hemiola_bus::{AnswerError, Bus, DeclaredService, Requests, SendError, Signal, answers_of};
use hemiola_model::cdr::{CdrReader, CdrWriter};
use hemiola_model::module::{Inlet, Place, Port, UntypedPublisher};
use hemiola_model::{Form, Representation};

#[derive(Default, Debug, PartialEq)]
struct Height(u32);

impl Representation for Height {
    const NAME: &'static str = "Height";

    fn form() -> Form<Self> {
        Form::data()
    }
}

impl hemiola_model::Data for Height {
    fn data_type() -> hemiola_model::data::DataType {
        u32::data_type()
    }
    fn write(&self, writer: &mut dyn hemiola_model::data::Writer) {
        self.0.write(writer);
    }
    fn read(reader: &mut dyn hemiola_model::data::Reader) -> Result<Self, hemiola_model::data::ReadError> {
        u32::read(reader).map(Self)
    }
}

type Heights = Requests<Height, Result<String, u8>>;
/// What a run sees: the answers, the number of requests that wait, and what became of two requests.
type Seen = (Vec<Result<Result<String, u8>, AnswerError>>, usize, [&'static str; 2]);

fn declared() -> Bus {
    let bus = Bus::new();
    DeclaredService::of::<Height, Result<String, u8>>(Height::NAME).allow(&bus);
    bus
}

fn update(heights: &mut Heights) -> Seen {
    let answers = heights.answers().map(|answer| answer.cloned().map_err(Clone::clone)).collect();
    let waiting = heights.waiting();
    let sent = [1, 2].map(|number| match heights.send(Height(number)) {
        Ok(()) => "sent",
        Err(SendError::Full(_)) => "full",
        Err(SendError::NoReceiver(_)) => "nobody",
    });
    (answers, waiting, sent)
}

fn received(heights: &Heights) -> Vec<Inlet> {
    let mut received = Vec::new();
    heights.record().expect("the service is declared").received(&mut |inlet| received.push(inlet));
    received
}

#[test]
fn a_replay_gets_the_same_answers_and_errors_and_can_send_as_much() {
    let bus = declared();
    let mut heights = Heights::new(&bus).unwrap();
    let mut log = bus.read(&answers_of(Height::NAME), 64, Signal::Nothing).unwrap().unwrap();
    let mut runs: Vec<(Seen, Vec<Inlet>)> = Vec::new();
    let mut run = |heights: &mut Heights| {
        heights.begin_run();
        let received = received(heights);
        runs.push((update(heights), received));
    };
    run(&mut heights);
    let mut server = bus.server::<Height, Result<String, u8>>("Height", 3).unwrap();
    run(&mut heights);
    run(&mut heights); // there is room for one more
    server.run(8, |Height(number)| if *number == 1 { Ok(format!("{number} m")) } else { panic!("on purpose") });
    run(&mut heights);
    server.run(1, |_| Err(7));
    run(&mut heights);
    drop(server);
    run(&mut heights);
    run(&mut heights);
    let whole: Vec<Vec<&str>> = runs.iter().map(|((_, _, sent), _)| sent.to_vec()).collect();
    assert_eq!(
        whole,
        [
            ["nobody", "nobody"],
            ["sent", "sent"],
            ["sent", "full"],
            ["sent", "sent"],
            ["sent", "sent"],
            ["nobody", "nobody"],
            ["nobody", "nobody"]
        ]
    );
    let panicked = || Err(AnswerError::Panicked);
    assert_eq!(runs[3].0.0, [Ok(Ok("1 m".to_owned())), panicked(), Ok(Ok("1 m".to_owned()))]);
    assert_eq!(runs[4].0.0, [Ok(Err(7))]);
    assert_eq!(runs[5].0.0, vec![Err(AnswerError::Ended); 3]);
    assert!(runs[0].1.is_empty(), "nobody serves, and nothing waits");

    let mut messages = Vec::new();
    while let Some(message) = log.receive() {
        let mut writer = CdrWriter::default();
        message.write(&mut writer);
        messages.push((message.place(), message.number(), writer.finish()));
    }
    assert_eq!(messages.iter().map(|(_, number, _)| *number).collect::<Vec<_>>(), [0, 1, 2]);

    let bus = declared();
    let mut again = Heights::new(&bus).unwrap();
    assert!(again.record_mut().unwrap().repeat_run(&[]), "it receives from now on");
    let mut stand_ins: Vec<(Place, Box<dyn UntypedPublisher>)> = Vec::new();
    for (place, number, bytes) in &messages {
        if !stand_ins.iter().any(|(known, _)| known == place) {
            stand_ins.push((*place, bus.stand_in(&answers_of(Height::NAME), *place).unwrap().unwrap()));
        }
        let (_, stand_in) = stand_ins.iter_mut().find(|(known, _)| known == place).unwrap();
        stand_in.record_mut().unwrap().continue_at(*number);
        stand_in.publish(&mut CdrReader::new(bytes).unwrap()).unwrap();
    }
    for (number, (seen, received)) in runs.iter().enumerate() {
        assert!(again.record_mut().unwrap().repeat_run(received), "run {number}");
        assert_eq!(update(&mut again), *seen, "run {number}");
    }
    // What is not there is an error of the run, which goes on.
    let missing = Inlet { place: messages[0].0, first: 9, count: 1 };
    assert!(!again.record_mut().unwrap().repeat_run(&[missing]));
    assert_eq!(update(&mut again).0, [Err(AnswerError::Refused)]);
    let absurd = Inlet { place: Place::Cycle(1), first: 0, count: u32::MAX };
    again.record_mut().unwrap().repeat_run(&[absurd]);
    assert_eq!(again.answers().count(), 16, "no more than can wait");
}

#[test]
fn a_service_that_is_not_declared_or_with_other_types_keeps_no_record() {
    assert!(Heights::new(&Bus::new()).unwrap().record().is_none());
    let bus = declared();
    assert!(Heights::new(&bus).unwrap().record().is_some());
    assert!(Requests::<Height, u64>::new(&declared()).unwrap().record().is_none());
}

#[test]
fn who_leaves_a_service_to_another_process_serves_nobody_and_a_link_does() {
    let bus = declared();
    bus.leave_service("Height");
    let mut idle = bus.server::<Height, Result<String, u8>>("Height", 4).unwrap();
    let mut heights = Heights::new(&bus).unwrap();
    assert_eq!(update(&mut heights).2, ["nobody", "nobody"]);
    let mut link = bus.any_server("Height", 4, Signal::Nothing).unwrap().expect("the other one does not count");
    heights.begin_run();
    assert_eq!(update(&mut heights).2, ["sent", "sent"]);
    assert_eq!(idle.run(8, |_| unreachable!("it receives nothing")), 0);
    let mut request = CdrWriter::default();
    assert!(link.receive(&mut request).is_some());
    assert!(bus.has_left_service("Height") && !bus.has_left_service("Depth"));
}

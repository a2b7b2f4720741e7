//! Services of another program: a caller gets the same results as from a server in its own program.

mod common;

use std::time::{Duration, Instant};

use common::{Side, calling, connecting, eventually, free_tcp, free_udp, free_unix, listening, lossy, next, serving};
use hemiola::prelude::*;
use hemiola_bus::{AnswerError, Bus, CallError, Client, RunningServer, SendError};
use hemiola_link::ServiceStatistics;
use hemiola_model::configuration::{LinkAddress, LinkConfiguration};
use hemiola_realtime::ThreadSettings;

/// A request to drive to a place.
#[derive(Representation, Clone, Default, Debug, PartialEq)]
struct SetGoal {
    x: f32,
    number: u32,
    note: String,
}

/// The answer to the request.
#[derive(Data, Clone, Debug, PartialEq)]
struct Accepted {
    number: u32,
    seconds: f64,
}

/// A time that is longer than any successful operation takes.
const LONG: Duration = Duration::from_secs(60);

fn goal(number: u32) -> SetGoal {
    SetGoal { x: 0.5, number, note: "there".into() }
}

fn accept(goal: &SetGoal) -> Accepted {
    Accepted { number: goal.number, seconds: f64::from(goal.x) * 4.0 }
}

fn serve(bus: &Bus) -> RunningServer {
    bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    bus.server("SetGoal", 4).unwrap().spawn(ThreadSettings::new("goals"), accept).unwrap()
}

fn client(side: &Side) -> Client<SetGoal, Accepted> {
    side.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    side.bus.client("SetGoal").unwrap()
}

/// Returns two programs, the first of which serves.
fn pair(address: LinkAddress) -> (Side, Side) {
    let robot = Side::open("robot", serving(address, &["SetGoal"]));
    let laptop = Side::open("laptop", calling(robot.address(), &["SetGoal"]));
    (robot, laptop)
}

fn is_absent<T>(answer: &Result<Accepted, CallError<T>>) -> bool {
    matches!(answer, Err(CallError::NotSent(SendError::NoReceiver(_))))
}

/// Waits for an answer as an executor of futures would.
fn wait(answer: hemiola_bus::AnswerFuture<Accepted>) -> Result<Accepted, AnswerError> {
    use std::task::{Context, Poll, Waker};
    let (mut answer, patience) = (std::pin::pin!(answer), Instant::now() + LONG);
    loop {
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => assert!(Instant::now() < patience, "there is neither an answer nor an error"),
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_complete(service: &ServiceStatistics) -> bool {
    service.calls == service.answers + service.unanswered + service.refused + service.in_flight
}

fn call_over(address: LinkAddress) {
    let (robot, laptop) = pair(address);
    let (_server, mut goals) = (serve(&robot.bus), client(&laptop));
    laptop.until_answered();
    for number in 1..=20 {
        assert_eq!(goals.call(goal(number), LONG).unwrap(), Accepted { number, seconds: 2.0 });
    }
    let called = laptop.until(|link| link.called[0].answers == 20).called.remove(0);
    assert_eq!((called.calls, called.unanswered, called.refused, called.in_flight), (20, 0, 0, 0));
    let served = robot.until(|link| link.served[0].answers == 20).served.remove(0);
    assert_eq!((served.calls, served.peers, served.is_there), (20, 1, true));
    assert_eq!((robot.statistics().ignored, laptop.statistics().problem), (0, None));
}

#[test]
fn calls_are_answered_over_unix_sockets() {
    call_over(free_unix());
}

#[test]
fn calls_are_answered_over_tcp() {
    call_over(free_tcp());
}

#[test]
fn calls_are_answered_over_udp() {
    call_over(free_udp());
}

#[test]
fn the_side_that_listens_calls_as_well_and_both_sides_at_once() {
    let both = |link: LinkConfiguration, serve: &str, call: &str| LinkConfiguration {
        serve: vec![serve.to_owned()],
        call: vec![call.to_owned()],
        ..link
    };
    let robot = Side::open("robot", both(listening(free_tcp(), &[], &[]), "SetGoal", "double"));
    let laptop = Side::open("laptop", both(connecting(robot.address(), &[], &[]), "double", "SetGoal"));
    let (_server, mut goals) = (serve(&robot.bus), client(&laptop));
    [&robot, &laptop].iter().for_each(|side| side.bus.allow_calls::<u32, u32>("double"));
    let server = laptop.bus.server("double", 4).unwrap();
    let _doubles = server.spawn(ThreadSettings::new("double"), |number: &u32| 2 * number).unwrap();
    let mut doubles = robot.bus.client::<u32, u32>("double").unwrap();
    [&robot, &laptop].iter().for_each(|side| side.until_answered());
    for number in 1..20 {
        assert_eq!(doubles.call(number, LONG).unwrap(), 2 * number);
        assert_eq!(goals.call(goal(number), LONG).unwrap().number, number);
    }
}

#[test]
fn while_nobody_serves_there_nobody_is_there() {
    let (robot, laptop) = pair(free_unix());
    let mut goals = client(&laptop);
    laptop.until(|link| link.met == 1);
    assert!(is_absent(&goals.call(goal(1), LONG)), "the program has no such service");
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    assert!(is_absent(&goals.call(goal(2), LONG)), "nobody serves it");
    for number in 3..6 {
        let server = serve(&robot.bus);
        laptop.until_answered();
        assert_eq!(goals.call(goal(number), LONG).unwrap().number, number);
        drop(server);
        // The next call reveals that the server has ended.
        assert!(matches!(goals.call(goal(0), LONG), Err(CallError::NoAnswer(AnswerError::Ended))));
        laptop.until(|link| link.called[0].peers == 0);
        assert!(is_absent(&goals.call(goal(0), LONG)));
    }
    let text = laptop.statistics().to_string();
    assert!(text.contains("called SetGoal: 6 calls, 3 answers, 3 unanswered"), "{text}");
    let served = "served SetGoal: 6 calls, 3 answers, 3 unanswered: this robot does not serve it, or";
    robot.until(|link| link.to_string().contains(served));
}

#[test]
fn whoever_is_killed_leaves_no_call_open_and_nobody_is_there_until_it_comes_back() {
    for address in [free_unix(), free_tcp()] {
        let (robot, laptop) = pair(address);
        let mut goals = client(&laptop);
        robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
        let server = robot.bus.server::<SetGoal, Accepted>("SetGoal", 4).unwrap();
        laptop.until_answered();
        let answers = [1, 2, 3].map(|number| goals.call_async(goal(number)).unwrap());
        robot.until(|link| link.served[0].in_flight == 3);
        let address = robot.address();
        // The connection is closed as if the process had died. The calls have no time limit of
        // their own, so they end because of this or never.
        robot.links.close("");
        for answer in answers {
            assert_eq!(wait(answer), Err(AnswerError::Ended));
        }
        let is_over = |called: &ServiceStatistics| called.unanswered == 3 && called.peers == 0;
        let called = laptop.until(|link| is_over(&link.called[0])).called.remove(0);
        assert_eq!((called.calls, called.in_flight), (3, 0));
        assert!(is_absent(&goals.call(goal(4), LONG)));
        drop(server);
        let robot = Side::on(&robot.bus, "robot", serving(address, &["SetGoal"]));
        let _server = serve(&robot.bus);
        laptop.until_answered();
        assert_eq!(goals.call(goal(5), LONG).unwrap().number, 5);
    }
}

#[test]
fn who_calls_and_is_gone_is_not_served_any_more() {
    let (robot, laptop) = pair(free_unix());
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    let mut server = robot.bus.server::<SetGoal, Accepted>("SetGoal", 4).unwrap();
    laptop.until_answered();
    let _answers = [1, 2].map(|number| goals.call_async(goal(number)).unwrap());
    robot.until(|link| link.served[0].in_flight == 2);
    drop(laptop);
    let served = robot.until(|link| link.served[0].unanswered == 2).served.remove(0);
    assert!(is_complete(&served), "{served:?}");
    server.run(8, |_| panic!("nobody wants to know"));
    assert_eq!((server.panics(), server.abandoned()), (0, 2));
}

#[test]
fn a_call_for_which_there_is_no_room_is_refused_and_nothing_else_waits() {
    let (robot, laptop) = pair(free_unix());
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    let mut server = robot.bus.server::<SetGoal, Accepted>("SetGoal", 4).unwrap();
    laptop.until_answered();
    let mut answers: Vec<_> = (1..=10).map(|number| goals.call_async(goal(number)).unwrap()).collect();
    // The queue has room for four requests.
    let served = robot.until(|link| link.served[0].calls == 10).served.remove(0);
    assert_eq!((served.in_flight, served.refused), (4, 6));
    for answer in answers.drain(4..) {
        assert_eq!(wait(answer), Err(AnswerError::Refused));
    }
    let problem = laptop.until(|link| link.called[0].refused == 6).problem.unwrap();
    assert_eq!(problem, "a call of `SetGoal` has no answer: too many requests are waiting");
    assert_eq!(server.run(8, accept), 4);
    for (number, answer) in (1..).zip(answers) {
        assert_eq!(wait(answer).unwrap().number, number);
    }
    let called = laptop.until(|link| link.called[0].answers == 4).called.remove(0);
    assert!(is_complete(&called) && called.in_flight == 0, "{called:?}");
}

#[test]
fn a_server_that_is_slow_holds_nothing_else_up_and_what_is_in_flight_is_bounded() {
    let link = serving(free_tcp(), &["SetGoal", "double"]);
    let robot = Side::open("robot", LinkConfiguration { send: listening(free_tcp(), &["Goal"], &[]).send, ..link });
    let link = calling(robot.address(), &["SetGoal", "double"]);
    let receive = connecting(robot.address(), &[], &["Goal"]).receive;
    let laptop = Side::open("laptop", LinkConfiguration { receive, ..link });
    let goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    [&robot, &laptop].iter().for_each(|side| side.bus.allow_calls::<u32, u32>("double"));
    let mut slow = robot.bus.server::<SetGoal, Accepted>("SetGoal", 1000).unwrap();
    let server = robot.bus.server("double", 4).unwrap();
    let _doubles = server.spawn(ThreadSettings::new("double"), |number: &u32| 2 * number).unwrap();
    let (mut published, mut seen) = (robot.publisher::<SetGoal>("Goal"), laptop.queue::<SetGoal>("Goal"));
    laptop.until(|link| link.called.iter().all(|called| called.peers == 1));
    robot.until_wanted();
    let mut clients: Vec<_> = (0..10).map(|_| goals.clone()).collect();
    let mut answers = Vec::new();
    for client in &mut clients {
        while let Ok(answer) = client.call_async(goal(7)) {
            answers.push(answer);
            if answers.len() > 1000 {
                panic!("calls without end are sent");
            }
        }
    }
    // 64 calls are in flight, and up to 16 of each client wait.
    laptop.until(|link| link.called[0].in_flight == 64);
    assert!((160..=160 + 64 + 16).contains(&answers.len()), "{}", answers.len());
    let mut doubles = laptop.bus.client::<u32, u32>("double").unwrap();
    for number in 0..20 {
        assert_eq!(doubles.call(number, LONG).unwrap(), 2 * number);
        published.publish(goal(number));
        assert_eq!(next(&mut seen), goal(number));
    }
    let patience = Instant::now() + LONG;
    while laptop.statistics().called[0].answers < answers.len() as u64 {
        assert!(Instant::now() < patience, "{:?}", laptop.statistics());
        slow.run(64, accept);
        std::thread::sleep(Duration::from_millis(1));
    }
    for answer in answers {
        assert_eq!(wait(answer).unwrap().number, 7);
    }
}

#[test]
fn an_answer_may_say_that_it_failed() {
    let (robot, laptop) = pair(free_unix());
    [&robot, &laptop].iter().for_each(|side| side.bus.allow_calls::<SetGoal, Result<(), String>>("SetGoal"));
    let answer = |goal: &SetGoal| if goal.x < 1.0 { Ok(()) } else { Err(format!("{} m are too far", goal.x)) };
    let _server = robot.bus.server("SetGoal", 4).unwrap().spawn(ThreadSettings::new("goals"), answer).unwrap();
    let mut goals = laptop.bus.client::<SetGoal, Result<(), String>>("SetGoal").unwrap();
    laptop.until_answered();
    assert_eq!(goals.call(goal(1), LONG).unwrap(), Ok(()));
    let far = SetGoal { x: 2.5, ..goal(1) };
    assert_eq!(goals.call(far, LONG).unwrap(), Err("2.5 m are too far".to_owned()));
}

#[test]
fn a_server_that_panics_is_known_and_goes_on() {
    let (robot, laptop) = pair(free_unix());
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    let answer = |goal: &SetGoal| if goal.number == 13 { panic!("on purpose") } else { accept(goal) };
    let server = robot.bus.server("SetGoal", 4).unwrap().spawn(ThreadSettings::new("goals"), answer).unwrap();
    laptop.until_answered();
    assert!(matches!(goals.call(goal(13), LONG), Err(CallError::NoAnswer(AnswerError::Panicked))));
    assert_eq!(goals.call(goal(14), LONG).unwrap().number, 14);
    assert_eq!(laptop.until(|link| link.called[0].answers == 1).called[0].unanswered, 1);
    drop(server);
}

/// The same service in another version of the program.
mod newer {
    use super::*;

    #[derive(Data, Clone, Debug, PartialEq)]
    pub struct SetGoal {
        pub number: u64,
        pub x: f64,
        pub haste: f32,
    }

    #[derive(Data, Clone, Debug, PartialEq)]
    pub struct Accepted {
        pub seconds: f64,
        pub number: u64,
        pub why: String,
    }
}

#[test]
fn fields_of_requests_and_answers_go_by_their_names_where_types_differ() {
    let (robot, laptop) = pair(free_tcp());
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<newer::SetGoal, newer::Accepted>("SetGoal");
    let answer = |goal: &newer::SetGoal| {
        assert_eq!(*goal, newer::SetGoal { number: 7, x: 0.5, haste: 0.0 });
        newer::Accepted { seconds: 1.5, number: goal.number, why: "it is near".into() }
    };
    let _server = robot.bus.server("SetGoal", 4).unwrap().spawn(ThreadSettings::new("goals"), answer).unwrap();
    laptop.until_answered();
    assert_eq!(goals.call(goal(7), LONG).unwrap(), Accepted { number: 7, seconds: 1.5 });
    let is_told = |side: &Side, remark: &str| side.notes().iter().any(|note| note.ends_with(remark));
    assert!(
        is_told(&robot, "`SetGoal` of `laptop`: `haste` is not sent, so it has its default"),
        "{:?}",
        robot.notes()
    );
    assert!(is_told(&laptop, "`SetGoal` of `robot`: `why` is sent, but unknown here"), "{:?}", laptop.notes());
}

#[test]
fn both_sides_learn_which_field_does_not_fit_and_nobody_is_there_to_call() {
    let problem = |side: &Side| side.until(|link| link.problem.is_some()).problem.unwrap();
    let (robot, laptop) = pair(free_unix());
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, String>("SetGoal");
    let _server = robot.bus.server::<SetGoal, String>("SetGoal", 4).unwrap();
    let said = problem(&laptop);
    assert!(said.starts_with("`SetGoal` of `robot` cannot be called: "), "{said}");
    let said = problem(&robot);
    assert!(said.starts_with("`laptop` does not call `SetGoal`: "), "{said}");
    assert!(is_absent(&goals.call(goal(1), LONG)));

    let (robot, laptop) = pair(free_unix());
    let _goals = client(&laptop);
    robot.bus.allow_calls::<(String, bool), Accepted>("SetGoal");
    let _server = robot.bus.server::<(String, bool), Accepted>("SetGoal", 4).unwrap();
    let said = problem(&robot);
    assert!(said.starts_with("`laptop` cannot call `SetGoal`: "), "{said}");
    assert!(problem(&laptop).starts_with("`robot` does not serve `SetGoal`: "), "{said}");
    assert_eq!(laptop.statistics().called[0].peers, 0);
}

#[test]
fn over_udp_what_is_too_long_is_refused_and_what_is_not_answered_in_five_seconds_is_over() {
    let (robot, laptop) = pair(free_udp());
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    let mut server = robot.bus.server::<SetGoal, Accepted>("SetGoal", 4).unwrap();
    laptop.until_answered();
    let long = SetGoal { note: "x".repeat(70_000), ..goal(1) };
    assert_eq!(wait(goals.call_async(long).unwrap()), Err(AnswerError::Refused));
    let said = laptop.until(|link| link.called[0].refused == 1).problem.unwrap();
    assert!(said.contains("its request has 700") && said.ends_with(", of at most 65491"), "{said}");
    let begin = Instant::now();
    assert_eq!(wait(goals.call_async(goal(2)).unwrap()), Err(AnswerError::TimedOut));
    assert!(begin.elapsed() >= Duration::from_millis(4900), "{:?}", begin.elapsed());
    // The answer arrives too late, and is dropped.
    assert_eq!(server.run(8, accept), 1);
    let link = laptop.until(|link| link.ignored == 1);
    assert_eq!((link.called[0].unanswered, link.called[0].in_flight, link.parted), (1, 0, 0));
}

#[test]
fn over_udp_that_loses_a_fifth_every_call_is_answered_and_served_once() {
    let robot = Side::open("robot", serving(free_udp(), &["SetGoal"]));
    let LinkAddress::Udp(address) = robot.address() else { panic!("it is UDP") };
    let laptop = Side::open("laptop", calling(LinkAddress::Udp(lossy(address)), &["SetGoal"]));
    let mut goals = client(&laptop);
    robot.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    let (told, served) = std::sync::mpsc::channel();
    let answer = move |goal: &SetGoal| {
        told.send(goal.number).unwrap();
        accept(goal)
    };
    let _server = robot.bus.server("SetGoal", 64).unwrap().spawn(ThreadSettings::new("goals"), answer).unwrap();
    laptop.until_answered();
    for round in 0..3 {
        let numbers = (20 * round)..(20 * round + 16);
        let answers: Vec<_> = numbers.clone().map(|number| goals.call_async(goal(number)).unwrap()).collect();
        for (number, answer) in numbers.clone().zip(answers) {
            assert_eq!(wait(answer).unwrap().number, number);
        }
        let mut served: Vec<_> = served.try_iter().collect();
        served.sort();
        assert_eq!(served, numbers.collect::<Vec<_>>());
    }
    let called = laptop.until(|link| link.called[0].answers == 48).called.remove(0);
    assert_eq!((called.calls, called.in_flight), (48, 0));
}

#[test]
fn a_service_that_is_served_here_is_not_called_over_the_link() {
    let (robot, laptop) = pair(free_unix());
    let (_there, _here) = (serve(&robot.bus), serve(&laptop.bus));
    let said = laptop.until(|link| link.problem.is_some()).problem.unwrap();
    assert_eq!(said, "`SetGoal` is not called over the link: this program serves it itself");
    assert_eq!(client(&laptop).call(goal(1), LONG).unwrap().number, 1);
    assert_eq!(laptop.statistics().called[0].calls, 0);
}

#[test]
fn what_is_called_over_one_link_may_be_served_over_another() {
    let (robot, middle) = pair(free_unix());
    let _server = serve(&robot.bus);
    middle.bus.allow_calls::<SetGoal, Accepted>("SetGoal");
    let between = Side::on(&middle.bus, "middle", serving(free_unix(), &["SetGoal"]));
    let laptop = Side::open("laptop", calling(between.address(), &["SetGoal"]));
    let mut goals = client(&laptop);
    laptop.until_answered();
    assert_eq!(goals.call(goal(9), LONG).unwrap().number, 9);
    // At the end of the path, there is no server.
    drop(robot);
    middle.until(|link| link.peers.is_empty());
    assert!(matches!(goals.call(goal(9), LONG), Err(CallError::NoAnswer(AnswerError::Ended))));
    laptop.until(|link| link.called[0].peers == 0);
    assert!(is_absent(&goals.call(goal(9), LONG)));
}

#[test]
fn of_several_that_serve_one_is_asked_and_when_it_is_gone_another() {
    let here = LinkConfiguration { call: vec!["SetGoal".to_owned()], ..listening(free_unix(), &[], &[]) };
    let tool = Side::open("tool", here);
    let mut goals = client(&tool);
    let mut robots: Vec<_> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let link = LinkConfiguration { serve: vec!["SetGoal".to_owned()], ..connecting(tool.address(), &[], &[]) };
            let robot = Side::open(name, link);
            let server = serve(&robot.bus);
            (robot, server)
        })
        .collect();
    tool.until(|link| link.called[0].peers == 2);
    for number in 0..4 {
        assert_eq!(goals.call(goal(number), LONG).unwrap().number, number);
    }
    // The server counts an answer slightly later than the caller.
    let answered = |robots: &[(Side, RunningServer)], total: u64| {
        let counts = || robots.iter().map(|(robot, _)| robot.statistics().served[0].answers).collect::<Vec<_>>();
        eventually(|| Some(counts()).filter(|counts| counts.iter().sum::<u64>() == total)).expect("all are counted")
    };
    let answers = answered(&robots, 4);
    assert!(answers == [4, 0] || answers == [0, 4], "{answers:?}");
    robots.remove(answers.iter().position(|count| *count == 4).unwrap());
    tool.until(|link| link.called[0].peers == 1);
    assert_eq!(goals.call(goal(5), LONG).unwrap().number, 5);
    answered(&robots, 1);
}

//! The node's thread: it moves waiting messages, and keeps track of the other nodes.

mod declarations;
mod others;
mod traffic;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hemiola_bus::Watch;
use hemiola_link::ends::{Note, Remarks, Services, Topics};
use hemiola_link::{LinkHost, LinkStatistics, LinksView};
use hemiola_model::configuration::{Ros2Action, Ros2Configuration, Ros2Router, Ros2Service};
use hemiola_realtime::{Generation, Wakeup, monotonic_now};
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

use super::actions::{Action, ActionClient, ActionServer};
use super::client::Client;
use super::clock::ClockTopic;
use super::graph::{Graph, Seen};
use super::parameter_events::ParameterEvents;
use super::parameters::ParameterServer;
use super::publication::Publication;
use super::rosout::Rosout;
use super::router::{RouterNews, RouterWatch};
use super::server::Server;
use super::session;
use super::subscription::Subscription;
use crate::endpoint::{EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::{NodeName, TopicName};
use crate::rcl_interfaces::ParameterService;
use crate::token::token_pattern;

/// The state of the node's thread.
pub struct Reactor {
    configuration: Ros2Configuration,
    session: Session,
    node: Node,
    topics: Topics,
    services: Services,
    /// The publishers, subscribers and so on in the ROS 2 system, in the order of robot.toml; those
    /// whose type is not known yet are `None`.
    publications: Vec<Option<Publication>>,
    subscriptions: Vec<Option<Subscription>>,
    servers: Vec<Option<Server>>,
    clients: Vec<Option<Client>>,
    action_servers: Vec<Action<ActionServer>>,
    action_clients: Vec<Action<ActionClient>>,
    /// The publisher of the robot's log messages, if there is a robot.
    rosout: Option<Rosout>,
    /// The services and events of the robot's parameters, if there is a robot.
    parameters: Option<(ParameterServer, ParameterEvents)>,
    /// The publisher of the robot's clock, if it is published.
    clock: Option<ClockTopic>,
    /// The endpoints that could not be declared.
    given_up: BTreeSet<(EndpointKind, usize)>,
    /// The number of the last endpoint.
    last_id: u64,
    graph: Arc<Graph>,
    seen: Seen,
    /// Set if an endpoint of the node has been added or removed since the graph was last compared.
    is_changed: bool,
    statistics: LinkStatistics,
    view: LinksView,
    remarks: Remarks,
    note: Note,
    router: RouterWatch,
    wakeup: Arc<Wakeup>,
    /// Notified when there are new topics or services.
    news: Arc<Wakeup>,
    looked: Option<Generation>,
    _watches: [Watch; 2],
    _tokens: zenoh::pubsub::Subscriber<()>,
    _token: zenoh::liveliness::LivelinessToken,
}

/// The maximum number of messages or values of one topic that are published in one turn.
const AT_ONCE: usize = 256;
/// The maximum number of bytes of one topic that wait because of its rate.
const MOST_HELD: usize = 64 << 20;

impl Reactor {
    /// Opens the session, and announces the node with its token.
    ///
    /// # Errors
    /// Returns an error if ROS 2 does not permit a name, or the session cannot be opened.
    pub fn open(
        configuration: &Ros2Configuration,
        domain: u32,
        name: NodeName,
        host: LinkHost,
        wakeup: Arc<Wakeup>,
    ) -> Result<Self, Ros2Error> {
        let error = |reason: String| Ros2Error::Open {
            node: name.to_string(),
            address: configuration.router.to_string(),
            reason,
        };
        check_names(configuration, &name)?;
        let session = session::open(&configuration.router).map_err(error)?;
        let node =
            Node { domain, session: session.zid().to_string(), id: 0, name: name.clone(), enclave: String::new() };
        let graph = Graph::new(wakeup.clone());
        let (noted, own) = (graph.clone(), format!("/{}/", node.session));
        let watch = move |sample: Sample| {
            let token = sample.key_expr().as_str();
            // The tokens of this session are known.
            if !token.contains(&own) {
                noted.note(token, sample.kind() == SampleKind::Put);
            }
        };
        let of_zenoh = |found: zenoh::Error| error(found.to_string());
        let liveliness = session.liveliness();
        let tokens = liveliness.declare_subscriber(token_pattern(domain)).history(true).callback(watch).wait();
        let token = liveliness.declare_token(node.token()).wait().map_err(of_zenoh)?;
        let (tokens, ends) = (tokens.map_err(of_zenoh)?, host.ends().clone());
        let mut remarks = Remarks::new("`[ros2]`", warnings(&host));
        let (of_rosout, of_clock, of_events) = (node.id + 1, node.id + 2, node.id + 3);
        let last_id = of_events + ParameterService::ALL.len() as u64;
        let rosout = ends.robot.as_ref().and_then(|robot| {
            let opened = Rosout::open(&session, (&node, of_rosout), robot, wakeup.clone());
            opened.map_err(|reason| remarks.tell(format!("there is no `/rosout`: {reason}"))).ok()
        });
        let parameters = ends.robot.as_ref().and_then(|robot| {
            let told = Remarks::new("`[ros2]`", warnings(&host));
            let opened = ParameterServer::open(&session, (&node, of_events + 1), robot, told);
            let events = ParameterEvents::open(&session, (&node, of_events), robot, wakeup.clone());
            let opened = opened.and_then(|server| Ok((server, events?)));
            opened.map_err(|reason| remarks.tell(format!("there are no parameters: {reason}"))).ok()
        });
        let clock = configuration.clock.and_then(|rate| {
            let opened = ClockTopic::open(&session, (&node, of_clock), rate, wakeup.clone());
            opened.map_err(|reason| remarks.tell(format!("there is no `/clock`: {reason}"))).ok()
        });
        let servers = configuration.action_server.iter();
        let action_servers: Vec<_> = servers.map(|it| Action::new(it, ends.clone(), &wakeup)).collect();
        let clients = configuration.action_client.iter();
        let action_clients: Vec<_> = clients.map(|it| Action::new(it, ends.clone(), &wakeup)).collect();
        let services = |services: &[Ros2Service]| services.iter().map(|it| it.service.clone()).collect::<Vec<_>>();
        let (serve, call) = (services(&configuration.serve), services(&configuration.call));
        let services = Services::new(&serve, &call, ends.bus.clone(), wakeup.clone());
        let news = Arc::new(Wakeup::new());
        // The order matters: `news` is notified first, so that whoever is woken by `wakeup` sees
        // new topics.
        let watches = [ends.bus.watch(news.clone().into()), ends.bus.watch(wakeup.clone().into())];
        let sent = configuration.publish.iter().map(|published| published.sent.clone());
        let received = configuration.subscribe.iter().map(|subscribed| {
            let subject = subscribed.received.subject.clone();
            let source = Ros2Configuration::source(&subject.name);
            (subject, source)
        });
        let sent = sent.map(|sent| (sent, wakeup.clone()));
        let topics = Topics::new(sent, received, ends);
        let address = match &configuration.router {
            Ros2Router::At(address) => address.clone(),
            Ros2Router::Here(address) => {
                // The port may have been chosen by the system.
                session.info().locators().wait().first().map_or_else(|| address.clone(), ToString::to_string)
            }
        };
        // An action is shown as a service: its goals are the calls, and their results the answers.
        let with = |services: &[String], actions: &[Ros2Action]| {
            let actions = actions.iter().map(|action| action.action.clone());
            services.iter().cloned().chain(actions).collect::<Vec<_>>()
        };
        let statistics = LinkStatistics::of_parts(
            ("ros2", &address, matches!(configuration.router, Ros2Router::Here(_))),
            topics.sent.iter().map(|sent| &sent.configuration.subject),
            topics.received.iter().map(|received| &received.subject),
            [&with(&serve, &configuration.action_server), &with(&call, &configuration.action_client)],
        );
        Ok(Self {
            publications: (0..configuration.publish.len()).map(|_| None).collect(),
            subscriptions: (0..configuration.subscribe.len()).map(|_| None).collect(),
            servers: (0..serve.len()).map(|_| None).collect(),
            clients: (0..call.len()).map(|_| None).collect(),
            action_servers,
            action_clients,
            given_up: BTreeSet::new(),
            rosout,
            parameters,
            clock,
            last_id,
            configuration: configuration.clone(),
            session,
            node,
            topics,
            services,
            graph,
            seen: Seen::default(),
            is_changed: true,
            view: LinksView::of(statistics.clone()),
            statistics,
            remarks,
            note: host.note().clone(),
            router: RouterWatch::new(&configuration.router, Instant::now()),
            wakeup,
            news,
            looked: None,
            _watches: watches,
            _tokens: tokens,
            _token: token,
        })
    }

    pub fn view(&self) -> LinksView {
        self.view.clone()
    }

    /// Returns the addresses at which the session listens.
    pub fn addresses(&self) -> Vec<String> {
        self.session.info().locators().wait().iter().map(ToString::to_string).collect()
    }

    /// Serves the node until it is asked to end. Calls `opened` once everything is declared that is
    /// known at the beginning: of what a robot publishes after that, nothing is missed.
    pub fn run(&mut self, ending: &Receiver<()>, opened: impl FnOnce(&Self)) {
        let mut opened = Some(opened);
        loop {
            let seen = self.wakeup.generation();
            if ending.try_recv() != Err(TryRecvError::Empty) {
                return;
            }
            let (has_more, due) = self.turn();
            self.view.show(&self.statistics);
            if let Some(opened) = opened.take() {
                opened(self);
            }
            if !has_more {
                let due = due.map(|due| monotonic_now() + due.saturating_duration_since(Instant::now()));
                self.wakeup.wait(seen, due);
            }
        }
    }

    /// Leaves the ROS 2 system: others see at once that the node has gone. What the robot commands
    /// others comes to rest before.
    pub fn close(mut self) {
        for (publication, shown) in self.publications.iter_mut().zip(&mut self.statistics.sent) {
            // There is nothing left to do if this fails.
            publication.iter_mut().for_each(|publication| _ = publication.come_to_rest(shown));
        }
        self.view.show(&self.statistics);
        let Self { session, publications, subscriptions, servers, clients, action_servers, action_clients, .. } = self;
        drop((publications, subscriptions, servers, clients, action_servers, action_clients));
        drop((self.rosout, self.parameters, self.clock));
        // There is nothing left to do if this fails.
        _ = session.close().wait();
    }

    /// Does the work that is due. Returns whether there is more, and when the next message or
    /// deadline is due.
    fn turn(&mut self) -> (bool, Option<Instant>) {
        let news = self.news.generation();
        if self.looked.replace(news) != Some(news) {
            self.look();
        }
        self.look_at_others();
        let (has_more, mut due) = self.publish();
        due = due.into_iter().chain(self.receive()).min();
        if !self.serve() {
            // The bus does not announce that a server has ended: that is noticed at the next
            // request.
            self.look_at_services();
            self.wakeup.notify_all();
        }
        self.call();
        self.act();
        if let Some(rosout) = &mut self.rosout {
            due = due.into_iter().chain(rosout.turn(&self.session, unix_now)).min();
        }
        if let Some((_, events)) = &mut self.parameters {
            events.turn(unix_now);
        }
        let now = self.topics.now();
        let clock_due = self.clock.as_mut().and_then(|clock| clock.turn(now, unix_now()));
        let router_due = self.watch_router();
        (has_more, due.into_iter().chain(clock_due).chain(router_due).min())
    }

    /// Reports a router that is not there, and returns when to look again.
    fn watch_router(&mut self) -> Option<Instant> {
        let session = &self.session;
        let news = self.router.turn(Instant::now(), || session.info().routers_zid().wait().next().is_some());
        match news {
            Some(RouterNews::Absent(text)) => self.complain(text),
            Some(RouterNews::Reached(text)) => {
                self.statistics.problem = None;
                (self.note)(format!("`[ros2]`: {text}"));
            }
            None => {}
        }
        self.router.due()
    }

    /// Reports a problem, and keeps it for the statistics.
    fn complain(&mut self, text: String) {
        self.statistics.problem = Some(text.clone());
        self.remarks.tell(text);
    }
}

/// Returns the destination of remarks about problems: the robot's warnings.
fn warnings(host: &LinkHost) -> Note {
    match &host.ends().robot {
        Some(robot) => {
            let robot = robot.clone();
            Arc::new(move |text| robot.warn(text))
        }
        None => host.note().clone(),
    }
}

/// Checks all names of the node's configuration before anything begins.
fn check_names(configuration: &Ros2Configuration, node: &NodeName) -> Result<(), Ros2Error> {
    let topics =
        configuration.publish.iter().map(|it| &it.name).chain(configuration.subscribe.iter().map(|it| &it.name));
    let services = configuration.serve.iter().chain(&configuration.call).map(|it| &it.name);
    let actions = configuration.action_server.iter().chain(&configuration.action_client).map(|it| &it.name);
    topics.chain(services).chain(actions).try_for_each(|name| TopicName::of(node, name).map(drop))
}

/// Returns the time in nanoseconds since 1970.
pub fn unix_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

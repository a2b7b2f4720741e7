//! The node's thread: it moves what waits, and says who is there.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hemiola_bus::Watch;
use hemiola_link::ends::{KnownType, Remarks, Services, Topics, plain};
use hemiola_link::{LinkHost, LinkPeer, LinkStatistics, LinksView};
use hemiola_model::cdr::MessageSchema;
use hemiola_model::configuration::{Ros2Configuration, Ros2Quality, Ros2Router, Ros2Service, SubjectKind};
use hemiola_realtime::{Generation, Wakeup, monotonic_now};
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

use super::client::Client;
use super::clock::ClockTopic;
use super::graph::{Graph, Seen};
use super::publication::Publication;
use super::rosout::Rosout;
use super::server::Server;
use super::session;
use super::subscription::{Arrived, Order, Subscription};
use crate::attachment::Attachment;
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::mismatch::mismatches;
use crate::names::{NodeName, TopicName, TypeName};
use crate::quality::{Durability, Quality, Reliability};
use crate::token::token_pattern;
use crate::type_hash::{Interface, service_hash};

/// The state of the node's thread.
pub struct Reactor {
    configuration: Ros2Configuration,
    session: Session,
    node: Node,
    topics: Topics,
    services: Services,
    /// The ends in the ROS 2 system, in the order of robot.toml; those whose type is not known yet
    /// are missing.
    publications: Vec<Option<Publication>>,
    subscriptions: Vec<Option<Subscription>>,
    servers: Vec<Option<Server>>,
    clients: Vec<Option<Client>>,
    /// The robot's messages, if there is a robot.
    rosout: Option<Rosout>,
    /// The robot's clock, if it is published.
    clock: Option<ClockTopic>,
    /// The ends that could not be declared.
    given_up: BTreeSet<(EndpointKind, usize)>,
    /// The number of the last endpoint.
    last_id: u64,
    graph: Arc<Graph>,
    seen: Seen,
    /// Whether an endpoint of the node has come or gone since the graph was looked at.
    is_changed: bool,
    statistics: LinkStatistics,
    view: LinksView,
    remarks: Remarks,
    wakeup: Arc<Wakeup>,
    /// Notified when there are new topics or services.
    news: Arc<Wakeup>,
    looked: Option<Generation>,
    _watches: [Watch; 2],
    _tokens: zenoh::pubsub::Subscriber<()>,
    _token: zenoh::liveliness::LivelinessToken,
}

/// The most messages or values of one topic that are published before other work has its turn.
const AT_ONCE: usize = 256;
/// The most bytes of messages of one topic that wait because of its rate.
const MOST_HELD: usize = 64 << 20;

impl Reactor {
    /// Opens the session, and says that the node is there.
    ///
    /// # Errors
    /// Returns an error if a name is none of ROS 2, or the session cannot be opened.
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
        check_names(configuration)?;
        let session = session::open(&configuration.router).map_err(error)?;
        let node =
            Node { domain, session: session.zid().to_string(), id: 0, name: name.clone(), enclave: String::new() };
        let graph = Graph::new(wakeup.clone());
        let (noted, own) = (graph.clone(), format!("/{}/", node.session));
        let watch = move |sample: Sample| {
            let token = sample.key_expr().as_str();
            // What this session says is known.
            if !token.contains(&own) {
                noted.note(token, sample.kind() == SampleKind::Put);
            }
        };
        let of_zenoh = |found: zenoh::Error| error(found.to_string());
        let liveliness = session.liveliness();
        let tokens = liveliness.declare_subscriber(token_pattern(domain)).history(true).callback(watch).wait();
        let token = liveliness.declare_token(node.token()).wait().map_err(of_zenoh)?;
        let (tokens, ends) = (tokens.map_err(of_zenoh)?, host.ends().clone());
        let mut remarks = Remarks::new("`[ros2]`", host.note().clone());
        let last_id = node.id + 2;
        let rosout = ends.robot.as_ref().and_then(|robot| {
            let opened = Rosout::open(&session, (&node, node.id + 1), robot, wakeup.clone());
            opened.map_err(|reason| remarks.tell(format!("there is no `/rosout`: {reason}"))).ok()
        });
        let clock = configuration.clock.and_then(|rate| {
            let opened = ClockTopic::open(&session, (&node, last_id), rate, wakeup.clone());
            opened.map_err(|reason| remarks.tell(format!("there is no `/clock`: {reason}"))).ok()
        });
        let services = |services: &[Ros2Service]| services.iter().map(|it| it.service.clone()).collect::<Vec<_>>();
        let (serve, call) = (services(&configuration.serve), services(&configuration.call));
        let services = Services::new(&serve, &call, ends.bus.clone(), wakeup.clone());
        let news = Arc::new(Wakeup::new());
        // The order matters: `news` is notified first, so that whom `wakeup` wakes sees new topics.
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
                // The port may be one that the system has given.
                session.info().locators().wait().first().map_or_else(|| address.clone(), ToString::to_string)
            }
        };
        let statistics = LinkStatistics::of_parts(
            ("ros2", &address, matches!(configuration.router, Ros2Router::Here(_))),
            topics.sent.iter().map(|sent| &sent.configuration.subject),
            topics.received.iter().map(|received| &received.subject),
            [&serve, &call],
        );
        Ok(Self {
            publications: (0..configuration.publish.len()).map(|_| None).collect(),
            subscriptions: (0..configuration.subscribe.len()).map(|_| None).collect(),
            servers: (0..serve.len()).map(|_| None).collect(),
            clients: (0..call.len()).map(|_| None).collect(),
            given_up: BTreeSet::new(),
            rosout,
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

    /// Serves the node until it is to end. Calls `opened` when it has everything that is known at
    /// the beginning: of what a robot then publishes, nothing is missed.
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

    /// Leaves the ROS 2 system: others see at once that the node is gone.
    pub fn close(self) {
        let Self { session, publications, subscriptions, servers, clients, rosout, clock, .. } = self;
        drop((publications, subscriptions, servers, clients, rosout, clock));
        // There is nothing left to do if that fails.
        _ = session.close().wait();
    }

    /// Does what there is to do. Returns whether there is more, and when something that is held
    /// back is due.
    fn turn(&mut self) -> (bool, Option<Instant>) {
        let news = self.news.generation();
        if self.looked.replace(news) != Some(news) {
            self.look();
        }
        if let Some(seen) = self.graph.take_changed() {
            self.meet(seen);
            self.is_changed = true;
        }
        if std::mem::take(&mut self.is_changed) {
            self.compare();
        }
        let (has_more, due) = self.publish();
        self.receive();
        if !self.serve() {
            // The bus does not say when a server ends: that is noticed when it is asked.
            self.look_at_services();
            self.wakeup.notify_all();
        }
        self.call();
        if let Some(rosout) = &mut self.rosout {
            rosout.turn(unix_now);
        }
        let now = self.topics.now();
        let clock_due = self.clock.as_mut().and_then(|clock| clock.turn(now, unix_now()));
        (has_more, due.into_iter().chain(clock_due).min())
    }

    /// Declares what has become known.
    fn look(&mut self) {
        for opaque in self.topics.look() {
            self.complain(format!("`{opaque}` is opaque, so that it cannot be published"));
        }
        for index in 0..self.publications.len() {
            let published = &self.configuration.publish[index];
            self.statistics.sent[index].is_there = self.topics.sent[index].schema.is_some();
            if let (None, Some(schema)) = (&self.publications[index], &self.topics.sent[index].schema) {
                let (name, quality) = (published.name.clone(), quality(published.quality, published.depth));
                let interface = interface(schema);
                let declared =
                    self.declare(EndpointKind::Publisher, index, &name, interface, quality, |node, endpoint| {
                        let published = &node.configuration.publish[index];
                        Publication::declare(&node.session, published, endpoint, node.wakeup.clone())
                    });
                self.publications[index] = declared;
            }
        }
        for index in 0..self.subscriptions.len() {
            let subscribed = &self.configuration.subscribe[index];
            let descriptor = self.topics.received[index].descriptor;
            self.statistics.received[index].is_there = descriptor.is_some();
            let data_type = descriptor.and_then(|it| Some((it.name(), it.data_type()?)));
            if let (None, Some((name, data_type))) = (&self.subscriptions[index], data_type) {
                let interface = interface(&MessageSchema::of(name, &data_type));
                let (name, quality) = (subscribed.name.clone(), quality(subscribed.quality, subscribed.depth));
                let declared =
                    self.declare(EndpointKind::Subscriber, index, &name, interface, quality, |node, endpoint| {
                        let subscribed = &node.configuration.subscribe[index];
                        Subscription::declare(&node.session, subscribed, endpoint, node.wakeup.clone())
                    });
                self.subscriptions[index] = declared;
            }
        }
        self.look_at_services();
    }

    fn look_at_services(&mut self) {
        self.services.look();
        for index in 0..self.servers.len() {
            let service = &self.services.served[index];
            let is_there = service.can_be_called();
            self.statistics.served[index].is_there = is_there;
            if !is_there {
                self.is_changed |= self.servers[index].take().is_some();
            } else if let (None, Some(types)) = (&self.servers[index], &service.types) {
                let configured = &self.configuration.serve[index];
                let (name, interface) = (configured.name.clone(), service_interface(configured, types));
                let declared = self.declare(
                    EndpointKind::Server,
                    index,
                    &name,
                    interface,
                    Quality::default(),
                    |node, endpoint| Server::declare(&node.session, endpoint, node.wakeup.clone()),
                );
                self.servers[index] = declared;
            }
        }
        for index in 0..self.clients.len() {
            let types = &self.services.called[index].types;
            self.statistics.called[index].is_there = types.is_some();
            if let (None, Some(types)) = (&self.clients[index], types) {
                let configured = &self.configuration.call[index];
                let (name, interface) = (configured.name.clone(), service_interface(configured, types));
                let declared = self.declare(
                    EndpointKind::Client,
                    index,
                    &name,
                    interface,
                    Quality::default(),
                    |node, endpoint| Client::declare(&node.session, endpoint, node.wakeup.clone()),
                );
                self.clients[index] = declared;
            }
        }
    }

    /// Declares an endpoint; one that cannot be is reported, and left out.
    fn declare<T>(
        &mut self,
        kind: EndpointKind,
        index: usize,
        name: &str,
        interface: Result<Interface, Ros2Error>,
        quality: Quality,
        declare: impl FnOnce(&Self, Endpoint) -> Result<T, zenoh::Error>,
    ) -> Option<T> {
        if self.given_up.contains(&(kind, index)) {
            return None;
        }
        let endpoint = interface.and_then(|interface| {
            let (node, topic) = (self.node.clone(), TopicName::new(name)?);
            Ok(Endpoint { node, id: self.last_id + 1, kind, topic, interface, quality })
        });
        let declared = match endpoint {
            Ok(endpoint) => declare(self, endpoint).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        self.last_id += 1;
        self.is_changed = true;
        match declared {
            Ok(declared) => Some(declared),
            Err(reason) => {
                self.given_up.insert((kind, index));
                self.complain(format!("there is no {kind} of `{name}`: {reason}"));
                None
            }
        }
    }

    /// Notes which nodes are there.
    fn meet(&mut self, seen: Seen) {
        let now = self.topics.now();
        let mut before = std::mem::take(&mut self.statistics.peers);
        for name in seen.nodes() {
            let known = before.iter().position(|peer| peer.name == name);
            let peer = known.map(|place| before.swap_remove(place)).unwrap_or_else(|| {
                self.statistics.met += 1;
                let mut peer = LinkPeer::default();
                (peer.name, peer.since) = (name, now);
                peer
            });
            self.statistics.peers.push(peer);
        }
        self.statistics.parted += before.len() as u64;
        self.statistics.ignored = seen.ignored;
        self.seen = seen;
        let gids: BTreeSet<_> =
            self.seen.endpoints().filter(|it| it.kind == EndpointKind::Publisher).map(Endpoint::gid).collect();
        self.subscriptions.iter_mut().flatten().for_each(|it| it.forget(|gid| gids.contains(gid)));
    }

    /// Counts the ends of others that fit those of the node, and reports those that should and do
    /// not.
    fn compare(&mut self) {
        let Self { seen, statistics, remarks, services, .. } = self;
        for (shown, end) in statistics.sent.iter_mut().zip(&self.publications) {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Subscriber, &end.key));
        }
        for (shown, end) in statistics.received.iter_mut().zip(&self.subscriptions) {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Publisher, &end.key));
        }
        for (shown, end) in statistics.served.iter_mut().zip(&self.servers) {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Client, &end.key));
        }
        for (index, (shown, end)) in statistics.called.iter_mut().zip(&self.clients).enumerate() {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Server, &end.key));
            // Whoever asks while nobody serves knows at once.
            if let Err(reason) = services.serve(index, shown.peers > 0) {
                let name = &self.configuration.call[index].service;
                remarks.tell(format!("`{name}` cannot be called: {reason}"));
            }
        }
        let publishers = self.publications.iter().flatten().map(|it| &it.endpoint);
        let subscribers = self.subscriptions.iter().flatten().map(|it| &it.endpoint);
        let servers = self.servers.iter().flatten().map(|it| &it.endpoint);
        let clients = self.clients.iter().flatten().map(|it| &it.endpoint);
        let own = publishers.chain(subscribers).chain(servers).chain(clients);
        let is_own = |endpoint: &Endpoint| endpoint.node.session == self.node.session;
        for mismatch in mismatches(own.chain(seen.endpoints())) {
            if is_own(mismatch.from) != is_own(mismatch.to) {
                let text = mismatch.to_string();
                statistics.problem = Some(text.clone());
                remarks.tell(text);
            }
        }
    }

    /// Publishes what there is.
    fn publish(&mut self) -> (bool, Option<Instant>) {
        let (mut has_more, mut due) = (false, None::<Instant>);
        for index in 0..self.publications.len() {
            let Some(publication) = &mut self.publications[index] else { continue };
            // Whoever has a token has subscribed before, and not everybody who has subscribed has
            // one.
            let is_wanted = publication.is_wanted() || self.statistics.sent[index].peers > 0;
            if let Err(reason) = self.topics.subscribe(index, is_wanted) {
                self.remarks.tell(format!("`{}` is not published: {reason}", publication.endpoint.topic));
                continue;
            }
            let (now, shown) = (Instant::now(), &mut self.statistics.sent[index]);
            let mut left = AT_ONCE;
            while left > 0
                && let Some(waiting) = self.topics.next(index)
            {
                left -= 1;
                match waiting {
                    Some(waiting) => publication.lane.push(waiting, now, (&mut publication.held, MOST_HELD), shown),
                    None => shown.unsendable += 1,
                }
            }
            has_more |= left == 0;
            shown.dropped += self.topics.take_dropped(index);
            let (robot_now, unix_now) = (self.topics.now().nanoseconds(), unix_now());
            while let Some((sequence, waiting)) = publication.lane.pop(now, &mut publication.held) {
                match publication.put(sequence, unix_now - (robot_now - waiting.time), &waiting.cdr) {
                    Ok(()) => {
                        shown.messages += 1;
                        shown.bytes += waiting.cdr.len() as u64;
                    }
                    Err(error) => {
                        shown.unsendable += 1;
                        self.remarks.tell(format!("`{}`: {error}", publication.endpoint.topic));
                    }
                }
            }
            due = due.into_iter().chain(publication.lane.due()).min();
        }
        (has_more, due)
    }

    /// Hands over what has arrived.
    fn receive(&mut self) {
        for index in 0..self.subscriptions.len() {
            let Some(subscription) = &mut self.subscriptions[index] else { continue };
            let shown = &mut self.statistics.received[index];
            for Arrived { cdr, attachment } in subscription.inbox.drain() {
                let handed_over = Attachment::from_bytes(&attachment).map_err(|error| error.to_string());
                let handed_over = handed_over.and_then(|attachment| {
                    match subscription.order(&attachment) {
                        Order::Next => {}
                        Order::After(lost) => shown.lost = shown.lost.saturating_add(lost),
                        Order::Late => {
                            shown.late += 1;
                            return Ok(());
                        }
                    }
                    let is_first = match self.topics.received[index].subject.kind {
                        SubjectKind::Topic => self.topics.publish(index, &cdr).map(|()| true)?,
                        SubjectKind::Representation => {
                            // Nothing was published in the future, whatever the other clock says.
                            let age = unix_now().saturating_sub(attachment.time_ns).max(0);
                            let stamp = self.topics.now().nanoseconds().saturating_sub(age);
                            self.topics.deliver(index, stamp, &cdr)
                        }
                    };
                    shown.overtaken += u64::from(!is_first);
                    shown.messages += 1;
                    shown.bytes += cdr.len() as u64;
                    Ok(())
                });
                if let Err(reason) = handed_over {
                    shown.unreadable += 1;
                    let topic = &subscription.endpoint.topic;
                    let text = format!("a message of `{topic}` cannot be read: {}", plain(&reason));
                    self.statistics.problem = Some(text.clone());
                    self.remarks.tell(text);
                }
            }
            shown.unreadable += self.topics.take_unreadable(index);
        }
    }

    /// Passes requests of others on to this robot. Returns `false` if somebody asked for what
    /// nobody serves any more.
    fn serve(&mut self) -> bool {
        let mut is_served = true;
        for (index, server) in self.servers.iter_mut().enumerate() {
            let Some(server) = server else { continue };
            let (shown, remarks, problem) =
                (&mut self.statistics.served[index], &mut self.remarks, &mut self.statistics.problem);
            let name = server.endpoint.topic.to_string();
            is_served &= server.turn(index, &self.services, unix_now, shown, |reason| {
                let text = format!("a call of `{name}` has no answer: {}", plain(&reason));
                *problem = Some(text.clone());
                remarks.tell(text);
            });
        }
        is_served
    }

    /// Passes requests of this robot on to others.
    fn call(&mut self) {
        for (index, client) in self.clients.iter_mut().enumerate() {
            let Some(client) = client else { continue };
            let (shown, remarks, problem) =
                (&mut self.statistics.called[index], &mut self.remarks, &mut self.statistics.problem);
            let name = client.endpoint.topic.to_string();
            client.turn((&self.session, index), &mut self.services, unix_now, shown, |reason| {
                let text = format!("a call of `{name}` has no answer: {reason}");
                *problem = Some(text.clone());
                remarks.tell(text);
            });
        }
    }

    /// Reports a problem, and keeps it for the statistics.
    fn complain(&mut self, text: String) {
        self.statistics.problem = Some(text.clone());
        self.remarks.tell(text);
    }
}

/// Checks the names of what the node has, before anything begins.
fn check_names(configuration: &Ros2Configuration) -> Result<(), Ros2Error> {
    let topics =
        configuration.publish.iter().map(|it| &it.name).chain(configuration.subscribe.iter().map(|it| &it.name));
    let services = configuration.serve.iter().chain(&configuration.call).map(|it| &it.name);
    topics.chain(services).try_for_each(|name| TopicName::new(name).map(drop))
}

fn interface(schema: &MessageSchema) -> Result<Interface, Ros2Error> {
    Ok(Interface::new(schema.name.parse()?, Some(schema.type_hash.parse()?)))
}

/// Returns the type of a service: the one that robot.toml says, or the package and the name of the
/// type of its requests.
fn service_interface(service: &Ros2Service, [request, response]: &[KnownType; 2]) -> Result<Interface, Ros2Error> {
    match &service.service_type {
        Some(name) => {
            let name: TypeName = name.parse()?;
            let hash = service_hash(&name, &request.data_type, &response.data_type);
            Ok(Interface::new(name, Some(hash)))
        }
        None => Interface::service(&service.service, &request.data_type, &response.data_type),
    }
}

fn quality(quality: Ros2Quality, depth: usize) -> Quality {
    let (reliability, durability) = match quality {
        Ros2Quality::Reliable => (Reliability::Reliable, Durability::Volatile),
        Ros2Quality::BestEffort => (Reliability::BestEffort, Durability::Volatile),
        Ros2Quality::TransientLocal => (Reliability::Reliable, Durability::TransientLocal),
    };
    Quality { reliability, durability, depth, ..Quality::default() }
}

/// Returns the nanoseconds since 1970.
fn unix_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

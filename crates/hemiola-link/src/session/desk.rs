//! The state that the conversations of a link share.

use std::ops::RangeInclusive;
use std::time::Duration;

use hemiola_model::cdr::MessageSchema;
use hemiola_model::configuration::{LinkAddress, LossPolicy, SubjectKind};
use hemiola_runtime::SafeStateWait;

use super::Parting;
use crate::ends::{Note, Remarks, Service, Services, Topics};
use crate::passage::{OfferedType, Passage};
use crate::statistics::LinkStatistics;
use crate::tally::Tally;
use crate::wire::{self, NoAnswer, OfferKind};

/// The state that the conversations of a link share: its ends of the robot, its statistics, and the
/// remarks that it has made.
pub struct Desk {
    /// The name of this robot.
    pub robot: String,
    pub topics: Topics,
    pub services: Services,
    pub statistics: Tally,
    /// The length of the longest offer.
    pub longest_offer: usize,
    /// The length of the longest frame that goes as a whole. Messages that are longer go in
    /// fragments; no request or answer is longer.
    pub longest_frame: usize,
    /// The peers are members of a group, to all of whom messages are sent at once.
    pub is_group: bool,
    /// The versions of the protocol that this side speaks with peers.
    pub versions: RangeInclusive<u32>,
    /// The time within which calls must be answered, if requests and answers may be lost.
    pub answer_patience: Option<Duration>,
    /// Set if the connected peers, or the topics that they want or bring, may have changed since
    /// the link last checked.
    pub has_changed: bool,
    /// Set if the statistics about the clocks of peers may have changed.
    pub has_old_clocks: bool,
    pub remarks: Remarks,
    on_loss: LossPolicy,
    /// The wait of the robot until the first peer has been met.
    wait: Option<SafeStateWait>,
}

/// The end here of something that a peer may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A topic or representation, by its index among those that are received.
    Received(usize),
    /// The requests of a service, by its index among those that are served.
    Requests(usize),
    /// The answers of a service, by its index among those that are called.
    Answers(usize),
}

/// Something that this side can offer.
pub struct Offering<'d> {
    pub kind: OfferKind,
    pub name: &'d str,
    /// The type; `None` until it is known.
    pub schema: Option<&'d MessageSchema>,
}

impl Desk {
    pub fn new(robot: String, topics: Topics, services: Services, statistics: LinkStatistics, note: Note) -> Self {
        let remarks = Remarks::new(format!("link `{}`", statistics.name), note);
        Self {
            robot,
            topics,
            services,
            statistics: statistics.into(),
            longest_offer: wire::LONGEST_OFFER,
            longest_frame: wire::LONGEST_FRAME,
            is_group: false,
            versions: wire::VERSION..=wire::VERSION,
            answer_patience: None,
            has_changed: true,
            has_old_clocks: false,
            on_loss: LossPolicy::default(),
            wait: None,
            remarks,
        }
    }

    /// Sets the reaction to the loss of a peer.
    #[must_use]
    pub fn with_on_loss(self, on_loss: LossPolicy) -> Self {
        Self { on_loss, ..self }
    }

    /// Sets the wait of the robot that ends when the first peer has been met.
    #[must_use]
    pub fn waiting(self, wait: Option<SafeStateWait>) -> Self {
        Self { wait, ..self }
    }

    /// Notes that a peer is connected, for which the robot may have waited.
    pub fn note_met(&mut self) {
        self.wait.take().into_iter().for_each(SafeStateWait::end);
    }

    /// Returns whether frames may be lost on the way to a peer, who then acknowledges those that
    /// must arrive. The members of a group acknowledge nothing.
    pub fn may_lose_frames(&self) -> bool {
        self.loses_frames() && !self.is_group
    }

    /// Returns whether frames may be lost on the way.
    pub fn loses_frames(&self) -> bool {
        self.answer_patience.is_some()
    }

    /// Returns the number of things that this side can offer: first those that are sent, then the
    /// requests of services that are called, then the answers of services that are served.
    pub fn offerings(&self) -> usize {
        self.requests(self.services.called.len()) + self.services.served.len()
    }

    /// Returns the number under which the requests of a called service are offered.
    pub fn requests(&self, service: usize) -> usize {
        self.topics.sent.len() + service
    }

    /// Returns the thing that is offered under this number.
    pub fn offering(&self, number: usize) -> Option<Offering<'_>> {
        if let Some(sent) = self.topics.sent.get(number) {
            let subject = &sent.configuration.subject;
            return Some(Offering { kind: subject.kind.into(), name: &subject.name, schema: sent.schema.as_deref() });
        }
        let service = number - self.topics.sent.len();
        let (kind, service) = match self.services.called.get(service) {
            Some(called) => (OfferKind::ServiceRequests, called),
            None => (OfferKind::ServiceAnswers, self.services.served.get(service - self.services.called.len())?),
        };
        let schema = service.types.as_ref().map(|[request, response]| match kind {
            OfferKind::ServiceRequests => &*request.schema,
            _ => &*response.schema,
        });
        Some(Offering { kind, name: &service.name, schema })
    }

    /// Returns the end for an offer of a peer, if there is one here.
    pub fn end_for(&self, kind: OfferKind, name: &str) -> Option<End> {
        let service = |services: &[Service]| services.iter().position(|service| service.name == name);
        match kind {
            OfferKind::ServiceRequests => service(&self.services.served).map(End::Requests),
            OfferKind::ServiceAnswers => service(&self.services.called).map(End::Answers),
            OfferKind::Topic | OfferKind::Representation => {
                let mut received = self.topics.received.iter();
                received.position(|it| it.name_there == name && kind == it.subject.kind.into()).map(End::Received)
            }
        }
    }

    /// Returns the name of the topic, representation or service.
    pub fn name(&self, end: End) -> &str {
        match end {
            End::Received(topic) => &self.topics.received[topic].subject.name,
            End::Requests(service) => &self.services.served[service].name,
            End::Answers(service) => &self.services.called[service].name,
        }
    }

    /// Returns whether this robot has the topic, representation or service of an end.
    pub fn is_there(&self, end: End) -> bool {
        match end {
            End::Received(topic) => self.topics.received[topic].descriptor.is_some(),
            End::Requests(service) => self.services.served[service].can_be_called(),
            End::Answers(service) => self.services.called[service].types.is_some(),
        }
    }

    /// Returns the conversion of an offered type to the type here with remarks, or an error with
    /// the reason why there is none; `None` if the robot does not have the thing.
    pub fn passage(&self, end: End, offered: &OfferedType) -> Option<Result<(Passage, Vec<String>), String>> {
        if !self.is_there(end) {
            return None;
        }
        Some(match end {
            End::Received(topic) => Passage::to_representation(offered, self.topics.received[topic].descriptor?),
            End::Requests(service) => Passage::to_data(offered, &self.services.served[service].types.as_ref()?[0]),
            End::Answers(service) => Passage::to_data(offered, &self.services.called[service].types.as_ref()?[1]),
        })
    }

    /// Counts a call of this robot that has no answer, and reports one that was refused.
    pub fn miss_call(&mut self, service: usize, why: NoAnswer, reason: &str) {
        self.statistics.called[service].miss(why);
        if why == NoAnswer::Refused {
            let name = &self.services.called[service].name;
            self.complain(format!("a call of `{name}` has no answer: {reason}"));
        }
    }

    /// Marks the last received value as stale, because no peer sends it any more.
    pub fn lose(&mut self, topic: usize) {
        let received = self.statistics.received(topic);
        if received.kind == SubjectKind::Representation {
            if received.messages == 0 {
                return;
            }
            received.is_stale = true;
        }
        self.topics.lose(topic);
    }

    /// Reports a remark, unless it has been reported before.
    pub fn tell(&mut self, text: String) {
        self.remarks.tell(text);
    }

    /// Counts and reports the end of a conversation: with `robot`, if it had said hello; otherwise
    /// with the unknown side that was `sought` at an address, or that had connected to this link.
    pub fn part(&mut self, robot: Option<&str>, sought: Option<&LinkAddress>, parting: &Parting) {
        let is_refusal = parting.is_refusal();
        self.has_changed = true;
        self.statistics.refused += u64::from(is_refusal);
        match (robot, sought) {
            (Some(robot), _) => {
                self.statistics.parted += 1;
                let text = format!("`{robot}` has disconnected: {parting}");
                if is_refusal {
                    self.complain(text)
                } else {
                    self.tell(text)
                }
                if self.on_loss == LossPolicy::SafeState && !matches!(parting, Parting::Goodbye(_)) {
                    self.topics.enter_safe_state(&self.statistics.name, robot);
                }
            }
            (None, Some(address)) => {
                self.complain(format!("no peer has been reached at {address} yet: {parting}; the link will try again"));
            }
            (None, None) if is_refusal => self.complain(format!("a peer was refused: {parting}")),
            (None, None) => {}
        }
    }

    /// Reports a problem, and keeps it for the statistics.
    pub fn complain(&mut self, text: String) {
        self.statistics.problem = Some(text.clone());
        self.tell(text);
    }
}

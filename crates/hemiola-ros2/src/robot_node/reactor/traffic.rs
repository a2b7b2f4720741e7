//! The traffic of the node: messages, and calls of services and actions.

use std::time::Instant;

use hemiola_link::ends::plain;
use hemiola_link::{LinkStatistics, ServiceStatistics};
use hemiola_model::configuration::SubjectKind;

use super::{AT_ONCE, MOST_HELD, Reactor, unix_now};
use crate::attachment::Attachment;
use crate::lifespan::has_expired;
use crate::robot_node::actions::{Action, ActionSide, Turn};
use crate::robot_node::publication::Publication;
use crate::robot_node::subscription::{Arrived, Order};

impl Reactor {
    /// Publishes waiting messages and values. Returns whether there are more, and when the next
    /// one, or a deadline, is due.
    pub(super) fn publish(&mut self) -> (bool, Option<Instant>) {
        let (mut has_more, mut due) = (false, None::<Instant>);
        for index in 0..self.publications.len() {
            let Some(publication) = &mut self.publications[index] else { continue };
            // Whoever has a token has subscribed before, and not every subscriber has a token.
            let is_wanted = publication.is_wanted() || self.statistics.sent[index].peers > 0;
            if let Err(reason) = self.topics.subscribe(index, is_wanted) {
                self.remarks.tell(format!("`{}` is not published: {reason}", publication.endpoint.topic));
                continue;
            }
            if !is_wanted {
                publication.deadline.pause();
                publication.lease.pause();
            }
            let (now, shown) = (Instant::now(), &mut self.statistics.sent[index]);
            let (mut missed, mut has_lapsed) = (0, false);
            let mut left = AT_ONCE;
            while left > 0
                && let Some(waiting) = self.topics.next(index)
            {
                left -= 1;
                match waiting {
                    // What was published in the safe state is not what the robot wants after it.
                    Some(_) if publication.rest.is_some() && self.topics.is_safe_or_stopping() => shown.skipped += 1,
                    Some(waiting) => publication.lane.push(waiting, now, (&mut publication.held, MOST_HELD), shown),
                    None => shown.unsendable += 1,
                }
            }
            has_more |= left == 0;
            shown.dropped += self.topics.take_dropped(index);
            if self.topics.is_safe_or_stopping() {
                match publication.come_to_rest(shown) {
                    Ok(true) => {
                        missed += publication.deadline.note(now);
                        has_lapsed |= publication.lease.note(now);
                    }
                    Ok(false) => {}
                    Err(error) => self.remarks.tell(format!("`{}`: {error}", publication.endpoint.topic)),
                }
            } else if let Some(rest) = &mut publication.rest {
                rest.is_in_force = false;
            }
            let (robot_now, unix_now) = (self.topics.now().nanoseconds(), unix_now());
            while let Some((sequence, waiting)) = publication.lane.pop(now, &mut publication.held) {
                let age = robot_now - waiting.time;
                if has_expired(age, [publication.lifespan, None]) {
                    shown.expired += 1;
                    continue;
                }
                match publication.put(sequence, unix_now - age, &waiting.cdr) {
                    Ok(()) => {
                        shown.messages += 1;
                        shown.bytes += waiting.cdr.len() as u64;
                        missed += publication.deadline.note(now);
                        has_lapsed |= publication.lease.note(now);
                    }
                    Err(error) => {
                        shown.unsendable += 1;
                        self.remarks.tell(format!("`{}`: {error}", publication.endpoint.topic));
                    }
                }
            }
            missed += publication.deadline.missed(now);
            shown.missed += missed;
            if let Some(period) = publication.deadline.period().filter(|_| missed > 0) {
                let topic = &publication.endpoint.topic;
                let text =
                    format!("`{topic}` misses the deadline that it offers: nothing was published for {period:?}");
                self.statistics.problem = Some(text.clone());
                self.remarks.tell(text);
            }
            has_lapsed |= publication.lease.is_over(now);
            if let Some(period) = publication.lease.period().filter(|_| has_lapsed) {
                shown.lapsed += 1;
                let topic = &publication.endpoint.topic;
                let text = format!("`{topic}` does not show that it is alive: nothing was published for {period:?}");
                self.statistics.problem = Some(text.clone());
                self.remarks.tell(text);
            }
            if let Err(error) = publication.expire(&self.session, now) {
                self.remarks.tell(format!("`{}`: {error}", publication.endpoint.topic));
            }
            let Publication { lane, deadline, lease, .. } = &*publication;
            let times = [lane.due(), deadline.due(), lease.due(), publication.expires()];
            due = due.into_iter().chain(times.into_iter().flatten()).min();
        }
        (has_more, due)
    }

    /// Hands over the messages that have arrived. Returns when the next deadline is due.
    pub(super) fn receive(&mut self) -> Option<Instant> {
        let mut due = None::<Instant>;
        let inboxes = self.subscriptions.iter().map(|it| it.as_ref().map(|it| it.inbox.drain()).unwrap_or_default());
        let arrived: Vec<_> = inboxes.collect();
        // A publisher's token comes before its messages, and says when they expire.
        self.look_at_others();
        for (index, arrived) in arrived.into_iter().enumerate() {
            let Some(subscription) = &mut self.subscriptions[index] else { continue };
            let shown = &mut self.statistics.received[index];
            if shown.peers == 0 {
                subscription.deadline.pause();
            }
            let (mut missed, mut lost) = (0, Vec::new());
            for Arrived { at, cdr, attachment } in arrived {
                missed += subscription.deadline.note(at);
                let handed_over = Attachment::from_bytes(&attachment).map_err(|error| error.to_string());
                let handed_over = handed_over.and_then(|attachment| {
                    if let Some(publishers) = &mut subscription.publishers {
                        lost.extend(publishers.note(attachment.gid, at));
                    }
                    match subscription.order(&attachment) {
                        Order::Next => {}
                        Order::After(lost) => shown.lost = shown.lost.saturating_add(lost),
                        Order::Late => {
                            shown.late += 1;
                            return Ok(());
                        }
                    }
                    if subscription.has_expired(&attachment, unix_now()) {
                        shown.expired += 1;
                        return Ok(());
                    }
                    let is_first = match self.topics.received[index].subject.kind {
                        SubjectKind::Topic => self.topics.publish(index, &cdr[..]).map(|()| true)?,
                        SubjectKind::Representation => {
                            // Nothing was published in the future, whatever the publisher's clock
                            // says.
                            let age = unix_now().saturating_sub(attachment.time_ns).max(0);
                            let stamp = self.topics.now().nanoseconds().saturating_sub(age);
                            self.topics.deliver(index, stamp, &cdr[..])
                        }
                    };
                    (subscription.last_from, shown.is_stale) = (Some(attachment.gid), false);
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
            missed += subscription.deadline.missed(Instant::now());
            shown.missed += missed;
            if let Some(period) = subscription.deadline.period().filter(|_| missed > 0) {
                let topic = &subscription.endpoint.topic;
                let text = format!("`{topic}` misses the deadline that is requested: nothing came for {period:?}");
                self.statistics.problem = Some(text.clone());
                self.remarks.tell(text);
            }
            if let Some(publishers) = &mut subscription.publishers {
                lost.extend(publishers.lost(Instant::now()));
                due = due.into_iter().chain(publishers.due()).min();
            }
            due = due.into_iter().chain(subscription.deadline.due()).min();
            lost.into_iter().for_each(|lost| self.note_lost(index, lost));
        }
        due
    }

    /// Passes requests of other nodes on to this robot. Returns `false` if somebody called a
    /// service that is no longer served.
    pub(super) fn serve(&mut self) -> bool {
        let mut is_served = true;
        for (index, server) in self.servers.iter_mut().enumerate() {
            let Some(server) = server else { continue };
            let (shown, remarks, problem) =
                (&mut self.statistics.served[index], &mut self.remarks, &mut self.statistics.problem);
            let name = server.served.endpoint.topic.to_string();
            is_served &= server.turn(index, &self.services, unix_now, shown, |reason| {
                let text = format!("a call of `{name}` has no answer: {}", plain(&reason));
                *problem = Some(text.clone());
                remarks.tell(text);
            });
        }
        is_served
    }

    /// Passes requests of this robot on to other nodes.
    pub(super) fn call(&mut self) {
        for (index, client) in self.clients.iter_mut().enumerate() {
            let Some(client) = client else { continue };
            let (shown, remarks, problem) =
                (&mut self.statistics.called[index], &mut self.remarks, &mut self.statistics.problem);
            let name = client.caller.endpoint.topic.to_string();
            client.turn((&self.session, index), &mut self.services, unix_now, shown, |reason| {
                let text = format!("a call of `{name}` has no answer: {reason}");
                *problem = Some(text.clone());
                remarks.tell(text);
            });
        }
    }

    /// Passes on goals, feedback and results of actions.
    pub(super) fn act(&mut self) {
        let Self { statistics, remarks, session, action_servers, action_clients, .. } = self;
        let LinkStatistics { served, called, problem, .. } = statistics;
        let now = Turn { session, unix_ns: unix_now() };
        let mut complain = |name: &str, reason: String| {
            let text = format!("action `{name}`: {}", plain(&reason));
            *problem = Some(text.clone());
            remarks.tell(text);
        };
        act(action_servers, served.iter_mut().skip(self.servers.len()), &now, &mut complain);
        act(action_clients, called.iter_mut().skip(self.clients.len()), &now, &mut complain);
    }
}

fn act<'s, S: ActionSide>(
    actions: &mut [Action<S>],
    shown: impl Iterator<Item = &'s mut ServiceStatistics>,
    now: &Turn<'_>,
    complain: &mut impl FnMut(&str, String),
) {
    for (action, shown) in actions.iter_mut().zip(shown) {
        let name = shown.name.clone();
        action.turn(now, shown, |reason| complain(&name, reason));
    }
}

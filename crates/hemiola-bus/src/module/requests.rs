//! The client's end of a service as an argument of updates.
#![expect(unsafe_code, reason = "arguments of updates are promised to fetch what they describe")]

use std::collections::VecDeque;
use std::fmt;

use hemiola_model::Representation;
use hemiola_model::module::{
    Argument, ArgumentDescriptor, Binding, ConnectError, Context, Inlet, Port, PortDescriptor, PortRecord, PortRole,
};

use super::notes::Notes;
use crate::bus::Bus;
use crate::error::{AnswerError, BusError, SendError};
use crate::service::{Client, Pending};

/// Requests of an update to a service, which has the name of the representation of its requests:
/// they are sent without waiting, and answered in a later run.
///
/// Answers come in the order of the requests; an update receives those that had arrived when the
/// run of its cycle began, so that what it receives does not depend on when exactly in the run it
/// is called. Up to 16 requests may be on their way at once.
///
/// ```
/// use hemiola_bus::{Bus, Requests, SendError};
/// use hemiola_model::module::Port;
/// # use hemiola_model::{Form, Representation};
///
/// struct MapTile { x: i32, y: i32 }
/// # impl Default for MapTile { fn default() -> Self { Self { x: 0, y: 0 } } }
/// # impl Representation for MapTile { const NAME: &'static str = "MapTile"; fn form() -> Form<Self> { Form::opaque() } }
///
/// /// An update, which takes what it needs by its signature.
/// fn fetch_map(tiles: &mut Requests<MapTile, Vec<f32>>) -> Result<f32, SendError<MapTile>> {
///     if tiles.waiting() == 0 {
///         tiles.send(MapTile { x: 3, y: 4 })?; // and goes on
///     }
///     Ok(tiles.answers().flatten().flatten().sum())
/// }
///
/// // In a test of it:
/// let bus = Bus::new();
/// let mut server = bus.server("MapTile", 4)?;
/// let mut tiles = Requests::new(&bus)?;
/// assert_eq!(fetch_map(&mut tiles)?, 0.0);
/// server.run(1, |tile: &MapTile| vec![tile.x as f32, tile.y as f32]);
/// tiles.begin_run();
/// assert_eq!(fetch_map(&mut tiles)?, 7.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Answers may hold memory: those that were read travel back with later requests, and the server
/// frees them.
///
/// If the program [declares](crate::DeclaredService) the service before the robot begins, answers
/// are in logs, and replays repeat them. Then what a run can send, too, is what could be sent when
/// it began: if the server ends later, the answer is that it has ended.
pub struct Requests<Request: Representation, Response: Send + 'static> {
    client: Client<Request, Response>,
    /// The requests that wait for an answer, the oldest first.
    waiting: VecDeque<Pending<Response>>,
    answers: Vec<Result<Response, AnswerError>>,
    /// The answers of earlier runs: at most those of one run, and those that were on their way
    /// then.
    spent: Vec<Response>,
    /// The notes of each run, if the program has declared the service.
    notes: Option<Notes<Response>>,
}

/// The number of requests that may be on their way.
pub(super) const CAPACITY: usize = 16;
/// The number of replies, which includes those to requests that were given up, as long as the
/// server has not noticed.
const REPLIES: usize = 4 * CAPACITY;

impl<Request: Representation, Response: Send + 'static> Requests<Request, Response> {
    /// Creates requests to the service of that name on this bus. Allocates and takes a lock: not
    /// for real-time threads.
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the service has other requests or answers.
    pub fn new(bus: &Bus) -> Result<Self, BusError> {
        let mut client = bus.client(Request::NAME)?;
        client.prepare(REPLIES);
        let room = client.room(CAPACITY);
        let notes = bus.answer_ends(Request::NAME).map(|ends| Notes::new(ends, room));
        Ok(Self {
            client,
            waiting: VecDeque::with_capacity(CAPACITY),
            answers: Vec::with_capacity(CAPACITY),
            spent: Vec::with_capacity(2 * CAPACITY),
            notes,
        })
    }

    /// Creates requests that nobody answers, to test an update by hand.
    ///
    /// ```
    /// use hemiola_bus::{Requests, SendError};
    /// # use hemiola_model::{Form, Representation};
    /// # #[derive(Default)] struct Goal(u32);
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
    ///
    /// let mut goals = Requests::<Goal, bool>::to_nobody();
    /// assert!(matches!(goals.send(Goal(1)), Err(SendError::NoReceiver(Goal(1)))));
    /// ```
    pub fn to_nobody() -> Self {
        Self::new(&Bus::new()).unwrap_or_else(|error| unreachable!("a new bus has no other service: {error}"))
    }

    /// Sends a request. Neither waits nor allocates.
    ///
    /// # Errors
    /// Fails if nobody serves, or if there is no room for another request. The request is returned.
    pub fn send(&mut self, request: Request) -> Result<(), SendError<Request>> {
        if self.waiting() >= CAPACITY {
            return Err(SendError::Full(request));
        }
        let Some(notes) = &mut self.notes else {
            self.waiting.push_back(self.client.ask_prepared(request, &mut self.spent)?);
            return Ok(());
        };
        if let Err(is_served) = notes.take_room() {
            self.client.refuse();
            return Err(if is_served { SendError::Full(request) } else { SendError::NoReceiver(request) });
        }
        match notes.repeated() {
            // The answer is in the log.
            Some(waiting) => *waiting += 1,
            None => {
                self.waiting.push_back(self.client.ask_told(request, &mut self.spent, &notes.ends.tell)?);
            }
        }
        Ok(())
    }

    /// Returns the answers that have arrived since the last run, in the order of the requests; each
    /// once.
    pub fn answers(&self) -> impl Iterator<Item = Result<&Response, &AnswerError>> {
        self.answers.iter().map(Result::as_ref)
    }

    /// Returns how many requests have no answer yet.
    pub fn waiting(&self) -> usize {
        self.notes.as_ref().and_then(Notes::waiting).unwrap_or(self.waiting.len())
    }

    /// Gives up all requests that have no answer yet. Those with which the server has not begun are
    /// not served.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Requests};
    /// # use hemiola_model::{Form, Representation};
    /// # #[derive(Default)] struct Goal(u32);
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
    ///
    /// let bus = Bus::new();
    /// let mut server = bus.server::<Goal, bool>("Goal", 4)?;
    /// let mut goals = Requests::<Goal, bool>::new(&bus)?;
    /// goals.send(Goal(1))?;
    /// goals.give_up();
    /// server.run(8, |_| panic!("nobody wants to know"));
    /// assert_eq!((goals.waiting(), server.abandoned()), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn give_up(&mut self) {
        self.spent.extend(self.waiting.drain(..).filter_map(|mut pending| pending.take()?.ok()));
        if let Some(waiting) = self.notes.as_mut().and_then(Notes::repeated) {
            *waiting = 0;
        }
    }
}

impl<Request: Representation, Response: Send + 'static> Port for Requests<Request, Response> {
    fn begin_run(&mut self) {
        let Self { client, waiting, answers, spent, notes } = self;
        spent.extend(answers.drain(..).flatten());
        if let Some(notes) = notes {
            notes.begin();
        }
        while let Some(pending) = waiting.front_mut() {
            let Some(answer) = pending.take() else { break };
            if let Some(notes) = notes {
                notes.note(answer.as_ref().map(|_| pending.told()));
            }
            waiting.pop_front();
            answers.push(answer);
        }
        if let Some(notes) = notes {
            notes.note_state(client.room(CAPACITY), waiting.len());
        }
    }

    fn record(&self) -> Option<&dyn PortRecord> {
        self.notes.is_some().then_some(self)
    }

    fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
        self.notes.is_some().then_some(self)
    }
}

impl<Request: Representation, Response: Send + 'static> PortRecord for Requests<Request, Response> {
    fn received(&self, tell: &mut dyn FnMut(Inlet)) {
        self.notes.iter().flat_map(Notes::received).copied().for_each(tell);
    }

    fn repeat_run(&mut self, wanted: &[Inlet]) -> bool {
        let Self { answers, notes, .. } = self;
        answers.clear();
        notes.as_mut().is_none_or(|notes| notes.repeat(wanted, |answer| answers.push(answer)))
    }
}

// SAFETY: the port is what `connect` makes; each argument has one of its own.
unsafe impl<Request: Representation, Response: Send + 'static> Argument for &mut Requests<Request, Response> {
    type Item<'f> = &'f mut Requests<Request, Response>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of_port(PortDescriptor::new(Request::NAME, PortRole::Calls, None, |end, connector| {
            let requests = Requests::<Request, Response>::new(connector.carrier::<Bus>(end)?);
            Ok(Box::new(requests.map_err(ConnectError::refused)?) as _)
        }))
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> &'f mut Requests<Request, Response> {
        // SAFETY: promised by the caller.
        unsafe { binding.port() }
    }
}

impl<Request: Representation, Response: Send + 'static> fmt::Debug for Requests<Request, Response> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Requests").field("service", &Request::NAME).field("waiting", &self.waiting()).finish()
    }
}

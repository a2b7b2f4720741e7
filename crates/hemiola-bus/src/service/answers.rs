//! The answers of a service as messages of a topic, by which they are in logs: a replay, in which
//! nobody serves, has them from there.
//!
//! An answer is written where it is given, on the server's thread, and only while somebody
//! receives the topic. The client's thread learns its number and nothing else.

use std::marker::PhantomData;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use hemiola_model::cdr::{CdrReader, CdrWriter};
use hemiola_model::data::{Data, DataType, Field, ReadError, Reader, TypeName, Writer};
use hemiola_model::module::{Inlet, Place};
use hemiola_model::{Form, Representation};

use crate::bus::Bus;
use crate::error::BusError;
use crate::signal::Signal;
use crate::topic::{Publisher, Queue, Topic};
use crate::when_full::WhenFull;

/// Returns the name of the topic that has the answers of a service.
///
/// ```
/// assert_eq!(hemiola_bus::answers_of("SaveMap"), "SaveMapAnswers");
/// ```
pub fn answers_of(service: &str) -> String {
    format!("{service}Answers")
}

/// An answer as a message, which any thread may hold although answers need not be `Sync`: in CDR.
pub(crate) struct Answer<Response> {
    /// The answer; empty if there is none.
    cdr: Vec<u8>,
    of: PhantomData<fn() -> Response>,
}

impl<Response> Default for Answer<Response> {
    fn default() -> Self {
        Self { cdr: Vec::new(), of: PhantomData }
    }
}

impl<Response: Data> Answer<Response> {
    fn set(&mut self, response: &Response) {
        let mut bytes = mem::take(&mut self.cdr);
        bytes.clear();
        let mut writer = CdrWriter::behind(bytes);
        response.write(&mut writer);
        self.cdr = writer.finish();
    }

    fn get(&self) -> Option<Response> {
        Response::read(&mut CdrReader::new(&self.cdr).ok()?).ok()
    }
}

/// The name of the type of messages that are answers.
const NAME: &str = "ServiceAnswer";
/// The one field of such a message.
const FIELD: &str = "answer";

impl<Response: Data> Data for Answer<Response> {
    fn data_type() -> DataType {
        let fields = vec![Field::new(FIELD, Option::<Response>::data_type(), "")];
        DataType::Structure { name: TypeName::from("hemiola/ServiceAnswer"), fields }
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_structure(NAME);
        writer.field(FIELD);
        self.get().write(writer);
        writer.end_structure();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let mut read = Self::default();
        reader.begin_structure(NAME)?;
        reader.field(FIELD)?;
        if let Some(response) = Option::<Response>::read(reader)? {
            read.set(&response);
        }
        reader.end_structure()?;
        Ok(read)
    }
}

impl<Response: Data + 'static> Representation for Answer<Response> {
    const NAME: &'static str = NAME;

    fn form() -> Form<Self> {
        Form::data()
    }
}

/// The log's side of a client's answers, which whoever gives an answer tells of it.
pub(crate) trait Tell<Response>: Send + Sync {
    /// Publishes an answer, if anybody receives it. Returns its number.
    fn tell(&self, response: &Response) -> u64;
}

/// Returns answers of a recording.
pub(crate) trait Again<Response>: Send {
    /// Receives what is published from now on.
    fn join(&mut self);

    /// Returns the next answers, which have these numbers.
    fn take(&mut self, wanted: Inlet) -> Vec<Response>;
}

/// Both ends of the topic of a client's answers.
pub(crate) struct AnswerEnds<Response> {
    pub tell: Arc<dyn Tell<Response>>,
    pub again: Box<dyn Again<Response>>,
    /// The place of the client's answers in the topic.
    pub place: Place,
}

struct Teller<Response: 'static>(Mutex<Publisher<Answer<Response>>>);

struct Repeater<Response: 'static> {
    topic: Topic<Answer<Response>>,
    queue: Option<Queue<Answer<Response>>>,
}

/// The number of answers that can wait for a run of a replay.
const CAPACITY: usize = 64;

impl<Response: Data + Send + 'static> AnswerEnds<Response> {
    /// Creates the ends for another client of a service.
    pub fn new(bus: &Bus, service: &str) -> Result<Self, BusError> {
        let topic = bus.readable_topic::<Answer<Response>>(&answers_of(service))?;
        let publisher = topic.publisher();
        let place = publisher.place();
        let tell = Arc::new(Teller(Mutex::new(publisher)));
        Ok(Self { tell, again: Box::new(Repeater { topic, queue: None }), place })
    }
}

impl<Response: Data + Send + 'static> Tell<Response> for Teller<Response> {
    fn tell(&self, response: &Response) -> u64 {
        let mut publisher = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = publisher.published();
        if publisher.is_received() {
            let mut loan = publisher.loan();
            loan.set(response);
            loan.publish();
        } else {
            publisher.continue_at(number + 1);
        }
        number
    }
}

impl<Response: Data + Send + 'static> Again<Response> for Repeater<Response> {
    fn join(&mut self) {
        let queue = || self.topic.queue_with_signal(CAPACITY, WhenFull::DropOldest, Signal::Nothing);
        self.queue.get_or_insert_with(queue);
    }

    fn take(&mut self, wanted: Inlet) -> Vec<Response> {
        let Some(queue) = &mut self.queue else { return Vec::new() };
        if !queue.batch_again(&[wanted]) {
            return Vec::new();
        }
        queue.last_batch().iter().filter_map(|message| message.value().get()).collect()
    }
}

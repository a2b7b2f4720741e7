//! A range finder behind a socket: a source that blocks, fails and reconnects, and a module that
//! stops the cart when no measurement arrives.

// ANCHOR: driver
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::prelude::*;

/// The distance to the nearest object ahead.
#[derive(Representation, Clone, Default)]
pub struct Range {
    pub metres: f64,
}

#[derive(Parameters)]
pub struct RangeFinderParameters {
    /// The address at which the range finder listens.
    #[parameter(default = "127.0.0.1:4001".to_owned())]
    pub address: String,
    /// The longest wait for a connection or a reading.
    #[parameter(default = Duration::from_millis(200), unit = "s")]
    pub patience: Duration,
    /// The pause after a failure.
    #[parameter(default = Duration::from_millis(100), unit = "s")]
    pub pause: Duration,
}

/// Reads a range finder that sends a line for each measurement, such as `1.234`.
#[derive(Source)]
pub struct RangeFinder {
    #[parameters]
    parameters: RangeFinderParameters,
    connection: Option<BufReader<TcpStream>>,
}

#[source]
impl RangeFinder {
    #[sample]
    pub fn range(&mut self, clock: &Clock, range: &mut Range) -> io::Result<Option<Time>> {
        let asked = Instant::now();
        match self.read() {
            Ok(metres) => range.metres = metres,
            Err(error) => {
                self.connection = None; // the next sample connects again
                thread::sleep(self.parameters.pause);
                return Err(error);
            }
        }
        Ok(Some(clock.now() + asked.elapsed()))
    }

    /// Waits for the next measurement.
    fn read(&mut self) -> io::Result<f64> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => self.connection.insert(connect(&self.parameters)?),
        };
        let mut line = String::new();
        connection.read_line(&mut line)?;
        if !line.ends_with('\n') {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "the range finder has hung up"));
        }
        let metres = line.trim().parse();
        metres.map_err(|_| io::Error::new(ErrorKind::InvalidData, format!("{line:?} is no distance")))
    }
}

fn connect(parameters: &RangeFinderParameters) -> io::Result<BufReader<TcpStream>> {
    let address: SocketAddr = parameters.address.parse().map_err(io::Error::other)?;
    let stream = TcpStream::connect_timeout(&address, parameters.patience)?;
    stream.set_read_timeout(Some(parameters.patience))?;
    Ok(BufReader::new(stream))
}
// ANCHOR_END: driver

// ANCHOR: keeper
/// The speed of the cart.
#[derive(Representation, Clone, Default)]
pub struct Speed {
    pub metres_per_second: f64,
}

/// Keeps a distance of half a metre to the object ahead.
#[derive(Module)]
pub struct Keeper {}

#[module]
impl Keeper {
    #[update]
    pub fn drive(&self, range: Fresh<Range>, speed: &mut Speed) {
        if range.is_stale() || range.age() > TOO_OLD {
            return; // `speed` starts as its default: the cart stands still
        }
        speed.metres_per_second = (range.metres - 0.5).clamp(-0.5, 0.5);
    }
}

const TOO_OLD: Duration = Duration::from_millis(300);
// ANCHOR_END: keeper

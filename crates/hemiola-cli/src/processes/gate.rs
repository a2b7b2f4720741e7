//! The port at which a host lets the other hosts of the robot in, and the way through those of
//! others. Both sides prove that they know the robot's token before anything else is said.
//!
//! ```text
//! who listens                               who connects
//! Challenge { nonce }                  -->
//!                                      <--  Knock { robot, host, nonce, wish, proof }
//! Answer::Open { proof }               -->
//! ```
//!
//! The proofs contain both nonces and the names of both hosts, so that nothing that was said before
//! or elsewhere is one. Afterwards nothing is encrypted: the network must be the hosts' own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::proof::{is_proof, nonce, proof};
use super::words::{Lines, write};

/// The facts by which the hosts of a robot know each other, with the name of this one.
#[derive(Clone)]
pub struct Pass {
    pub robot: String,
    /// The name of this host.
    pub host: String,
    pub token: String,
}

/// The wish of a host that connects.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// Telling what it knows of the safe state, and comparing clocks.
    Tell,
    /// A connection to the door of a process.
    Door { process: String },
}

/// A host that has proved that it belongs to the robot.
pub struct Visitor {
    pub host: String,
    pub wish: Wish,
    pub stream: TcpStream,
    nonces: [String; 2],
}

#[derive(Deserialize, Serialize)]
struct Challenge {
    nonce: String,
}

#[derive(Deserialize, Serialize)]
struct Knock {
    robot: String,
    host: String,
    nonce: String,
    wish: Wish,
    proof: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Open { proof: String },
    Refused { reason: String },
}

/// The time within which a host must be reached, and answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time for which a host that does not read is waited for.
const WRITE_PATIENCE: Duration = Duration::from_millis(500);
/// The largest number of connections at once.
const MOST_VISITORS: usize = 64;
/// The answer to whoever does not prove it, which says no more than is needed.
const REFUSED: &str = "it is not a host of the same robot with the same token";
/// The longest line before a host has proved that it belongs to the robot, in bytes.
const LONGEST_GREETING: u64 = 4096;

impl Visitor {
    /// Lets the visitor in.
    pub fn welcome(&self, pass: &Pass) -> io::Result<()> {
        pass.open_to(&self.stream, &self.nonces)
    }

    /// Sends the visitor away.
    pub fn refuse(&self, reason: &str) -> io::Result<()> {
        write(&self.stream, &Answer::Refused { reason: reason.to_owned() })
    }
}

/// The lines of the other side until it has proved that it belongs to the robot, which must come
/// within [`PATIENCE`] all together.
struct Greeting<'s> {
    stream: &'s TcpStream,
    end: Instant,
}

impl<'s> Greeting<'s> {
    fn over(stream: &'s TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        Ok(Self { stream, end: Instant::now() + PATIENCE })
    }
}

impl Read for Greeting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        (&mut &*self.stream).read(buffer)
    }
}

/// Lets visitors in from now on; each is received on a thread of its own.
pub fn open(listener: TcpListener, pass: Pass, receive: impl Fn(Visitor) + Send + Sync + 'static) -> io::Result<()> {
    let (pass, receive) = (Arc::new(pass), Arc::new(receive));
    let listen = move || {
        for stream in listener.incoming().flatten() {
            if Arc::strong_count(&pass) > MOST_VISITORS {
                continue;
            }
            let (pass, receive) = (pass.clone(), receive.clone());
            let visit = move || {
                if let Ok(visitor) = pass.admit(stream) {
                    receive(visitor);
                }
                drop(pass);
            };
            _ = Builder::new().name("hemiola host".into()).spawn(visit);
        }
    };
    Builder::new().name("hemiola hosts".into()).spawn(listen).map(drop)
}

impl Pass {
    /// Lets a host prove that it belongs to the robot.
    fn admit(&self, stream: TcpStream) -> io::Result<Visitor> {
        let (host, wish, nonces) = self.ask(Greeting::over(&stream)?, &stream)?;
        Ok(Visitor { host, wish, stream, nonces })
    }

    /// Asks a host for its proof. Returns its name and its wish, and both nonces.
    ///
    /// # Errors
    /// Returns an error if it does not belong to the robot.
    pub fn ask(&self, said: impl Read, mut back: impl Write) -> io::Result<(String, Wish, [String; 2])> {
        let ours = nonce()?;
        write(&mut back, &Challenge { nonce: ours.clone() })?;
        let knock: Knock = Lines::only(said).next_within(LONGEST_GREETING).ok_or(io::ErrorKind::InvalidData)?;
        let Knock { robot, host, nonce, wish, proof } = knock;
        let nonces = [ours, nonce];
        let said = serde_json::to_string(&wish)?;
        if robot != self.robot || !is_proof(&proof, &self.token, &self.knock_words(&host, &self.host, &nonces, &said)) {
            write(&mut back, &Answer::Refused { reason: REFUSED.to_owned() })?;
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok((host, wish, nonces))
    }

    /// Tells a host that it is let in, with the proof that this one belongs to the robot.
    pub fn open_to(&self, back: impl Write, nonces: &[String; 2]) -> io::Result<()> {
        write(back, &Answer::Open { proof: proof(&self.token, &self.open_words(&self.host, nonces)) })
    }

    /// Connects to another host of the robot, and says what is wanted.
    ///
    /// # Errors
    /// Returns an error if it cannot be reached, does not belong to the robot, or refuses.
    pub fn knock(&self, address: SocketAddr, host: &str, wish: Wish) -> io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        self.greet(Greeting::over(&stream)?, &stream, host, wish)?;
        Ok(stream)
    }

    /// Proves to another host that this one belongs to the robot, says what is wanted, and has that
    /// host prove the same.
    ///
    /// # Errors
    /// Returns an error if it does not belong to the robot, or refuses.
    pub fn greet(&self, said: impl Read, mut back: impl Write, host: &str, wish: Wish) -> io::Result<()> {
        let mut lines = Lines::only(said);
        let silent = || io::Error::other(format!("`{host}` does not answer as a host of this robot"));
        let Challenge { nonce: theirs } = lines.next_within(LONGEST_GREETING).ok_or_else(silent)?;
        let nonces = [theirs, nonce()?];
        let said = serde_json::to_string(&wish)?;
        let knock = Knock {
            robot: self.robot.clone(),
            host: self.host.clone(),
            nonce: nonces[1].clone(),
            proof: proof(&self.token, &self.knock_words(&self.host, host, &nonces, &said)),
            wish,
        };
        write(&mut back, &knock)?;
        match lines.next_within(LONGEST_GREETING).ok_or_else(silent)? {
            Answer::Open { proof } if is_proof(&proof, &self.token, &self.open_words(host, &nonces)) => Ok(()),
            Answer::Open { .. } => Err(silent()),
            Answer::Refused { reason } => Err(io::Error::other(reason)),
        }
    }

    /// Returns the words of a host that knocks at another one.
    fn knock_words<'w>(&'w self, host: &'w str, at: &'w str, nonces: &'w [String; 2], wish: &'w str) -> [&'w str; 7] {
        ["knock", &self.robot, host, at, &nonces[0], &nonces[1], wish]
    }

    /// Returns the words of a host that opens.
    fn open_words<'w>(&'w self, host: &'w str, nonces: &'w [String; 2]) -> [&'w str; 5] {
        ["open", &self.robot, host, &nonces[0], &nonces[1]]
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{LazyCell, RefCell};
    use std::sync::mpsc::{Receiver, channel};

    use proptest::prelude::*;

    use super::*;

    fn pass(robot: &str, host: &str, token: &str) -> Pass {
        Pass { robot: robot.into(), host: host.into(), token: token.into() }
    }

    /// Opens the gate of the host `body`; what visitors want is sent to the receiver.
    fn gate() -> (SocketAddr, Receiver<(String, Wish)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, visits) = channel();
        let body = pass("cart", "body", "a secret of this cart");
        let receive = move |visitor: Visitor| {
            visitor.welcome(&pass("cart", "body", "a secret of this cart")).unwrap();
            (&visitor.stream).write_all(b"!").unwrap();
            _ = seen.send((visitor.host, visitor.wish));
        };
        open(listener, body, receive).unwrap();
        (address, visits)
    }

    #[test]
    fn a_host_with_the_token_is_let_in_and_no_other() {
        let (address, visits) = gate();
        let wish = Wish::Door { process: "main".into() };
        let head = pass("cart", "head", "a secret of this cart");
        let mut stream = head.knock(address, "body", wish.clone()).unwrap();
        assert_eq!(visits.recv().unwrap(), ("head".to_owned(), wish));
        // What follows is for whoever asked, to the last byte.
        let mut said = [0];
        stream.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"!");
        let wrong = [("cart", "head", "another secret of it"), ("crate", "head", "a secret of this cart")];
        for (robot, host, token) in wrong {
            let error = pass(robot, host, token).knock(address, "body", Wish::Tell).unwrap_err();
            assert_eq!(error.to_string(), REFUSED);
        }
        // What is meant for another host opens nothing here.
        assert_eq!(head.knock(address, "arm", Wish::Tell).unwrap_err().to_string(), REFUSED);
        assert!(visits.try_recv().is_err());
    }

    #[test]
    fn what_was_said_before_opens_nothing() {
        let (address, visits) = gate();
        let line = |stream: &TcpStream| Lines::of(stream).next_within::<serde_json::Value>(LONGEST_GREETING);
        // Somebody between the two hosts writes down what one of them says,
        let between = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = between.local_addr().unwrap();
        let head = pass("cart", "head", "a secret of this cart");
        let knocking = std::thread::spawn(move || head.knock(there, "body", Wish::Tell));
        let (heard, _) = between.accept().unwrap();
        write(&heard, &Challenge { nonce: "00".into() }).unwrap();
        let knock = line(&heard).unwrap();
        // answers without the token,
        write(&heard, &Answer::Open { proof: "00".into() }).unwrap();
        assert!(knocking.join().unwrap().is_err());
        // and says the same to the other one.
        let stream = TcpStream::connect(address).unwrap();
        line(&stream).unwrap();
        write(&stream, &knock).unwrap();
        assert_eq!(line(&stream).unwrap()["refused"]["reason"], REFUSED);
        assert!(visits.try_recv().is_err());
    }

    proptest! {
        #[test]
        fn a_greeting_in_which_anything_is_changed_opens_nothing_or_what_was_meant(
            place in any::<prop::sample::Index>(), gone in 0..40_usize, come in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let heard = RefCell::new(Vec::new());
            let wish = Wish::Door { process: "main".into() };
            // The other side has heard the challenge when it is read from.
            let knock = LazyCell::new(|| {
                let mut said = Vec::new();
                let head = pass("cart", "head", "a secret of this cart");
                _ = head.greet(&heard.borrow()[..], &mut said, "body", wish.clone());
                let begin = place.index(said.len());
                let end = (begin + gone).min(said.len());
                said.splice(begin..end, come.iter().copied());
                said
            });
            let body = pass("cart", "body", "a secret of this cart");
            let admitted = body.ask(Late { said: &knock, read: 0 }, Shared(&heard));
            if let Ok((host, wanted, _)) = admitted {
                prop_assert_eq!((host.as_str(), &wanted), ("head", &wish));
            }
        }
    }

    /// A buffer that is written while others read it.
    struct Shared<'b>(&'b RefCell<Vec<u8>>);

    impl Write for Shared<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A text that is made when it is read.
    struct Late<'l, F> {
        said: &'l LazyCell<Vec<u8>, F>,
        read: usize,
    }

    impl<F: FnOnce() -> Vec<u8>> Read for Late<'_, F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = (&self.said[self.read..]).read(buffer)?;
            self.read += read;
            Ok(read)
        }
    }

    #[test]
    fn who_says_a_little_again_and_again_is_not_waited_for_longer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        let mut greeting = Greeting { stream: &near, end: Instant::now() };
        far.write_all(b"{").unwrap();
        assert_eq!(greeting.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::TimedOut);
        greeting.end += PATIENCE;
        assert_eq!(greeting.read(&mut [0]).unwrap(), 1);
    }

    #[test]
    fn who_says_nothing_or_too_much_is_disconnected() {
        let (address, visits) = gate();
        let mut stream = TcpStream::connect(address).unwrap();
        // The rest may meet a connection that is closed already.
        _ = stream.write_all(&[b' '; 2 * LONGEST_GREETING as usize]);
        let mut said = Vec::new();
        _ = stream.read_to_end(&mut said);
        assert!(String::from_utf8_lossy(&said).lines().all(|line| line.contains("nonce")), "{said:?}");
        assert!(visits.try_recv().is_err());
    }
}

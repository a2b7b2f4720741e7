//! The page of a robot on its machine, and its port here.

use std::net::{Ipv4Addr, TcpListener};

/// The address of a page: `http://127.0.0.1:8765/?token=..`.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The port on the robot's machine.
    pub port: u16,
    /// The rest of the address, from the slash on.
    rest: String,
}

impl Page {
    /// Finds the address in what a robot says: `page: http://..`.
    pub fn of(said: &str) -> Option<Self> {
        let (place, rest) = said.split_once("://")?.1.split_once('/')?;
        let port = place.rsplit_once(':')?.1.parse().ok()?;
        Some(Self { port, rest: format!("/{}", rest.trim_end()) })
    }

    /// Returns the page of a robot whose robot.toml says nothing about it.
    pub fn usual() -> Self {
        Self { port: 8765, rest: "/".to_owned() }
    }

    /// Says where the page is on this machine, as its port is in use here.
    pub fn moved_to(&self, here: u16) -> String {
        let Self { port, rest } = self;
        format!("port {port} is in use on this machine: the page is at http://127.0.0.1:{here}{rest}")
    }
}

/// Returns a port of this machine that nobody uses: this one, the next free one of nine, or any.
pub fn free_port(port: u16) -> u16 {
    let listen = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let near = (port..=port.saturating_add(9)).find(|port| listen(*port).is_ok());
    let any = || listen(0).and_then(|listener| listener.local_addr()).map(|address| address.port());
    near.or_else(|| any().ok()).unwrap_or(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_a_page_stands_in_its_address() {
        let page = Page::of("page: http://127.0.0.1:8767/?token=c57d\n").unwrap();
        assert_eq!(page.port, 8767);
        assert!(page.moved_to(8768).ends_with(" http://127.0.0.1:8768/?token=c57d"), "{}", page.moved_to(8768));
        assert_eq!(Page::of(""), None);
    }

    #[test]
    fn a_port_that_is_in_use_here_is_not_chosen() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let taken = listener.local_addr().unwrap().port();
        let free = free_port(taken);
        assert_ne!(free, taken);
    }
}

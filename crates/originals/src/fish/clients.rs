//! Any number of clients in one process.

use std::fmt;
use std::io;
use std::time::Duration;

use rookery_catalog::{PlayerError, PlayerSpec};
use rookery_rules::Seed;
use rookery_wire::{Connection, Framing, TransportExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::client::{CLIENT_BOUNDS, Client, ClientError, Served, Spoken};

/// The longest name.
const MAX_NAME: usize = 12;
/// How long to wait before another attempt to connect.
const RETRY: Duration = Duration::from_millis(50);

/// The letters of a client's name: 1 to 12 of A to Z, upper or lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientName(String);

impl std::str::FromStr for ClientName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits =
            (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("a name has 1 to {MAX_NAME} letters from A to Z, upper or lower case"))
        }
    }
}

impl fmt::Display for ClientName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ClientName {
    /// So many names, all different, that begin like this one; the name itself if one is enough.
    ///
    /// ```
    /// use rookery_originals::fish::ClientName;
    ///
    /// let name: ClientName = "rook".parse()?;
    /// assert_eq!(name.several(3).collect::<Vec<_>>(), ["rookA", "rookB", "rookC"]);
    /// assert_eq!(name.several(1).collect::<Vec<_>>(), ["rook"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn several(&self, n: usize) -> impl Iterator<Item = String> {
        // As many letters as the last number needs, so that all are of one length and none is the beginning of another.
        let mut width = 0;
        while 26usize.saturating_pow(width) < n {
            width += 1;
        }
        let beginning = &self.0[..self.0.len().min(MAX_NAME - width as usize)];
        (0..n).map(move |idx| {
            let digits = (0..width).rev().map(|digit| (idx / 26usize.pow(digit) % 26) as u8);
            let letters = digits.map(|digit| char::from(b'A' + digit));
            beginning.chars().chain(letters).collect()
        })
    }
}

/// Clients of one server.
#[derive(Clone, Debug)]
pub struct Clients {
    /// How many.
    pub n: usize,
    /// The server's name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What all of them play as.
    pub player: PlayerSpec,
    /// What their names are made from.
    pub name: ClientName,
    /// The most time for an answer; `None` lets the player take what it takes.
    pub think: Option<Duration>,
    /// For how long to try to connect, in all: servers start slowly.
    pub patience: Duration,
}

/// How it went for one client.
pub type Report = (String, Result<Served, ClientError>);

impl Clients {
    /// Connects them one after the other, so that they sign up in the order of their names, and serves until the last
    /// one is done. The reports are in that order; the log hears everything, with the name of the client.
    pub async fn serve(
        &self,
        log: impl Fn(&str, Spoken<'_>) + Clone + Send + 'static,
    ) -> Result<Vec<Report>, PlayerError> {
        let give_up = Instant::now() + self.patience;
        let mut serving = JoinSet::new();
        let mut reports: Vec<(String, Option<_>)> = vec![];
        for (idx, name) in self.name.several(self.n).enumerate() {
            let client = Client::new(&self.player)?.with_think(self.think).with_seed(Seed(idx as u64));
            match self.sign_up(&name, give_up).await {
                Err(error) => reports.push((name, Some(Err(error)))),
                Ok(mut connection) => {
                    let (log, own) = (log.clone(), name.clone());
                    let log = move |spoken: Spoken<'_>| log(&own, spoken);
                    serving.spawn(async move { (idx, client.serve(&mut connection, log).await) });
                    reports.push((name, None));
                }
            }
        }
        while let Some(done) = serving.join_next().await {
            let (idx, result) = done.expect("a client does not panic, nor is it cancelled");
            reports[idx].1 = Some(result);
        }
        let done = reports.into_iter();
        Ok(done.map(|(name, result)| (name, result.expect("every client came to its end"))).collect())
    }

    /// Connects, and sends a name.
    async fn sign_up(&self, name: &str, give_up: Instant) -> Result<Connection, ClientError> {
        let failed = |error: &dyn fmt::Display| {
            ClientError::Connect(format!("{}:{}", self.host, self.port), error.to_string())
        };
        let stream = loop {
            match TcpStream::connect((self.host.as_str(), self.port)).await {
                Ok(stream) => break stream,
                Err(error) if is_passing(&error) && Instant::now() < give_up => sleep(RETRY).await,
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    return Err(failed(&"no server listens there; start it first, or check the port"));
                }
                Err(error) => return Err(failed(&error)),
            }
        };
        let connection = Connection::tcp(stream, Framing::Json, CLIENT_BOUNDS);
        let mut connection = connection.map_err(|error| failed(&error))?;
        connection.send(format!("\"{name}\"").as_bytes()).await.map_err(ClientError::Lost)?;
        Ok(connection)
    }
}

/// Whether another attempt makes sense: the server has not begun, or cannot keep up.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, TimedOut};
    matches!(error.kind(), ConnectionRefused | ConnectionReset | TimedOut)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_short() {
        for (base, n) in [("x", 1), ("x", 26), ("x", 27), ("abcdefghijkl", 5000), ("zz", 20_000)] {
            let base: ClientName = base.parse().expect("it is a name");
            let names: BTreeSet<String> = base.several(n).collect();
            assert_eq!(names.len(), n);
            for name in names {
                assert_eq!(name.parse(), Ok(ClientName(name.clone())));
            }
        }
        for bad in ["", "a b", "abcdefghijklm", "ä", "x1"] {
            assert!(bad.parse::<ClientName>().is_err(), "{bad}");
        }
    }
}

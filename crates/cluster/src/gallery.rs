//! Looking on at games of workers: at most once, with the places of what is shown, and asked for again where something is missing.
//!
//! Whoever looks says so every few seconds, with how much it has seen. A worker shows a game only while somebody has said so
//! lately: what is new, with where in the record that begins. Whoever finds a gap asks again from where it stands.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt as _;
use rookery_arena::Gallery;
use rookery_store::{MAX_RECORD, TournamentId};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use crate::broker::{Access, is_connected};
use crate::subjects::Subjects;
use crate::worker::Machine;
use crate::{ClusterError, JobId, message};

/// How often whoever looks says so.
const AGAIN: Duration = Duration::from_secs(2);
/// For how long a worker shows a game after the last word.
const SHOWN: Duration = Duration::from_secs(6);
/// The most that is shown in one message, in bytes.
const PIECE: usize = 128 << 10;
/// The most games that a worker shows at the same time.
const MOST_SHOWN: usize = 64;

/// Somebody looks at a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Look {
    key: JobId,
    attempt: u32,
    /// How many bytes of the record it has.
    have: usize,
}

/// A part of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    attempt: u32,
    /// Where in the record it begins.
    from: usize,
    lines: String,
}

fn word(key: JobId) -> String {
    format!("{}-{}", key.tournament, key.pairing)
}

/// What a worker shows.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    games: HashMap<(JobId, u32), (Instant, usize)>,
}

impl Shown {
    /// Somebody looks. What it lacks is shown again, to all who look.
    pub(crate) fn look(&mut self, payload: &[u8]) {
        let Some(Look { key, attempt, have }) = message::read::<Look>(payload) else { return };
        let now = Instant::now();
        self.games.retain(|_, (until, _)| *until > now);
        if self.games.len() < MOST_SHOWN || self.games.contains_key(&(key, attempt)) {
            let (until, shown) = self.games.entry((key, attempt)).or_insert((now, have));
            (*until, *shown) = (now + SHOWN, have.min(*shown));
        }
    }

    /// What is new of a game, if somebody looks: where it goes, and the bytes.
    pub(crate) fn news(
        &mut self,
        (subjects, worker): (Subjects, &str),
        key: JobId,
        attempt: u32,
        lines: impl FnOnce() -> Vec<u8>,
    ) -> Option<(String, Vec<u8>)> {
        if self.games.is_empty() {
            return None;
        }
        let (until, shown) = self.games.get_mut(&(key, attempt))?;
        if *until < Instant::now() {
            self.games.remove(&(key, attempt));
            return None;
        }
        let lines = lines();
        let new = lines.get(*shown..).filter(|new| !new.is_empty())?;
        let end = new.len().min(PIECE);
        let end = new[..end].iter().rposition(|&byte| byte == b'\n').map_or(new.len(), |at| at + 1);
        let piece = Piece { attempt, from: *shown, lines: String::from_utf8_lossy(&new[..end]).into_owned() };
        *shown += end;
        Some((subjects.show(worker, &word(key)), message::write(&piece)))
    }
}

impl Machine {
    /// Shows what is new of games that somebody looks at.
    pub(crate) async fn show(&mut self) {
        for (key, running) in &self.running {
            let news =
                self.shown.news((self.subjects, &self.config.name), *key, running.claim.attempt, || {
                    running.lines()
                });
            if let Some((subject, piece)) = news {
                // What gets lost is asked for again.
                let _ = self.client.publish(subject, piece.into()).await;
            }
        }
    }
}

/// A way to look on, for a server of pages: a thread with a connection of its own.
#[derive(Debug)]
pub struct Spectator {
    runtime: Handle,
    client: Client,
    /// The thread ends when this is dropped.
    _end: oneshot::Sender<()>,
}

impl Spectator {
    /// Begins. A broker that is away is tried again.
    pub fn start(access: &Access) -> Result<Self, ClusterError> {
        let (tell, begun) = std::sync::mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        let access = access.clone();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = tell.send(Err(ClusterError::Wrong(error.to_string())));
                    return;
                }
            };
            runtime.block_on(async {
                let client = access.connect("spectator", true).await;
                let _ = tell.send(client.map(|client| (Handle::current(), client)));
                let _ = ended.await;
            });
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("spectator".to_owned()).spawn(work);
        thread.map_err(|error| ClusterError::Wrong(error.to_string()))?;
        let ended = || ClusterError::Wrong("looking on did not begin".to_owned());
        let (runtime, client) = begun.recv().map_err(|_| ended())??;
        Ok(Self { runtime, client, _end: end })
    }
}

impl Gallery for Spectator {
    fn follow(
        &self,
        worker: &str,
        tournament: TournamentId,
        pairing: u64,
        attempt: u32,
    ) -> watch::Receiver<Arc<[u8]>> {
        let (sender, receiver) = watch::channel(Arc::from([]));
        let key = JobId { tournament, pairing, again: false };
        let looking =
            Looking { client: self.client.clone(), worker: worker.to_owned(), key, attempt, sender };
        self.runtime.spawn(looking.run());
        receiver
    }
}

struct Looking {
    client: Client,
    worker: String,
    key: JobId,
    attempt: u32,
    sender: watch::Sender<Arc<[u8]>>,
}

impl Looking {
    async fn run(self) {
        let subject = Subjects::OWN.show(&self.worker, &word(self.key));
        // Without a connection there is nothing to see; whoever looks comes again with the next page.
        let Ok(mut pieces) = self.client.subscribe(subject).await else { return };
        let mut again = tokio::time::interval(AGAIN);
        let mut record = vec![];
        loop {
            tokio::select! {
                () = self.sender.closed() => return,
                _ = again.tick() => self.look(record.len()).await,
                piece = pieces.next() => {
                    let Some(piece) = piece else { return };
                    match add(&mut record, self.attempt, &piece.payload) {
                        Added::News => {
                            self.sender.send_replace(Arc::from(&record[..]));
                        }
                        Added::Gap => self.look(record.len()).await,
                        Added::Nothing => {}
                    }
                }
            }
        }
    }

    async fn look(&self, have: usize) {
        if is_connected(&self.client) {
            let look = Look { key: self.key, attempt: self.attempt, have };
            // One that gets lost is said again.
            let _ = self.client.publish(Subjects::OWN.look(&self.worker), message::write(&look).into()).await;
        }
    }
}

/// Puts what was shown behind what is there.
fn add(record: &mut Vec<u8>, attempt: u32, payload: &[u8]) -> Added {
    let Some(piece) = message::read::<Piece>(payload) else { return Added::Nothing };
    if piece.attempt != attempt {
        return Added::Nothing;
    }
    let lines = piece.lines.as_bytes();
    match record.len().checked_sub(piece.from) {
        None => Added::Gap,
        Some(known) if known < lines.len() && record.len() + lines.len() <= MAX_RECORD => {
            record.extend_from_slice(&lines[known..]);
            Added::News
        }
        Some(_) => Added::Nothing,
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Added {
    News,
    Gap,
    Nothing,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    fn key() -> JobId {
        "5t4e73e59t98:17".parse().unwrap()
    }

    fn look(shown: &mut Shown, have: usize) {
        shown.look(&message::write(&Look { key: key(), attempt: 1, have }));
    }

    fn news(shown: &mut Shown, record: &[u8]) -> Option<Vec<u8>> {
        shown.news((Subjects::OWN, "ann"), key(), 1, || record.to_vec()).map(|(_, piece)| piece)
    }

    #[test]
    fn nothing_is_read_or_sent_while_nobody_looks() {
        let mut shown = Shown::default();
        assert_eq!(shown.news((Subjects::OWN, "ann"), key(), 1, || panic!("the record is not read")), None);
        look(&mut shown, 0);
        assert_eq!(
            shown.news((Subjects::OWN, "ann"), key(), 2, || panic!("nor is that of another attempt")),
            None
        );
        assert!(news(&mut shown, b"one\n").is_some());
        assert_eq!(news(&mut shown, b"one\n"), None, "only what is new");
    }

    #[test]
    fn what_was_missed_is_asked_for_again_and_what_comes_twice_is_seen_once() {
        let mut shown = Shown::default();
        let mut seen = vec![];
        look(&mut shown, 0);
        let lost = news(&mut shown, b"one\n").unwrap();
        let second = news(&mut shown, b"one\ntwo\n").unwrap();
        assert_eq!(add(&mut seen, 1, &second), Added::Gap);
        look(&mut shown, seen.len());
        let all = news(&mut shown, b"one\ntwo\nthree\n").unwrap();
        assert_eq!(add(&mut seen, 1, &all), Added::News);
        assert_eq!(seen, b"one\ntwo\nthree\n");
        for old in [&lost, &second, &all] {
            assert_eq!(add(&mut seen, 1, old), Added::Nothing);
        }
        assert_eq!(add(&mut seen, 2, &all), Added::Nothing, "another attempt");
        // Somebody else begins to look: whoever has the beginning takes only the end.
        look(&mut shown, 0);
        let again = news(&mut shown, b"one\ntwo\nthree\nfour\n").unwrap();
        assert_eq!(add(&mut seen, 1, &again), Added::News);
        assert_eq!(seen, b"one\ntwo\nthree\nfour\n");
    }

    #[test]
    fn a_long_record_comes_in_whole_lines() {
        let line = [vec![b'x'; 999], vec![b'\n']].concat();
        let record = line.repeat(300);
        let mut shown = Shown::default();
        let mut seen = vec![];
        look(&mut shown, 0);
        while let Some(piece) = news(&mut shown, &record) {
            assert_eq!(add(&mut seen, 1, &piece), Added::News);
            assert!(seen.ends_with(b"\n"));
        }
        assert_eq!(seen, record);
    }
}

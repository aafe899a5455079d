//! The door of a tournament: a name, and the waiting room behind it.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rookery_live::{Door, DoorNews};
use rookery_referee::{Fault, Offence, write_duration};
use rookery_wire::{Connection, Transport, TransportExt as _, excerpt};
use tokio::net::TcpStream;

use super::api::{SharedInfo, attend};
use super::calls::CALLS;
use super::signup::{Kind, Refusal, sign_up, would_do};
use super::{Config, Log, Manner, Notice};

/// How many names a refusal lists.
const LISTED: usize = 10;

/// Somebody who has signed up.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// What it can ask about its tournament, if it calls.
    pub(crate) info: SharedInfo,
}

/// Lets players in by their names.
pub(crate) struct FishDoor {
    manner: Manner,
    wait: Duration,
    tries: u32,
    log: Log,
    /// Who was refused for a name that we would take if we were lenient.
    refused_names: AtomicU64,
    /// The only ones who may come, if a tournament goes on: each name as often as it is here.
    awaited: Mutex<Option<Vec<String>>>,
}

impl FishDoor {
    pub(crate) fn new(config: &Config, log: Log) -> Self {
        Self {
            manner: config.manner,
            wait: config.wait,
            tries: config.tries,
            log,
            refused_names: AtomicU64::new(0),
            awaited: Mutex::new(None),
        }
    }

    /// From now on only these may come, or anybody.
    pub(crate) fn wait_for(&self, names: Option<Vec<String>>) {
        *self.awaited.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }
}

impl Door for FishDoor {
    type Member = Member;

    fn connect(&self, stream: TcpStream) -> io::Result<Connection> {
        Connection::tcp(stream, CALLS.framing, CALLS.bounds)
    }

    async fn sign_up(&self, link: &mut Connection) -> Result<Member, String> {
        match sign_up(link, self.manner.lenient).await {
            Ok(sign_up) => {
                if self.manner.lenient {
                    link.inbox().know_words(&["void"]);
                }
                Ok(Member { name: sign_up.name, kind: sign_up.kind, info: SharedInfo::default() })
            }
            Err(refusal) => {
                if let Refusal::Foreign(reason) = refusal {
                    // It may be gone already.
                    let _ = link.send(format!("{reason}\n").as_bytes()).await;
                }
                if matches!(refusal, Refusal::NoName { would_do: true, .. }) && !self.manner.lenient {
                    self.refused_names.fetch_add(1, Ordering::Relaxed);
                }
                Err(refusal.into_reason())
            }
        }
    }

    fn out_of_time(&self, link: &mut Connection, time: Duration) -> String {
        let unfinished = link.unfinished();
        let mut reason =
            format!("no complete name within {}, but {}", write_duration(time), excerpt(unfinished));
        if !self.manner.lenient && would_do(unfinished) {
            self.refused_names.fetch_add(1, Ordering::Relaxed);
            reason.push_str("; a name has quotes, such as \"Ann\"; with --lenient it would do");
        }
        reason
    }

    fn admit(&self, member: &Member, waiting: &[&Member]) -> Result<(), String> {
        let awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(awaited) = &*awaited else { return Ok(()) };
        let here = waiting.iter().filter(|other| other.name == member.name).count();
        if awaited.iter().filter(|&name| *name == member.name).count() > here {
            return Ok(());
        }
        let shown = awaited.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if awaited.len() > LISTED { " and others" } else { "" };
        Err(format!(
            "its name {:?} is not awaited, or is here already; a tournament goes on, of {shown}{more}",
            member.name
        ))
    }

    async fn rest(&self, member: &Member, link: &mut dyn Transport) -> Fault {
        match member.kind {
            Kind::Calls => match link.receive().await {
                Ok(message) => Fault::new(Offence::OutOfTurn, "it was not asked")
                    .sent(excerpt(&message))
                    .expected("nothing until it is called"),
                Err(fault) => fault,
            },
            Kind::Api => attend(link, &member.info).await,
        }
    }

    fn tell(&self, news: DoorNews<'_, Member>) {
        let notice = match news {
            DoorNews::Waiting { period, here, size } => Notice::Waiting {
                period,
                of: self.tries,
                seconds: self.wait.as_secs_f64(),
                players: here,
                min: size.min,
                max: size.max,
            },
            DoorNews::SignedUp { member, peer, here } => {
                Notice::SignedUp { name: member.name.clone(), peer: peer.to_string(), players: here }
            }
            DoorNews::Refused { peer, reason, more } => {
                Notice::Refused { peer: peer.to_string(), reason: reason.to_owned(), more }
            }
            DoorNews::Left { member, peer, reason } => {
                Notice::Left { name: member.name.clone(), peer: peer.to_string(), reason: reason.to_owned() }
            }
            DoorNews::Trouble(error) => Notice::Trouble { reason: error.to_string() },
            DoorNews::TooFew { here, needed } => Notice::TooFew {
                players: here,
                needed,
                refused_names: self.refused_names.swap(0, Ordering::Relaxed),
            },
        };
        (self.log)(&notice);
    }
}

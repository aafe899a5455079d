//! A player of a tournament, whatever it speaks: between games it rests, and is lent to one game after the other.

use std::future::ready;
use std::sync::{Mutex, PoisonError};

use rookery_games::fish::{Move, Position};
use rookery_referee::{Answering, BoxFuture, EventOf, Fault, LagProbe, Player, Question};
use rookery_wire::{Connection, Remote, excerpt};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::api::{ApiPlayer, SharedInfo, TournamentInfo, attend};
use super::{Calls, Manner};

/// Somebody at the other end of a connection.
#[derive(Debug)]
pub(crate) enum Entrant {
    /// It is called, and answers.
    Calls(Connection),
    /// It calls, and is answered; it can ask how the tournament stands.
    Api(Connection, SharedInfo),
    /// It was one that calls, and did something wrong between games.
    Gone(Fault),
}

impl Entrant {
    /// Waits until whoever is there goes away or speaks out of turn; answers it meanwhile, if it may ask. Nothing is
    /// lost if this is given up half-way.
    pub(crate) async fn rest(&mut self) -> Fault {
        match self {
            Self::Calls(connection) => match connection.receive().await {
                Ok(message) => {
                    let detail = format!("it spoke before it was called: {}", excerpt(&message));
                    Fault::new(rookery_referee::Offence::OutOfTurn, detail)
                }
                Err(fault) => fault,
            },
            Self::Api(connection, info) => attend(connection, info).await,
            Self::Gone(fault) => fault.clone(),
        }
    }

    /// The player that sits down for a game.
    pub(crate) fn seat(&mut self, manner: Manner, lag: &LagProbe) -> Box<dyn Player<Position> + '_> {
        match self {
            Self::Calls(connection) => {
                Box::new(Remote::new(connection, Calls::new(manner)).with_lag(lag.clone()))
            }
            Self::Api(connection, info) => {
                let extra = manner.first_timeout.saturating_sub(manner.timeout);
                Box::new(ApiPlayer::new(connection, SharedInfo::clone(info)).with_first_turn(extra))
            }
            Self::Gone(fault) => Box::new(Absent(fault.clone())),
        }
    }
}

/// Sits there for somebody who is gone.
struct Absent(Fault);

impl Player<Position> for Absent {
    fn choose<'a>(&'a mut self, _: Question<'a, Position>) -> Answering<'a, Move> {
        Answering::Now(Err(self.0.clone().into()))
    }

    fn hear<'a>(
        &'a mut self,
        _: &'a EventOf<Position>,
        _: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        Some(Box::pin(ready(Err(self.0.clone()))))
    }
}

/// An entrant between games.
#[derive(Debug)]
pub(crate) enum Idle {
    /// Nobody needs to listen to it: what it does wrong is found at its next call.
    Still(Box<Connection>),
    /// It is listened to and answered by a task.
    Resting { claim: oneshot::Sender<()>, task: JoinHandle<Entrant> },
}

impl Idle {
    /// Lets an entrant rest; nothing is left of one that is gone.
    pub(crate) fn new(entrant: Entrant) -> Option<Self> {
        match entrant {
            Entrant::Calls(connection) => Some(Self::Still(Box::new(connection))),
            Entrant::Gone(_) => None,
            Entrant::Api(..) => {
                let (claim, claimed) = oneshot::channel();
                let task = tokio::spawn(rest_until(entrant, claimed));
                Some(Self::Resting { claim, task })
            }
        }
    }

    /// The entrant again.
    pub(crate) async fn wake(self) -> Entrant {
        match self {
            Self::Still(connection) => Entrant::Calls(*connection),
            Self::Resting { claim, task } => {
                // A task that has ended already has what happened as its result.
                let _ = claim.send(());
                task.await.expect("a task that rests neither panics nor is cancelled")
            }
        }
    }
}

async fn rest_until(mut entrant: Entrant, claimed: oneshot::Receiver<()>) -> Entrant {
    tokio::select! {
        biased;
        _ = claimed => entrant,
        fault = entrant.rest() => Entrant::Gone(fault),
    }
}

/// Changes what a player can ask about its tournament.
pub(crate) fn tell(info: &Mutex<TournamentInfo>, change: impl FnOnce(&mut TournamentInfo)) {
    // It is whole at any time, also if somebody panicked with it in hand.
    change(&mut info.lock().unwrap_or_else(PoisonError::into_inner));
}

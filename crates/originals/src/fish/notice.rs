//! What happens at a server, for logs and screens.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// Who is told of everything that happens. It is called in the midst of the games: it must be quick, and puts a bounded
/// queue before whatever is not.
pub type Log = Arc<dyn Fn(&Notice) + Send + Sync>;

/// One thing that happened at a server. `Display` is a line for people.
///
/// Players are called by their names and, since several may have the same one, their numbers in the order of sign-up.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Notice {
    /// The server listens.
    Listening { address: String },
    /// A waiting period begins.
    Waiting { period: u32, of: u32, seconds: f64, players: usize, min: usize, max: usize },
    /// Somebody has signed up.
    SignedUp { name: String, peer: String, players: usize },
    /// Somebody could not sign up.
    Refused {
        peer: String,
        reason: String,
        /// How many more of the same address were refused and not told of.
        #[serde(skip_serializing_if = "is_zero")]
        more: u64,
    },
    /// Somebody who had signed up is gone, or was sent away.
    Left { name: String, peer: String, reason: String },
    /// Connections cannot be accepted at the moment.
    Trouble { reason: String },
    /// There are not enough players.
    TooFew {
        players: usize,
        needed: usize,
        /// How many were refused for names that `--lenient` would take.
        #[serde(skip_serializing_if = "is_zero")]
        refused_names: u64,
    },
    /// A tournament begins, with these players in turn order.
    Tournament { players: Vec<String> },
    /// A round begins.
    Round { round: u32, tables: Vec<Vec<String>> },
    /// The state of a game after a move.
    Moved {
        round: u32,
        table: u32,
        player: String,
        #[serde(rename = "move")]
        mv: String,
        scores: Vec<u32>,
    },
    /// A player was taken out of a game or of the tournament.
    Removed { player: String, offence: &'static str, reason: String },
    /// A game is over.
    Finished { round: u32, table: u32, scores: Vec<u32>, winners: Vec<String>, ending: String },
    /// A record could not be written.
    RecordFailed { file: String, reason: String },
    /// A tournament was stopped on the way; with records it can go on.
    Interrupted { round: u32, finished: u64, unfinished: u64 },
    /// A tournament is over.
    Over { winners: Vec<String>, failed: Vec<String>, rounds: u32, seconds: f64 },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listening { address } => write!(f, "listening on {address}"),
            Self::Waiting { period, of, seconds, players, min, max } => write!(
                f,
                "waiting {seconds} s for players, period {period} of {of}: {players} are here, {min} to {max} can play"
            ),
            Self::SignedUp { name, peer, players } => {
                write!(f, "{name} has signed up from {peer}: {players} are here")
            }
            Self::Refused { peer, reason, more: 0 } => write!(f, "refused {peer}: {reason}"),
            Self::Refused { peer, reason, more } => {
                write!(f, "refused {peer} and {more} more of the same address, the last because: {reason}")
            }
            Self::Left { name, peer, reason } => {
                write!(f, "{name} from {peer} has left before the start: {reason}")
            }
            Self::Trouble { reason } => write!(f, "cannot accept connections at the moment: {reason}"),
            Self::TooFew { players, needed, refused_names } => {
                write!(f, "there is no tournament: {players} have signed up, and {needed} are needed")?;
                match refused_names {
                    0 => Ok(()),
                    n => write!(f, "; refused for their names: {n}, which --lenient would take"),
                }
            }
            Self::Tournament { players } => {
                write!(f, "a tournament of {} begins: {}", players.len(), players.join(", "))
            }
            Self::Round { round, tables } => {
                write!(f, "round {round}:")?;
                for (idx, players) in tables.iter().enumerate() {
                    let comma = if idx > 0 { ";" } else { "" };
                    write!(f, "{comma} table {} {}", idx + 1, players.join(", "))?;
                }
                Ok(())
            }
            Self::Moved { round, table, player, mv, scores } => {
                write!(f, "round {round}, table {table}: {player} {mv}, {}", score_list(scores))
            }
            Self::Removed { player, offence, reason } => write!(f, "{player} is out, {offence}: {reason}"),
            Self::Finished { round, table, scores, winners, ending } => {
                let winners = if winners.is_empty() { "nobody".to_owned() } else { winners.join(", ") };
                write!(f, "round {round}, table {table}: {winners} won, {}", score_list(scores))?;
                if ending == "normal" { Ok(()) } else { write!(f, "; it ended {ending}") }
            }
            Self::RecordFailed { file, reason } => {
                write!(f, "the record {file} could not be written: {reason}")
            }
            Self::Interrupted { round, finished, unfinished } => write!(
                f,
                "the tournament was stopped in round {round}: games finished {finished}, not finished {unfinished}"
            ),
            Self::Over { winners, failed, rounds, seconds } => {
                let list = |players: &[String]| {
                    if players.is_empty() { "nobody".to_owned() } else { players.join(", ") }
                };
                let (won, bad) = (list(winners), list(failed));
                write!(
                    f,
                    "the tournament is over after {seconds:.2} s, rounds {rounds}: {won} won; {bad} failed"
                )
            }
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn score_list(scores: &[u32]) -> String {
    scores.iter().map(ToString::to_string).collect::<Vec<_>>().join(":")
}

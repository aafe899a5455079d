//! Does a bot play by the protocol? What `rookery check` and the page's check have in common: what is agreed before a game,
//! a link on which they listen and make life harder, and what a bot did wrong.

mod meddle;

use std::time::Duration;

use rookery_catalog::game;
use rookery_live::{Guest, Programs, prepare};
use rookery_referee::{
    Blame, Cause, Conduct, End, Entry, Fault, MatchSpec, Offence, SeatSpec, Start, TimeControl, Verdict,
    write_duration,
};
use rookery_rules::{GameSpec, Seat, Seed};
use rookery_wire::Protocols;

pub use meddle::{Heard, Meddler, Meddling};

/// Moves made before a game that is gone on with.
pub const OPENING: usize = 4;
/// A large board ends here, so that the check does.
pub const MAX_TURNS: u64 = 400;

/// One game of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckGame<'a> {
    /// What is played; it was checked before.
    pub spec: &'a GameSpec,
    /// The seat of the bot, and how many there are.
    pub seat: usize,
    /// How many.
    pub n_seats: usize,
    /// How many moves were made already.
    pub opening: usize,
    /// The time for each move.
    pub time: Duration,
    /// Where all randomness comes from.
    pub seed: Seed,
    /// What travels is changed like this; what the checker itself spoils is forgiven, and nothing else.
    pub meddling: Meddling,
}

impl CheckGame<'_> {
    /// What is agreed before it: the bot on its seat, players at random on the others.
    ///
    /// # Panics
    /// If the spec is none of a game.
    pub fn agree(&self) -> MatchSpec {
        let entries: Vec<Entry> = (0..self.n_seats)
            .map(|idx| if idx == self.seat { "bot=cmd:bot" } else { "random" }.parse().expect("well formed"))
            .collect();
        let mut agreed = rookery_catalog::agree(self.spec, &entries, self.seed)
            .expect("a checked spec and random players fit");
        agreed.time = TimeControl::PerMove(self.time);
        agreed.conduct = Conduct::removing().with_retries(u32::from(self.meddling.spoils));
        agreed.max_turns = Some(MAX_TURNS);
        if self.opening > 0 {
            agreed.start =
                Some(Start { opening: None, position: None, moves: first_moves(self.spec, self.opening) });
        }
        agreed
    }
}

/// The first moves of a game in which everybody plays its first move; none if there is no such game.
pub fn first_moves(spec: &GameSpec, n_moves: usize) -> Vec<String> {
    let mut moves = vec![];
    let Some(mut position) = game(&spec.game).ok().and_then(|game| game.start(spec).ok()) else {
        return moves;
    };
    while moves.len() < n_moves {
        let Some(mv) = position.moves().into_iter().next() else { break };
        let mut next = position.boxed_clone();
        if next.play(&mv).is_err() || next.moves().is_empty() {
            break;
        }
        position = next;
        moves.push(mv);
    }
    moves
}

/// Plays a match with a bot on one seat, built-in players or whoever `others` brings on the rest; what the bot did wrong is
/// the error.
pub async fn play_check(
    agreed: MatchSpec,
    seat: usize,
    bot: Guest,
    others: &(dyn Fn(&SeatSpec) -> Guest + Sync),
) -> Result<Verdict, Fault> {
    let mut guests: Vec<Guest> = agreed.seats.iter().map(|entry| others(&entry.player)).collect();
    guests[seat] = bot;
    let prepared = prepare(agreed, guests, &Protocols::default(), None)
        .map_err(|error| Fault::new(Offence::BadHello, error.to_string()))?;
    let played = prepared.with_terms(Programs::default().terms()).run().await;
    let End::Verdict(verdict) = played.end else { unreachable!("nobody stops a check") };
    match fault_of(&verdict, seat) {
        Some(fault) => Err(fault),
        None => ours_of(verdict),
    }
}

/// A game that we could not play to its end says nothing of the bot, least of all that it passed.
fn ours_of(verdict: Verdict) -> Result<Verdict, Fault> {
    if verdict.ending.cause != Cause::PlatformAbort {
        return Ok(verdict);
    }
    let note = verdict.ending.evidence.map(|evidence| evidence.note).unwrap_or_default();
    Err(Fault::ours(format!("we failed, not the bot; check it again: {note}")))
}

/// Whoever sits on the other seats of a check.
pub fn built_in(player: &SeatSpec) -> Guest {
    match player {
        SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
        _ => Guest::Person,
    }
}

/// What the player of a seat did wrong in a match.
pub fn fault_of(verdict: &Verdict, seat: usize) -> Option<Fault> {
    let is_its = |ending: &&rookery_referee::Ending| {
        ending.blame() == Some(Blame::Player) && ending.seat.map(Seat::index) == Some(seat)
    };
    let ending = verdict.removed.iter().chain([&verdict.ending]).find(is_its)?;
    let offence = match ending.cause {
        Cause::Offence(offence) => offence,
        _ => Offence::Malformed,
    };
    Some(Fault::with(offence, *ending.evidence.clone().unwrap_or_default()))
}

/// How long the answers took, in words.
pub fn times(heard: &Heard, time: Duration) -> String {
    let times = heard.times();
    let (Some(middle), Some(longest)) = (times.get(times.len() / 2), times.last()) else {
        return "it had no turn".to_owned();
    };
    let ms = |time: &Duration| time.as_secs_f64() * 1e3;
    format!("median {:.1} ms, longest {:.1} ms, limit {}", ms(middle), ms(longest), write_duration(time))
}

#[cfg(test)]
mod tests {
    use rookery_referee::Ending;

    use super::*;

    #[test]
    fn a_game_that_we_broke_off_is_not_passed() {
        let ended = |cause| {
            let ending = Ending { cause, seat: None, evidence: None };
            ours_of(Verdict { ending, outcome: None, plies: 3, removed: vec![] })
        };
        assert!(ended(Cause::Normal).is_ok());
        assert!(ended(Cause::PlatformAbort).unwrap_err().is_ours);
    }
}

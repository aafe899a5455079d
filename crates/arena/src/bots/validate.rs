//! The validation game: what a bot has to play through before it counts.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rookery_catalog::{agree, game};
use rookery_live::{Programs, Stopping};
use rookery_record::{Archive, ArchiveError, Key, Receipt, Sink, Slot};
use rookery_referee::{
    Blame, Cause, Conduct, Ending, Entry, MatchSpec, SeatEntry, SeatSpec, TimeControl, Verdict, words,
};
use rookery_rules::text::clean_lines;
use rookery_rules::{GameSpec, Seat, Seed};
use rookery_tournament::{
    Entrant, EntrantSpec, Format, GameResult, Next, Pairing, Reason, Scheduler, TrialNote, TrialOutcome,
};
use sha2::{Digest as _, Sha256};

use super::found::{FoundBot, Progress, shown};
use crate::{ArenaError, Games, PlayedGame};

/// Who sits at the other seats: quick, and never the same twice.
const OPPONENT: &str = "random";
/// After so many moves a validation game is drawn, and the bot has passed.
const MAX_TURNS: u64 = 60;
/// How much of a standard error is kept: the last of it.
const MAX_STDERR: usize = 4 << 10;

/// A program that is to show that it can play, under the name that it has at the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    name: String,
    player: SeatSpec,
    /// The games it plays, by name; all if it does not say.
    games: Option<Vec<String>>,
    /// Any number, as long as it is always the same for the same program: its seat follows from it.
    number: u64,
}

impl From<&FoundBot> for Candidate {
    fn from(bot: &FoundBot) -> Self {
        let number = u64::from_str_radix(bot.hash.get(..8).unwrap_or_default(), 16).unwrap_or_default();
        let EntrantSpec { name, player, .. } = bot.entrant();
        Self { name, player, games: bot.games.clone(), number }
    }
}

/// Of whoever is started by its own command, or connects: nothing is known of its files.
impl From<&EntrantSpec> for Candidate {
    fn from(entrant: &EntrantSpec) -> Self {
        // Not of the port: another one makes no other program.
        let of = if entrant.player.is_awaited() { entrant.name.clone() } else { entrant.player.to_string() };
        let [a, b, c, d, ..] = Sha256::digest(of)[..] else { unreachable!("a hash has 32 bytes") };
        let number = u64::from(u32::from_be_bytes([a, b, c, d]));
        Self { name: entrant.name.clone(), player: entrant.player.clone(), games: None, number }
    }
}

impl Candidate {
    /// What is agreed before the game in which it is tried, by this clock; or that it does not play it.
    pub fn trial(
        &self,
        spec: &str,
        time: TimeControl,
        conduct: Option<Conduct>,
        seed: Seed,
    ) -> Result<Result<TrialGame, Failing>, ArenaError> {
        let wrong = |error: &dyn std::fmt::Display| ArenaError::Agreed(error.to_string());
        let parsed = GameSpec::parse(spec).map_err(|error| wrong(&error))?;
        if let Some(games) = &self.games
            && !games.contains(&parsed.game)
        {
            let (name, games) = (&self.name, games.join(", "));
            let sentence = format!("{name} does not play {}: its bot.toml names {games}", parsed.game);
            return Ok(Err(Failing { game: spec.to_owned(), sentence, ending: None, stderr: None }));
        }
        let labels = game(&parsed.game).and_then(|game| game.seat_labels(&parsed));
        let n_seats = labels.map_err(|error| wrong(&error))?.len();
        let opponent: SeatSpec = OPPONENT.parse().map_err(|error| wrong(&error))?;
        let entries = vec![Entry::nameless(opponent); n_seats];
        let seat = (self.number % n_seats.max(1) as u64) as usize;
        let mut agreed = agree(&parsed, &entries, seed.derive(self.number)).map_err(|error| wrong(&error))?;
        for (number, entry) in (1..).zip(&mut agreed.seats) {
            // No bot has a name with such a sign.
            entry.name = format!("{OPPONENT}#{number}");
        }
        if let Some(SeatEntry { name, player, .. }) = agreed.seats.get_mut(seat) {
            name.clone_from(&self.name);
            player.clone_from(&self.player);
        }
        agreed.time = time;
        agreed.conduct = conduct.unwrap_or(agreed.conduct);
        agreed.max_turns = Some(MAX_TURNS);
        Ok(Ok(TrialGame { seat, spec: agreed }))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// How bots are tried before the first round: each plays a short game of each game of the tournament, by its clock and in
/// its sandbox, on a seat that follows from the bot's hash.
#[derive(Clone, Copy)]
pub struct Validation<'a> {
    /// How programs are brought in the tournament: with the places of these bots.
    pub programs: &'a Programs,
    /// The game specs of the tournament.
    pub games: &'a [String],
    /// The clock of the tournament.
    pub time: TimeControl,
    /// What misconduct costs, if not what the game says.
    pub conduct: Option<Conduct>,
    /// Where all randomness comes from.
    pub seed: Seed,
    /// How many games run at a time.
    pub concurrency: usize,
    pub stopping: &'a Stopping,
    /// Told where a program is awaited, by the name of its player.
    pub announce: &'a (dyn Fn(&str, SocketAddr) + Sync),
}

impl std::fmt::Debug for Validation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Validation").field("games", &self.games).finish_non_exhaustive()
    }
}

/// What came of a bot's validation games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validated {
    /// The bot.
    pub name: String,
    pub outcome: Validity,
}

/// Whether a bot can play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validity {
    /// It played all its games as it should, whoever won.
    Passed,
    /// It did something wrong.
    Failing(Box<Failing>),
    /// Nobody can tell, for this reason: we failed, or were stopped.
    Unknown(String),
}

/// What a bot did wrong in a validation game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failing {
    /// The game spec.
    pub game: String,
    /// What it did, in a sentence without a full stop.
    pub sentence: String,
    /// Cause and evidence; `None` if it does not play the game at all.
    pub ending: Option<Ending>,
    /// The last that it wrote to its standard error; safe to show, in lines.
    pub stderr: Option<String>,
}

impl Validated {
    /// What is to be told of it in the tournament, if anything is; who fails takes part all the same where it is kept.
    pub fn note(&self, keep_failing: bool) -> Option<TrialNote> {
        let (outcome, reason) = match &self.outcome {
            Validity::Passed => return None,
            Validity::Failing(failing) => {
                let outcome = if keep_failing { TrialOutcome::Kept } else { TrialOutcome::LeftOut };
                (outcome, format!("{} ({})", failing.sentence, failing.game))
            }
            Validity::Unknown(why) => (TrialOutcome::Untried, why.clone()),
        };
        Some(TrialNote::new(&self.name, outcome, &reason))
    }
}

/// A game in which a program shows that it can play.
#[derive(Clone, Debug)]
pub struct TrialGame {
    /// Where it sits.
    seat: usize,
    /// What is agreed.
    pub spec: MatchSpec,
}

/// One game of one bot.
struct Trial {
    /// The bot, by its index.
    bot: usize,
    game: TrialGame,
}

impl Validation<'_> {
    /// Plays all validation games. The answers are in the order of the bots; `seen` is told of each bot when its last game
    /// is over. A request to stop leaves the rest undecided.
    pub fn validate(
        &self,
        bots: &[Candidate],
        seen: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Vec<Validated>, ArenaError> {
        let mut outcomes: Vec<Option<Validity>> = vec![None; bots.len()];
        let mut trials = vec![];
        for (bot, candidate) in bots.iter().enumerate() {
            for spec in self.games {
                match candidate.trial(spec, self.time, self.conduct, self.seed)? {
                    Ok(game) => trials.push(Trial { bot, game }),
                    Err(failing) => {
                        outcomes[bot].get_or_insert(Validity::Failing(Box::new(failing)));
                    }
                }
            }
        }
        // Who does not play one of the games need not play the others.
        trials.retain(|trial| outcomes[trial.bot].is_none());
        let mut left = vec![0; bots.len()];
        for trial in &trials {
            left[trial.bot] += 1;
        }
        let (of, mut done) = (bots.len(), 0);
        let mut tell = |bot: usize, outcomes: &[Option<Validity>]| {
            done += 1;
            let is_fine = matches!(outcomes[bot], None | Some(Validity::Passed));
            seen(&Progress { name: &bots[bot].name, is_fine, done, of });
        };
        for bot in (0..bots.len()).filter(|&bot| left[bot] == 0) {
            tell(bot, &outcomes);
        }
        let awaited = bots.iter().map(|bot| bot.player.is_awaited()).collect::<Vec<_>>();
        self.play(&trials, &awaited, &mut |game, stderr| {
            let Some(trial) = trials.get(game.pairing.id as usize) else { return };
            let bot = trial.bot;
            left[bot] -= 1;
            if let Some(outcome) = trial.game.judge(&bots[bot].name, &game.verdict, stderr) {
                // The first failure is told, and one of its own rather than one of ours.
                if !matches!(outcomes[bot], Some(Validity::Failing(_))) {
                    outcomes[bot] = Some(outcome);
                }
            }
            if left[bot] == 0 {
                tell(bot, &outcomes);
            }
        })?;
        let stopped = || Validity::Unknown("stopped before its games were over".to_owned());
        let outcome = |(bot, outcome): (usize, Option<Validity>)| match outcome {
            Some(outcome) => outcome,
            None if left[bot] > 0 => stopped(),
            None => Validity::Passed,
        };
        let outcomes = outcomes.into_iter().enumerate().map(outcome);
        Ok(bots
            .iter()
            .zip(outcomes)
            .map(|(bot, outcome)| Validated { name: bot.name.clone(), outcome })
            .collect())
    }

    fn play(
        &self,
        trials: &[Trial],
        awaited: &[bool],
        over: &mut dyn FnMut(&PlayedGame, Option<String>),
    ) -> Result<(), ArenaError> {
        if trials.is_empty() || self.stopping.is_requested() {
            return Ok(());
        }
        let logs = Logs::default();
        let games = Games {
            spec_of: &|pairing| Ok(trials[pairing.id as usize].game.spec.clone()),
            archive: Some(&logs),
            programs: Some(self.programs),
            protocols: &self.programs.protocols,
            concurrency: self.concurrency.max(1),
            timed: self.time != TimeControl::Untimed,
            // Our own failure says nothing of the bot.
            retries: 1,
            until_proved: false,
            affinity: false,
            announce: self.announce,
            // The tournament is still to come.
            sends_home: false,
        };
        let pairings = trials.iter().map(|trial| trial.pairing(awaited.len())).collect();
        let format = Trials { next: 0, pairings, over: HashSet::new() };
        let bots = Entrant::all(awaited.len());
        let of_one_link = bots.zip(awaited).filter(|(_, awaited)| **awaited).map(|(bot, _)| bot);
        let mut scheduler = Scheduler::new(format, games.concurrency).with_exclusive(of_one_link);
        games.hold(&mut scheduler, self.stopping, &mut (), &mut |game| {
            over(game, logs.take(game.pairing.id));
            Ok(())
        })?;
        Ok(())
    }
}

impl Trial {
    /// The bot, and others that are nobody.
    fn pairing(&self, n_bots: usize) -> Vec<Entrant> {
        let others = (n_bots as u32..).map(Entrant);
        let mut entrants: Vec<Entrant> = others.take(self.game.spec.n_seats()).collect();
        entrants[self.game.seat] = Entrant(self.bot as u32);
        entrants
    }
}

impl TrialGame {
    /// What the game says of the program; nothing if all was well.
    pub fn judge(&self, name: &str, verdict: &Verdict, stderr: Option<String>) -> Option<Validity> {
        let who = |_: Seat| name.to_owned();
        let is_own = |ending: &&Ending| {
            ending.blame() == Some(Blame::Player) && ending.seat.is_some_and(|seat| seat.index() == self.seat)
        };
        if let Some(ending) = verdict.removed.iter().chain([&verdict.ending]).find(is_own) {
            return Some(Validity::Failing(Box::new(Failing {
                game: self.spec.game.clone(),
                sentence: clean_lines(&words::ending(ending, &who)).replace('\n', " "),
                ending: Some(ending.clone()),
                stderr,
            })));
        }
        let ours = matches!(verdict.ending.cause, Cause::PlatformAbort | Cause::Cancelled);
        ours.then(|| Validity::Unknown(shown(&words::ending(&verdict.ending, &who))))
    }
}

/// The games of all bots, in any order.
struct Trials {
    /// Who plays in each.
    pairings: Vec<Vec<Entrant>>,
    next: usize,
    over: HashSet<u64>,
}

impl Format for Trials {
    fn n_entrants(&self) -> usize {
        self.pairings.iter().flatten().map(|entrant| entrant.index() + 1).max().unwrap_or(0)
    }

    fn take(&mut self, result: &GameResult) {
        self.over.insert(result.pairing);
    }

    /// Nobody leaves: a bot that is failing has its game, and that is all.
    fn leave(&mut self, _: Entrant) {}

    fn next(&mut self, room: usize) -> Next {
        if self.over.len() == self.pairings.len() {
            return Next::End;
        }
        let end = (self.next + room).min(self.pairings.len());
        let of = self.pairings.len() as u64;
        let new: Vec<Pairing> = (self.next..end)
            .map(|idx| Pairing {
                id: idx as u64,
                entrants: self.pairings[idx].clone(),
                block: idx as u64,
                start: idx as u64,
                round: None,
                reason: Reason::Rotation { game: idx as u64 + 1, of, turn: 1, turns: 1 },
            })
            .collect();
        self.next = end;
        if new.is_empty() { Next::Wait } else { Next::Play(new) }
    }
}

/// Keeps no record, but the end of what each bot wrote to its standard error.
#[derive(Debug, Default)]
struct Logs(Mutex<HashMap<u64, String>>);

impl Logs {
    /// What was written in the game of this number, from 0.
    fn take(&self, pairing: u64) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&(pairing + 1))
    }
}

impl Archive for Logs {
    fn open(&self, _: &Key) -> Result<Slot, ArchiveError> {
        Ok(Slot::New(Sink::in_memory(vec![], |_| Receipt::at_once())))
    }

    fn path(&self, _: &Key) -> Option<PathBuf> {
        None
    }

    /// There is one program in each game.
    fn keep_log(&self, key: &Key, _: usize, log: &[u8]) -> Result<(), ArchiveError> {
        let end = &log[log.len().saturating_sub(MAX_STDERR)..];
        let text = clean_lines(String::from_utf8_lossy(end).trim_end());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.pairing, text);
        Ok(())
    }
}

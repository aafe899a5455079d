//! What persons at this screen want of a match.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_live::Asked;
use rookery_referee::{Command, MatchSpec, Offer, Refusal, Reply};
use rookery_rules::{Seat, Status};

use super::Table;
use crate::matches::{self, Keep, game_name};

/// What came of taking something back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undone {
    /// The match goes on from there.
    TakenBack,
    /// The match was over, or began after it: this is a new one.
    NewMatch,
}

/// How long the effect of a command is waited for that may have none: of two resignations the second.
const EFFECT: Duration = Duration::from_secs(1);
/// How long it may take to bring the end of a match to the disk before it is left without knowing.
const LEAVING: Duration = Duration::from_secs(10);

impl Table {
    fn command(&mut self, from: Option<Seat>, command: &Command) -> Reply {
        let Some(live) = self.live.as_ref().filter(|_| !self.is_over()) else { return Err(Refusal::Over) };
        let before = self.snapshot.asked;
        live.command(from, command)?;
        self.sent = match command {
            Command::Say(_) | Command::OfferDraw | Command::Accept(false) => self.sent,
            Command::Move { .. } => Some((before, None)),
            _ => Some((before, Some(Instant::now() + EFFECT))),
        };
        Ok(())
    }

    /// Why nobody here can move now.
    pub(crate) fn not_now(&self) -> Refusal {
        if self.is_over() || self.live.is_none() { Refusal::Over } else { Refusal::NotYourTurn }
    }

    /// Plays a move of the person to move.
    pub fn play(&mut self, text: &str) -> Reply {
        let Asked { seat, ply, .. } = self.question().ok_or_else(|| self.not_now())?;
        self.command(Some(seat), &Command::Move { ply, text: text.to_owned() })
    }

    /// The person to move, or the only one, gives up.
    pub fn resign(&mut self) -> Reply {
        let seat = self.speaker().ok_or_else(|| self.not_now())?;
        self.command(Some(seat), &Command::Resign)
    }

    /// The person to move, or the only one, says something; behind a name and a colon, the person of that name does.
    pub fn say(&mut self, text: &str) -> Reply {
        let named = text.split_once(':').and_then(|(name, said)| {
            let is_called =
                |seat: &Seat| self.spec().seats[seat.index()].name.eq_ignore_ascii_case(name.trim());
            Some((self.persons().find(is_called)?, said.trim()))
        });
        let named = named.filter(|(_, said)| !said.is_empty());
        let (seat, text) = match named {
            Some((seat, said)) => (seat, said.to_owned()),
            None => (self.speaker().ok_or_else(|| self.not_now())?, text.to_owned()),
        };
        self.command(Some(seat), &Command::Say(text))
    }

    /// The person to move offers a draw.
    pub fn offer_draw(&mut self) -> Reply {
        let seat = self.speaker().ok_or_else(|| self.not_now())?;
        self.command(Some(seat), &Command::OfferDraw)?;
        self.catch_up();
        Ok(())
    }

    /// Who offers a draw.
    pub fn draw_offered(&self) -> Option<Seat> {
        match self.snapshot.offer {
            Some(Offer::Draw { from }) => Some(from),
            _ => None,
        }
    }

    /// The others who sit here agree to what was offered, or one of them does not.
    pub fn accept(&mut self, yes: bool) -> Reply {
        self.catch_up();
        let from = self.snapshot.offer.ok_or(Refusal::NoOffer)?.from();
        let others: Vec<Seat> = self.persons().filter(|&seat| seat != from).collect();
        let mut reply = Err(Refusal::NoOffer);
        for seat in others {
            // Who is out of the game is not asked.
            reply = self.command(Some(seat), &Command::Accept(yes)).or(reply);
        }
        reply
    }

    /// Back to the last decision of a person here, also while a computer thinks. In a match that is over, or before one
    /// that began in the middle of a game, that is a new match.
    pub fn undo(&mut self) -> Result<Undone, String> {
        self.to_present();
        let runs = self.is_live();
        let at = self.steps.iter().rposition(|entry| {
            let can_be = !runs || entry.deed.as_move().is_some();
            can_be && matches::is_decision(entry, |seat| self.is_here(seat))
        });
        let at = at.ok_or_else(|| Refusal::NothingToTakeBack.to_string())?;
        let entry = Arc::clone(&self.steps[at]);
        if runs && at >= self.n_opening {
            let to = entry.plies.saturating_sub(1);
            self.command(entry.seat, &Command::TakeBack { to }).map_err(|error| error.to_string())?;
            // All who sit at one screen agree to what one of them does there.
            let agreed = self.accept(true);
            debug_assert!(matches!(agreed, Ok(()) | Err(Refusal::NoOffer)), "{agreed:?}");
            return Ok(Undone::TakenBack);
        }
        let spec = matches::from_here(self.spec(), &self.steps[..at], &**self.position_after(at));
        self.begin_anew(spec)?;
        Ok(Undone::NewMatch)
    }

    /// A new match of the same kind, on another board if boards are drawn at random.
    pub fn restart(&mut self) -> Result<(), String> {
        self.begin_anew(matches::another(self.spec()))
    }

    /// A new match from the position that is looked at: with the same players, or, if no person was among them, for whoever is to
    /// move there.
    pub fn play_on(&mut self) -> Result<(), String> {
        let n_steps = self.history().len();
        let position = self.position_after(n_steps);
        let Status::ToMove(seat) = position.status() else {
            return Err("the game is over here; go back a move or more first".to_owned());
        };
        let spec = matches::from_here(self.spec(), &self.steps[..n_steps], &**position);
        let spec = if self.persons().next().is_some() { spec } else { matches::seated(&spec, seat)? };
        self.begin_anew(MatchSpec { casual: true, number: None, ..spec })
    }

    /// The same position once more.
    pub(crate) fn try_again(&mut self) -> Result<(), String> {
        let spec = self.spec().clone();
        self.begin_anew(spec)
    }

    fn begin_anew(&mut self, spec: MatchSpec) -> Result<(), String> {
        let Some(runner) = self.runner.clone() else {
            return Err("this match is only looked at".to_owned());
        };
        let beside = || self.record.clone().map_or(Keep::No, Keep::Near);
        let keep = self.keep.clone().unwrap_or_else(beside);
        let opened = matches::begin(&runner, spec, &keep)?;
        self.replace(opened);
        Ok(())
    }

    /// Goes on with another record. The old match stays as it is if there is something wrong with the file.
    pub fn load(&mut self, path: &Path) -> Result<(), String> {
        let Some(runner) = self.runner.clone() else {
            return Err("this match is only looked at".to_owned());
        };
        if self.is_live() && self.record().is_some_and(|record| is_same(record, path)) {
            return Err("that match is on the screen already".to_owned());
        }
        let opened = matches::resume(&runner, path)?;
        self.replace(opened);
        Ok(())
    }

    /// Writes a copy of the record into a file that must not exist.
    pub fn save_as(&self, path: &Path) -> Result<(), String> {
        matches::save(&self.snapshot, self.record(), path)
    }

    /// Begins to think about a hint, for so long at the most. Whether it makes sense: a person is to move, and the match is
    /// for fun.
    pub fn ask_hint(&mut self, time: Duration) -> bool {
        if self.question().is_none() || !self.spec().casual {
            return false;
        }
        let game = game_name(self.spec());
        self.hints.ask(&game, Arc::clone(&self.snapshot.position), time);
        true
    }

    /// Makes the computer answer with what it has found so far, or the hint come at once.
    pub fn hurry(&mut self) {
        self.hints.hurry();
        if let (Some(live), Some(_)) = (&self.live, self.thinking()) {
            live.hurry();
        }
    }

    /// Leaves the match: it stops where it is, and its record is on the disk then.
    pub fn close(&mut self) {
        self.hints.forget();
        self.to_present();
        let (Some(runner), Some(live)) = (&self.runner, self.live.take()) else { return };
        // A match that is over needs no stop.
        let _ = live.command(None, &Command::Suspend);
        let played = runner.runtime().block_on(async { tokio::time::timeout(LEAVING, live.played()).await });
        let problem = match played {
            Ok(played) => played.problem.clone(),
            Err(_) => Some("the disk does not answer".to_owned()),
        };
        self.take(live.snapshot());
        self.problem = problem.or(self.problem.take());
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

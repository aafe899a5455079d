//! A sitting with the time that goes by, and threads in which computers think.

use std::io::BufReader;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rookery_catalog::{AnySitting, Hint, Sitter, SittingError, Stop, Thought, game, load_sitting};
use rookery_record::open_record;
use rookery_referee::Cause;
use rookery_rules::scene::Place;
use rookery_rules::{GameSpec, Scene, Seat};

use crate::clean;

/// A match that is played here.
#[derive(Debug)]
pub struct Table {
    sitting: Box<dyn AnySitting>,
    /// How long computers think at most.
    think: Option<Duration>,
    /// When the one to move was asked.
    asked_at: Instant,
    thinking: Option<Thinking>,
    hinting: Option<Stop>,
    /// How many hints were asked for, to know the last from those before it.
    n_hints: u64,
    sender: Sender<Done>,
    results: Receiver<Done>,
}

#[derive(Debug)]
struct Thinking {
    seat: Seat,
    stop: Stop,
}

#[derive(Debug)]
enum Done {
    Thought(Thought),
    /// With its number.
    Hint(u64, Option<Hint>),
}

/// What has happened by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Announcement {
    /// A computer has moved, or failed to.
    Moved(Seat),
    /// The hint is there.
    Hint(Hint),
    /// The person to move has used up the time.
    TimeOver(Seat),
}

impl Table {
    /// A match that goes on from here.
    pub fn new(sitting: Box<dyn AnySitting>, think: Option<Duration>, now: Instant) -> Self {
        let (sender, results) = channel();
        Self { sitting, think, asked_at: now, thinking: None, hinting: None, n_hints: 0, sender, results }
    }

    /// The match.
    pub fn sitting(&self) -> &dyn AnySitting {
        &*self.sitting
    }

    /// The match, to be changed by what does not matter to the clocks.
    pub fn sitting_mut(&mut self) -> &mut dyn AnySitting {
        &mut *self.sitting
    }

    /// The seat of the computer that thinks now.
    pub fn thinking(&self) -> Option<Seat> {
        self.thinking.as_ref().map(|thinking| thinking.seat)
    }

    /// Whether a hint is being thought of.
    pub fn is_hinting(&self) -> bool {
        self.hinting.is_some()
    }

    /// The seat of the person to move.
    pub fn person_to_move(&self) -> Option<Seat> {
        self.sitting.to_ask().filter(|&seat| self.sitting.sitter(seat) == Sitter::Person)
    }

    /// What is left of a seat's time; `None` without a clock.
    pub fn time_left(&self, seat: Seat, now: Instant) -> Option<Duration> {
        let left = self.sitting.clock().allowance(seat)?;
        let runs = self.sitting.to_ask() == Some(seat);
        Some(if runs { left.saturating_sub(self.used(now)) } else { left })
    }

    fn used(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.asked_at)
    }

    /// Something happened, and whoever is to move is asked now.
    fn changed(&mut self, now: Instant) {
        self.asked_at = now;
        if let Some(stop) = self.hinting.take() {
            stop.set();
        }
    }

    /// Lets the computer to move begin to think, if there is one that does not yet.
    pub fn attend(&mut self, now: Instant) {
        if self.thinking.is_none()
            && let Some(question) = self.sitting.ask(self.think)
        {
            self.asked_at = now;
            self.thinking = Some(Thinking { seat: question.seat(), stop: question.stop() });
            let sender = self.sender.clone();
            // Nobody waits any more if the table is gone.
            thread::spawn(move || drop(sender.send(Done::Thought(question.think()))));
        }
    }

    /// What has happened by itself until now.
    pub fn poll(&mut self, now: Instant) -> Option<Announcement> {
        if let Some(announcement) = self.results.try_recv().ok().and_then(|done| self.take(done, now)) {
            return Some(announcement);
        }
        let seat = self.person_to_move()?;
        self.sitting.run_out(self.used(now));
        let is_over = self.sitting.to_ask() != Some(seat);
        if is_over {
            self.changed(now);
        }
        is_over.then_some(Announcement::TimeOver(seat))
    }

    /// Waits until the computer that thinks, or the hint, is there.
    pub fn wait(&mut self) -> Option<Announcement> {
        while self.thinking.is_some() || self.hinting.is_some() {
            let done = self.results.recv().expect("the table keeps a sender");
            if let Some(announcement) = self.take(done, Instant::now()) {
                return Some(announcement);
            }
        }
        None
    }

    fn take(&mut self, done: Done, now: Instant) -> Option<Announcement> {
        match done {
            Done::Thought(thought) => {
                let seat = self.thinking.as_ref().map(|thinking| thinking.seat);
                if !self.sitting.answer(thought) {
                    return None;
                }
                self.thinking = None;
                self.changed(now);
                seat.map(Announcement::Moved)
            }
            Done::Hint(number, hint) => {
                let wanted = self.hinting.is_some() && number == self.n_hints;
                if wanted {
                    self.hinting = None;
                }
                hint.filter(|_| wanted).map(Announcement::Hint)
            }
        }
    }

    /// Makes the computer answer with what it has found so far, or the hint come at once.
    pub fn hurry(&mut self) {
        for stop in self.thinking.iter().map(|thinking| &thinking.stop).chain(&self.hinting) {
            stop.set();
        }
    }

    /// Plays a move of the person to move.
    pub fn play(&mut self, text: &str, now: Instant) -> Result<(), SittingError> {
        let before = self.sitting.history().len();
        let played = self.sitting.play(text, self.used(now));
        if self.sitting.history().len() != before {
            self.changed(now);
        }
        played
    }

    /// The person to move gives up.
    pub fn resign(&mut self, now: Instant) -> Result<(), SittingError> {
        self.sitting.resign().inspect(|()| self.changed(now))
    }

    /// Back to the last decision of a person, also while a computer thinks about its answer.
    pub fn undo(&mut self, now: Instant) -> Result<(), SittingError> {
        self.sitting.undo()?;
        self.forget(now);
        Ok(())
    }

    /// Forth to the next decision of a person.
    pub fn redo(&mut self, now: Instant) -> Result<(), SittingError> {
        self.sitting.redo()?;
        self.forget(now);
        Ok(())
    }

    /// One event back, or forth if `forward`. Whether there was one.
    pub fn step(&mut self, forward: bool, now: Instant) -> bool {
        let stepped = if forward { self.sitting.step_forward() } else { self.sitting.step_back() };
        if stepped {
            self.forget(now);
        }
        stepped
    }

    /// A new match of the same kind.
    pub fn restart(&mut self, now: Instant) {
        self.sitting.restart();
        self.forget(now);
    }

    /// The question that was asked no longer stands.
    fn forget(&mut self, now: Instant) {
        self.hurry();
        self.thinking = None;
        self.changed(now);
    }

    /// Begins to think about a hint. Whether it makes sense: a person is to move.
    pub fn ask_hint(&mut self) -> bool {
        let Some(question) = self.sitting.ask_hint().filter(|_| self.hinting.is_none()) else { return false };
        self.hinting = Some(question.stop());
        self.n_hints += 1;
        let (sender, number) = (self.sender.clone(), self.n_hints);
        thread::spawn(move || drop(sender.send(Done::Hint(number, question.think()))));
        true
    }

    /// Goes on with another record. The old match stays as it is if there is something wrong with the file.
    pub fn load(&mut self, path: &Path, now: Instant) -> Result<(), String> {
        let sitting = open_to_play(path)?;
        self.forget(now);
        self.sitting = sitting;
        Ok(())
    }

    /// The game's rules, in Markdown.
    pub fn rules(&self) -> &'static str {
        let spec = GameSpec::parse(&self.sitting.header().game);
        spec.and_then(|spec| game(&spec.game)).map_or("", rookery_catalog::AnyGame::rules)
    }

    /// Who sits at a seat, for people: `you`, or the player's spec.
    pub fn player(&self, seat: Seat) -> String {
        let persons = Seat::all(self.sitting.header().seats.len())
            .filter(|&seat| self.sitting.sitter(seat) == Sitter::Person)
            .count();
        match self.sitting.sitter(seat) {
            Sitter::Person if persons == 1 => "you".to_owned(),
            _ => self
                .sitting
                .header()
                .seats
                .get(seat.index())
                .map_or_else(String::new, |entry| clean(&entry.name)),
        }
    }

    /// How the match stands, in one sentence.
    pub fn status(&self, scene: &Scene) -> String {
        match self.sitting.verdict() {
            Some(verdict) if verdict.ending.cause != Cause::Normal => {
                let ending = &verdict.ending;
                // Some games count their players from 0.
                let sentence = match ending.seat {
                    Some(seat) => ending.sentence.replacen(&seat.to_string(), &seat_name(scene, seat), 1),
                    None => ending.sentence.clone(),
                };
                let short = capital(&clean(sentence.split("; legal were").next().unwrap_or_default()));
                let result = verdict.outcome.as_ref().map(|_| format!(" {}.", capital(&status_of(scene))));
                format!("{short}.{}", result.unwrap_or_default())
            }
            _ => format!("{}.", capital(&status_of(scene))),
        }
    }
}

impl Drop for Table {
    /// Nobody waits for an answer any more.
    fn drop(&mut self) {
        self.hurry();
    }
}

/// The match of a record, to look at.
pub fn open(path: &Path) -> Result<Box<dyn AnySitting>, String> {
    let name = clean(&path.display().to_string());
    let file = open_record(path).map_err(|error| format!("cannot open {name}: {error}"))?;
    let loaded = load_sitting(BufReader::new(file));
    loaded.map_err(|error| format!("cannot read {name}: {}", clean(&error.to_string())))
}

/// The match of a record, to go on with in the same file.
pub fn open_to_play(path: &Path) -> Result<Box<dyn AnySitting>, String> {
    let mut sitting = open(path)?;
    let seats = Seat::all(sitting.header().seats.len());
    if let Some(seat) = sitting.to_ask()
        && sitting.sitter(seat) == Sitter::Stranger
    {
        let (name, player) = (path.display().to_string(), &sitting.header().seats[seat.index()].player);
        return Err(format!(
            "in {} {seat} is `{}`, who cannot be seated here; look at the match with `rookery watch`",
            clean(&name),
            clean(player)
        ));
    }
    // A match of programs is only looked at: nothing may be added to its record.
    let has_person = seats.into_iter().any(|seat| sitting.sitter(seat) == Sitter::Person);
    sitting.keep(has_person.then(|| path.to_owned()));
    Ok(sitting)
}

/// How the game calls a seat: what its caption begins with.
pub(crate) fn seat_name(scene: &Scene, seat: Seat) -> String {
    let caption = scene.captions.iter().find(|caption| caption.place == Place::Seat(seat));
    let name = caption.and_then(|caption| caption.text.split([':', ',']).next());
    name.map_or_else(|| seat.to_string(), str::to_owned)
}

fn status_of(scene: &Scene) -> String {
    let caption = scene.captions.iter().find(|caption| caption.place == Place::Status);
    caption.map_or_else(String::new, |caption| caption.text.clone())
}

/// The same with a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

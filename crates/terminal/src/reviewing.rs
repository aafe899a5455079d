//! Looking back at a match that is over: what each move was worth, what was better, and playing on from there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use rookery_catalog::Stop;
use rookery_rules::Seat;
use rookery_study::{Judged, Review, ReviewTime, review};

use crate::app::Tone;
use crate::popup::Popup;
use crate::telling::capital;
use crate::{App, clean};

/// The review of the match on the screen.
#[derive(Debug)]
pub(crate) struct Reviewing {
    state: State,
    /// Which judged move each step of the history is.
    of_steps: Vec<Option<usize>>,
    /// Whether it is looked at.
    is_shown: bool,
}

#[derive(Debug)]
enum State {
    Judging(Job),
    Done(Box<Review>),
}

/// A review that is being made.
#[derive(Debug)]
struct Job {
    stop: Stop,
    /// How many positions are judged, and how many there are.
    progress: Arc<(AtomicUsize, AtomicUsize)>,
    begun: Instant,
    result: Receiver<Option<Review>>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl Job {
    fn told(&self, now: Instant) -> String {
        let (done, all) =
            (self.progress.0.load(Ordering::Relaxed), self.progress.1.load(Ordering::Relaxed).max(1));
        let filled = (BAR * done / all).min(BAR);
        let bar = format!("[{}{}]", "#".repeat(filled), ".".repeat(BAR - filled));
        let spent = now.saturating_duration_since(self.begun).as_secs_f64();
        let to_go = match done {
            0 => String::new(),
            done => format!(", about {:.0} s to go", spent * (all.saturating_sub(done)) as f64 / done as f64),
        };
        format!("Review: {bar} {done} of {all} positions{to_go}. Esc stops it.")
    }
}

/// The width of the bar that shows how far a review is.
const BAR: usize = 20;

impl App {
    /// The review, if it is there and looked at.
    pub(crate) fn reviewed(&self) -> Option<&Review> {
        match &self.review.as_ref()?.state {
            State::Done(review) => {
                Some(review).filter(|_| self.review.as_ref().is_some_and(|it| it.is_shown))
            }
            State::Judging(_) => None,
        }
        .map(|review| &**review)
    }

    /// How far a review is that is being made.
    pub(crate) fn judging(&self) -> Option<String> {
        match &self.review.as_ref()?.state {
            State::Judging(job) => Some(job.told(self.now)),
            State::Done(_) => None,
        }
    }

    /// Which judged move a step of the history is.
    pub(crate) fn judged_step(&self, step: usize) -> Option<&Judged> {
        let reviewing = self.review.as_ref().filter(|reviewing| reviewing.is_shown)?;
        let State::Done(review) = &reviewing.state else { return None };
        review.moves.get((*reviewing.of_steps.get(step)?)?)
    }

    /// The move that was made in the position that is looked at.
    pub(crate) fn judged(&self) -> Option<&Judged> {
        self.judged_step(self.table.history().len())
    }

    /// Shows the review of a match that is over, or begins to make it.
    pub fn open_review(&mut self) {
        if self.table.is_live() {
            return self.say(Tone::Wrong, "The review comes when the match is over.");
        }
        if let Some(watch) = &mut self.watch {
            watch.paused = true;
        }
        if self.review.is_some() {
            return self.show_review();
        }
        let (story, n_opening) = self.table.story();
        let mut number = 0;
        let moves = story.entries.iter().map(|entry| {
            let is_judged = entry.seat.is_some() && entry.deed.as_move().is_some();
            number += usize::from(is_judged);
            is_judged.then(|| number - 1)
        });
        let of_steps: Vec<Option<usize>> = vec![None; n_opening].into_iter().chain(moves).collect();
        if number == 0 {
            return self.say(Tone::Wrong, "No move was made in this match that could be reviewed.");
        }
        let (sender, result) = channel();
        let (stop, progress) = (Stop::default(), Arc::new((AtomicUsize::new(0), AtomicUsize::new(0))));
        let (raised, told) = (stop.clone(), Arc::clone(&progress));
        thread::spawn(move || {
            let reviewed = review(&story, ReviewTime::USUAL, &raised, &|done, all| {
                told.0.store(done, Ordering::Relaxed);
                told.1.store(all, Ordering::Relaxed);
            });
            // Nobody waits any more if the screen is gone.
            let _ = sender.send(reviewed);
        });
        let job = Job { stop, progress, begun: self.now, result };
        self.review = Some(Reviewing { state: State::Judging(job), of_steps, is_shown: true });
        self.message.1.clear();
    }

    /// Whether a review is being made.
    pub(crate) fn is_judging(&self) -> bool {
        self.judging().is_some()
    }

    /// Time goes by: the review may be there.
    pub(crate) fn tick_review(&mut self) {
        let Some(Reviewing { state: State::Judging(job), .. }) = &self.review else { return };
        match job.result.try_recv() {
            Ok(Some(review)) => {
                let kept = self.table.keep_review(&review);
                if let Some(reviewing) = &mut self.review {
                    reviewing.state = State::Done(Box::new(review));
                }
                self.show_review();
                if let Err(problem) = kept {
                    self.say_error(&problem);
                }
            }
            Ok(None) | Err(TryRecvError::Disconnected) => self.review = None,
            Err(TryRecvError::Empty) => {}
        }
    }

    /// Looks at the review where the match was decided, or else at its largest mistake, or else at its beginning.
    fn show_review(&mut self) {
        let Some(reviewing) = &mut self.review else { return };
        reviewing.is_shown = true;
        let State::Done(review) = &reviewing.state else { return };
        let mistake = review.mistakes().first().map(|judged| judged.ply);
        let ply = review.decisive.or(mistake).unwrap_or(1);
        self.message.1.clear();
        self.go_to_ply(ply);
    }

    /// Looks at the position in which a move was made, counted from 1.
    fn go_to_ply(&mut self, ply: usize) {
        let steps = self.review.iter().flat_map(|reviewing| &reviewing.of_steps);
        let step = steps.into_iter().position(|judged| *judged == ply.checked_sub(1));
        if let Some(step) = step {
            self.table.go_to(step);
            self.refresh();
        }
    }

    /// The next step, or the one before, of which this can be said; the end of the match counts if `or_end`.
    fn go_to_next(&mut self, forward: bool, or_end: bool, test: impl Fn(&Judged) -> bool) -> bool {
        let (at, end) = (self.table.history().len(), self.table.steps().len());
        let is_wanted = |step: &usize| match self.judged_step(*step) {
            Some(judged) => test(judged),
            None => or_end && *step == end,
        };
        let step =
            if forward { (at + 1..=end).find(is_wanted) } else { (0..at).rev().find(|step| is_wanted(step)) };
        if let Some(step) = step {
            self.message.1.clear();
            self.table.go_to(step);
            self.refresh();
        }
        step.is_some()
    }

    /// What a key does while a review is looked at or made. Whether it was one of those.
    pub(crate) fn review_key(&mut self, key: KeyCode) -> bool {
        if self.is_judging() && key == KeyCode::Esc {
            self.review = None;
            self.say(Tone::Calm, "The review was stopped.");
            return true;
        }
        let Some(review) = self.reviewed() else { return false };
        let n_moves = review.moves.len();
        match key {
            KeyCode::Right | KeyCode::Char(']' | ' ') => drop(self.go_to_next(true, true, |_| true)),
            KeyCode::Left | KeyCode::Char('[') => drop(self.go_to_next(false, false, |_| true)),
            KeyCode::Tab | KeyCode::Down => self.go_to_mistake(true),
            KeyCode::BackTab | KeyCode::Up => self.go_to_mistake(false),
            KeyCode::Home => self.go_to_ply(1),
            KeyCode::End => {
                self.go_to_ply(n_moves);
                self.go_to_next(true, true, |_| true);
            }
            KeyCode::Char('m') => self.list_mistakes(),
            KeyCode::Char('p') => self.play_on(),
            KeyCode::Esc | KeyCode::Char('r') => self.close_review(),
            KeyCode::Enter => {}
            _ => return false,
        }
        true
    }

    fn go_to_mistake(&mut self, forward: bool) {
        if !self.go_to_next(forward, false, Judged::is_mistake) {
            let which = if forward { "later" } else { "earlier" };
            self.say(Tone::Calm, format!("There is no {which} mistake."));
        }
    }

    fn list_mistakes(&mut self) {
        let Some(review) = self.reviewed() else { return };
        let told = |judged: &Judged| judged.told(&self.table.player(seat_of(judged)));
        let mistakes = review.mistakes().into_iter();
        let items: Vec<(String, String)> =
            mistakes.map(|judged| (judged.ply.to_string(), told(judged))).collect();
        if items.is_empty() {
            self.say(Tone::Calm, "Nobody made a mistake.");
        } else {
            self.popup = Some(Popup::Choice { title: "Mistakes, the largest first", items, at: 0 });
        }
    }

    /// A line of the list was chosen.
    pub(crate) fn choose_mistake(&mut self, ply: &str) {
        if let Ok(ply) = ply.parse() {
            self.message.1.clear();
            self.go_to_ply(ply);
        }
    }

    fn close_review(&mut self) {
        if let Some(reviewing) = &mut self.review {
            reviewing.is_shown = false;
        }
        if self.watch.is_none() {
            self.table.to_present();
        }
        self.message.1.clear();
        self.refresh();
    }

    /// A new match from the position that is looked at.
    fn play_on(&mut self) {
        match self.table.play_on() {
            Ok(()) => {
                self.review = None;
                self.watch = None;
                self.view = crate::app::View::default();
                self.refresh();
                self.cursor = self.first_cell();
                self.say(Tone::Calm, "A new match goes on from here.");
            }
            Err(problem) => self.say_error(&problem),
        }
    }

    /// What is said of the move: how it is called, and what it changed.
    pub(crate) fn review_status(&self) -> (String, String) {
        let Some(judged) = self.judged() else {
            return (self.table.status(&self.scene), String::new());
        };
        let name = self.table.player(seat_of(judged));
        let word = judged.judgement.map(|judgement| format!(" ({})", judgement.word())).unwrap_or_default();
        let is_decisive = self.reviewed().is_some_and(|review| review.decisive == Some(judged.ply));
        let moment = if is_decisive { " The decisive moment." } else { "" };
        let what = format!("{}: {}{}{word}.", capital(&name), judged.mv, judged.sign());
        (what, format!("{}.{moment}", judged.change()))
    }

    /// What would have been better; at the end, how well everybody played.
    pub(crate) fn review_message(&self) -> Option<String> {
        let review = self.reviewed()?;
        let Some(judged) = self.judged() else {
            let accuracies = review
                .players
                .iter()
                .filter_map(|player| Some(format!("{} {:.0} %", clean(&player.name), player.accuracy?)));
            return Some(format!("Accuracy: {}.", accuracies.collect::<Vec<_>>().join(", ")));
        };
        Some(if judged.best == judged.mv {
            format!("Best: {}.", judged.better())
        } else {
            format!("Better: {}.", judged.better())
        })
    }
}

fn seat_of(judged: &Judged) -> Seat {
    Seat::new(judged.seat as u8)
}

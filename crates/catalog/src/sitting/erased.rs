//! A sitting without its types.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rookery_record::Header;
use rookery_referee::{Cause, Clock, Event, EventOf, Fault, Offence, Verdict};
use rookery_rules::{Notation, Picture, Position, Scene, Seat, Seed, scene};
use rookery_search::Stop;

use super::keeping::{Keeper, free_path, write_new};
use super::typed::{Mind, Sitting, whole_ms};
use super::{AnySitting, Entry, HintQuestion, Question, Sitter, SittingError, Thought};
use crate::matches::PositionOf;
use crate::{AnyPosition, Game, PlayError};

impl<G: Game> AnySitting for Sitting<G> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn position(&self) -> &dyn AnyPosition {
        self.referee.position()
    }

    fn scene(&self) -> Scene {
        Picture::scene(self.referee.position())
    }

    fn last_move(&self) -> Option<scene::Move> {
        let (before, mv) = self.last.as_ref()?;
        Picture::scene(before).find_move(&mv.to_string()).cloned()
    }

    fn to_ask(&self) -> Option<Seat> {
        self.referee.to_ask()
    }

    fn sitter(&self, seat: Seat) -> Sitter {
        match self.minds[seat] {
            Mind::Person => Sitter::Person,
            Mind::Computer(_) => Sitter::Computer,
            Mind::Stranger => Sitter::Stranger,
        }
    }

    fn verdict(&self) -> Option<&Verdict> {
        self.referee.verdict()
    }

    fn history(&self) -> Vec<Entry> {
        let entry = |event: &EventOf<PositionOf<G>>| match event {
            Event::Moved { seat, mv, .. } => Some(Entry { seat: *seat, text: mv.to_string(), is_move: true }),
            Event::Resigned { seat } => {
                Some(Entry { seat: *seat, text: "resigns".to_owned(), is_move: false })
            }
            Event::Fouled(foul) => {
                let text = foul.offence.word().replace('_', " ");
                Some(Entry { seat: foul.seat, text, is_move: false })
            }
            Event::Said { seat, text } => {
                Some(Entry { seat: *seat, text: format!("says: {text}"), is_move: false })
            }
            Event::Started(_) | Event::Ended(_) => None,
        };
        self.events.iter().filter_map(entry).collect()
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn play(&mut self, text: &str, used: Duration) -> Result<(), SittingError> {
        let seat = self.person_to_move()?;
        let position = self.referee.position();
        let mv = position.parse_move(text).map_err(|error| SittingError::Play(error.into()))?;
        // A copy is asked, since an illegal move of a person is no matter for the referee.
        Position::play(&mut position.clone(), mv)
            .map_err(|error| SittingError::Play(PlayError::from(error)))?;
        let used = whole_ms(used);
        if self.is_over_time(seat, used) {
            self.run_out(used);
            return Err(SittingError::TimeOver);
        }
        let charge = self.clock.charge(seat, used, true);
        self.happen(Event::Moved { seat, mv, charge });
        Ok(())
    }

    fn resign(&mut self) -> Result<(), SittingError> {
        let seat = self.person_to_move()?;
        self.happen(Event::Resigned { seat });
        Ok(())
    }

    fn run_out(&mut self, used: Duration) {
        let Ok(seat) = self.person_to_move() else { return };
        let used = whole_ms(used);
        if self.is_over_time(seat, used) {
            let charge = self.clock.preview(seat, used);
            self.undone.clear();
            self.foul(seat, Fault::new(Offence::Timeout, "the clock ran out"), charge);
            self.keep_last();
        }
    }

    fn undo(&mut self) -> Result<(), SittingError> {
        let from = self.events.iter().rposition(|event| self.is_persons(event));
        self.take_back(from.ok_or(SittingError::NothingToUndo)?);
        self.keep_all();
        Ok(())
    }

    fn redo(&mut self) -> Result<(), SittingError> {
        if !self.step_forward() {
            return Err(SittingError::NothingToRedo);
        }
        while self.undone.last().is_some_and(|event| !self.is_persons(event)) {
            self.step_forward();
        }
        self.keep_all();
        Ok(())
    }

    fn step_back(&mut self) -> bool {
        let Some(last) = self.events.len().checked_sub(1) else { return false };
        self.take_back(last);
        true
    }

    fn step_forward(&mut self) -> bool {
        let event = self.undone.pop();
        let found = event.is_some();
        if let Some(event) = event {
            self.advance(event);
        }
        found
    }

    fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    fn restart(&mut self) {
        let played = !self.events.is_empty();
        let before = Seed(self.header.seed);
        self.header.seed = self.header.seed.wrapping_add(1);
        self.draw_start(before);
        self.undone.clear();
        self.rebuild(vec![]);
        if let Some(keeper) = self.keeper.as_mut().filter(|keeper| played && keeper.is_kept()) {
            *keeper = Keeper::new(free_path(keeper.path()));
        }
    }

    fn ask(&mut self, think: Option<Duration>) -> Option<Question> {
        let seat = self.to_ask()?;
        let Mind::Computer(strategy) = &self.minds[seat] else { return None };
        let strategy = Arc::clone(strategy);
        // A twentieth is kept for the way of the answer, as in every match.
        let by_clock = self.clock.suggestion(seat).zip(self.clock.allowance(seat));
        let by_clock = by_clock.map(|(think, allowance)| think.min(allowance) * 19 / 20);
        let think = [think, by_clock].into_iter().flatten().min();
        self.asked = Stop::default();
        let position = self.referee.position().clone();
        Some(Question::new((seat, self.number), position, strategy, self.budget(seat), think))
    }

    fn answer(&mut self, thought: Thought) -> bool {
        let Some(seat) = self.to_ask().filter(|_| thought.number == self.number) else { return false };
        let position = self.referee.position();
        let read =
            thought.chosen.and_then(|text| position.parse_move(&text).map_err(|error| error.to_string()));
        match read {
            Ok(mv) if position.is_legal(mv) => {
                // It is a part of this program: that the machine was busy is not its loss.
                let allowance = self.clock.allowance(seat).unwrap_or(Duration::MAX);
                let charge = self.clock.charge(seat, whole_ms(thought.used.min(allowance)), true);
                self.happen(Event::Moved { seat, mv, charge });
            }
            wrong => {
                let what =
                    wrong.map_or_else(|error| error, |mv| format!("it chose {mv}, which is not legal"));
                let sentence = format!("our own player failed, which is nobody's loss: {seat}: {what}");
                self.referee.stop(Cause::PlatformAbort, sentence);
                self.number += 1;
                self.keep_all();
            }
        }
        true
    }

    fn ask_hint(&self) -> Option<HintQuestion> {
        self.person_to_move().ok()?;
        let position = Box::new(self.referee.position().clone());
        Some(HintQuestion { position, stop: Stop::default() })
    }

    fn keep(&mut self, path: Option<PathBuf>) {
        self.keeper = path.map(Keeper::new);
    }

    fn path(&self) -> Option<&Path> {
        self.keeper.as_ref().map(Keeper::path)
    }

    fn is_kept(&self) -> bool {
        self.keeper.as_ref().is_some_and(Keeper::is_kept)
    }

    fn save(&mut self) -> Result<(), SittingError> {
        self.keep_all();
        match self.keeper.as_ref().and_then(|keeper| Some((keeper.path(), keeper.problem()?))) {
            Some((path, problem)) => Err(SittingError::Record(path.to_owned(), problem.to_owned())),
            None => Ok(()),
        }
    }

    fn save_as(&self, path: &Path) -> Result<(), SittingError> {
        write_new(path, &self.story()).map_err(|error| {
            let problem = match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    "there is such a file already; choose another name".to_owned()
                }
                _ => error.to_string(),
            };
            SittingError::Record(path.to_owned(), problem)
        })
    }

    fn keeping_problem(&self) -> Option<String> {
        let keeper = self.keeper.as_ref()?;
        Some(format!("{}: {}", keeper.path().display(), keeper.problem()?))
    }
}

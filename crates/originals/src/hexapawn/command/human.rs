//! A person who is asked for moves line by line. The questions are for the standard error, so that the standard output
//! keeps to what was asked of it.

use std::io::stdin;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rookery_games::hexapawn::{Move, Position};
use rookery_referee::{Answering, Failure, Fault, Kind, Offence, Player, Question};
use rookery_rules::text::{Typed, read_typed};
use rookery_rules::{Notation, Position as _};
use tokio::sync::oneshot;

use crate::hexapawn::oz::Value;
use crate::hexapawn::records::{Dialect, PlayerType, read_pawn};

/// The longest line that is read.
const MAX_LINE: usize = 1024;

/// What a line means.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Move(Move),
    Resign,
    /// Nothing yet; this is what to tell the person.
    Again(String),
}

/// Reads a line: a move in any of its forms, or a word.
pub(super) fn interpret(line: &str, position: &Position) -> Decision {
    let line = line.trim();
    match line {
        "resign" | "quit" => return Decision::Resign,
        "" | "help" | "?" => {
            let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
            return Decision::Again(format!("you may play {}; or resign", moves.join(" ")));
        }
        _ => {}
    }
    let mv = if line.contains('(') { read_record(line) } else { read_text(line, position) };
    match mv {
        Ok(mv) if position.is_legal(mv) => Decision::Move(mv),
        Ok(mv) => Decision::Again(format!("{mv} is not possible: {}", position.reason(mv))),
        Err(problem) => Decision::Again(problem),
    }
}

fn read_text(line: &str, position: &Position) -> Result<Move, String> {
    position.parse_move(line).map_err(|error| error.to_string())
}

fn read_record(line: &str) -> Result<Move, String> {
    let expected = "expected a move such as b2, a1-a2, axb2 or move(f(1 1) t(2 1))";
    let value: Value = line.parse().map_err(|error| format!("{error}; {expected}"))?;
    let spellings = [Dialect::Readme, Dialect::Code].map(|dialect| read_pawn(&value, dialect.mv()));
    spellings.into_iter().find_map(Result::ok).ok_or_else(|| expected.to_owned())
}

/// The board, and a question.
pub(super) fn question(position: &Position, player: PlayerType) -> String {
    format!("{position}\n{player}, your move: ")
}

/// What was wrong with a line, and the question once more.
pub(super) fn question_again(problem: &str, player: PlayerType) -> String {
    format!("{problem}\n{player}, your move: ")
}

/// The next line of the standard input; `None` at its end.
pub(super) fn read_line() -> Option<String> {
    match read_typed(&mut stdin().lock(), MAX_LINE).ok()? {
        Typed::End => None,
        Typed::Line(line) | Typed::TooLong(line) => Some(String::from_utf8_lossy(&line).into_owned()),
    }
}

/// The standard input, read by a thread, a line whenever somebody wants one.
#[derive(Clone, Debug)]
pub(super) struct Lines(mpsc::Sender<oneshot::Sender<Option<String>>>);

impl Lines {
    pub(super) fn start() -> Self {
        let (wants, wanted) = mpsc::channel::<oneshot::Sender<Option<String>>>();
        thread::spawn(move || {
            for want in wanted {
                // Nobody waits any more if the time is up.
                let _ = want.send(read_line());
            }
        });
        Self(wants)
    }

    async fn next(&self) -> Option<String> {
        let (want, line) = oneshot::channel();
        self.0.send(want).ok()?;
        line.await.ok()?
    }
}

/// A person at a seat. Slips of the tongue are not offences: the person is told and asked again.
pub(super) struct Human {
    pub(super) lines: Lines,
    /// Shows the person something.
    pub(super) show: Box<dyn FnMut(String) + Send>,
    /// More time than programs have.
    pub(super) extra: Duration,
}

impl Player<Position> for Human {
    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        let (position, player) = (question.position, PlayerType::at(question.seat));
        Answering::Later(Box::pin(async move {
            (self.show)(self::question(position, player));
            loop {
                let Some(line) = self.lines.next().await else {
                    let gone = Fault::new(Offence::Disconnected, "the standard input ended");
                    return Err(gone.into());
                };
                match interpret(&line, position) {
                    Decision::Move(mv) => return Ok(mv),
                    Decision::Resign => return Err(Failure::Resigned),
                    Decision::Again(problem) => (self.show)(question_again(&problem, player)),
                }
            }
        }))
    }

    fn extra_time(&self, _: &Position) -> Duration {
        self.extra
    }

    fn kind(&self) -> Kind {
        Kind::Person
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::Setup;
    use rookery_rules::Setup as _;

    use super::*;

    #[test]
    fn moves_in_all_their_forms() {
        let position = Setup::default().start();
        let mv = Decision::Move("b1-b2".parse().expect("a move"));
        for line in ["b2", " b1-b2\n", "move(f(1 2) t(2 2))", "mv(f(1 2) t(2 2))\r\n"] {
            assert_eq!(interpret(line, &position), mv, "{line:?}");
        }
        assert_eq!(interpret("resign\n", &position), Decision::Resign);
    }

    #[test]
    fn mistakes_are_explained() {
        let position = Setup::default().start();
        for (line, expected) in [
            ("", "you may play e1-e2 d1-d2 c1-c2 b1-b2 a1-a2; or resign"),
            ("b3", "b2-b3 is not possible: player 1 has no pawn on b2"),
            ("axb2", "a1xb2 is not possible: a pawn takes an enemy pawn one square diagonally ahead"),
            ("hello\u{1b}[2J", "\"hello\\u{1b}[2J\" is no move; expected a step"),
            (
                "move(f(1 2)",
                "at byte 12: the text ends too early; `)` is missing; expected a move such as b2",
            ),
            ("move(f(9 2) t(2 2))", "expected a move such as b2"),
        ] {
            let Decision::Again(problem) = interpret(line, &position) else { panic!("{line:?} is no move") };
            assert!(problem.contains(expected), "{line:?}: {problem}");
        }
    }
}

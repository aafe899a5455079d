//! What people see of a match: the text of the original's referee, or a plainer one.

use std::io::Write;

use rookery_games::hexapawn::{Move, Position, Setup};
use rookery_referee::{Cause, Event, EventOf, Foul, Observer, Offence, Ruling, Verdict, words};
use rookery_rules::{Position as _, Seat, Setup as _};

use super::records::{Dialect, PlayerType, pawn_value, show};

/// The console text of the original, to the letter. For what the original could not notice, such as time running out, a
/// line of our own says why.
#[derive(Debug)]
pub struct ClassicLog<W>(pub W);

impl<W: Write> ClassicLog<W> {
    fn write(&mut self, event: &EventOf<Position>, position: &Position) -> std::io::Result<()> {
        let out = &mut self.0;
        let asks = match event {
            // The last two do not come up in a match of the original.
            Event::Started(_) | Event::TakenBack { .. } | Event::Drawn | Event::Adjudicated { .. } => true,
            Event::Moved { seat, mv, .. } => {
                let player = PlayerType::at(*seat);
                if let Move::Pawn { from, to } = mv {
                    writeln!(out, "Received a message from {player}.")?;
                    let [from, to] = [from, to].map(|at| format!("({} {})", at.row() + 1, at.col() + 1));
                    writeln!(out, "From {from} to {to}")?;
                    writeln!(out, "{}", show(&position.board()))?;
                    if position.to_move().is_none() {
                        let reached = position.board().has_reached(*seat);
                        let why = if reached {
                            format!("{player} reached the other side")
                        } else {
                            "there are no more moves possible".to_owned()
                        };
                        writeln!(out, "Game ended because {why}.")?;
                    }
                } else {
                    writeln!(out, "Received a message from {player}.\n{player}: {mv}")?;
                }
                true
            }
            Event::Fouled(foul) => {
                let player = PlayerType::at(foul.seat);
                match foul.offence {
                    Offence::OutOfTurn => {
                        writeln!(out, "Received a message from {player}.")?;
                        writeln!(out, "Player {player} did not wait his/her turn!")?;
                    }
                    Offence::Malformed | Offence::IllegalMove => {
                        writeln!(out, "Received a message from {player}.")?;
                        writeln!(out, "Player {player}'s move is invalid.")?;
                        let what = match foul.ruling {
                            Ruling::AskAgain => "'s move is invalid is given a second chance",
                            _ if is_before_play(foul) => " loses because of an illegal decision before play",
                            _ => " loses because of two illegal moves",
                        };
                        writeln!(out, "-> Player {player}{what}.")?;
                    }
                    offence => writeln!(out, "Player {player} loses: {offence}.")?,
                }
                true
            }
            Event::Resigned { seat } => {
                writeln!(out, "Player {} resigns.", PlayerType::at(*seat))?;
                false
            }
            Event::Said { .. } => false,
            Event::Ended(verdict) => {
                self.end(verdict)?;
                false
            }
        };
        if let Some(seat) = position.to_move().filter(|_| asks) {
            writeln!(self.0, "\nSending request to {}", PlayerType::at(seat))?;
        }
        self.0.flush()
    }

    fn end(&mut self, verdict: &Verdict) -> std::io::Result<()> {
        let Some(winner) = winner(verdict) else {
            return writeln!(self.0, "\nNobody has won: {}", words::verdict(verdict, &who));
        };
        writeln!(self.0, "\nPlayer {winner} has won!")?;
        for player in PlayerType::BOTH {
            let word = if player == winner { "Yay! :)" } else { "I am defeated. :(" };
            writeln!(self.0, "{player}: {word}")?;
        }
        Ok(())
    }
}

impl<W: Write> Observer<Position> for ClassicLog<W> {
    fn see(&mut self, event: &EventOf<Position>, position: &Position) {
        // Whoever read the log has gone; the match goes on.
        let _ = self.write(event, position);
    }
}

/// One line a move, with its record and as people write it, and a sentence for everything else.
#[derive(Debug)]
pub struct PlainLog<W> {
    /// Where it is written.
    pub out: W,
    /// The spelling of moves.
    pub dialect: Dialect,
}

impl<W: Write> PlainLog<W> {
    fn write(&mut self, event: &EventOf<Position>, position: &Position) -> std::io::Result<()> {
        let out = &mut self.out;
        let name = |seat: Seat| PlayerType::at(seat);
        match event {
            Event::Started(_) => writeln!(out, "{}", show(&position.board()))?,
            Event::Moved { seat, mv: Move::Pawn { from, to }, .. } => {
                let record = pawn_value(*from, *to, self.dialect.mv());
                let mv = Move::Pawn { from: *from, to: *to };
                writeln!(out, "{}: {record}  {mv}", name(*seat))?;
            }
            Event::Moved { seat, mv, .. } => writeln!(out, "{}: {mv}", name(*seat))?,
            Event::Fouled(foul) => {
                let ruling = match foul.ruling {
                    Ruling::AskAgain => "has a second chance",
                    Ruling::Removed => "loses",
                    Ruling::Aborted => "ends the match",
                };
                let what = words::offence(foul.offence, &foul.evidence);
                writeln!(out, "{}: {} ({what}), {ruling}", name(foul.seat), foul.offence)?;
            }
            Event::Resigned { seat } => writeln!(out, "{}: resigns", name(*seat))?,
            Event::Said { .. } | Event::TakenBack { .. } | Event::Drawn | Event::Adjudicated { .. } => {}
            Event::Ended(verdict) => {
                writeln!(out, "{}", show(&position.board()))?;
                writeln!(out, "{}", result(verdict, position))?;
            }
        }
        out.flush()
    }
}

impl<W: Write> Observer<Position> for PlainLog<W> {
    fn see(&mut self, event: &EventOf<Position>, position: &Position) {
        // Whoever read the log has gone; the match goes on.
        let _ = self.write(event, position);
    }
}

/// The winner, if somebody has won.
pub fn winner(verdict: &Verdict) -> Option<PlayerType> {
    verdict.outcome.as_ref()?.winners.iter().next().map(PlayerType::at)
}

/// How the match ended, in one line.
fn result(verdict: &Verdict, position: &Position) -> String {
    let Some(winner) = winner(verdict) else {
        return format!("nobody has won: {}", words::verdict(verdict, &who));
    };
    let plies = verdict.plies;
    match verdict.ending.cause {
        Cause::Normal if position.board().has_reached(winner.seat()) => {
            format!("{winner} has won after {plies} moves: it reached the other side")
        }
        Cause::Normal => format!("{winner} has won after {plies} moves: {} cannot move", winner.other()),
        _ => format!("{winner} has won after {plies} moves: {}", words::ending(&verdict.ending, &who)),
    }
}

/// What the game calls its players in a sentence.
fn who(seat: Seat) -> String {
    Setup::default().seat_label(seat)
}

/// Whether the seat owed a decision of the time before the pawns move.
fn is_before_play(foul: &Foul) -> bool {
    let legal = foul.evidence.legal.first().and_then(|mv| mv.parse().ok());
    matches!(legal, Some(Move::Choose(_) | Move::Off(_)))
}

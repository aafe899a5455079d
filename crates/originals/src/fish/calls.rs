//! The six remote calls, from the server's side: what is sent, and what the answers mean.
//!
//! | call | answer |
//! |---|---|
//! | `["start",[true]]` | `"void"` |
//! | `["playing-as",["red"]]` | `"void"` |
//! | `["playing-with",[["white","brown"]]]` | `"void"` |
//! | `["setup",[State]]` | `[row,column]` |
//! | `["take-turn",[State,[Action,...]]]` | `[[row,column],[row,column]]` |
//! | `["end",[true]]` | `"void"` |
//!
//! `start` and `end` belong to a tournament; the others to a game, for which [`Calls`] speaks.

use std::borrow::Cow;
use std::time::Duration;

use rookery_games::fish::{self, Cell, Color, Move, Phase};
use rookery_referee::{
    Event, EventOf, Failure, Fault, Invitation, LagProbe, Offence, Player, Question, Ruling,
};
use rookery_rules::{Position as _, Seat};
use rookery_wire::{Answer, Bounds, Codec, Framing, Lent, Note, Protocol, Protocols, Remote, excerpt};
use serde::{Deserialize, Serialize};

use super::api::ApiPlayer;
use super::{Action, ColorName, Place, State};

/// How the server speaks, and how long it waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// The time for each call.
    pub timeout: Duration,
    /// The time for the first `take-turn` of a game.
    pub first_timeout: Duration,
    /// Whether `take-turn` says what the others did; if not, its list is always empty.
    pub actions: bool,
    /// Whether a newline follows each message.
    pub newline: bool,
    /// Whether `void` without quotes is as good as `"void"`, and names without quotes, with digits or with hyphens
    /// will do.
    pub lenient: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(3),
            first_timeout: Duration::from_secs(10),
            actions: true,
            newline: false,
            lenient: false,
        }
    }
}

impl Manner {
    /// The call that tells a player that the tournament begins.
    pub fn start(&self) -> Vec<u8> {
        self.call("start", (true,))
    }

    /// The call that tells a player that the tournament is over, and whether it has won.
    pub fn end(&self, won: bool) -> Vec<u8> {
        self.call("end", (won,))
    }

    fn call(&self, name: &str, arguments: impl Serialize) -> Vec<u8> {
        let mut message =
            serde_json::to_vec(&(name, arguments)).expect("names, numbers and lists can be written");
        if self.newline {
            message.push(b'\n');
        }
        message
    }

    /// Whether a reply is `"void"`.
    pub fn void(&self, reply: &[u8]) -> Result<(), Fault> {
        let quoted = || matches!(serde_json::from_slice::<Cow<'_, str>>(reply), Ok(text) if text == "void");
        if (self.lenient && reply == b"void") || quoted() { Ok(()) } else { Err(unreadable(reply, VOID)) }
    }

    /// The calls as a protocol, and the interface for players that drive as another, both in this manner.
    pub fn register(self, into: &mut Protocols) {
        into.register::<fish::Setup>(CALLS, move |link: Lent, lag: &LagProbe| -> Box<dyn Player<_>> {
            Box::new(Remote::new(link, Calls::new(self)).with_lag(lag.clone()))
        });
        let extra = self.first_timeout.saturating_sub(self.timeout);
        into.register::<fish::Setup>(DRIVING, move |link: Lent, _: &LagProbe| -> Box<dyn Player<_>> {
            Box::new(ApiPlayer::new(link).with_first_turn(extra))
        });
    }
}

/// The calls.
pub(crate) const CALLS: Protocol = Protocol { name: "fish", framing: Framing::Json, bounds: BOUNDS };
/// The interface for players that drive.
pub(crate) const DRIVING: Protocol = Protocol { name: "fish-api", framing: Framing::Json, bounds: BOUNDS };
/// 8 KiB a message, 64 KiB of white space, 16 brackets.
const BOUNDS: Bounds = Bounds { bytes: 8 << 10, blanks: 64 << 10, depth: 16 };

/// What is expected of a player that is told something.
const VOID: &str = "\"void\" with its quotes";

/// The same, to a call of this name.
pub(crate) fn void_for(call: &str) -> String {
    format!("{VOID} as the answer to {call}")
}

/// The calls of one game to one player.
#[derive(Clone, Debug)]
pub struct Calls {
    manner: Manner,
    seat: Seat,
    /// Whether this player was asked for a move before.
    has_moved: bool,
    /// The last question.
    asked: Asked,
    /// What the others did since, if a list of it is complete.
    actions: Option<Vec<Action>>,
}

/// A question that is put to a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Nothing,
    Setup,
    TakeTurn,
}

impl Calls {
    /// The calls of a game that begins.
    pub fn new(manner: Manner) -> Self {
        Self { manner, seat: Seat::new(0), has_moved: false, asked: Asked::Nothing, actions: None }
    }
}

impl Codec<fish::Position> for Calls {
    fn seated(&mut self, invitation: &Invitation<'_, fish::Position>) {
        self.seat = invitation.seat;
    }

    fn news(&mut self, event: &EventOf<fish::Position>, position: &fish::Position) -> Vec<Note> {
        match event {
            Event::Started(_) => {
                let color = |seat: Seat| ColorName::from(Color::of(seat));
                let others: Vec<ColorName> =
                    Seat::all(position.n_seats()).filter(|&seat| seat != self.seat).map(color).collect();
                let calls = [
                    ("playing-as", self.manner.call("playing-as", (color(self.seat),))),
                    ("playing-with", self.manner.call("playing-with", (others,))),
                ];
                let note = |(call, message)| {
                    Note::with_reply(message).within(self.manner.timeout).expecting(void_for(call))
                };
                return calls.map(note).into();
            }
            Event::Moved { seat, mv: Move::Slide { from, to }, .. } if *seat != self.seat => {
                if let Some(actions) = &mut self.actions {
                    actions.push(((*from).into(), (*to).into()));
                }
            }
            Event::Fouled(foul) if foul.ruling == Ruling::Removed => self.actions = None,
            Event::Resigned { .. } => self.actions = None,
            _ => {}
        }
        vec![]
    }

    fn acknowledged(&mut self, reply: &[u8]) -> Result<bool, Fault> {
        self.manner.void(reply).map(|()| true)
    }

    fn ask(&mut self, question: &Question<'_, fish::Position>) -> Vec<u8> {
        let state = State::seen_from(question.position, self.seat);
        if question.position.phase() == Phase::Placing {
            self.asked = Asked::Setup;
            return self.manner.call("setup", (state,));
        }
        self.asked = Asked::TakeTurn;
        // From here on the list can be complete, until somebody is removed.
        let actions = self.actions.replace(vec![]).filter(|_| self.manner.actions).unwrap_or_default();
        self.has_moved = true;
        self.manner.call("take-turn", (state, actions))
    }

    fn expecting(&self) -> Option<String> {
        match self.asked {
            Asked::Nothing => None,
            Asked::Setup => Some(format!("{A_PLACE} as the answer to setup")),
            Asked::TakeTurn => Some(format!("{A_MOVE} as the answer to take-turn")),
        }
    }

    fn answer(&mut self, message: &[u8], position: &fish::Position) -> Result<Answer<Move>, Failure> {
        Ok(Answer::Move(if position.phase() == Phase::Placing {
            Move::Place(read::<Place>(message, A_PLACE)?.into())
        } else {
            let (from, to) = read::<Action>(message, A_MOVE)?;
            Move::Slide { from: Cell::from(from), to: Cell::from(to) }
        }))
    }

    fn extra_time(&self, position: &fish::Position) -> Duration {
        if self.has_moved || position.phase() == Phase::Placing {
            return Duration::ZERO;
        }
        self.manner.first_timeout.saturating_sub(self.manner.timeout)
    }
}

const A_PLACE: &str = "a place such as [0,2]";
const A_MOVE: &str = "a move such as [[0,2],[2,2]]";

fn read<'a, T: Deserialize<'a>>(message: &'a [u8], expected: &str) -> Result<T, Fault> {
    serde_json::from_slice(message).map_err(|_| unreadable(message, expected))
}

fn unreadable(message: &[u8], expected: &str) -> Fault {
    Fault::new(Offence::Malformed, "").sent(excerpt(message)).expected(expected)
}

#[cfg(test)]
mod tests {
    use rookery_referee::{Clock, Evidence, Foul, TimeControl};
    use rookery_rules::{Seed, Setup as _};

    use super::*;

    fn start() -> fish::Position {
        let source =
            fish::Source::Made { rows: 3, cols: 3, fish: fish::Stock::Equal(2), holes: 0, ones: 0, seed: 0 };
        fish::Setup { players: 3, source }.start()
    }

    fn ask(calls: &mut Calls, position: &fish::Position) -> String {
        let clock = Clock::new(TimeControl::Untimed, 3);
        let question = Question {
            position,
            seat: calls.seat,
            ply: 0,
            refused: 0,
            refusal: None,
            clock: &clock,
            time: None,
            seed: Seed(0),
        };
        String::from_utf8(calls.ask(&question)).expect("JSON is text")
    }

    fn calls(seat: u8) -> Calls {
        Calls { seat: Seat::new(seat), ..Calls::new(Manner::default()) }
    }

    #[test]
    fn a_player_hears_its_colour_and_those_of_the_others() {
        let position = start();
        let notes = calls(1).news(&Event::Started(Box::new(position.clone())), &position);
        let texts: Vec<_> = notes.iter().map(|note| String::from_utf8_lossy(&note.message)).collect();
        assert_eq!(texts, [r#"["playing-as",["white"]]"#, r#"["playing-with",[["red","brown"]]]"#]);
        assert!(notes.iter().all(|note| note.reply && note.within == Some(Duration::from_secs(3))));
    }

    #[test]
    fn calls_and_answers_of_a_game() {
        let mut position = start();
        let mut red = calls(0);
        let asked = ask(&mut red, &position);
        assert_eq!(
            asked,
            r#"["setup",[{"players":[{"color":"red","score":0,"places":[]},{"color":"white","score":0,"places":[]},{"color":"brown","score":0,"places":[]}],"board":[[2,2,2],[2,2,2],[2,2,2]]}]]"#
        );
        assert_eq!(red.answer(b"[0,1]", &position), Ok(Answer::Move(Move::Place(Cell::new(0, 1)))));
        for bad in ["[0,1,2]", "[[0,1]]", "false", "\"void\"", "[0,-1]", "[0 1]", "{}", "[0,1]]"] {
            let Err(Failure::Fault(fault)) = red.answer(bad.as_bytes(), &position) else { panic!("{bad}") };
            assert_eq!(fault.offence, Offence::Malformed);
            assert_eq!(fault.evidence.sent, Some(format!("`{bad}`")));
            assert_eq!(fault.evidence.expected.as_deref(), Some("a place such as [0,2]"));
        }
        while position.phase() == Phase::Placing {
            let mv = position.legal_moves().next().expect("there are nine tiles for nine penguins");
            position.play_unchecked(mv);
        }
        assert!(red.answer(b"[[0,1],[2,1]]", &position).is_ok());
        assert!(red.answer(b"[0,1]", &position).is_err());
        assert!(red.answer(b"false", &position).is_err());
    }

    #[test]
    fn actions_are_those_of_the_others_since_the_last_turn() {
        let board = fish::Board::from_rows(&[[1; 4]; 6]).expect("a board");
        let penguins = |cells: &[(u8, u8)]| fish::Player {
            score: 0,
            penguins: cells.iter().map(|&(row, col)| Cell::new(row, col)).collect(),
        };
        let players = [penguins(&[(0, 0)]), penguins(&[(0, 1)]), penguins(&[(0, 2)])];
        let position = fish::Position::moving(board, &players).expect("it is possible");
        let slide = |seat: u8, from: (u8, u8), to: (u8, u8)| {
            let mv = Move::Slide { from: Cell::new(from.0, from.1), to: Cell::new(to.0, to.1) };
            Event::Moved { seat: Seat::new(seat), mv, charge: None, info: None }
        };
        let mut white = calls(1);
        assert_eq!(white.extra_time(&position), Duration::from_secs(7));
        white.news(&slide(0, (0, 0), (2, 0)), &position);
        assert!(ask(&mut white, &position).ends_with(",[]]]"), "the first call has no list");
        assert_eq!(white.extra_time(&position), Duration::ZERO);
        white.news(&slide(1, (0, 1), (2, 1)), &position);
        white.news(&slide(2, (0, 2), (2, 2)), &position);
        white.news(&slide(0, (2, 0), (4, 0)), &position);
        assert!(ask(&mut white, &position).ends_with(",[[[0,2],[2,2]],[[2,0],[4,0]]]]]"));
        assert!(ask(&mut white, &position).ends_with(",[]]]"), "each is told once");

        let foul = Foul {
            seat: Seat::new(2),
            offence: Offence::Timeout,
            ruling: Ruling::Removed,
            evidence: Evidence::default(),
            charge: None,
        };
        white.news(&Event::Fouled(Box::new(foul)), &position);
        white.news(&slide(0, (4, 0), (5, 0)), &position);
        assert!(ask(&mut white, &position).ends_with(",[]]]"), "somebody was removed since");
        white.news(&slide(0, (5, 0), (3, 0)), &position);
        assert!(ask(&mut white, &position).ends_with(",[[[5,0],[3,0]]]]]"), "the list begins anew");
    }

    #[test]
    fn void_has_quotes_unless_we_are_lenient() {
        let strict = Manner::default();
        let lenient = Manner { lenient: true, newline: true, ..strict };
        for (reply, expected) in
            [("\"void\"", [true, true]), ("void", [false, true]), ("\"Void\"", [false; 2])]
        {
            assert_eq!(
                [strict, lenient].map(|manner| manner.void(reply.as_bytes()).is_ok()),
                expected,
                "{reply}"
            );
        }
        assert_eq!(strict.end(true), br#"["end",[true]]"#);
        assert_eq!(lenient.start(), b"[\"start\",[true]]\n");
    }
}

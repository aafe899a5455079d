//! The calls as JSON: `[name, [argument, ...]]`.

use std::borrow::Cow;

use rookery_games::fish::{Move, Phase, Position};
use rookery_rules::{Position as _, Seat};
use rookery_wire::excerpt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::query::{Action, Tree, move_legal, pass_legal};
use super::{Refused, TournamentInfo};
use crate::fish::{ColorName, Place, State};

/// Something a player asks or does.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Call {
    /// An action, or what is wrong with it.
    Act(Result<Action, String>),
    Ask(Query),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Query {
    State,
    Phase,
    CurrentPlayer,
    OwnColor,
    MoveLegal(ColorName, Place, Place),
    PassLegal(ColorName),
    NextStates,
    TournamentInfo,
    /// A question that cannot be answered, and why.
    Bad(String),
}

/// All calls, for those who mistyped one.
const CALLS: &str = "place, move, pass, state, phase, current-player, own-color, move-legal, pass-legal, next-states \
                     and tournament-info";

impl Call {
    /// Reads a call; the error says what it should look like. Wrong arguments are the matter of the call.
    pub(super) fn read(message: &[u8]) -> Result<Self, String> {
        let (name, arguments): (Cow<'_, str>, Vec<Value>) =
            serde_json::from_slice(message).map_err(|error| error.to_string())?;
        let arguments = Value::Array(arguments);
        Ok(match &*name {
            "place" => Self::Act(
                read(arguments, "place", "[[ROW,COLUMN]]")
                    .map(|(place,): (Place,)| Action::Place(place.into())),
            ),
            "move" => Self::Act(
                read(arguments, "move", "[[ROW,COLUMN],[ROW,COLUMN]]")
                    .map(|(from, to): (Place, Place)| Action::Move(from.into(), to.into())),
            ),
            "pass" => Self::Act(read(arguments, "pass", "[]").map(|[]: [(); 0]| Action::Pass)),
            _ => Self::Ask(Query::read(&name, arguments).unwrap_or_else(Query::Bad)),
        })
    }
}

impl Query {
    fn read(name: &str, arguments: Value) -> Result<Self, String> {
        let none = |query: Self| move |[]: [(); 0]| query;
        match name {
            "state" => read(arguments, name, "[]").map(none(Self::State)),
            "phase" => read(arguments, name, "[]").map(none(Self::Phase)),
            "current-player" => read(arguments, name, "[]").map(none(Self::CurrentPlayer)),
            "own-color" => read(arguments, name, "[]").map(none(Self::OwnColor)),
            "tournament-info" => read(arguments, name, "[]").map(none(Self::TournamentInfo)),
            "move-legal" => read(arguments, name, "[COLOR,[ROW,COLUMN],[ROW,COLUMN]]")
                .map(|(color, from, to)| Self::MoveLegal(color, from, to)),
            "pass-legal" => {
                read(arguments, name, "[COLOR]").map(|(color,): (ColorName,)| Self::PassLegal(color))
            }
            "next-states" => {
                let depths: Vec<u8> = read(arguments, name, "[] or [1]")?;
                match depths.as_slice() {
                    [] | [1] => Ok(Self::NextStates),
                    _ => Err("next-states takes [] or [1]".to_owned()),
                }
            }
            _ => Err(format!("there is no call {}; the calls are {CALLS}", excerpt(name.as_bytes()))),
        }
    }

    /// The answer to whoever sits at a seat, with the position if a game goes on.
    pub(super) fn answer(
        &self,
        seat: Seat,
        position: Option<&Position>,
        info: impl FnOnce() -> TournamentInfo,
    ) -> String {
        let position = position.and_then(|position| Some((position, position.to_move()?)));
        let (position, to_move) = match (self, position) {
            (Self::Bad(problem), _) => return write(&json!({ "error": problem })),
            (Self::TournamentInfo, Some(_)) => return write(&Refused::CannotQueryNow.to_string()),
            (Self::TournamentInfo, None) => return write(&info()),
            (_, None) => return write(&Refused::GameOver.to_string()),
            (_, Some(known)) => known,
        };
        match *self {
            Self::State => write(&state(position)),
            Self::Phase => write(match position.phase() {
                Phase::Placing => "placing",
                Phase::Moving => "playing",
                Phase::Over => "over",
            }),
            Self::CurrentPlayer => write(&ColorName::from(position.color(to_move))),
            Self::OwnColor => write(&ColorName::from(position.color(seat))),
            Self::MoveLegal(color, from, to) => {
                or_false(move_legal(position, color.into(), from.into(), to.into()).as_ref())
            }
            Self::PassLegal(color) => or_false(pass_legal(position, color.into()).as_ref()),
            Self::NextStates => write(&next_states(position)),
            Self::TournamentInfo | Self::Bad(_) => unreachable!("answered above"),
        }
    }
}

fn read<T: DeserializeOwned>(arguments: Value, name: &str, expected: &str) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("{name} takes {expected}: {error}"))
}

/// An answer, with the newline that ends it: a client may read lines.
pub(super) fn write(value: &(impl Serialize + ?Sized)) -> String {
    let mut answer = serde_json::to_string(value).expect("our own data can be written");
    answer.push('\n');
    answer
}

fn or_false(position: Option<&Position>) -> String {
    position.map_or_else(|| write(&false), |position| write(&state(position)))
}

/// A state begins with the player whose turn it is; when it is nobody's, with the first.
fn state(position: &Position) -> State {
    State::seen_from(position, position.to_move().unwrap_or(Seat::new(0)))
}

#[derive(Serialize)]
struct Next {
    action: Value,
    state: State,
}

fn next_states(position: &Position) -> Vec<Next> {
    let tree = Tree::new(position.clone());
    let next = tree.next().map(|(mv, next)| Next {
        action: match mv {
            Move::Place(cell) => json!(Place::from(cell)),
            Move::Slide { from, to } => json!([Place::from(from), Place::from(to)]),
        },
        state: state(next.position()),
    });
    next.collect()
}

//! The five test harnesses: one JSON value in, one JSON value out.
//!
//! | harness | input | output |
//! |---|---|---|
//! | [`xboard`] | a place and a board | how many tiles a penguin there could reach |
//! | [`xstate`] | a state | the state after the first penguin's first possible step, or `false` |
//! | [`xtree`] | a state and a move of its first player | how the next player follows that penguin, or `false` |
//! | [`xstrategy`] | a depth and a state | the house player's action, or `false` |
//! | [`xref`] | a uniform board and players with their depths | the names of the winners, sorted |

use std::collections::BTreeSet;
use std::fmt;

use rookery_catalog::{Fish, PlayerSpec};
use rookery_games::fish::{self, Board, Cell, Color, Direction, Move};
use rookery_live::{Guest, prepare};
use rookery_referee::{Entry, MatchSpec, SeatSpec};
use rookery_rules::{GameSpec, Outcome, Position as _, Seat, Seed, Setup as _};
use rookery_search::{Budget, Strategy};
use rookery_wire::Protocols;
use serde::{Deserialize, Serialize};

use super::{Action, Place, State};

/// One of the harnesses.
///
/// ```
/// use rookery_originals::fish::Harness;
///
/// assert_eq!(Harness::Board.run(r#"{"position":[0,0],"board":[[1,1],[1]]}"#)?, "1");
/// let error = Harness::Board.run(r#"{"position":[0,0]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "the input cannot be read: missing field `board` at line 1 column 18; \
///     expected {\"position\":[ROW,COLUMN],\"board\":[[FISH,..],..]}");
/// # Ok::<(), rookery_originals::fish::HarnessError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harness {
    /// Tiles within reach.
    Board,
    /// The first step.
    State,
    /// The answer to a move.
    Tree,
    /// The house player's move.
    Strategy,
    /// A whole game.
    Ref,
}

/// Why there is no output: what is wrong with the input, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HarnessError(String);

impl HarnessError {
    fn new(problem: impl Into<String>) -> Self {
        Self(problem.into())
    }

    /// Something is wrong with one part of the input.
    fn at(part: &str, problem: impl fmt::Display) -> Self {
        Self(format!("{part}: {problem}"))
    }
}

impl fmt::Display for HarnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HarnessError {}

impl Harness {
    /// The output for an input, both as JSON text.
    pub fn run(self, input: &str) -> Result<String, HarnessError> {
        match self {
            Self::Board => xboard(&self.read(input)?).map(|tiles| write(&tiles)),
            Self::State => xstate(self.read(input)?).map(|state| or_false(state.as_ref())),
            Self::Tree => xtree(&self.read(input)?).map(|action| or_false(action.as_ref())),
            Self::Strategy => {
                let StrategyCase(depth, state) = self.read(input)?;
                xstrategy(depth, &state).map(|action| or_false(action.as_ref()))
            }
            Self::Ref => xref(&self.read(input)?).map(|names| write(&names)),
        }
    }

    fn read<'a, T: Deserialize<'a>>(self, input: &'a str) -> Result<T, HarnessError> {
        serde_json::from_str(input).map_err(|error| {
            HarnessError(format!("the input cannot be read: {error}; expected {}", self.expected()))
        })
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Board => r#"{"position":[ROW,COLUMN],"board":[[FISH,..],..]}"#,
            Self::State => r#"a state, {"players":[PLAYER,..],"board":[[FISH,..],..]}"#,
            Self::Tree => r#"{"state":STATE,"from":[ROW,COLUMN],"to":[ROW,COLUMN]}"#,
            Self::Strategy => "[DEPTH,STATE]",
            Self::Ref => r#"{"row":ROWS,"column":COLUMNS,"players":[[NAME,DEPTH],..],"fish":FISH}"#,
        }
    }
}

fn write(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our own data can be written")
}

fn or_false(value: Option<&impl Serialize>) -> String {
    value.map_or_else(|| "false".to_owned(), write)
}

/// The input of [`xboard`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardCase {
    /// Where the penguin stands.
    pub position: Place,
    /// Row by row, 0 for a hole.
    pub board: Vec<Vec<u8>>,
}

/// How many tiles lie in straight lines from a place, with no hole between.
pub fn xboard(case: &BoardCase) -> Result<usize, HarnessError> {
    let board = Board::from_rows(&case.board).map_err(|error| HarnessError::at("board", error))?;
    let cell = on_board(&board, "position", case.position)?;
    Ok(board.reachable(cell).count())
}

fn on_board(board: &Board, part: &str, place: Place) -> Result<Cell, HarnessError> {
    let cell = Cell::from(place);
    if board.contains(cell) {
        return Ok(cell);
    }
    let (rows, cols) = (board.rows(), board.cols());
    let Place(row, col) = place;
    Err(HarnessError::at(
        part,
        format!("[{row},{col}] lies outside the board of {rows} rows and {cols} columns"),
    ))
}

/// The position of a state in which penguins move. The turn may have passed over the first player.
fn moving(state: &State) -> Result<fish::Position, HarnessError> {
    for (idx, player) in state.players.iter().enumerate() {
        if state.players[..idx].iter().any(|other| other.color == player.color) {
            return Err(HarnessError::at(
                "players",
                format!("two of them are {}", Color::from(player.color)),
            ));
        }
    }
    state.position(None).map_err(|error| HarnessError::at("state", error))
}

/// Lets the first player's first penguin make one step in the first possible direction, clockwise from north. The
/// other penguins stay where the input has them, also in its order.
///
/// Without players there is nobody to step, whatever the board.
pub fn xstate(mut state: State) -> Result<Option<State>, HarnessError> {
    if state.players.is_empty() {
        Board::from_rows(&state.board).map_err(|error| HarnessError::at("state", error))?;
        return Ok(None);
    }
    let mut position = moving(&state)?;
    let Some(from) = state.players[0].places.first().map(|&place| Cell::from(place)) else {
        return Ok(None);
    };
    let steps = Direction::ALL.iter().filter_map(|&direction| position.board().neighbour(from, direction));
    let mut slides = steps.map(|to| (to, Move::Slide { from, to }));
    let Some((to, step)) = slides.find(|&(_, step)| is_legal_for_first(&position, step)) else {
        return Ok(None);
    };
    position.play_unchecked(step);
    state.board = position.board().to_rows();
    state.players[0].places[0] = to.into();
    state.players[0].score = position.score(FIRST);
    state.players.rotate_left(1);
    Ok(Some(state))
}

const FIRST: Seat = Seat::new(0);

fn is_legal_for_first(position: &fish::Position, mv: Move) -> bool {
    position.to_move() == Some(FIRST) && position.is_legal(mv)
}

/// The input of [`xtree`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeCase {
    /// The first player is to move.
    pub state: State,
    /// The penguin that it moves.
    pub from: Place,
    /// Where to.
    pub to: Place,
}

/// Makes a move of the first player, and says how the next one follows it to a tile beside: the first such tile
/// clockwise from north that it can reach, by the penguin with the smallest row and column. A next player who cannot
/// move does not follow.
pub fn xtree(case: &TreeCase) -> Result<Option<Action>, HarnessError> {
    let mut position = moving(&case.state)?;
    let (from, to) = (Cell::from(case.from), Cell::from(case.to));
    let mv = Move::Slide { from, to };
    if !is_legal_for_first(&position, mv) {
        let reason = if position.to_move() == Some(FIRST) {
            position.reason(mv)
        } else {
            "the first player cannot move".to_owned()
        };
        return Err(HarnessError::new(format!("`from` and `to` are no legal move: {reason}")));
    }
    position.play_unchecked(mv);
    let next = FIRST.next(position.n_seats());
    if position.to_move() != Some(next) {
        return Ok(None);
    }
    let beside = Direction::ALL.iter().filter_map(|&direction| position.board().neighbour(to, direction));
    let answers = beside.filter_map(|target| {
        let mut penguins = position.penguins(next);
        let from = penguins.find(|&from| position.is_legal(Move::Slide { from, to: target }))?;
        Some((from.into(), target.into()))
    });
    Ok({ answers }.next())
}

#[derive(Deserialize)]
struct StrategyCase(u8, State);

/// What the house player does that looks so many of its own turns ahead, as the first player; nothing if it cannot
/// move.
pub fn xstrategy(depth: u8, state: &State) -> Result<Option<Action>, HarnessError> {
    let mut house = house_player("[0]", depth)?;
    let position = moving(state)?;
    if position.to_move() != Some(FIRST) {
        return Ok(None);
    }
    match house.choose(&position, &Budget::default()) {
        Move::Slide { from, to } => Ok(Some((from.into(), to.into()))),
        Move::Place(_) => unreachable!("in a state without placements penguins move"),
    }
}

fn house_player(part: &str, depth: u8) -> Result<Box<dyn Strategy<fish::Position>>, HarnessError> {
    match rookery_catalog::strategy::<Fish>(&house_spec(depth)) {
        Ok((strategy, _)) => Ok(strategy),
        Err(_) => Err(HarnessError::at(part, format!("a depth is 1 to 8, not {depth}"))),
    }
}

fn house_spec(depth: u8) -> PlayerSpec {
    format!("minimax:depth={depth}").parse().expect("it has the form of a player")
}

/// The input of [`xref`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefCase {
    /// Rows of the board, 2 to 5.
    pub row: u8,
    /// Columns, 2 to 5.
    pub column: u8,
    /// In turn order: name and depth.
    pub players: Vec<(String, u8)>,
    /// Fish on every tile, 1 to 5.
    pub fish: u8,
}

/// Plays one game between house players, and gives the names of its winners in the order of their characters.
pub fn xref(case: &RefCase) -> Result<Vec<&str>, HarnessError> {
    for (part, value, least) in [("row", case.row, 2), ("column", case.column, 2), ("fish", case.fish, 1)] {
        if !(least..=5).contains(&value) {
            return Err(HarnessError::at(part, format!("expected {least} to 5, not {value}")));
        }
    }
    if !(2..=4).contains(&case.players.len()) {
        let n = case.players.len();
        return Err(HarnessError::at("players", format!("expected 2 to 4 of them, not {n}")));
    }
    let mut entries = vec![];
    let mut names = BTreeSet::new();
    for (idx, (name, depth)) in case.players.iter().enumerate() {
        let part = format!("players[{idx}]");
        if name.is_empty() || name.len() > 12 || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(HarnessError::at(
                &part,
                "a name has 1 to 12 letters from A to Z, upper or lower case",
            ));
        }
        if !names.insert(name) {
            return Err(HarnessError::at(&part, format!("there are two players named {name}")));
        }
        house_player(&part, *depth)?;
        let seat = SeatSpec::BuiltIn(house_spec(*depth));
        entries.push(Entry { name: Some(name.clone()), seat });
    }
    let source = fish::Source::Made {
        rows: case.row,
        cols: case.column,
        fish: fish::Stock::Equal(case.fish),
        holes: 0,
        ones: 0,
        seed: 0,
    };
    let setup = fish::Setup { players: entries.len() as u8, source };
    let outcome = play(&setup, &entries).map_err(HarnessError::new)?;
    let mut winners: Vec<&str> =
        outcome.winners.iter().map(|seat| case.players[seat.index()].0.as_str()).collect();
    winners.sort_unstable();
    Ok(winners)
}

/// Plays a match of built-in players to its end.
fn play(setup: &fish::Setup, entries: &[Entry]) -> Result<Outcome, String> {
    let failed = |error: &dyn fmt::Display| format!("the game cannot be played: {error}");
    let game = GameSpec::parse(&setup.spec()).map_err(|error| failed(&error))?;
    let spec = rookery_catalog::agree(&game, entries, Seed(0)).map_err(|error| failed(&error))?;
    let spec = MatchSpec { conduct: super::CONDUCT, ..spec };
    let guests = Guest::built_in(&spec)?;
    let ready = prepare(spec, guests, &Protocols::default(), None).map_err(|error| failed(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let played = runtime.map_err(|error| failed(&error))?.block_on(ready.run());
    let outcome = played.end.verdict().and_then(|verdict| verdict.outcome);
    outcome.ok_or_else(|| failed(&"a house player failed"))
}

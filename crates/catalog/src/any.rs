//! Games and positions with and without their types.

use std::fmt;
use std::io::BufRead;

use rookery_record::{Header, Limits, Lines, Problem, RecordError, Replay, random_record};
use rookery_referee::Conduct;
use rookery_rules::{
    GameSpec, IllegalMove, Key, Keyed, Notation, Options, ParseMoveError, ParsePositionError, Picture,
    Position, Scene, Seat, Seed, Setup, SetupError, Status, perft, playout,
};
use rookery_search::{AlphaBeta, Analysis, Budget, Line, Mcts, Strategy};
use tokio::runtime::Runtime;

use crate::drill::{self, DrillCase, DrillError, DrillOrder};
use crate::matches::{self, MatchOrder, OrderError, Played, PositionOf, RecordTarget};
use crate::players::{self, PlayerError, PlayerInfo, PlayerSpec};
use crate::sitting::Sitting;
use crate::solve::{SolveError, SolveOrder, Solved};
use crate::{AnyReplay, AnySitting};

/// What the catalog knows about a game, with the game's types. Adding a game means implementing this once.
pub trait Game: Sized + Send + Sync + 'static {
    /// How it begins.
    type Setup: Setup<Position: Keyed + Notation + Picture>;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it is about, in one line.
    const SUMMARY: &'static str;
    /// How many can play.
    const SEATS: &'static str;
    /// Its rules, in Markdown.
    const RULES: &'static str;
    /// What misconduct costs, unless a match says otherwise.
    const CONDUCT: Conduct;
    /// The built-in players that know only this game.
    const PLAYERS: &'static [PlayerInfo];
    /// One of [`PLAYERS`](Game::PLAYERS), by name.
    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<<Self::Setup as Setup>::Position>>;
    /// Finds out what a position is worth with best play, or says why it cannot.
    fn solve(position: &PositionOf<Self>, order: &SolveOrder) -> Result<Solved, SolveError>;
    /// The setups whose speed is measured, as options of a game spec.
    const BENCHES: &'static [&'static str];
}

/// A [`Game`] without its types. Implemented for every game, never by hand.
pub trait AnyGame: Send + Sync {
    /// Its name in a game spec.
    fn name(&self) -> &'static str;
    /// Its name for people.
    fn title(&self) -> &'static str;
    /// What it is about, in one line.
    fn summary(&self) -> &'static str;
    /// How many can play.
    fn seats(&self) -> &'static str;
    /// Its rules, in Markdown.
    fn rules(&self) -> &'static str;
    /// The keys of its game specs.
    fn keys(&self) -> &'static [Key];
    /// The game specs whose speed is measured.
    fn benches(&self) -> Vec<String>;
    /// Its built-in players, from weak to strong where they know any game, then its own.
    fn players(&self) -> Vec<&'static PlayerInfo>;
    /// Whether a player spec names one of its players.
    fn check_player(&self, player: &PlayerSpec) -> Result<(), PlayerError>;
    /// What misconduct costs, unless a match says otherwise.
    fn conduct(&self) -> Conduct;
    /// Plays one match in this thread, and keeps a record of it if a place for one is given.
    ///
    /// # Panics
    /// If the order has not one player for each seat.
    fn play(
        &self,
        order: &MatchOrder,
        runtime: &Runtime,
        record: Option<&RecordTarget>,
    ) -> Result<Played, OrderError>;
    /// The same game with another random start, if its setup has a seed that the spec leaves open.
    fn vary(&self, spec: &GameSpec, seed: Seed) -> GameSpec;
    /// The shortest spec that means the same.
    fn canonical(&self, spec: &GameSpec) -> Result<String, SetupError>;
    /// The first position.
    fn start(&self, spec: &GameSpec) -> Result<Box<dyn AnyPosition>, SetupError>;
    /// A position from its text.
    fn position(&self, text: &str) -> Result<Box<dyn AnyPosition>, ParsePositionError>;
    /// Finds out what a position, given as text, is worth with best play.
    fn solve(&self, position: &str, order: &SolveOrder) -> Result<Solved, SolveError>;
    /// Puts a player into positions that are won for it and reports what becomes of each.
    fn drill(&self, order: &DrillOrder, report: &mut dyn FnMut(&DrillCase)) -> Result<(), DrillError>;
    /// Begins to judge a recorded match again; `line` is the first line of the record, read already as `header`.
    fn replay(&self, header: Header, line: &[u8]) -> Result<Box<dyn AnyReplay>, Problem>;
    /// Begins a match with persons in it.
    ///
    /// # Panics
    /// If the order has not one player for each seat.
    fn sit(&self, order: &MatchOrder) -> Result<Box<dyn AnySitting>, OrderError>;
    /// The match of a record, to go on with or to look at; `line` is the first line, read already as `header`.
    fn load_sitting(
        &self,
        header: Header,
        line: &[u8],
        lines: &mut Lines<Box<dyn BufRead + '_>>,
    ) -> Result<Box<dyn AnySitting>, RecordError>;
    /// The record of a match between players who move at random.
    fn random_record(&self, spec: &GameSpec, seed: Seed) -> Result<Vec<u8>, SetupError>;
}

/// See [`AnyGame::vary`].
pub(crate) fn vary<G: Game>(spec: &GameSpec, seed: Seed) -> GameSpec {
    let mut varied = spec.clone();
    varied.options.push(seed_option(seed));
    // A setup that has no seed, has one given, or makes no use of one refuses it.
    if G::Setup::from_spec(&varied).is_ok() { varied } else { spec.clone() }
}

/// What [`vary`] adds to a spec. Small numbers, so that a spec stays readable.
pub(crate) fn seed_option(seed: Seed) -> (String, String) {
    ("seed".to_owned(), (seed.0 % 1_000_000).to_string())
}

impl<G: Game> AnyGame for G {
    fn name(&self) -> &'static str {
        G::Setup::GAME
    }

    fn title(&self) -> &'static str {
        G::TITLE
    }

    fn summary(&self) -> &'static str {
        G::SUMMARY
    }

    fn seats(&self) -> &'static str {
        G::SEATS
    }

    fn players(&self) -> Vec<&'static PlayerInfo> {
        players::of_game::<G>().collect()
    }

    fn check_player(&self, player: &PlayerSpec) -> Result<(), PlayerError> {
        players::seat::<G>(player, Limits::default(), false).map(|_| ())
    }

    fn rules(&self) -> &'static str {
        G::RULES
    }

    fn keys(&self) -> &'static [Key] {
        G::Setup::KEYS
    }

    fn benches(&self) -> Vec<String> {
        G::BENCHES.iter().map(|options| format!("{}:{options}", G::Setup::GAME)).collect()
    }

    fn conduct(&self) -> Conduct {
        G::CONDUCT
    }

    fn play(
        &self,
        order: &MatchOrder,
        runtime: &Runtime,
        record: Option<&RecordTarget>,
    ) -> Result<Played, OrderError> {
        matches::run::<G>(order, runtime, record)
    }

    fn vary(&self, spec: &GameSpec, seed: Seed) -> GameSpec {
        vary::<G>(spec, seed)
    }

    fn canonical(&self, spec: &GameSpec) -> Result<String, SetupError> {
        Ok(G::Setup::from_spec(spec)?.spec())
    }

    fn start(&self, spec: &GameSpec) -> Result<Box<dyn AnyPosition>, SetupError> {
        Ok(Box::new(G::Setup::from_spec(spec)?.start()))
    }

    fn position(&self, text: &str) -> Result<Box<dyn AnyPosition>, ParsePositionError> {
        Ok(Box::new(<G::Setup as Setup>::Position::from_text(text)?))
    }

    fn solve(&self, position: &str, order: &SolveOrder) -> Result<Solved, SolveError> {
        let position = <G::Setup as Setup>::Position::from_text(position).map_err(SolveError::Position)?;
        G::solve(&position, order)
    }

    fn drill(&self, order: &DrillOrder, report: &mut dyn FnMut(&DrillCase)) -> Result<(), DrillError> {
        drill::drill::<G>(order, report)
    }

    fn replay(&self, header: Header, line: &[u8]) -> Result<Box<dyn AnyReplay>, Problem> {
        Ok(Box::new(Replay::new::<G::Setup>(header, line)?))
    }

    fn sit(&self, order: &MatchOrder) -> Result<Box<dyn AnySitting>, OrderError> {
        Ok(Box::new(Sitting::<G>::new(order)?))
    }

    fn load_sitting(
        &self,
        header: Header,
        line: &[u8],
        lines: &mut Lines<Box<dyn BufRead + '_>>,
    ) -> Result<Box<dyn AnySitting>, RecordError> {
        Ok(Box::new(Sitting::<G>::load(header, line, lines)?))
    }

    fn random_record(&self, spec: &GameSpec, seed: Seed) -> Result<Vec<u8>, SetupError> {
        Ok(random_record(&G::Setup::from_spec(spec)?, seed))
    }
}

impl fmt::Debug for dyn AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of a position, with moves as text.
pub type AnyAnalysis = Analysis<String>;

/// Random games of an analysis whose budget sets no limit.
const DEFAULT_PLAYOUTS: u64 = 10_000;

/// A position of some game, with moves as text. Implemented for every position, never by hand.
pub trait AnyPosition: fmt::Debug + Send {
    /// As [`Position::n_seats`].
    fn n_seats(&self) -> usize;
    /// As [`Position::status`].
    fn status(&self) -> Status;
    /// The legal moves, in the game's order.
    fn moves(&self) -> Vec<String>;
    /// Reads and plays a move. A text that is no legal move changes nothing.
    fn play(&mut self, text: &str) -> Result<(), PlayError>;
    /// The usual text of a move that may be written in a short form. The move need not be legal.
    fn read_move(&self, text: &str) -> Result<String, ParseMoveError>;
    /// As [`Position::remove`].
    fn remove(&mut self, seat: Seat);
    /// The board for people, several lines.
    fn board(&self) -> String;
    /// As [`Picture::scene`].
    fn scene(&self) -> Scene;
    /// The position in one line.
    fn text(&self) -> String;
    /// As [`Keyed::key`].
    fn key(&self) -> u64;
    /// As [`perft`].
    fn perft(&self, depth: u32) -> u64;
    /// Plays `n_games` random games from here and says how many moves they took together.
    fn playouts(&self, n_games: u64, seed: Seed) -> u64;
    /// The same through the referee.
    fn refereed_playouts(&self, n_games: u64, seed: Seed) -> u64;
    /// As [`Mcts::analyse`]: reports what is known of the position until the budget is spent.
    fn analyse(&self, budget: &Budget, max_lines: usize, report: &mut dyn FnMut(&AnyAnalysis));
    /// Searches with [`Mcts`] until so many random games were played or the result is certain, and says how many it
    /// took, to measure its speed.
    fn mcts_playouts(&self, n_playouts: u64, seed: Seed) -> u64;
    /// Searches so many positions with alpha-beta, by a count of moves, and says how many it took, to measure its speed.
    fn alphabeta_nodes(&self, n_nodes: u64) -> u64;
}

impl<P: Keyed + Notation + Picture> AnyPosition for P {
    fn n_seats(&self) -> usize {
        Position::n_seats(self)
    }

    fn status(&self) -> Status {
        Position::status(self)
    }

    fn moves(&self) -> Vec<String> {
        self.legal_moves().map(|mv| mv.to_string()).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), PlayError> {
        let mv = self.parse_move(text)?;
        Ok(Position::play(self, mv)?)
    }

    fn read_move(&self, text: &str) -> Result<String, ParseMoveError> {
        Ok(self.parse_move(text)?.to_string())
    }

    fn remove(&mut self, seat: Seat) {
        Position::remove(self, seat);
    }

    fn board(&self) -> String {
        self.to_string()
    }

    fn scene(&self) -> Scene {
        Picture::scene(self)
    }

    fn text(&self) -> String {
        self.to_text()
    }

    fn key(&self) -> u64 {
        Keyed::key(self)
    }

    fn perft(&self, depth: u32) -> u64 {
        perft(self, depth)
    }

    fn playouts(&self, n_games: u64, seed: Seed) -> u64 {
        let mut rng = seed.rng();
        (0..n_games).map(|_| u64::from(playout(&mut self.clone(), &mut rng))).sum()
    }

    fn refereed_playouts(&self, n_games: u64, seed: Seed) -> u64 {
        matches::refereed_playouts(self, n_games, seed)
    }

    fn analyse(&self, budget: &Budget, max_lines: usize, report: &mut dyn FnMut(&AnyAnalysis)) {
        let mcts = Mcts::new(DEFAULT_PLAYOUTS);
        mcts.analyse(self, budget, max_lines, &mut |analysis| {
            let lines = analysis.lines.iter().map(|line| Line {
                moves: line.moves.iter().map(ToString::to_string).collect(),
                value: line.value,
                proven: line.proven,
                visits: line.visits,
            });
            let &Analysis { playouts, elapsed, done, .. } = analysis;
            report(&Analysis { lines: lines.collect(), playouts, elapsed, done });
        });
    }

    fn mcts_playouts(&self, n_playouts: u64, seed: Seed) -> u64 {
        let budget = Budget { work: Some(n_playouts), seed, ..Budget::default() };
        Mcts::new(n_playouts).search(self, &budget).1
    }

    fn alphabeta_nodes(&self, n_nodes: u64) -> u64 {
        const TABLE_BYTES: usize = 1 << 20;
        let moves = |position: &P, seat: Seat| {
            let count = position.count_moves() as i32;
            if position.to_move() == Some(seat) { count } else { -count }
        };
        let budget = Budget { work: Some(n_nodes), ..Budget::default() };
        AlphaBeta::new(moves, 1, TABLE_BYTES).search(self, &budget).nodes
    }
}

/// A text that could not be played as a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayError {
    /// It is no move of the game.
    NoMove(ParseMoveError),
    /// It is a move, but not a legal one here.
    Illegal(IllegalMove<String>),
}

impl From<ParseMoveError> for PlayError {
    fn from(error: ParseMoveError) -> Self {
        Self::NoMove(error)
    }
}

impl<M: fmt::Display> From<IllegalMove<M>> for PlayError {
    fn from(error: IllegalMove<M>) -> Self {
        Self::Illegal(IllegalMove { mv: error.mv.to_string(), reason: error.reason })
    }
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMove(error) => error.fmt(f),
            Self::Illegal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlayError {}

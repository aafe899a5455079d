//! Games and positions with and without their types.

use std::fmt;

use rookery_players::{PlayerError, PlayerInfo, PlayerSpec};
use rookery_referee::Conduct;
use rookery_rules::{
    GameSpec, IllegalMove, Key, Keyed, Notation, ParseMoveError, ParsePositionError, Picture, Position,
    PositionOf, Scene, Seat, Seed, Setup, SetupError, Status, perft,
};

use crate::{Game, strategy};

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
    /// Its built-in players, each name once: those that know any game, then its own.
    fn players(&self) -> Vec<&'static PlayerInfo>;
    /// Whether a player spec names one of its players.
    fn check_player(&self, player: &PlayerSpec) -> Result<(), PlayerError>;
    /// What misconduct costs, unless a match says otherwise.
    fn conduct(&self) -> Conduct;
    /// The same game with another random start, if its setup has a seed that the spec leaves open.
    fn vary(&self, spec: &GameSpec, seed: Seed) -> GameSpec;
    /// The shortest spec that means the same.
    fn canonical(&self, spec: &GameSpec) -> Result<String, SetupError>;
    /// The first position.
    fn start(&self, spec: &GameSpec) -> Result<Box<dyn AnyPosition>, SetupError>;
    /// A position from its text.
    fn position(&self, text: &str) -> Result<Box<dyn AnyPosition>, ParsePositionError>;
    /// What people call its seats, in turn order.
    fn seat_labels(&self, spec: &GameSpec) -> Result<Vec<String>, SetupError>;
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
        rookery_players::players(&G::EXPERTISE).collect()
    }

    fn check_player(&self, player: &PlayerSpec) -> Result<(), PlayerError> {
        strategy::<G>(player).map(|_| ())
    }

    fn rules(&self) -> &'static str {
        G::RULES
    }

    fn keys(&self) -> &'static [Key] {
        G::Setup::KEYS
    }

    fn benches(&self) -> Vec<String> {
        let spec = |options: &&str| match *options {
            "" => G::Setup::GAME.to_owned(),
            options => format!("{}:{options}", G::Setup::GAME),
        };
        G::BENCHES.iter().map(spec).collect()
    }

    fn conduct(&self) -> Conduct {
        G::CONDUCT
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
        Ok(Box::new(PositionOf::<G>::from_text(text)?))
    }

    fn seat_labels(&self, spec: &GameSpec) -> Result<Vec<String>, SetupError> {
        let setup = G::Setup::from_spec(spec)?;
        let n_seats = Position::n_seats(&setup.start());
        Ok(Seat::all(n_seats).map(|seat| setup.seat_label(seat)).collect())
    }
}

impl fmt::Debug for dyn AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position of some game, with moves as text. Implemented for every position, never by hand.
pub trait AnyPosition: fmt::Debug + Send + Sync {
    /// The same position once more.
    fn boxed_clone(&self) -> Box<dyn AnyPosition>;
    /// As [`Position::n_seats`].
    fn n_seats(&self) -> usize;
    /// As [`Position::status`].
    fn status(&self) -> Status;
    /// As [`Position::max_plies`].
    fn max_plies(&self) -> u64;
    /// The legal moves, in the game's order.
    fn moves(&self) -> Vec<String>;
    /// Reads and plays a move. A text that is no legal move changes nothing.
    fn play(&mut self, text: &str) -> Result<(), PlayError>;
    /// Plays the move at this place of [`moves`](AnyPosition::moves).
    fn play_index(&mut self, index: usize) -> Result<(), PlayError>;
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
}

impl<P: Keyed + Notation + Picture> AnyPosition for P {
    fn boxed_clone(&self) -> Box<dyn AnyPosition> {
        Box::new(self.clone())
    }

    fn n_seats(&self) -> usize {
        Position::n_seats(self)
    }

    fn status(&self) -> Status {
        Position::status(self)
    }

    fn max_plies(&self) -> u64 {
        Position::max_plies(self)
    }

    fn moves(&self) -> Vec<String> {
        self.legal_moves().map(|mv| mv.to_string()).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), PlayError> {
        let mv = self.parse_move(text)?;
        Ok(Position::play(self, mv)?)
    }

    fn play_index(&mut self, index: usize) -> Result<(), PlayError> {
        let mv = self.legal_moves().nth(index);
        let mv = mv.ok_or_else(|| PlayError::NoSuchIndex { index, n_moves: self.count_moves() })?;
        self.play_unchecked(mv);
        Ok(())
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
}

/// Something that could not be played as a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayError {
    /// It is no move of the game.
    NoMove(ParseMoveError),
    /// It is a move, but not a legal one here.
    Illegal(IllegalMove<String>),
    /// The list of moves is shorter.
    NoSuchIndex { index: usize, n_moves: usize },
    /// The setup has fewer actions.
    NoSuchAction { action: usize, n_actions: usize },
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
            Self::NoSuchAction { action, n_actions } => {
                write!(f, "there is no action {action}; actions are counted from 0 to {}", n_actions - 1)
            }
            Self::NoSuchIndex { n_moves: 0, .. } => f.write_str("there are no moves, the game is over"),
            Self::NoSuchIndex { index, n_moves } => {
                write!(f, "there is no move {index}; moves are counted from 0 to {}", n_moves - 1)
            }
        }
    }
}

impl std::error::Error for PlayError {}

#[cfg(test)]
mod tests {
    use crate::{CATALOG, start};

    #[test]
    fn moves_by_index_are_those_of_the_list() {
        for game in CATALOG {
            let first = start(game.name()).unwrap();
            for (idx, text) in first.moves().iter().enumerate() {
                let (mut by_index, mut by_text) = (first.boxed_clone(), first.boxed_clone());
                by_index.play_index(idx).unwrap();
                by_text.play(text).unwrap();
                assert_eq!(by_index.text(), by_text.text(), "{text} in {}", game.name());
            }
            let (mut same, n_moves) = (first.boxed_clone(), first.moves().len());
            let error = same.play_index(n_moves).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("there is no move {n_moves}; moves are counted from 0 to {}", n_moves - 1)
            );
            assert_eq!(same.text(), first.text(), "what cannot be played changes nothing");
        }
    }
}

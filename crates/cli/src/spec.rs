//! Game specs and moves on the command line.

use rookery_catalog::{AnyGame, AnyPosition, game};
pub(crate) use rookery_originals::UsageError;
use rookery_rules::scene;
use rookery_rules::{GameSpec, SetupError};

/// A game spec that was checked against its game.
#[derive(Clone, Debug)]
pub(crate) struct CheckedSpec {
    pub(crate) game: &'static dyn AnyGame,
    /// The shortest spec that means the same.
    pub(crate) text: String,
    /// As given.
    pub(crate) spec: GameSpec,
}

impl std::str::FromStr for CheckedSpec {
    type Err = SetupError;

    fn from_str(text: &str) -> Result<Self, SetupError> {
        let spec = GameSpec::parse(text)?;
        let game = game(&spec.game)?;
        Ok(Self { game, text: game.canonical(&spec)?, spec })
    }
}

impl CheckedSpec {
    /// How many players the game takes.
    pub(crate) fn n_seats(&self) -> usize {
        self.start().n_seats()
    }

    fn start(&self) -> Box<dyn AnyPosition> {
        self.game.start(&self.spec).expect("the spec was checked when it was read")
    }
}

/// A game spec, and how to get from there to the position meant.
#[derive(Debug, clap::Args)]
pub(crate) struct PositionArgs {
    /// The game and its setup, for example `hexapawn:rows=4,cols=5` (`rookery games` lists the keys)
    #[arg(value_name = "GAME-SPEC")]
    pub(crate) spec: CheckedSpec,

    /// Moves played first, separated by spaces
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    moves: Option<String>,

    /// Begin from this position instead of the setup's, as `rookery show` prints it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,
}

impl PositionArgs {
    pub(crate) fn position(&self) -> Result<Box<dyn AnyPosition>, UsageError> {
        Ok(self.position_and_last()?.0)
    }

    /// The position, and the last of the moves that led there as one sees it on the board.
    pub(crate) fn position_and_last(
        &self,
    ) -> Result<(Box<dyn AnyPosition>, Option<scene::Move>), UsageError> {
        let mut position = match &self.position {
            Some(text) => {
                self.spec.game.position(text).map_err(|error| UsageError(format!("--position: {error}")))?
            }
            None => self.spec.start(),
        };
        let moves: Vec<&str> = self.moves.iter().flat_map(|moves| moves.split_whitespace()).collect();
        let mut last = None;
        for (idx, text) in moves.iter().enumerate() {
            if idx + 1 == moves.len() {
                let id = position.read_move(text).ok();
                last = id.and_then(|id| position.scene().find_move(&id).cloned());
            }
            position.play(text).map_err(|error| {
                let legal = list_some(&position.moves());
                UsageError(format!("--moves, move {}: {error}; legal here: {legal}", idx + 1))
            })?;
        }
        Ok((position, last))
    }
}

/// Moves for an error message: the first few, and how many more there are.
fn list_some(moves: &[String]) -> String {
    const SHOWN: usize = 12;
    match moves.len() {
        0 => "none, the game is over".to_owned(),
        n if n <= SHOWN => moves.join(" "),
        n => format!("{} and {} more", moves[..SHOWN].join(" "), n - SHOWN),
    }
}

//! Positions whose moves have numbers, without the types of their game.

use std::any::Any;
use std::sync::Arc;

use rookery_rules::{
    Actions, Frame, GameSpec, Learnable, Position, PositionOf, Seat, Seed, Setup, SetupError,
};

use crate::{AnyGame, AnyPosition, Game, PlayError, Visit, visit};

/// A position together with the numbers of the moves of its setup. Implemented once, for every game.
pub trait AnyState: Send + Sync + 'static {
    /// The same once more. The list of moves is shared.
    fn boxed_clone(&self) -> Box<dyn AnyState>;
    /// The name of its game.
    fn game(&self) -> &'static str;
    /// The position.
    fn position(&self) -> &dyn AnyPosition;
    /// The position, to change it.
    fn position_mut(&mut self) -> &mut dyn AnyPosition;
    /// Whether it is the same position of the same game.
    fn equals(&self, other: &dyn AnyState) -> bool;
    /// How many actions the setup has.
    fn n_actions(&self) -> usize;
    /// Puts the legal actions into a list that is cleared before, in the order of [`AnyPosition::moves`].
    fn legal_actions(&self, actions: &mut Vec<u32>);
    /// Whether nobody can move any more.
    fn is_over(&self) -> bool;
    /// As [`Actions::mask`].
    fn mask(&self, mask: &mut [u8]);
    /// Plays the move of this number; one that is not legal changes nothing.
    fn play_action(&mut self, action: usize) -> Result<(), PlayError>;
    /// Plays a move by its text; one that is not legal changes nothing.
    fn play_text(&mut self, text: &str) -> Result<(), PlayError>;
    /// The text of an action, legal or not.
    fn action_text(&self, action: usize) -> Option<String>;
    /// The number of a move by its text, legal or not; `None` if the setup has no such move.
    fn action_of(&self, text: &str) -> Result<Option<usize>, PlayError>;
    /// Why a move is not legal; `None` if it is.
    fn reason(&self, text: &str) -> Result<Option<String>, PlayError>;
    /// How observations look.
    fn frame(&self) -> &Frame;
    /// As [`Learnable::observe`].
    fn observe(&self, viewer: Seat, planes: &mut [u8]);
    /// Itself, for whoever knows the type: a [`State`] of the game's positions.
    fn as_any(&self) -> &dyn Any;
}

impl std::fmt::Debug for dyn AnyState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.game(), self.position().text())
    }
}

/// A position of a known type with what its setup has in common.
#[derive(Debug)]
pub struct State<G: Game> {
    /// The position.
    pub position: PositionOf<G>,
    shared: Arc<Shared<G>>,
}

#[derive(Debug)]
struct Shared<G: Game> {
    actions: Actions<PositionOf<G>>,
    frame: Frame,
}

impl<G: Game> State<G> {
    /// Of this position.
    pub fn new(position: PositionOf<G>) -> Self {
        let shared = Shared { actions: Actions::of(&position), frame: position.frame() };
        Self { position, shared: Arc::new(shared) }
    }

    /// Another position of the same setup.
    #[must_use]
    pub fn with(&self, position: PositionOf<G>) -> Self {
        Self { position, shared: Arc::clone(&self.shared) }
    }

    /// As [`AnyGame::vary`].
    #[must_use]
    pub fn vary(&self, spec: &GameSpec, seed: Seed) -> GameSpec {
        crate::any::vary::<G>(spec, seed)
    }

    /// The moves of the setup.
    pub fn actions(&self) -> &Actions<PositionOf<G>> {
        &self.shared.actions
    }

    /// The state behind an [`AnyState`] of the same game.
    pub fn of(state: &dyn AnyState) -> Option<&Self> {
        state.as_any().downcast_ref()
    }
}

impl<G: Game> AnyState for State<G> {
    fn boxed_clone(&self) -> Box<dyn AnyState> {
        Box::new(self.with(self.position.clone()))
    }

    fn game(&self) -> &'static str {
        G::Setup::GAME
    }

    fn position(&self) -> &dyn AnyPosition {
        &self.position
    }

    fn position_mut(&mut self) -> &mut dyn AnyPosition {
        &mut self.position
    }

    fn equals(&self, other: &dyn AnyState) -> bool {
        Self::of(other).is_some_and(|other| other.position == self.position)
    }

    fn n_actions(&self) -> usize {
        self.shared.actions.len()
    }

    fn legal_actions(&self, actions: &mut Vec<u32>) {
        actions.clear();
        self.position.list_legal(&self.shared.actions, actions);
    }

    fn is_over(&self) -> bool {
        self.position.to_move().is_none()
    }

    fn mask(&self, mask: &mut [u8]) {
        self.shared.actions.mask(&self.position, mask);
    }

    fn play_action(&mut self, action: usize) -> Result<(), PlayError> {
        let n_actions = self.n_actions();
        let mv = self.shared.actions.get(action).ok_or(PlayError::NoSuchAction { action, n_actions })?;
        if self.position.is_legal(mv) {
            self.position.play_unchecked(mv);
            return Ok(());
        }
        // Only to say why.
        Ok(Position::play(&mut self.position, mv)?)
    }

    fn play_text(&mut self, text: &str) -> Result<(), PlayError> {
        AnyPosition::play(&mut self.position, text)
    }

    fn action_text(&self, action: usize) -> Option<String> {
        self.shared.actions.get(action).map(|mv| mv.to_string())
    }

    fn action_of(&self, text: &str) -> Result<Option<usize>, PlayError> {
        use rookery_rules::Notation as _;
        Ok(self.shared.actions.find(self.position.parse_move(text)?))
    }

    fn reason(&self, text: &str) -> Result<Option<String>, PlayError> {
        use rookery_rules::Notation as _;
        let mv = self.position.parse_move(text)?;
        let refused = Position::play(&mut self.position.clone(), mv).err();
        Ok(refused.map(|error| error.reason))
    }

    fn frame(&self) -> &Frame {
        &self.shared.frame
    }

    fn observe(&self, viewer: Seat, planes: &mut [u8]) {
        self.position.observe(viewer, &self.shared.frame, planes);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The first position of a game spec, with numbered moves.
///
/// ```
/// let mut state = rookery_catalog::state("four")?;
/// state.play_action(3)?;
/// assert_eq!(state.position().text(), rookery_catalog::state("four")?.action_text(3).map(|mv| {
///     let mut position = rookery_catalog::start("four").expect("the usual setup");
///     position.play(&mv).expect("a legal move");
///     position.text()
/// }).expect("there are seven columns"));
/// assert!(state.play_action(99).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn state(spec: &str) -> Result<Box<dyn AnyState>, SetupError> {
    struct Start<'a>(&'a GameSpec);

    impl Visit for Start<'_> {
        type Out = Result<Box<dyn AnyState>, SetupError>;
        fn visit<G: Game>(self) -> Self::Out {
            Ok(Box::new(State::<G>::new(G::Setup::from_spec(self.0)?.start())))
        }
    }

    let spec = GameSpec::parse(spec)?;
    visit(&spec.game, Start(&spec))?
}

/// A position of a game from its text, with numbered moves.
pub fn state_from_text(
    game: &dyn AnyGame,
    text: &str,
) -> Result<Box<dyn AnyState>, rookery_rules::ParsePositionError> {
    struct Read<'a>(&'a str);

    impl Visit for Read<'_> {
        type Out = Result<Box<dyn AnyState>, rookery_rules::ParsePositionError>;
        fn visit<G: Game>(self) -> Self::Out {
            use rookery_rules::Notation as _;
            Ok(Box::new(State::<G>::new(PositionOf::<G>::from_text(self.0)?)))
        }
    }

    visit(game.name(), Read(text)).expect("the game is in the catalog")
}

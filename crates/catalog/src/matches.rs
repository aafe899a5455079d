//! One match of any game, from names to a verdict.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Seek};
use std::path::PathBuf;

use rookery_players::PlayerSpecError;
use rookery_record::{Cut, Header, Left, Limits, RecordWriter, Salvaged, salvage};
use rookery_referee::{
    Cause, Clock, Conduct, LagProbe, Observer, Player, Referee, Strategist, Terms, TimeControl, Verdict, play,
};
use rookery_rules::{GameSpec, Notation, PositionOf, Seed, Setup, SetupError};
use tokio::runtime::Runtime;

use crate::{Game, PlayerError, PlayerSpec, Visit, strategy, visit};

/// Everything that is agreed before a match.
#[derive(Clone, Debug)]
pub struct MatchOrder {
    /// The game and its setup.
    pub spec: GameSpec,
    /// The players, by seat.
    pub players: Vec<PlayerSpec>,
    /// Where all randomness comes from.
    pub seed: Seed,
    /// How much time the players have.
    pub control: TimeControl,
    /// How much built-in players may think.
    pub limits: Limits,
    /// What misconduct costs.
    pub conduct: Conduct,
    /// A draw after so many moves.
    pub max_turns: Option<u64>,
    /// Which game of a series it is, from 1.
    pub number: Option<u64>,
}

impl MatchOrder {
    /// A match of these players without a clock, by the game's own rules of conduct.
    pub fn new(spec: &str, players: &[&str]) -> Result<Self, OrderError> {
        let spec = GameSpec::parse(spec).map_err(OrderError::Setup)?;
        let conduct = crate::game(&spec.game).map_err(OrderError::Setup)?.conduct();
        let players = players.iter().map(|player| player.parse()).collect::<Result<_, PlayerSpecError>>();
        Ok(Self {
            spec,
            players: players.map_err(|error| OrderError::Player(error.into()))?,
            seed: Seed(0),
            control: TimeControl::Untimed,
            limits: Limits::default(),
            conduct,
            max_turns: None,
            number: None,
        })
    }
}

/// Where a match is written down.
#[derive(Clone, Debug)]
pub struct RecordTarget {
    /// The file.
    pub path: PathBuf,
    /// What to do if the file is there already: go on with it (a finished match is then not played again, and what a
    /// crash has left half-written is cut off), or refuse.
    pub resume: bool,
}

/// A match that was played, or had been played already.
#[derive(Debug)]
pub struct Played {
    /// How it ended.
    pub verdict: Verdict,
    /// Its record, all of it written, but perhaps not on the disk yet ([`Syncer`](rookery_record::Syncer)).
    pub record: Option<File>,
    /// What an earlier run had left that could not be read.
    pub cut: Option<Cut>,
}

/// A match that cannot be played as ordered.
#[derive(Debug)]
pub enum OrderError {
    /// The setup is wrong.
    Setup(SetupError),
    /// A player is wrong.
    Player(PlayerError),
    /// The record cannot be written, or there is one already that does not fit.
    Record(PathBuf, String),
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Player(error) => error.fmt(f),
            Self::Record(path, problem) => write!(f, "{}: {problem}", path.display()),
        }
    }
}

impl std::error::Error for OrderError {}

/// Plays one match in this thread, or the rest of it, and keeps a record of it if a place for one is given.
///
/// # Panics
/// If the order has not one player for each seat.
pub fn play_match(
    order: &MatchOrder,
    runtime: &Runtime,
    record: Option<&RecordTarget>,
) -> Result<Played, OrderError> {
    struct PlayMatch<'a>(&'a MatchOrder, &'a Runtime, Option<&'a RecordTarget>);

    impl Visit for PlayMatch<'_> {
        type Out = Result<Played, OrderError>;
        fn visit<G: Game>(self) -> Self::Out {
            run::<G>(self.0, self.1, self.2)
        }
    }

    visit(&order.spec.game, PlayMatch(order, runtime, record)).map_err(OrderError::Setup)?
}

/// The record of a match between players who move at random.
pub fn random_record(spec: &GameSpec, seed: Seed) -> Result<Vec<u8>, SetupError> {
    struct RandomRecord<'a>(&'a GameSpec, Seed);

    impl Visit for RandomRecord<'_> {
        type Out = Result<Vec<u8>, SetupError>;
        fn visit<G: Game>(self) -> Self::Out {
            Ok(rookery_record::random_record(&G::Setup::from_spec(self.0)?, self.1))
        }
    }

    visit(&spec.game, RandomRecord(spec, seed))?
}

/// The player, ready to sit down. Where there is a time control it thinks in a thread of its own, so that it can be
/// stopped.
pub fn seat<G: Game>(
    player: &PlayerSpec,
    limits: Limits,
    timed: bool,
) -> Result<Box<dyn Player<PositionOf<G>>>, PlayerError> {
    let (strategy, info) = strategy::<G>(player)?;
    let player =
        if timed && !info.quick { Strategist::threaded(strategy) } else { Strategist::inline(strategy) };
    Ok(Box::new(player.with_work(limits.nodes.or(limits.playouts)).with_depth(limits.depth)))
}

fn run<G: Game>(
    order: &MatchOrder,
    runtime: &Runtime,
    target: Option<&RecordTarget>,
) -> Result<Played, OrderError> {
    let setup = G::Setup::from_spec(&order.spec).map_err(OrderError::Setup)?;
    let mut referee = Referee::new(setup.start(), order.conduct);
    if let Some(max_turns) = order.max_turns {
        referee = referee.with_max_plies(max_turns);
    }
    let Some(target) = target else {
        let verdict = play_on::<G>(order, runtime, referee, None, &mut ())?;
        return Ok(Played { verdict, record: None, cut: None });
    };
    let header = header(order, &setup);
    let problem = |problem: String| OrderError::Record(target.path.clone(), problem);
    let Salvaged { left, file, cut } = open::<G::Setup>(target, &header).map_err(problem)?;
    let (verdict, writer) = match left {
        Left::Finished(verdict) => return Ok(Played { verdict, record: Some(file), cut }),
        Left::Unfinished(resumed) => {
            let mut writer = resumed.writer(file);
            (play_on::<G>(order, runtime, resumed.referee, Some(resumed.clock), &mut writer)?, writer)
        }
        Left::Nothing => {
            let mut writer = RecordWriter::new(file, header);
            (play_on::<G>(order, runtime, referee, None, &mut writer)?, writer)
        }
    };
    let file = writer.finish().map_err(|error| problem(error.to_string()))?;
    Ok(Played { verdict, record: Some(file), cut })
}

/// Plays from where the referee stands to the end.
fn play_on<G: Game>(
    order: &MatchOrder,
    runtime: &Runtime,
    referee: Referee<PositionOf<G>>,
    clock: Option<Clock>,
    observer: &mut (dyn Observer<PositionOf<G>> + Send),
) -> Result<Verdict, OrderError> {
    let timed = order.control != TimeControl::Untimed;
    let seated = order.players.iter().map(|player| seat::<G>(player, order.limits, timed));
    let mut players: Vec<Box<dyn Player<_>>> =
        seated.collect::<Result<_, _>>().map_err(OrderError::Player)?;
    Ok(runtime.block_on(async {
        let mut terms = Terms { clock, ..Terms::new(order.control, order.seed) };
        if timed {
            terms.lag = LagProbe::start();
        }
        play(referee, &mut players, &terms, observer).await
    }))
}

/// The first line of the record.
pub(crate) fn header<S: Setup<Position: Notation>>(order: &MatchOrder, setup: &S) -> Header {
    let seats = order.players.iter().map(|player| (player.to_string(), player.to_string()));
    Header {
        time: order.control,
        limits: (order.limits != Limits::default()).then_some(order.limits),
        conduct: order.conduct,
        max_turns: order.max_turns,
        number: order.number,
        ..Header::new(setup, &setup.start(), seats, order.seed)
    }
}

/// The record as it is when the match begins or goes on: new, or what an earlier run has left.
fn open<S: Setup<Position: Notation>>(
    target: &RecordTarget,
    header: &Header,
) -> Result<Salvaged<S::Position>, String> {
    match File::create_new(&target.path) {
        Ok(file) => return Ok(Salvaged { left: Left::Nothing, file, cut: None }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && target.resume => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(
                "there is a record already; go on with it by --resume, or choose another folder".to_owned()
            );
        }
        Err(error) => return Err(error.to_string()),
    }
    let mut salvaged = salvage::<S>(&target.path, header).map_err(|error| error.to_string())?;
    if let Left::Finished(verdict) = &salvaged.left
        && verdict.ending.cause == Cause::PlatformAbort
    {
        // Our own failure: played again, from the beginning.
        salvaged.left = Left::Nothing;
        let emptied = salvaged.file.set_len(0).and_then(|()| salvaged.file.rewind());
        emptied.map_err(|error| error.to_string())?;
    }
    Ok(salvaged)
}

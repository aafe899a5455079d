//! Many games of one setup, stepped at once.

use std::fmt;
use std::thread::{self, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder, join};
use rookery_rules::{
    Frame, GameSpec, Learnable as _, Notation as _, Position as _, PositionOf, Rng, Seat, Seed, Setup as _,
    SetupError, Status,
};
use rookery_search::n_cores;

use crate::{Game, State, Visit, visit};

/// Fewer games than these are not shared with another thread: it would cost more than it gives.
const GAMES_A_THREAD: usize = 256;

/// Where the games of a batch, or some of them, write what there is to see: one row for each game.
#[derive(Debug)]
pub struct Rows<'a> {
    /// The seat to move.
    pub to_move: &'a mut [i8],
    /// What each seat got from a game that has just ended, else 0.
    pub rewards: &'a mut [f32],
    /// 1 for a game that has just ended.
    pub dones: &'a mut [u8],
    /// 1 for each legal action.
    pub masks: &'a mut [u8],
    /// What the seat to move sees, if anybody wants to know.
    pub observations: Option<&'a mut [u8]>,
}

impl Rows<'_> {
    /// Those of the first `n` games, and the rest.
    fn split(self, n: usize, sizes: &Sizes) -> (Self, Self) {
        let (to_move, to_move2) = self.to_move.split_at_mut(n);
        let (rewards, rewards2) = self.rewards.split_at_mut(n * sizes.seats);
        let (dones, dones2) = self.dones.split_at_mut(n);
        let (masks, masks2) = self.masks.split_at_mut(n * sizes.actions);
        let (observations, observations2) =
            self.observations.map(|all| all.split_at_mut(n * sizes.observation())).unzip();
        (
            Self { to_move, rewards, dones, masks, observations },
            Self {
                to_move: to_move2,
                rewards: rewards2,
                dones: dones2,
                masks: masks2,
                observations: observations2,
            },
        )
    }
}

/// How much room a game needs in the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Seats at the table.
    pub seats: usize,
    /// Actions of the setup.
    pub actions: usize,
    /// Planes of an observation.
    pub planes: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Columns of a plane.
    pub cols: usize,
}

impl Sizes {
    /// Bytes of an observation.
    pub const fn observation(&self) -> usize {
        self.planes * self.rows * self.cols
    }

    /// Whether the rows have room for so many games, and for no more.
    pub fn fit(&self, rows: &Rows<'_>, n: usize) -> bool {
        rows.to_move.len() == n
            && rows.rewards.len() == n * self.seats
            && rows.dones.len() == n
            && rows.masks.len() == n * self.actions
            && rows.observations.as_ref().is_none_or(|all| all.len() == n * self.observation())
    }
}

/// An action that was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchError {
    /// In which game, from 0.
    pub game: usize,
    /// Why.
    pub reason: String,
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}: {}", self.game, self.reason)
    }
}

impl std::error::Error for BatchError {}

/// Why there can be no batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBatch {
    /// The setup is none.
    Setup(SetupError),
    /// Nobody can move in the first position of this game, so there is nothing to step.
    Over(&'static str),
}

impl fmt::Display for NoBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Over(game) => write!(
                f,
                "with this setup {game} is over before the first move: there is nothing to step; choose another setup"
            ),
        }
    }
}

impl std::error::Error for NoBatch {}

impl From<SetupError> for NoBatch {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

/// The games of a batch, without their types. Implemented once, for every game.
pub trait AnyBatch: Send + Sync {
    /// How much room each game needs.
    fn sizes(&self) -> Sizes;
    /// Begins all games anew, each with its next board.
    ///
    /// # Panics
    /// If the rows do not [fit](Sizes::fit), as in [`step`](AnyBatch::step).
    fn reset(&mut self, rows: Rows<'_>);
    /// Plays one action in each game. If one is not legal, none is played. A game that is over begins anew at once.
    ///
    /// # Panics
    /// If there is not one action for each game, or the rows do not fit.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError>;
    /// A random legal action of each game.
    fn sample(&mut self, actions: &mut [i64]);
    /// The position of a game, as text.
    fn text(&self, game: usize) -> String;
}

impl fmt::Debug for dyn AnyBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a batch of games, {:?}", self.sizes())
    }
}

/// `n` games of a setup. Setups with random boards have another one for each game, which follows from the seed.
///
/// ```
/// use rookery_catalog::{Rows, batch};
///
/// let mut games = batch("four", 3, rookery_rules::Seed(7))?;
/// let sizes = games.sizes();
/// let (mut to_move, mut rewards, mut dones) = ([0; 3], [0.0; 6], [0; 3]);
/// let mut masks = vec![0; 3 * sizes.actions];
/// let rows = Rows {
///     to_move: &mut to_move, rewards: &mut rewards, dones: &mut dones, masks: &mut masks, observations: None,
/// };
/// games.step(&[0, 3, 6], rows)?;
/// assert_eq!(to_move, [1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn batch(spec: &str, n: usize, seed: Seed) -> Result<Box<dyn AnyBatch>, NoBatch> {
    struct Make(GameSpec, usize, Seed);

    impl Visit for Make {
        type Out = Result<Box<dyn AnyBatch>, NoBatch>;
        fn visit<G: Game>(self) -> Self::Out {
            Ok(Box::new(Batch::<G>::new(self.0, self.1, self.2)?))
        }
    }

    // What the threads of all batches share is made by whoever makes a batch, and not by the first thread that needs it: a
    // process that is forked in that moment would wait for that thread for ever. In Python nobody forks while this runs.
    drop(crossbeam_epoch::pin());
    let spec = GameSpec::parse(spec)?;
    let name = spec.game.clone();
    visit(&name, Make(spec, n, seed))?
}

struct Table<G: Game> {
    position: PositionOf<G>,
    rng: Rng,
    /// How many games were begun here.
    begun: u64,
}

struct Batch<G: Game> {
    common: Common<G>,
    tables: Vec<Table<G>>,
    crew: Crew,
}

/// Everything that the games of a batch share.
struct Common<G: Game> {
    spec: GameSpec,
    /// Whether every game begins with another board.
    varies: bool,
    first: State<G>,
    frame: Frame,
    seed: Seed,
    sizes: Sizes,
}

impl<G: Game> Batch<G> {
    fn new(spec: GameSpec, n: usize, seed: Seed) -> Result<Self, NoBatch> {
        let setup = G::Setup::from_spec(&spec)?;
        let first = State::<G>::new(setup.start());
        if first.position.to_move().is_none() {
            return Err(NoBatch::Over(G::Setup::GAME));
        }
        let frame = first.position.frame();
        let varies = first.vary(&spec, seed) != spec;
        let sizes = Sizes {
            seats: first.position.n_seats(),
            actions: first.actions().len(),
            planes: frame.names.len(),
            rows: frame.rows,
            cols: frame.cols,
        };
        let table = |idx: usize| Table {
            position: first.position.clone(),
            rng: seed.derive(idx as u64).rng(),
            begun: 0,
        };
        let tables = (0..n).map(table).collect();
        let common = Common { spec, varies, first, frame, seed, sizes };
        Ok(Self { common, tables, crew: Crew::default() })
    }
}

/// Some games of a batch, with what belongs to them.
struct Part<'a, G: Game> {
    /// The number of the first one.
    start: usize,
    tables: &'a mut [Table<G>],
    actions: &'a [i64],
    rows: Rows<'a>,
}

impl<G: Game> Common<G> {
    /// Begins another game at a table.
    fn begin(&self, idx: usize, table: &mut Table<G>) {
        let seed = self.seed.derive(idx as u64).derive(table.begun);
        table.begun += 1;
        table.position = if self.varies {
            let varied = G::Setup::from_spec(&self.first.vary(&self.spec, seed)).map(|setup| setup.start());
            // A board on which nobody can move would be no game.
            let playable = varied.ok().filter(|position| position.to_move().is_some());
            playable.unwrap_or_else(|| self.first.position.clone())
        } else {
            self.first.position.clone()
        };
    }

    /// Writes what there is to see of a game.
    #[inline]
    fn show(&self, row: usize, table: &Table<G>, rows: &mut Rows<'_>) {
        let (sizes, position) = (&self.sizes, &table.position);
        let seat = position.to_move().unwrap_or(Seat::new(0));
        rows.to_move[row] = seat.index() as i8;
        self.first.actions().mask(position, &mut rows.masks[row * sizes.actions..][..sizes.actions]);
        if let Some(observations) = &mut rows.observations {
            let len = sizes.observation();
            position.observe(seat, &self.frame, &mut observations[row * len..][..len]);
        }
    }

    fn check(&self, start: usize, tables: &[Table<G>], actions: &[i64]) -> Result<(), BatchError> {
        for (row, (table, &action)) in tables.iter().zip(actions).enumerate() {
            let mv = usize::try_from(action).ok().and_then(|action| self.first.actions().get(action));
            if !mv.is_some_and(|mv| table.position.is_legal(mv)) {
                let reason = self.refusal(table, action);
                return Err(BatchError { game: start + row, reason });
            }
        }
        Ok(())
    }

    #[cold]
    fn refusal(&self, table: &Table<G>, action: i64) -> String {
        match usize::try_from(action).ok().and_then(|action| self.first.actions().get(action)) {
            None => format!(
                "there is no action {action}; actions are counted from 0 to {}",
                self.sizes.actions - 1
            ),
            Some(mv) => format!("illegal move {mv}: {}", table.position.reason(mv)),
        }
    }

    fn step(&self, part: Part<'_, G>) {
        let Part { start, tables, actions, mut rows } = part;
        let seats = self.sizes.seats;
        for (row, (table, &action)) in tables.iter_mut().zip(actions).enumerate() {
            let mv = self.first.actions().get(action as usize).expect("all actions were checked before");
            table.position.play_unchecked(mv);
            let rewards = &mut rows.rewards[row * seats..][..seats];
            // Asked first, because the outcome of a game that goes on needs not be made.
            if table.position.to_move().is_some() {
                rewards.fill(0.0);
                rows.dones[row] = 0;
            } else if let Status::Over(outcome) = table.position.status() {
                rewards.iter_mut().zip(outcome.returns()).for_each(|(reward, got)| *reward = got);
                rows.dones[row] = 1;
                self.begin(start + row, table);
            }
            self.show(row, table, &mut rows);
        }
    }

    fn sample(&self, tables: &mut [Table<G>], actions: &mut [i64]) {
        for (table, action) in tables.iter_mut().zip(actions) {
            let mv = table.position.random_move(&mut table.rng).expect("a game that is over begins anew");
            *action = self.first.actions().number(&table.position, mv) as i64;
        }
    }

    /// As [`check`](Common::check), in halves for whoever has time.
    fn check_all(
        &self,
        start: usize,
        tables: &[Table<G>],
        actions: &[i64],
        share: usize,
    ) -> Result<(), BatchError> {
        if tables.len() <= share {
            return self.check(start, tables, actions);
        }
        let half = tables.len() / 2;
        let ((tables, tables2), (actions, actions2)) = (tables.split_at(half), actions.split_at(half));
        let (one, other) = join(
            || self.check_all(start, tables, actions, share),
            || self.check_all(start + half, tables2, actions2, share),
        );
        one.and(other)
    }

    fn step_all(&self, part: Part<'_, G>, share: usize) {
        if part.tables.len() <= share {
            return self.step(part);
        }
        let Part { start, tables, actions, rows } = part;
        let half = tables.len() / 2;
        let ((tables, tables2), (actions, actions2)) = (tables.split_at_mut(half), actions.split_at(half));
        let (rows, rows2) = rows.split(half, &self.sizes);
        let one = Part { start, tables, actions, rows };
        let other = Part { start: start + half, tables: tables2, actions: actions2, rows: rows2 };
        join(|| self.step_all(one, share), || self.step_all(other, share));
    }

    fn sample_all(&self, tables: &mut [Table<G>], actions: &mut [i64], share: usize) {
        if tables.len() <= share {
            return self.sample(tables, actions);
        }
        let half = tables.len() / 2;
        let ((tables, tables2), (actions, actions2)) =
            (tables.split_at_mut(half), actions.split_at_mut(half));
        join(|| self.sample_all(tables, actions, share), || self.sample_all(tables2, actions2, share));
    }
}

impl<G: Game> AnyBatch for Batch<G> {
    fn sizes(&self) -> Sizes {
        self.common.sizes
    }

    fn reset(&mut self, mut rows: Rows<'_>) {
        let Self { common, tables, .. } = self;
        assert!(common.sizes.fit(&rows, tables.len()), "there is a row for each game");
        rows.rewards.fill(0.0);
        rows.dones.fill(0);
        for (idx, table) in tables.iter_mut().enumerate() {
            common.begin(idx, table);
            common.show(idx, table, &mut rows);
        }
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError> {
        let Self { common, tables, crew } = self;
        assert_eq!(actions.len(), tables.len(), "there is an action for each game");
        assert!(common.sizes.fit(&rows, tables.len()), "there is a row for each game");
        crew.work(tables.len(), |share| {
            common.check_all(0, tables, actions, share)?;
            common.step_all(Part { start: 0, tables, actions, rows }, share);
            Ok(())
        })
    }

    fn sample(&mut self, actions: &mut [i64]) {
        let Self { common, tables, crew } = self;
        assert_eq!(actions.len(), tables.len(), "there is an action for each game");
        crew.work(tables.len(), |share| common.sample_all(tables, actions, share));
    }

    fn text(&self, game: usize) -> String {
        self.tables[game].position.to_text()
    }
}

/// A pool whose threads are known, so that their end can be waited for.
#[derive(Debug)]
struct Threads {
    pool: ThreadPool,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// None where the system gives none.
    fn start(n: usize) -> Option<Self> {
        let mut handles = vec![];
        let builder = ThreadPoolBuilder::new().num_threads(n).spawn_handler(|worker| {
            handles.push(thread::Builder::new().spawn(|| worker.run())?);
            Ok(())
        });
        let pool = builder.build().ok()?;
        Some(Self { pool, handles })
    }

    /// A thread that ends takes locks of the standard library: a process that is forked in that moment would have them for ever.
    fn end(self) {
        let Self { pool, handles } = self;
        drop(pool);
        for handle in handles {
            // A panic was told to whoever waited for the work.
            let _ = handle.join();
        }
    }
}

/// Threads that are kept from step to step, once there is enough to do for them.
#[derive(Debug, Default)]
struct Crew {
    threads: Option<Threads>,
    /// The process that they belong to.
    process: u32,
}

impl Crew {
    /// Does something for `n` games, told how many of them are the share of one thread.
    fn work<T: Send>(&mut self, n: usize, work: impl FnOnce(usize) -> T + Send) -> T {
        let threads = n_cores().min(n / GAMES_A_THREAD);
        if threads < 2 {
            return work(n);
        }
        // Smaller shares than there are threads for, so that one whose core is busy with something else is helped.
        let share = n.div_ceil(4 * threads).max(GAMES_A_THREAD);
        match self.pool(threads) {
            Some(pool) => pool.install(|| work(share)),
            None => work(n),
        }
    }

    /// The threads of this process; none where the system gives none.
    fn pool(&mut self, threads: usize) -> Option<&ThreadPool> {
        let here = std::process::id();
        if self.process != here {
            self.leave_behind();
            self.process = here;
            self.threads = Threads::start(threads);
        }
        self.threads.as_ref().map(|threads| &threads.pool)
    }

    /// After a fork there are no threads behind the pool any more, and to end it would be to wait for them.
    fn leave_behind(&mut self) {
        std::mem::forget(self.threads.take());
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            self.leave_behind();
        }
        if let Some(threads) = self.threads.take() {
            threads.end();
        }
    }
}

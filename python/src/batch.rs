//! Many games stepped at once, without Python's lock.

use numpy::{PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2, PyReadwriteArray4};
use pyo3::prelude::*;
use rookery_catalog::{Game, State, Visit, visit};
use rookery_rules::{
    Frame, GameSpec, Learnable as _, Position as _, PositionOf, Rng, Seat, Seed, Setup as _, SetupError,
    Status,
};
use rookery_search::n_cores;

use crate::errors::value;
use crate::position::returns;

/// The most games of a batch.
const MAX_GAMES: usize = 1 << 20;
/// A thread for fewer games costs more than it gives.
const GAMES_A_THREAD: usize = 256;

/// Where the games of a batch, or some of them, write what there is to see.
struct Rows<'a> {
    to_move: &'a mut [i8],
    rewards: &'a mut [f32],
    dones: &'a mut [u8],
    masks: &'a mut [u8],
    observations: Option<&'a mut [u8]>,
}

impl Rows<'_> {
    /// Those of the first `n` games, and the rest.
    fn split(self, n: usize, sizes: &Sizes) -> (Self, Self) {
        let (to_move, to_move2) = self.to_move.split_at_mut(n);
        let (rewards, rewards2) = self.rewards.split_at_mut(n * sizes.seats);
        let (dones, dones2) = self.dones.split_at_mut(n);
        let (masks, masks2) = self.masks.split_at_mut(n * sizes.actions);
        let (observations, observations2) =
            self.observations.map(|all| all.split_at_mut(n * sizes.planes * sizes.rows * sizes.cols)).unzip();
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

/// How much room a game needs.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    seats: usize,
    actions: usize,
    planes: usize,
    rows: usize,
    cols: usize,
}

/// The games of a batch, with their types inside.
trait AnyBatch: Send + Sync {
    fn sizes(&self) -> Sizes;
    fn reset(&mut self, rows: Rows<'_>);
    /// Plays one action in each game. One that is not legal is refused before any is played: the game, and why.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), (usize, String)>;
    /// A random legal action of each game.
    fn sample(&mut self, actions: &mut [i64]);
    fn text(&self, idx: usize) -> String;
}

struct Table<G: Game> {
    position: PositionOf<G>,
    rng: Rng,
    /// How many games were begun here.
    begun: u64,
}

struct Batch<G: Game> {
    spec: GameSpec,
    /// Whether every game begins with another board.
    varies: bool,
    first: State<G>,
    frame: Frame,
    tables: Vec<Table<G>>,
    seed: Seed,
}

impl<G: Game> Batch<G> {
    fn new(spec: GameSpec, n: usize, seed: Seed) -> Result<Self, SetupError> {
        let setup = G::Setup::from_spec(&spec)?;
        let first = State::<G>::new(setup.start());
        let frame = first.position.frame();
        let varies = first.vary(&spec, seed) != spec;
        let table =
            |idx: usize| Table { position: setup.start(), rng: seed.derive(idx as u64).rng(), begun: 0 };
        let tables = (0..n).map(table).collect();
        Ok(Self { spec, varies, first, frame, tables, seed })
    }
}

/// Everything that the threads of a batch share.
struct Common<'a, G: Game> {
    spec: &'a GameSpec,
    varies: bool,
    first: &'a State<G>,
    frame: &'a Frame,
    seed: Seed,
    sizes: Sizes,
}

impl<G: Game> Common<'_, G> {
    /// Begins another game at a table.
    fn begin(&self, idx: usize, table: &mut Table<G>) {
        let seed = self.seed.derive(idx as u64).derive(table.begun);
        table.begun += 1;
        table.position = if self.varies {
            let varied = self.first.vary(self.spec, seed);
            G::Setup::from_spec(&varied).map_or_else(|_| self.first.position.clone(), |setup| setup.start())
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
            let len = self.frame.len();
            position.observe(seat, self.frame, &mut observations[row * len..][..len]);
        }
    }

    fn step(&self, start: usize, tables: &mut [Table<G>], actions: &[i64], mut rows: Rows<'_>) {
        let seats = self.sizes.seats;
        for (row, (table, &action)) in tables.iter_mut().zip(actions).enumerate() {
            let mv = self.first.actions().get(action as usize).expect("all actions were checked before");
            table.position.play_unchecked(mv);
            let rewards = &mut rows.rewards[row * seats..][..seats];
            // Asked first, because the outcome of a game that goes on needs not be made.
            if let Status::Over(outcome) = table.position.status() {
                for (reward, got) in rewards.iter_mut().zip(returns(&outcome, seats)) {
                    *reward = got;
                }
                rows.dones[row] = 1;
                self.begin(start + row, table);
            } else {
                rewards.fill(0.0);
                rows.dones[row] = 0;
            }
            self.show(row, table, &mut rows);
        }
    }

    fn check(&self, tables: &[Table<G>], actions: &[i64]) -> Result<(), (usize, String)> {
        for (row, (table, &action)) in tables.iter().zip(actions).enumerate() {
            let mv = usize::try_from(action).ok().and_then(|action| self.first.actions().get(action));
            let Some(mv) = mv else {
                let last = self.sizes.actions - 1;
                return Err((
                    row,
                    format!("there is no action {action}; actions are counted from 0 to {last}"),
                ));
            };
            if !table.position.is_legal(mv) {
                return Err((row, format!("illegal move {mv}: {}", table.position.reason(mv))));
            }
        }
        Ok(())
    }
}

/// Cuts the games into as many parts as there are threads for.
fn part_size(n: usize) -> usize {
    let threads = n_cores().min(n.div_ceil(GAMES_A_THREAD)).max(1);
    n.div_ceil(threads)
}

impl<G: Game> AnyBatch for Batch<G> {
    fn sizes(&self) -> Sizes {
        Sizes {
            seats: self.first.position.n_seats(),
            actions: self.first.actions().len(),
            planes: self.frame.names.len(),
            rows: self.frame.rows,
            cols: self.frame.cols,
        }
    }

    fn reset(&mut self, mut rows: Rows<'_>) {
        let sizes = self.sizes();
        let Self { spec, varies, first, frame, tables, seed } = self;
        let common = Common { spec, varies: *varies, first, frame, seed: *seed, sizes };
        rows.rewards.fill(0.0);
        rows.dones.fill(0);
        for (idx, table) in tables.iter_mut().enumerate() {
            common.begin(idx, table);
            common.show(idx, table, &mut rows);
        }
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), (usize, String)> {
        let sizes = self.sizes();
        let Self { spec, varies, first, frame, tables, seed } = self;
        let common = &Common { spec, varies: *varies, first, frame, seed: *seed, sizes };
        let part = part_size(tables.len());
        if part >= tables.len() {
            common.check(tables, actions)?;
            common.step(0, tables, actions, rows);
            return Ok(());
        }
        let checked = std::thread::scope(|scope| {
            let parts = tables.chunks(part).zip(actions.chunks(part)).enumerate();
            let checking: Vec<_> = parts
                .map(|(idx, (tables, actions))| (idx, scope.spawn(move || common.check(tables, actions))))
                .collect();
            checking.into_iter().map(|(idx, part_checked)| (idx, part_checked.join())).collect::<Vec<_>>()
        });
        for (idx, checked) in checked {
            let checked = checked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            checked.map_err(|(row, why)| (idx * part + row, why))?;
        }
        std::thread::scope(|scope| {
            let mut rest = rows;
            for (idx, (tables, actions)) in tables.chunks_mut(part).zip(actions.chunks(part)).enumerate() {
                let (rows, others) = rest.split(tables.len(), &sizes);
                rest = others;
                scope.spawn(move || common.step(idx * part, tables, actions, rows));
            }
        });
        Ok(())
    }

    fn sample(&mut self, actions: &mut [i64]) {
        let part = part_size(self.tables.len());
        let all = self.first.actions();
        let draw = |tables: &mut [Table<G>], actions: &mut [i64]| {
            for (table, action) in tables.iter_mut().zip(actions) {
                let mv = table.position.random_move(&mut table.rng).expect("a game that is over begins anew");
                *action = all.number(&table.position, mv) as i64;
            }
        };
        if part >= self.tables.len() {
            draw(&mut self.tables, actions);
            return;
        }
        std::thread::scope(|scope| {
            for (tables, actions) in self.tables.chunks_mut(part).zip(actions.chunks_mut(part)) {
                scope.spawn(move || draw(tables, actions));
            }
        });
    }

    fn text(&self, idx: usize) -> String {
        use rookery_rules::Notation as _;
        self.tables[idx].position.to_text()
    }
}

/// What `rookery.BatchEnv` is made of; its arrays are Python's.
#[pyclass(module = "rookery._rookery")]
struct Games {
    batch: Box<dyn AnyBatch>,
    n: usize,
}

type Floats<'py> = PyReadwriteArray2<'py, f32>;
type Bytes<'py> = PyReadwriteArray1<'py, u8>;

/// Lends the arrays of a batch as rows.
macro_rules! rows {
    ($self:ident, $to_move:ident, $rewards:ident, $dones:ident, $masks:ident, $observations:ident) => {{
        let sizes = $self.batch.sizes();
        let room = sizes.planes * sizes.rows * sizes.cols;
        let rows = Rows {
            to_move: $to_move.as_slice_mut().map_err(value)?,
            rewards: $rewards.as_slice_mut().map_err(value)?,
            dones: $dones.as_slice_mut().map_err(value)?,
            masks: $masks.as_slice_mut().map_err(value)?,
            observations: match &mut $observations {
                Some(array) => Some(array.as_slice_mut().map_err(value)?),
                None => None,
            },
        };
        let fits = rows.to_move.len() == $self.n
            && rows.rewards.len() == $self.n * sizes.seats
            && rows.dones.len() == $self.n
            && rows.masks.len() == $self.n * sizes.actions
            && rows.observations.as_ref().is_none_or(|all| all.len() == $self.n * room);
        if !fits {
            return Err(value("the arrays of a batch keep their shapes"));
        }
        rows
    }};
}

#[pymethods]
impl Games {
    #[new]
    fn new(spec: &str, n: i64, seed: u64) -> PyResult<Self> {
        struct Make(GameSpec, usize, Seed);

        impl Visit for Make {
            type Out = Result<Box<dyn AnyBatch>, SetupError>;
            fn visit<G: Game>(self) -> Self::Out {
                Ok(Box::new(Batch::<G>::new(self.0, self.1, self.2)?))
            }
        }

        let n = usize::try_from(n).ok().filter(|n| (1..=MAX_GAMES).contains(n));
        let n = n.ok_or_else(|| value(format!("a batch has 1 to {MAX_GAMES} games")))?;
        let spec = GameSpec::parse(spec).map_err(value)?;
        let name = spec.game.clone();
        let batch = visit(&name, Make(spec, n, Seed(seed))).map_err(value)?.map_err(value)?;
        Ok(Self { batch, n })
    }

    /// Seats, actions, planes, rows, columns.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize, usize) {
        let Sizes { seats, actions, planes, rows, cols } = self.batch.sizes();
        (seats, actions, planes, rows, cols)
    }

    fn reset(
        &mut self,
        py: Python<'_>,
        mut to_move: PyReadwriteArray1<'_, i8>,
        mut rewards: Floats<'_>,
        mut dones: Bytes<'_>,
        mut masks: PyReadwriteArray2<'_, u8>,
        mut observations: Option<PyReadwriteArray4<'_, u8>>,
    ) -> PyResult<()> {
        let rows = rows!(self, to_move, rewards, dones, masks, observations);
        let batch = &mut self.batch;
        py.detach(move || batch.reset(rows));
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "they are the arrays of a batch")]
    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        mut to_move: PyReadwriteArray1<'_, i8>,
        mut rewards: Floats<'_>,
        mut dones: Bytes<'_>,
        mut masks: PyReadwriteArray2<'_, u8>,
        mut observations: Option<PyReadwriteArray4<'_, u8>>,
    ) -> PyResult<()> {
        let actions = actions.as_slice().map_err(value)?;
        if actions.len() != self.n {
            return Err(value(format!("{} actions for {} games; give one for each", actions.len(), self.n)));
        }
        let rows = rows!(self, to_move, rewards, dones, masks, observations);
        let batch = &mut self.batch;
        py.detach(move || batch.step(actions, rows))
            .map_err(|(game, why)| crate::errors::illegal(format!("game {game}: {why}")))
    }

    fn sample(&mut self, py: Python<'_>, mut actions: PyReadwriteArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice_mut().map_err(value)?;
        if actions.len() != self.n {
            return Err(value("there is one action for each game"));
        }
        let batch = &mut self.batch;
        py.detach(move || batch.sample(actions));
        Ok(())
    }

    fn text(&self, idx: usize) -> PyResult<String> {
        if idx >= self.n {
            return Err(value(format!("there is no game {idx}; games are counted from 0 to {}", self.n - 1)));
        }
        Ok(self.batch.text(idx))
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Games>()
}

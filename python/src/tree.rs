//! Tree search guided by a function of Python: values and priors of many positions at once.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rookery_catalog::{Game, State, Visit, visit};
use rookery_rules::{BySeat, Position as _, PositionOf, Seat, Status};

use crate::errors::{kind, unread, value};
use crate::gate;
use crate::position::Position;

/// The most nodes and edges of a tree together, which bounds its memory to about half a gibibyte.
const MAX_SIZE: usize = 16_000_000;
/// The most positions that are asked for at once.
const MAX_BATCH: usize = 1 << 16;

/// A move that was seen, and what came of it.
struct Edge<M> {
    mv: M,
    prior: f32,
    visits: u32,
    /// What the seat that makes the move got, added up: shares of a win.
    reward: f32,
    /// 0 until there is a node.
    node: usize,
}

struct Node<M> {
    /// Who chooses among the edges; the outcome of a game that is over.
    status: Result<Seat, BySeat<f32>>,
    edges: Vec<Edge<M>>,
}

/// What a leaf is worth for each seat, and how its moves look.
type Judged = (BySeat<f32>, Option<Vec<f32>>);

struct Tree<'a, G: Game> {
    root: &'a State<G>,
    nodes: Vec<Node<<PositionOf<G> as rookery_rules::Position>::Move>>,
    exploration: f32,
    /// How many nodes and edges there are.
    size: usize,
}

/// One way from the root to a leaf: nodes with the edge that was taken.
type Path = Vec<(usize, usize)>;

fn shares(winners: rookery_rules::Seats, n_seats: usize) -> BySeat<f32> {
    let share = 1.0 / winners.len().max(1) as f32;
    BySeat::new(n_seats, |seat| if winners.contains(seat) { share } else { 0.0 })
}

impl<G: Game> Tree<'_, G> {
    fn node(position: &PositionOf<G>) -> Node<<PositionOf<G> as rookery_rules::Position>::Move> {
        match position.status() {
            Status::Over(outcome) => {
                Node { status: Err(shares(outcome.winners, position.n_seats())), edges: vec![] }
            }
            Status::ToMove(seat) => {
                let edge = |mv| Edge { mv, prior: 0.0, visits: 0, reward: 0.0, node: 0 };
                let mut edges: Vec<_> = position.legal_moves().map(edge).collect();
                let even = 1.0 / edges.len() as f32;
                for edge in &mut edges {
                    edge.prior = even;
                }
                Node { status: Ok(seat), edges }
            }
        }
    }

    /// The edge to follow: what it was worth so far, and what its prior promises.
    fn choose(&self, node: usize) -> usize {
        let edges = &self.nodes[node].edges;
        let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
        let root = (visits as f32 + 1.0).sqrt();
        let worth = |edge: &Edge<_>| {
            let known = if edge.visits == 0 { 0.5 } else { edge.reward / edge.visits as f32 };
            known + self.exploration * edge.prior * root / (1.0 + edge.visits as f32)
        };
        let first = (0, f32::NEG_INFINITY);
        edges
            .iter()
            .map(worth)
            .enumerate()
            .fold(first, |best, next| if next.1 > best.1 { next } else { best })
            .0
    }

    /// Goes down to a position that is not in the tree yet, or where the game is over. Each edge on the way counts as a loss
    /// until the result is known, so that the next way is another one.
    fn descend(&mut self) -> (Path, PositionOf<G>) {
        let mut position = self.root.position.clone();
        let (mut path, mut node): (Path, usize) = (vec![], 0);
        while self.nodes[node].status.is_ok() {
            let chosen = self.choose(node);
            let edge = &mut self.nodes[node].edges[chosen];
            edge.visits += 1;
            path.push((node, chosen));
            position.play_unchecked(edge.mv);
            if edge.node == 0 {
                break;
            }
            node = edge.node;
        }
        (path, position)
    }

    /// Puts a leaf into the tree and takes its worth back along the way.
    fn settle(&mut self, path: &Path, position: &PositionOf<G>, judged: Option<Judged>) {
        let Some(&(parent, taken)) = path.last() else { return };
        let known = self.nodes[parent].edges[taken].node;
        let mut leaf = Self::node(position);
        let worth = match (&leaf.status, judged) {
            (Err(worth), _) => worth.clone(),
            (Ok(_), Some((worth, priors))) => {
                if let Some(priors) = priors {
                    leaf.edges.iter_mut().zip(priors).for_each(|(edge, prior)| edge.prior = prior);
                }
                worth
            }
            (Ok(_), None) => return,
        };
        // Two ways of one batch may have met here.
        if known == 0 {
            self.size += 1 + leaf.edges.len();
            self.nodes.push(leaf);
            self.nodes[parent].edges[taken].node = self.nodes.len() - 1;
        }
        for &(node, edge) in path {
            if let Ok(seat) = self.nodes[node].status {
                self.nodes[node].edges[edge].reward += worth[seat];
            }
        }
    }
}

/// Reads what the function said of one position.
fn read(answer: &Bound<'_, PyAny>, state: &dyn rookery_catalog::AnyState) -> PyResult<Judged> {
    let position = state.position();
    let (n_seats, Status::ToMove(seat)) = (position.n_seats(), position.status()) else {
        return Err(value("only positions that go on are asked for"));
    };
    let (worth, priors) = match answer.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        Ok((worth, priors)) => (worth, (!priors.is_none()).then_some(priors)),
        Err(_) => (answer.clone(), None),
    };
    let valid = |share: f32| (0.0..=1.0).contains(&share);
    let worth = match worth.extract::<f32>() {
        Ok(own) => {
            if !valid(own) {
                return Err(value(format!("a value is the share of a win, 0 to 1, not {own}")));
            }
            let other = (1.0 - own) / (n_seats.max(2) - 1) as f32;
            BySeat::new(n_seats, |each| if each == seat { own } else { other })
        }
        Err(error) if error.is_instance_of::<PyException>(worth.py()) => {
            let all: Vec<f32> = worth
                .extract()
                .map_err(|error| unread(error, "a value: a number, or one for each seat", &worth))?;
            if all.len() != n_seats || !all.iter().copied().all(valid) {
                return Err(value(format!("values are {n_seats} shares of a win, 0 to 1 each")));
            }
            all.into_iter().collect()
        }
        // Ctrl-C.
        Err(error) => return Err(error),
    };
    let Some(priors) = priors else { return Ok((worth, None)) };
    let all: Vec<f32> =
        priors.extract().map_err(|error| unread(error, "priors: one number for each action", &priors))?;
    if all.len() != state.n_actions() || !all.iter().all(|prior| prior.is_finite() && *prior >= 0.0) {
        return Err(value(format!(
            "priors are {} numbers from 0 on, one for each action",
            state.n_actions()
        )));
    }
    let mut legal = vec![];
    state.legal_actions(&mut legal);
    let legal: Vec<f32> = legal.into_iter().map(|action| all[action as usize]).collect();
    let sum: f32 = legal.iter().sum();
    let even = 1.0 / legal.len() as f32;
    let scaled = |prior: f32| if sum > 0.0 { prior / sum } else { even };
    Ok((worth, Some(legal.into_iter().map(scaled).collect())))
}

struct Guided<'a, 'py> {
    position: &'a Position,
    evaluate: &'a Bound<'py, PyAny>,
    simulations: usize,
    batch: usize,
    exploration: f32,
}

/// The moves of the root: text, visits, what each is worth.
type Found = Vec<(String, u32, f32)>;

impl Guided<'_, '_> {
    /// Asks the function about all positions of a batch that go on.
    fn judge<G: Game>(
        &self,
        root: &State<G>,
        leaves: &[(Path, PositionOf<G>)],
    ) -> PyResult<Vec<Option<Judged>>> {
        let going: Vec<usize> = (0..leaves.len()).filter(|&idx| leaves[idx].1.to_move().is_some()).collect();
        let mut judged: Vec<Option<Judged>> = leaves.iter().map(|_| None).collect();
        if going.is_empty() {
            return Ok(judged);
        }
        let states: Vec<State<G>> = going.iter().map(|&idx| root.with(leaves[idx].1.clone())).collect();
        let asked: Vec<Position> =
            states.iter().map(|state| Position::of(rookery_catalog::AnyState::boxed_clone(state))).collect();
        let answers = self.evaluate.call1((asked,))?;
        // One more than there should be says that there are too many, however many there are.
        let answers: Vec<Bound<'_, PyAny>> =
            answers.try_iter()?.take(going.len() + 1).collect::<PyResult<_>>()?;
        if answers.len() != going.len() {
            let returned =
                if answers.len() > going.len() { "more".to_owned() } else { answers.len().to_string() };
            return Err(value(format!(
                "`evaluate` got {} positions and returned {returned} values; it returns one for each",
                going.len()
            )));
        }
        for ((idx, state), answer) in going.into_iter().zip(&states).zip(&answers) {
            judged[idx] = Some(read(answer, state)?);
        }
        Ok(judged)
    }
}

impl Visit for Guided<'_, '_> {
    type Out = PyResult<Found>;

    fn visit<G: Game>(self) -> PyResult<Found> {
        let root = State::<G>::of(&*self.position.state).expect("a state has the type of its game");
        let start = Tree::<G>::node(&root.position);
        let size = 1 + start.edges.len();
        let mut tree = Tree { root, nodes: vec![start], exploration: self.exploration, size };
        let py = self.evaluate.py();
        // The priors of the root come from a question of its own.
        let alone = [(vec![], root.position.clone())];
        if let Some(Some((_, Some(priors)))) = self.judge(root, &alone)?.pop() {
            tree.nodes[0].edges.iter_mut().zip(priors).for_each(|(edge, prior)| edge.prior = prior);
        }
        let mut done = 0;
        while done < self.simulations && tree.size < MAX_SIZE {
            let n = self.batch.min(self.simulations - done);
            // Only the function itself needs Python's lock.
            let leaves: Vec<(Path, PositionOf<G>)> =
                gate::apart(py, || (0..n).map(|_| tree.descend()).collect())?;
            let judged = self.judge(root, &leaves)?;
            gate::apart(py, || {
                for ((path, position), judged) in leaves.iter().zip(judged) {
                    tree.settle(path, position, judged);
                }
            })?;
            done += n;
            py.check_signals()?;
        }
        let told = |edge: &Edge<_>| {
            let worth = if edge.visits == 0 { 0.0 } else { edge.reward / edge.visits as f32 };
            (format!("{}", edge.mv), edge.visits, worth)
        };
        Ok(tree.nodes[0].edges.iter().map(told).collect())
    }
}

/// Tree search (PUCT) with a function of your own in the place of random games.
///
/// `evaluate` gets a list of positions and returns for each a value, the share of a win (0 to 1) of the seat to move (or a
/// list with one for each seat), or a pair of a value and priors: one number for each of the `n_actions` actions. Positions
/// are asked for in batches of up to `batch`. The search ends early when its tree has 16 million positions and moves.
///
/// >>> import rookery
/// >>> found = rookery.guided(rookery.Position.from_text("p1 .../1../..2", "hexapawn"),
/// ...                        lambda positions: [0.5] * len(positions), simulations=50)
/// >>> found["move"]
/// 'a2-a3'
#[pyfunction]
#[pyo3(signature = (position, evaluate, simulations = 400, batch = 16, exploration = 1.5))]
fn guided<'py>(
    py: Python<'py>,
    position: Position,
    evaluate: &Bound<'py, PyAny>,
    simulations: usize,
    batch: usize,
    exploration: f32,
) -> PyResult<Bound<'py, PyDict>> {
    if !evaluate.is_callable() {
        return Err(kind("a function of a list of positions", evaluate));
    }
    if position.state.position().moves().is_empty() {
        return Err(value("the game is over: there is nothing to search"));
    }
    if simulations == 0 || !(1..=MAX_BATCH).contains(&batch) || !(0.0..=1000.0).contains(&exploration) {
        return Err(value(format!(
            "`simulations` is at least 1, `batch` 1 to {MAX_BATCH}, and `exploration` 0 to 1000"
        )));
    }
    let name = position.state.game();
    let order = Guided { position: &position, evaluate, simulations, batch, exploration };
    let found = visit(name, order).map_err(value)??;
    let (visits, values) = (PyDict::new(py), PyDict::new(py));
    for (mv, tried, worth) in &found {
        visits.set_item(mv, tried)?;
        values.set_item(mv, worth)?;
    }
    let first = &found[0];
    let best = found.iter().fold(first, |best, next| if next.1 > best.1 { next } else { best });
    let result = PyDict::new(py);
    result.set_item("move", &best.0)?;
    result.set_item("value", best.2)?;
    result.set_item("visits", visits)?;
    result.set_item("values", values)?;
    Ok(result)
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(guided, module)?)
}

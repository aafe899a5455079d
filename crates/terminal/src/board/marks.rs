//! What is marked on a board, and how.

use rookery_rules::scene::{Move, Scene};

use crate::look::Look;
use crate::palette::{Role, Tint};

/// What is marked, by the ids of cells.
#[derive(Clone, Default, Debug)]
pub(crate) struct Marks<'a> {
    pub(crate) cursor: Option<&'a str>,
    pub(crate) selected: Option<&'a str>,
    /// Where the move of a hint ends.
    pub(crate) hint: Option<&'a str>,
    /// The way there.
    pub(crate) arrows: Vec<(&'a str, char)>,
    /// Cells that a move can begin or end at.
    pub(crate) targets: Vec<&'a str>,
    /// The cells of the last move.
    pub(crate) last: Vec<&'a str>,
}

/// How a cell is marked, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Cursor,
    Chosen,
    Hint,
    Target,
    Last,
}

impl State {
    /// At the left and at the right of a cell. Signs speak where colours do not.
    pub(crate) fn signs(self) -> (&'static str, &'static str) {
        match self {
            Self::Cursor => ("[", "]"),
            Self::Chosen => (">", "<"),
            Self::Hint => ("{", "}"),
            Self::Target => ("(", ")"),
            Self::Last => ("'", "'"),
        }
    }
}

impl Marks<'_> {
    fn is(&self, state: State, id: &str) -> bool {
        match state {
            State::Cursor => self.cursor == Some(id),
            State::Chosen => self.selected == Some(id),
            State::Hint => self.hint == Some(id),
            State::Target => self.targets.contains(&id),
            State::Last => self.last.contains(&id),
        }
    }

    /// The state whose sign a cell shows.
    pub(crate) fn sign(&self, id: &str) -> Option<State> {
        [State::Cursor, State::Chosen, State::Hint, State::Target, State::Last]
            .into_iter()
            .find(|&state| self.is(state, id))
    }

    /// The state that gives a cell its ground.
    pub(crate) fn ground(&self, id: &str) -> Option<State> {
        [State::Chosen, State::Target, State::Last].into_iter().find(|&state| self.is(state, id))
    }

    pub(crate) fn is_target(&self, id: &str) -> bool {
        self.is(State::Target, id)
    }

    /// The arrow on a cell.
    pub(crate) fn arrow(&self, id: &str) -> Option<char> {
        self.arrows.iter().find(|(cell, _)| *cell == id).map(|(_, arrow)| *arrow)
    }

    /// The colour of a cell, and of its lower edge, if a state gives it one.
    pub(crate) fn tints(&self, id: &str, look: Look) -> Option<(Tint, Tint)> {
        let (ground, edge) = match self.ground(id)? {
            State::Chosen => (Role::Chosen, Role::ChosenEdge),
            State::Target => (Role::Target, Role::TargetEdge),
            _ => (Role::Last, Role::LastEdge),
        };
        Some((look.tint(ground), look.tint(edge)))
    }
}

/// The arrows of a move: on the cell of the piece and on each that it slides over. A hop has none.
pub(crate) fn arrows<'a>(scene: &'a Scene, mv: &'a Move) -> Vec<(&'a str, char)> {
    let cell = |id: &Option<String>| id.as_deref().and_then(|id| scene.cell(id));
    let (Some(from), Some(to)) = (cell(&mv.from), cell(&mv.to)) else { return vec![] };
    let way = (to.centre.x - from.centre.x, to.centre.y - from.centre.y);
    let arrow = arrow(way);
    let length = way.0.pow(2) + way.1.pow(2);
    let passed = scene.cells.iter().filter(|cell| {
        let here = (cell.centre.x - from.centre.x, cell.centre.y - from.centre.y);
        let along = here.0 * way.0 + here.1 * way.1;
        // On the line, as whole numbers allow.
        let beside = (here.0 * way.1 - here.1 * way.0).abs();
        along > 0 && along < length && beside * 20 <= length
    });
    let passed: Vec<_> = passed.map(|cell| (cell.id.as_str(), arrow)).collect();
    // What goes further than to a neighbour and over nothing has hopped.
    let nearest = scene
        .cells
        .iter()
        .filter(|cell| cell.id != from.id)
        .map(|cell| (cell.centre.x - from.centre.x).pow(2) + (cell.centre.y - from.centre.y).pow(2));
    let is_step = nearest.min().is_some_and(|nearest| length <= nearest * 9 / 4);
    if passed.is_empty() && !is_step {
        return vec![];
    }
    [(from.id.as_str(), arrow)].into_iter().chain(passed).collect()
}

/// One of eight.
fn arrow((x, y): (i32, i32)) -> char {
    // More than twice as far one way as the other is straight.
    let (right, down) =
        (x.signum() * i32::from(2 * x.abs() > y.abs()), y.signum() * i32::from(2 * y.abs() > x.abs()));
    match (right, down) {
        (1, 0) => '→',
        (-1, 0) => '←',
        (0, 1) => '↓',
        (0, -1) => '↑',
        (1, 1) => '↘',
        (1, _) => '↗',
        (-1, 1) => '↙',
        _ => '↖',
    }
}

#[cfg(test)]
mod tests {
    use State::{Chosen, Cursor, Hint, Last, Target};
    use rookery_catalog::start;

    use super::*;

    #[test]
    fn slides_have_arrows_and_hops_have_none() {
        let slide = Move::between("0.0-3.1".into(), "0.0".into(), "3.1".into());
        let fish = start("fish:rows=5,cols=3,fish=2").unwrap().scene();
        assert_eq!(arrows(&fish, &slide), [("0.0", '↘'), ("1.0", '↘'), ("2.1", '↘')]);
        let down = Move::between("0.0-4.0".into(), "0.0".into(), "4.0".into());
        assert_eq!(arrows(&fish, &down), [("0.0", '↓'), ("2.0", '↓')]);
        let step = Move::between("b1-b2".into(), "b1".into(), "b2".into());
        let hexapawn = start("hexapawn:rows=3,cols=3").unwrap().scene();
        assert_eq!(arrows(&hexapawn, &step), [("b1", '↓')]);
        let take = Move::between("b1xa2".into(), "b1".into(), "a2".into());
        assert_eq!(arrows(&hexapawn, &take), [("b1", '↙')]);
        let renpaarden = start("renpaarden").unwrap().scene();
        let hop = Move::between("a2-b4".into(), "a2".into(), "b4".into());
        assert_eq!(arrows(&renpaarden, &hop), []);
    }

    #[test]
    fn the_first_state_gives_the_sign() {
        let marks = Marks {
            cursor: Some("a"),
            selected: Some("b"),
            hint: Some("c"),
            arrows: vec![],
            targets: vec!["a", "c", "d"],
            last: vec!["b", "d", "e"],
        };
        let signs = ["a", "b", "c", "d", "e", "f"].map(|id| marks.sign(id));
        assert_eq!(signs, [Some(Cursor), Some(Chosen), Some(Hint), Some(Target), Some(Last), None]);
        let grounds = ["a", "b", "c", "d", "e", "f"].map(|id| marks.ground(id));
        assert_eq!(grounds, [Some(Target), Some(Chosen), Some(Target), Some(Target), Some(Last), None]);
    }
}

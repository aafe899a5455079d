//! The scenes of a match, made when they are asked for: all of a long one together would fill the memory.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_catalog::AnyPosition;
use rookery_live::{Deed, Snapshot};
use rookery_rules::Scene;
use rookery_rules::scene::Piece;

/// Every how many plies it is kept which pieces there were.
const STRIDE: usize = 64;
/// About what one of them takes, in bytes.
const PIECE_BYTES: usize = 200;

/// Which piece is which in a match: kept every few plies, so that any scene is made from the one that was kept before it.
#[derive(Debug, Default)]
pub struct Trail(Mutex<Vec<Mark>>);

/// The pieces of one position, with the ids that they have had from the beginning.
#[derive(Clone, Debug)]
struct Mark {
    /// Moves may have been taken back since: then it is another position.
    position: Arc<dyn AnyPosition>,
    scene: Arc<Scene>,
}

/// The position of every ply of a match: the one before the first move, and the one after each. Where somebody was removed
/// between two moves, the later position counts.
pub fn positions(snapshot: &Snapshot) -> Vec<&Arc<dyn AnyPosition>> {
    let mut positions: Vec<&Arc<dyn AnyPosition>> = vec![&snapshot.start];
    for entry in snapshot.entries.iter().filter(|entry| !matches!(entry.deed, Deed::Said(_))) {
        match positions.get_mut(entry.plies as usize) {
            Some(position) => *position = &entry.position,
            None => positions.push(&entry.position),
        }
    }
    positions
}

impl Trail {
    fn marks(&self) -> MutexGuard<'_, Vec<Mark>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scenes of these plies, as far as there are so many, with pieces that keep their ids.
    pub fn scenes(&self, snapshot: &Snapshot, plies: Range<usize>) -> Vec<Scene> {
        let positions = positions(snapshot);
        let end = plies.end.min(positions.len());
        if plies.start >= end {
            return vec![];
        }
        let (first, mut before) = self.nearest(&positions, plies.start);
        let mut scenes: Vec<Scene> = Vec::with_capacity(end - plies.start);
        for (ply, position) in positions.iter().enumerate().take(end).skip(first) {
            let mut scene = position.scene();
            if let Some(before) = scenes.last().or(before.as_deref()) {
                scene.follow(before);
            }
            self.keep(ply, position, &scene);
            if ply < plies.start {
                before = Some(Arc::new(scene));
            } else {
                scenes.push(scene);
            }
        }
        scenes
    }

    /// The last scene of a match.
    pub fn newest(&self, snapshot: &Snapshot) -> Scene {
        let last = positions(snapshot).len() - 1;
        self.scenes(snapshot, last..last + 1).pop().unwrap_or_else(|| snapshot.position.scene())
    }

    /// From which ply on scenes are to be made for this one, and the scene that the first of them follows. It may be its own:
    /// who follows itself stays who it is.
    fn nearest(&self, positions: &[&Arc<dyn AnyPosition>], ply: usize) -> (usize, Option<Arc<Scene>>) {
        let marks = self.marks();
        let is_it = |(mark, n): &(&Mark, usize)| {
            positions.get(n * STRIDE).is_some_and(|position| Arc::ptr_eq(position, &mark.position))
        };
        let known = marks.iter().zip(1..=ply / STRIDE).take_while(is_it).last();
        known.map_or((0, None), |(mark, n)| (n * STRIDE, Some(Arc::clone(&mark.scene))))
    }

    fn keep(&self, ply: usize, position: &Arc<dyn AnyPosition>, scene: &Scene) {
        if ply == 0 || !ply.is_multiple_of(STRIDE) {
            return;
        }
        let (mut marks, place) = (self.marks(), ply / STRIDE - 1);
        if marks.get(place).is_some_and(|mark| Arc::ptr_eq(&mark.position, position)) {
            return;
        }
        marks.truncate(place);
        if marks.len() == place {
            marks.push(Mark { position: Arc::clone(position), scene: Arc::new(pieces_of(scene)) });
        }
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.marks().iter().map(|mark| mark.scene.pieces.len() * PIECE_BYTES).sum()
    }
}

/// As much of a scene as another one needs to follow it.
fn pieces_of(scene: &Scene) -> Scene {
    let piece = |piece: &Piece| Piece {
        id: piece.id.clone(),
        cell: piece.cell.clone(),
        mark: String::new(),
        label: String::new(),
        classes: vec![],
        ..*piece
    };
    let mut pieces = Scene::new(scene.title, scene.ground, scene.sprite);
    pieces.pieces = scene.pieces.iter().map(piece).collect();
    pieces
}

#[cfg(test)]
mod tests {
    use rookery_live::{random_record, read_story};
    use rookery_rules::{GameSpec, Seed};

    use super::*;

    fn random(spec: &str, seed: u64) -> Snapshot {
        let record = random_record(&GameSpec::parse(spec).unwrap(), Seed(seed)).unwrap();
        read_story(&record[..]).unwrap().snapshot()
    }

    /// All of them at once, each made from the one before it.
    fn all(snapshot: &Snapshot) -> Vec<Scene> {
        let mut scenes: Vec<Scene> = vec![];
        for position in positions(snapshot) {
            let mut scene = position.scene();
            if let Some(before) = scenes.last() {
                scene.follow(before);
            }
            scenes.push(scene);
        }
        scenes
    }

    #[test]
    fn a_match_has_one_scene_more_than_moves_and_pieces_keep_their_ids() {
        let snapshot = random("hexapawn:rows=4,cols=4", 3);
        let all = Trail::default().scenes(&snapshot, 0..usize::MAX);
        assert_eq!(all.len() as u64, snapshot.plies() + 1);
        let ids = |scene: &Scene| scene.pieces.iter().map(|piece| piece.id.clone()).collect::<Vec<_>>();
        let first = ids(&all[0]);
        assert!(all.iter().flat_map(ids).all(|id| first.contains(&id)), "nobody is new in hexapawn");
        assert_ne!(all[0].pieces, all[1].pieces);
    }

    #[test]
    fn a_part_is_what_it_is_in_the_whole_in_whatever_order_parts_are_asked_for() {
        for (spec, seed) in [("stones:rows=8,cols=8", 7), ("renpaarden:width=5,height=5,max-turns=90", 4)] {
            let snapshot = random(spec, seed);
            let whole = all(&snapshot);
            assert!(whole.len() > 2 * STRIDE + 10, "{spec}: {}", whole.len());
            let trail = Trail::default();
            let parts = [2 * STRIDE + 1..2 * STRIDE + 9, 0..3, STRIDE..STRIDE + 1, STRIDE - 1..usize::MAX];
            for part in parts {
                let end = part.end.min(whole.len());
                assert_eq!(trail.scenes(&snapshot, part.clone()), whole[part.start..end], "{spec} {part:?}");
            }
            assert_eq!(trail.newest(&snapshot), whole[whole.len() - 1]);
            assert!(trail.marks().len() >= 2 && trail.bytes() > 0);
            assert_eq!(trail.scenes(&snapshot, whole.len()..whole.len() + 9), []);
        }
    }

    #[test]
    fn what_was_taken_back_leaves_no_trace() {
        let (first, other) = (random("stones:rows=5,cols=5", 7), random("stones:rows=5,cols=5", 8));
        let trail = Trail::default();
        trail.newest(&first);
        // The same beginning, and then other moves.
        let mut mixed = other.clone();
        mixed.entries = first.entries[..STRIDE + 5].to_vec();
        mixed.entries.extend(other.entries[STRIDE + 5..].iter().cloned());
        mixed.start = Arc::clone(&first.start);
        assert_eq!(trail.newest(&mixed), all(&mixed).pop().unwrap());
        assert_eq!(trail.newest(&first), all(&first).pop().unwrap());
    }
}

//! The laws of pictures: what a scene promises to whoever draws it.

use std::collections::{BTreeMap, BTreeSet};

use rookery_rules::scene::{Place, Scene, Viewbox};
use rookery_rules::{Notation, Picture, Position as _, Rng, Seat, Seed, Setup};

/// Checks the scenes of two random games of a setup; in the second one a player is removed on the way.
///
/// Scenes are dear and those of one game much alike, so they are looked at ever more rarely as the game goes on.
///
/// # Panics
/// If a law is broken; the message names the law, the setup, the seed and the position.
pub fn check<S: Setup<Position: Notation + Picture>>(setup: &S, seed: Seed) {
    for game in 0..2 {
        let seed = seed.derive(game);
        let mut rng = seed.rng();
        let mut position = setup.start();
        let mut next_check = 0;
        for ply in 0.. {
            let to_move = position.to_move();
            if ply >= next_check || to_move.is_none() {
                let context =
                    format!("{} with {seed:?} at ply {ply} in {}", setup.spec(), position.to_text());
                check_one(&position, &context);
                follow_law(&position, &mut rng, &context);
                next_check = ply + 1 + ply / 2;
            }
            match (to_move, position.random_move(&mut rng)) {
                (Some(seat), _) if game == 1 && ply == 5 => position.remove(seat),
                (_, Some(mv)) => position.play_unchecked(mv),
                _ => break,
            }
        }
    }
}

/// Pieces keep their ids over a move, and over the next one.
fn follow_law<P: Picture>(position: &P, rng: &mut Rng, context: &str) {
    let mut scene = position.scene();
    let mut position = position.clone();
    for _ in 0..2 {
        let Some(mv) = position.random_move(rng) else { break };
        position.play_unchecked(mv);
        scene = follow_one(&scene, &mv, &position, &format!("{mv}, {context}"));
    }
}

fn check_one<P: Picture>(position: &P, context: &str) {
    let scene = position.scene();
    assert!(!scene.title.is_empty() && !scene.ground.is_empty(), "a scene has a title: {context}");
    cells_law(&scene, context);
    pieces_law(&scene, position.n_seats(), context);
    moves_law(&scene, position, context);
    captions_law(&scene, position.n_seats(), context);
}

/// Checks that ids go along with the pieces over one move, and gives the later scene with those ids.
fn follow_one<P: Picture>(before: &Scene, mv: &P::Move, after: &P, context: &str) -> Scene {
    let mut scene = after.scene();
    scene.follow(before);
    pieces_law(&scene, after.n_seats(), context);
    let shown = before.find_move(&mv.to_string()).expect("every legal move is in the scene");
    if let (Some(from), Some(to)) = (&shown.from, &shown.to) {
        let old = before.pieces_on(from).next_back().expect("a piece stands where a move begins");
        let new = scene.pieces_on(to).next_back();
        // A game may take a piece off at once, with its owner; then there is nothing to follow.
        if let Some(new) = new.filter(|new| new.seat == old.seat) {
            assert_eq!(new.id, old.id, "the piece that moved keeps its id: {context}");
        }
    }
    for piece in &before.pieces {
        let moved = Some(&piece.cell) == shown.from.as_ref();
        let same = scene.pieces_on(&piece.cell).any(|other| other.seat == piece.seat && other.id == piece.id);
        let gone = !scene.pieces_on(&piece.cell).any(|other| other.seat == piece.seat);
        assert!(same || moved || gone, "{} on {} keeps its id: {context}", piece.id, piece.cell);
    }
    scene
}

fn unique<'a>(ids: impl Iterator<Item = &'a String>) -> bool {
    let mut seen = BTreeSet::new();
    ids.into_iter().all(|id| seen.insert(id))
}

fn cell_ids(scene: &Scene) -> BTreeSet<&str> {
    scene.cells.iter().map(|cell| cell.id.as_str()).collect()
}

/// The cells where a piece of this seat is the upper one.
fn top_cells(scene: &Scene, seat: Option<Seat>) -> BTreeSet<&str> {
    let tops: BTreeMap<&str, Seat> =
        scene.pieces.iter().map(|piece| (piece.cell.as_str(), piece.seat)).collect();
    tops.into_iter().filter(|&(_, top)| Some(top) == seat).map(|(cell, _)| cell).collect()
}

fn contains(viewbox: &Viewbox, left: i32, top: i32, right: i32, bottom: i32) -> bool {
    viewbox.x <= left
        && viewbox.y <= top
        && right <= viewbox.x + viewbox.width
        && bottom <= viewbox.y + viewbox.height
}

fn cells_law(scene: &Scene, context: &str) {
    assert!(!scene.cells.is_empty(), "there are cells: {context}");
    assert!(unique(scene.cells.iter().map(|cell| &cell.id)), "cells have ids of their own: {context}");
    for cell in &scene.cells {
        let (left, up, right, down) = cell.shape.reach();
        let (x, y) = (cell.centre.x, cell.centre.y);
        assert!(left + right > 0 && up + down > 0, "{} has a size: {context}", cell.id);
        assert!(
            contains(&scene.viewbox, x - left, y - up, x + right, y + down),
            "{} lies inside the viewbox: {context}",
            cell.id
        );
        assert!(!cell.label.is_empty(), "{} has a label: {context}", cell.id);
    }
}

fn pieces_law(scene: &Scene, n_seats: usize, context: &str) {
    assert!(unique(scene.pieces.iter().map(|piece| &piece.id)), "pieces have ids of their own: {context}");
    let cells = cell_ids(scene);
    for piece in &scene.pieces {
        assert!(cells.contains(piece.cell.as_str()), "{} stands on a cell: {context}", piece.id);
        assert!(piece.seat.index() < n_seats, "{} belongs to a seat: {context}", piece.id);
        assert!(
            !piece.label.is_empty() && !piece.mark.is_empty() && !piece.sprite.is_empty(),
            "{} can be drawn and told: {context}",
            piece.id
        );
    }
}

fn moves_law<P: Picture>(scene: &Scene, position: &P, context: &str) {
    let shown: Vec<&str> = scene.moves.iter().map(|mv| mv.id.as_str()).collect();
    let legal: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    assert_eq!(shown, legal, "the moves of a scene are the legal moves: {context}");
    let mover = position.to_move();
    let cells = cell_ids(scene);
    let mover_cells = top_cells(scene, mover);
    for mv in &scene.moves {
        assert!(!mv.label.is_empty(), "{} has a label: {context}", mv.id);
        for cell in mv.from.iter().chain(&mv.to) {
            assert!(cells.contains(cell.as_str()), "{cell} of {} is a cell: {context}", mv.id);
        }
        if let Some(from) = &mv.from {
            assert!(
                mover_cells.contains(from.as_str()),
                "{} begins with a piece of its player: {context}",
                mv.id
            );
        }
    }
}

fn captions_law(scene: &Scene, n_seats: usize, context: &str) {
    let status = scene.captions.iter().filter(|caption| caption.place == Place::Status);
    assert_eq!(status.count(), 1, "a scene says once how the game stands: {context}");
    let mut seats = vec![];
    for caption in &scene.captions {
        assert!(!caption.text.is_empty(), "captions are not empty: {context}");
        match caption.place {
            Place::Status => {}
            Place::Seat(seat) => seats.push(seat),
            Place::At(at) => {
                assert!(
                    contains(&scene.viewbox, at.x, at.y, at.x, at.y),
                    "{} is seen: {context}",
                    caption.text
                );
            }
        }
    }
    assert_eq!(seats, Seat::all(n_seats).collect::<Vec<_>>(), "each seat has its caption: {context}");
}

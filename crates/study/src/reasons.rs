//! What speaks for a move: the game's own reasons, and those that any game has.

use rookery_catalog::Game;
use rookery_players::{allows_loss, winning_move};
use rookery_rules::{Picture, Position, PositionOf, Reason, Scene, Seat, Status};
use rookery_search::Line;
use serde::{Serialize, Serializer};

/// A list of reasons as data, for [`serde`], which the rules do not know.
pub(crate) fn as_data<S: Serializer>(reasons: &[Reason], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row<'a> {
        kind: &'static str,
        text: &'a str,
    }
    serializer.collect_seq(reasons.iter().map(|reason| Row { kind: reason.kind, text: &reason.text }))
}

type MoveOf<G> = <PositionOf<G> as Position>::Move;

/// The most reasons for one move.
const MOST: usize = 3;
/// Positions with more moves than this are not searched for threats.
const MANY: usize = 80;

/// What speaks for a move, the strongest first.
pub(crate) fn reasons<G: Game>(position: &PositionOf<G>, mv: MoveOf<G>) -> Vec<Reason> {
    let Some(seat) = position.to_move() else { return vec![] };
    let mut after = position.clone();
    after.play_unchecked(mv);
    if let Status::Over(outcome) = after.status() {
        let shared = outcome.winners.len() > 1;
        return match outcome.winners.contains(seat) {
            true if shared => vec![Reason::new("draws", "ends the game with a shared win")],
            true => vec![Reason::new("wins", "wins at once")],
            false => vec![],
        };
    }
    let mut found = vec![];
    if position.legal_moves().nth(1).is_none() {
        found.push(Reason::new("only", "is the only move"));
    }
    found.extend(prevents(position, mv));
    let own = G::REASONS.map(|reasons| reasons(position, mv)).unwrap_or_default();
    let has_own = !own.is_empty();
    found.extend(own);
    if !has_own {
        found.extend(takes(&position.scene(), &after.scene(), seat));
    }
    found.extend(threatens(&after, seat));
    if found.is_empty() {
        found.extend(leaves_little(position, &after, seat));
    }
    if found.is_empty() {
        found.extend(keeps_moves(position, mv, seat));
    }
    found.truncate(MOST);
    found
}

/// What is said of the best move where nothing else speaks for it.
pub(crate) fn of_the_best<M>(line: &Line<M>) -> Reason {
    match line.value {
        value if line.proven && value >= 1.0 => Reason::new("forces", "leads to a win against every answer"),
        value if line.proven && value <= 0.0 => Reason::new("lost", "every move loses against best play"),
        _ if line.proven => Reason::new("holds", "keeps the result even against best play"),
        _ => Reason::new("search", "leads to the best position that the search has found"),
    }
}

/// The others could win at once after most other moves, and cannot after this one.
fn prevents<P: Position>(position: &P, mv: P::Move) -> Option<Reason> {
    let n_moves = position.count_moves();
    if n_moves > MANY || allows_loss(position, mv) {
        return None;
    }
    let dangerous = position.legal_moves().filter(|&mv| allows_loss(position, mv)).count();
    // Where nearly everything is harmless, harmlessness is no reason.
    (2 * dangerous > n_moves).then(|| Reason::new("prevents", "prevents a loss in the next move"))
}

/// Pieces of others that are gone, by what they are.
fn takes(before: &Scene, after: &Scene, seat: Seat) -> Option<Reason> {
    let of_others = |scene: &Scene| scene.pieces.iter().filter(|piece| piece.seat != seat).count();
    let n = of_others(before).checked_sub(of_others(after)).filter(|&n| n > 0)?;
    let sprite = before.sprite;
    Some(Reason::new(
        "takes",
        if n == 1 { format!("takes a {sprite}") } else { format!("takes {n} {sprite}s") },
    ))
}

/// Whatever the others answer, or nearly, this seat can win with its next move.
fn threatens<P: Position>(after: &P, seat: Seat) -> Option<Reason> {
    if after.to_move().is_none_or(|next| next == seat) || after.count_moves() > MANY {
        return None;
    }
    let (mut replies, mut won) = (0, 0);
    for reply in after.legal_moves() {
        let mut next = after.clone();
        next.play_unchecked(reply);
        replies += 1;
        won += usize::from(next.to_move() == Some(seat) && winning_move(&next).is_some());
    }
    (replies > 0 && 2 * won > replies)
        .then(|| Reason::new("threatens", "threatens to win with the next move"))
}

/// The others have far fewer moves than after the usual move.
fn leaves_little<P: Position>(position: &P, after: &P, seat: Seat) -> Option<Reason> {
    let n_moves = |position: &P| position.legal_moves().take(MANY).count();
    let others = position.legal_moves().take(MANY).filter_map(|mv| {
        let mut other = position.clone();
        other.play_unchecked(mv);
        other.to_move().filter(|&next| next != seat).map(|_| n_moves(&other))
    });
    let counts: Vec<usize> = others.collect();
    after.to_move().filter(|&next| next != seat)?;
    let (left, mean) = (n_moves(after), counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64);
    let few = |n: usize| if n == 1 { "one move".to_owned() } else { format!("{n} moves") };
    (counts.len() > 1 && (left as f64) < 0.7 * mean)
        .then(|| Reason::new("restricts", format!("leaves the other player only {}", few(left))))
}

/// This seat has more moves at its next turn than after the usual move.
fn keeps_moves<P: Position>(position: &P, mv: P::Move, seat: Seat) -> Option<Reason> {
    // All moves, all answers and all moves after them: quick where each is few.
    const FEW: usize = 30;
    if position.legal_moves().nth(FEW).is_some() {
        return None;
    }
    let moves_left = |mv: P::Move| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        let next = after.to_move().filter(|&next| next != seat && after.legal_moves().nth(FEW).is_none());
        next?;
        let answers = after.legal_moves().map(|answer| {
            let mut next = after.clone();
            next.play_unchecked(answer);
            if next.to_move() == Some(seat) { next.count_moves() } else { 0 }
        });
        let counts: Vec<usize> = answers.collect();
        Some(counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64)
    };
    let own = moves_left(mv)?;
    let all: Vec<f64> = position.legal_moves().filter_map(moves_left).collect();
    let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
    (all.len() > 1 && own > 1.05 * mean)
        .then(|| Reason::new("keeps", format!("keeps more moves for the next turn: {own:.0} on average")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rookery_games::hexapawn;
    use rookery_rules::{Notation as _, Seed, Setup as _};

    use super::*;

    /// Hexapawn without a word of its own.
    struct Bare;

    impl rookery_rules::Game for Bare {
        type Setup = hexapawn::Setup;
        const TITLE: &'static str = "Bare";
        const SUMMARY: &'static str = "only what must be there";
        const SEATS: &'static str = "2";
        const RULES: &'static str = "";
    }

    impl Game for Bare {}

    fn of(position: &str, mv: &str) -> Vec<String> {
        let position = PositionOf::<Bare>::from_text(position).unwrap();
        let mv = position.parse_move(mv).unwrap();
        reasons::<Bare>(&position, mv)
            .iter()
            .map(|reason| format!("{}: {}", reason.kind, reason.text))
            .collect()
    }

    #[test]
    fn a_game_without_reasons_of_its_own_gets_general_ones() {
        let found = of("p1 1.../.1../2.../...2", "b2xa3");
        assert!(found.iter().any(|reason| reason == "takes: takes a pawn"), "{found:?}");
    }

    /// In a few games every reason comes up, and those that can be looked at are true.
    #[test]
    fn every_general_reason_comes_up_and_is_true() {
        let mut kinds = BTreeSet::new();
        for seed in 0..60 {
            let mut rng = Seed(seed).rng();
            let mut position = hexapawn::Setup::parse("rows=4,cols=4").unwrap().start();
            while let Some(seat) = position.to_move() {
                let n_moves = position.count_moves();
                for mv in position.legal_moves() {
                    let mut after = position.clone();
                    after.play_unchecked(mv);
                    let pieces = |of: &PositionOf<Bare>| {
                        of.scene().pieces.iter().filter(|piece| piece.seat != seat).count()
                    };
                    let reasons = reasons::<Bare>(&position, mv);
                    let has = |kind: &str| reasons.iter().any(|reason| reason.kind == kind);
                    assert_eq!(has("wins"), after.to_move().is_none(), "{mv} in {position}");
                    assert!(!has("only") || n_moves == 1, "{mv} in {position}");
                    assert!(!has("takes") || pieces(&after) < pieces(&position), "{mv} in {position}");
                    assert!(!has("prevents") || !allows_loss(&position, mv), "{mv} in {position}");
                    kinds.extend(reasons.iter().map(|reason| reason.kind));
                }
                let Some(mv) = position.random_move(&mut rng) else { break };
                position.play_unchecked(mv);
            }
        }
        let all = ["keeps", "only", "prevents", "restricts", "takes", "threatens", "wins"];
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
    }
}

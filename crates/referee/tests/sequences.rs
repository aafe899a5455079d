//! Whole matches as people read them, and the message sequences of the games' originals.
//!
//! The golden files under `golden/` are rewritten by `cargo xtask bless`.

mod common;

use std::path::Path;

use common::{Table, play, untimed, watch};
use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_referee::{Answering, Event, Player, Question};
use rookery_rules::{Notation, Position, Seat};
use rookery_testkit::golden;
use rookery_testkit::players::{Actor, Step};
use rookery_testkit::replay::Watch;
use rookery_testkit::transcript::transcript;

fn check<P: Notation>(name: &str, watch: &Watch<P>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    golden::check(&path, &transcript::<P>(watch.events()));
}

fn texts(moves: &[&'static str]) -> Vec<Step> {
    moves.iter().map(|&text| Step::Text(text)).collect()
}

/// A match of Hexapawn between two scripts.
async fn hexapawn(name: &str, first: Actor, second: Actor) {
    let setup = hexapawn::Setup::table("rows=3,cols=3");
    let (_, watch) = watch(setup.referee(), vec![first, second], &untimed(1)).await;
    check(name, &watch);
}

const FIRST: &[&str] = &["b1-b2", "c1xb2", "a1-a2"];
const SECOND: &[&str] = &["a3xb2", "c3-c2", "c2-c1"];

#[tokio::test(start_paused = true)]
async fn hexapawn_normal() {
    hexapawn("hexapawn-normal.txt", Actor::new(texts(FIRST)), Actor::new(texts(SECOND))).await;
}

#[tokio::test(start_paused = true)]
async fn hexapawn_one_illegal_move_and_the_credit_is_restored() {
    // Twice in the match, but never twice in one turn.
    let second = texts(&["b3-b1", "a3xb2", "b3-b2", "c3-c2", "c2-c1"]);
    hexapawn("hexapawn-one-illegal.txt", Actor::new(texts(FIRST)), Actor::new(second)).await;
}

#[tokio::test(start_paused = true)]
async fn hexapawn_two_illegal_moves_in_one_turn() {
    let second = texts(&["b3-b1", "a1-a2"]);
    hexapawn("hexapawn-two-illegal.txt", Actor::new(texts(FIRST)), Actor::new(second)).await;
}

#[tokio::test(start_paused = true)]
async fn hexapawn_out_of_turn() {
    // Anything that is sent while the other is to move loses at once, here after two moves.
    let second = Actor::new(texts(SECOND)).speaking_after(3);
    hexapawn("hexapawn-out-of-turn.txt", Actor::new(texts(FIRST)), second).await;
}

/// The messages of the original Stones, in the order of its specification, from the events of a match.
fn stones_messages(watch: &Watch<stones::Position>) -> Vec<String> {
    let mut messages = vec![];
    for window in watch.0.windows(2) {
        let [(_, before), (event, after)] = window else { unreachable!("windows of two") };
        let Event::Moved { seat, mv, .. } = event else { continue };
        let mut parts = vec![format!("TurnTo {}", seat.index())];
        let hit = before.board().get(mv.to);
        parts.extend(hit.map(|hit| format!("Hit {} {}", hit.index(), mv.to)));
        let lost = hit.filter(|&hit| !after.playing().contains(hit));
        parts.extend(lost.map(|lost| format!("PlayerLost {}", lost.index())));
        parts.push(format!("Move {} {} {}", seat.index(), mv.from, mv.to));
        if after.to_move().is_none() {
            parts.push(format!("PlayerWon {}", seat.index()));
        }
        messages.push(parts.join(" | "));
    }
    messages
}

#[tokio::test(start_paused = true)]
async fn stones_hit_lost_move_won_in_this_order() {
    let setup = stones::Setup::table("rows=3,cols=3");
    let first = Actor::new(texts(&["0.0-1.0", "0.1-1.0", "0.2-1.2"]));
    let second = Actor::new(texts(&["2.0-1.0", "2.1-1.0", "2.2-1.2"]));
    let (_, watch) = watch(setup.referee(), vec![first, second], &untimed(1)).await;
    assert_eq!(
        stones_messages(&watch),
        [
            "TurnTo 0 | Move 0 0.0 1.0",
            "TurnTo 1 | Hit 0 1.0 | Move 1 2.0 1.0",
            "TurnTo 0 | Hit 1 1.0 | Move 0 0.1 1.0",
            "TurnTo 1 | Hit 0 1.0 | Move 1 2.1 1.0",
            "TurnTo 0 | Move 0 0.2 1.2",
            "TurnTo 1 | Hit 0 1.2 | PlayerLost 0 | Move 1 2.2 1.2 | PlayerWon 1",
        ]
    );
    check("stones.txt", &watch);
}

#[tokio::test(start_paused = true)]
async fn stones_crashed() {
    let setup = stones::Setup::table("rows=3,cols=3");
    let first = Actor::new(texts(&["0.0-1.0", "0.1-2.1"]));
    let (_, watch) = watch(setup.referee(), vec![first, Actor::new(texts(&["2.1-1.1"]))], &untimed(1)).await;
    check("stones-crashed.txt", &watch);
}

/// Jumps on from enemy to enemy as long as the script says, and then to the first free cell.
struct Chaser(u32);

impl<P: Position> Player<P> for Chaser {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let stays = |&mv: &P::Move| {
            let mut after = question.position.clone();
            after.play_unchecked(mv);
            after.to_move() == Some(question.seat)
        };
        let mut moves = question.position.legal_moves();
        let wanted = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        let mv = moves.find(|mv| stays(mv) == wanted).or_else(|| question.position.legal_moves().next());
        Answering::Now(Ok(mv.expect("who is asked has a move")))
    }
}

#[tokio::test(start_paused = true)]
async fn renpaarden_chain() {
    let setup = renpaarden::Setup::table("width=5,height=5,max-turns=4");
    let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(Chaser(3)), Box::new(Chaser(1))];
    let mut watch = Watch::default();
    let verdict = play(setup.referee(), &mut players, &untimed(1), &mut watch).await;
    watch.check(&verdict);
    let movers: Vec<usize> = watch
        .events()
        .filter_map(|event| if let Event::Moved { seat, .. } = event { Some(seat.index()) } else { None })
        .collect();
    assert_eq!(movers[..5], [0, 0, 0, 0, 1], "three hops from enemy to enemy and one to a free cell");
    check("renpaarden-chain.txt", &watch);
}

#[tokio::test(start_paused = true)]
async fn renpaarden_is_asked_again_with_the_reason() {
    let setup = renpaarden::Setup::table("width=5,height=5,max-turns=2");
    let first = Actor::new([Step::Text("a1-a2"), Step::Malformed, Step::Text("e5-d3"), Step::Nth(0)]);
    let (_, watch) = watch(setup.referee(), vec![first, Actor::honest()], &untimed(1)).await;
    check("renpaarden-asked-again.txt", &watch);
}

#[tokio::test(start_paused = true)]
async fn fish_with_a_player_skipped_and_one_removed() {
    let setup = fish::Setup::table("rows=4,cols=4,players=3,fish=1");
    let first = || vec![Step::Nth(0); 30];
    let mut second = first();
    second[4] = Step::Illegal;
    let actors = vec![Actor::new(first()), Actor::new(second), Actor::new(first())];
    let (verdict, watch) = watch(setup.referee(), actors, &untimed(1)).await;
    assert_eq!(watch.removed().iter().collect::<Vec<_>>(), [Seat::new(1)]);
    assert_eq!(verdict.ending.cause.word(), "normal");
    let mut removed = false;
    let mut skipped = false;
    let mut last = None;
    for event in watch.events() {
        match event {
            Event::Fouled(_) => removed = true,
            Event::Moved { seat, .. } => {
                skipped |= removed && last == Some(*seat);
                last = Some(*seat);
            }
            _ => {}
        }
    }
    assert!(skipped, "somebody moves twice running because the other cannot");
    check("fish.txt", &watch);
}

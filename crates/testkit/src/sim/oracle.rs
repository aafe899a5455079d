//! What must be true of a match, given what was injected into it.

use std::time::Duration;

use rookery_referee::{Blame, Cause, Event, Foul, Offence, Terms, TimeControl, Verdict};
use rookery_rules::{Position, Seat};

use super::faults::Injected;
use crate::replay::Watch;

/// Blame is where a fault was injected, and nowhere else.
pub(super) fn check<P: Position>(
    verdict: &Verdict,
    watch: &Watch<P>,
    injected: &[(Seat, Injected)],
    offence: fn(Injected) -> Option<Offence>,
) {
    let explains = |foul: &Foul, &(seat, fault): &(Seat, Injected)| {
        seat == foul.seat && (offence(fault) == Some(foul.offence) || fault == Injected::Early)
    };
    // What is said too early may cross with a question and be taken for its answer; then nothing that this player says
    // afterwards is where it belongs.
    let is_astray = |seat: Seat| injected.contains(&(seat, Injected::Early));
    for foul in watch.fouls() {
        assert!(
            injected.iter().any(|fault| explains(foul, fault)),
            "nobody is blamed who did nothing: {foul:?}, injected {injected:?}"
        );
    }
    let ending = &verdict.ending;
    match ending.blame() {
        Some(Blame::Player) => {
            let last = watch.fouls().last().expect("an offence that ends a match is in the record");
            assert_eq!((ending.cause, ending.seat), (Cause::Offence(last.offence), Some(last.seat)));
        }
        Some(Blame::Platform) => {
            assert!(injected.iter().any(|(_, fault)| fault.stops()), "we stop only for our own faults");
        }
        Some(Blame::Operator) => panic!("nobody stopped it"),
        None => assert!(
            ending.cause == Cause::Normal || ending.cause == Cause::Resigned,
            "these matches have no cap: {verdict:?}"
        ),
    }
    if injected.iter().any(|&(seat, fault)| fault.stops() && !is_astray(seat)) {
        // Unless the match had ended otherwise before it was noticed, which takes a fault as well.
        assert!(
            ending.blame() == Some(Blame::Platform) || ending.blame() == Some(Blame::Player),
            "our own fault stops the match: {verdict:?}, injected {injected:?}"
        );
    }
    let was_cut_short = |seat: Seat| ending.blame().is_some() && ending.seat != Some(seat);
    for &(seat, fault) in injected {
        // What was said before an answer is told before it is judged: who then fails to take note, or is gone, is punished
        // for that.
        let is_punished =
            watch.fouls().any(|foul| foul.seat == seat && injected.iter().any(|other| explains(foul, other)));
        assert!(
            !fault.is_an_answer() || is_punished || was_cut_short(seat) || is_astray(seat),
            "{seat:?} is punished for {fault:?}: {verdict:?}, injected {injected:?}"
        );
        let resigned =
            watch.events().any(|event| matches!(event, Event::Resigned { seat: who } if *who == seat));
        assert!(
            fault != Injected::Resign || resigned || is_punished || was_cut_short(seat) || is_astray(seat),
            "{seat:?} has resigned: {verdict:?}, injected {injected:?}"
        );
    }
}

/// A match takes no longer than its limits add up to.
pub(super) fn check_time<P: Position>(
    took: Duration,
    time: TimeControl,
    terms: &Terms,
    n_seats: usize,
    watch: &Watch<P>,
) {
    let n_moves = watch.events().filter(|event| matches!(event, Event::Moved { .. })).count() as u32;
    // Every seat may have one question more that it never answered with a move.
    let n_seats = n_seats as u32;
    let n_questions = n_moves + n_seats;
    let thinking = match time {
        TimeControl::Untimed => terms.answer_cap * n_questions,
        TimeControl::PerMove(time) => time * n_questions,
        TimeControl::Fischer { base, increment } => base * n_seats + increment * n_moves,
        TimeControl::Bank { per_move, bank } => per_move * n_questions + bank * n_seats,
    };
    let tolerance = (terms.margin + terms.lag_cap + Duration::from_millis(30)) * n_questions;
    let listening = terms.startup * n_seats;
    let limit = thinking + tolerance + listening;
    assert!(took <= limit, "a match of {n_moves} moves took {took:?}, at most {limit:?} are allowed");
}

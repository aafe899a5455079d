//! Tournaments on paper, for tests.
#![allow(dead_code, reason = "not every test file needs all of it")]

use rookery_ratings::sprt::{self, Run, Sprt};
use rookery_referee::{Cause, Offence};
use rookery_report::{Context, Evaluation, Evidence, RatingOptions, Ratings, Report, Timing};
use rookery_rules::{BySeat, Outcome, Seat, Seats, Seed, below};
use rookery_tournament::{Bye, Entrant, GameResult, Next, Pairing, Points, TournamentSpec};
use serde_json::json;

/// A tournament with these names.
pub(crate) fn spec(format: &serde_json::Value, seats: usize, names: &[&str]) -> TournamentSpec {
    let entrants: Vec<_> = names.iter().map(|name| json!({"name": name, "player": "level:3"})).collect();
    let spec = json!({
        "name": "evening", "games": ["hexapawn"], "seats": seats, "seed": "7", "time": "10s+100ms",
        "format": format, "entrants": entrants,
    });
    serde_json::from_value(spec).unwrap()
}

pub(crate) fn pairs() -> TournamentSpec {
    spec(&json!({"kind": "round-robin", "games": 6}), 2, &["Ann", "Ben", "Cleo", "Dora"])
}

pub(crate) fn fours() -> TournamentSpec {
    spec(
        &json!({"kind": "round-robin", "rounds": 3}),
        4,
        &["Ann", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hal"],
    )
}

/// All pairings of a tournament whose format needs no results.
pub(crate) fn pairings(spec: &TournamentSpec) -> Vec<Pairing> {
    let mut format = spec.format().unwrap();
    let Next::Play(pairings) = format.next(100_000) else { panic!("games are to be played") };
    pairings
}

/// How a game ends, always in the same way: whoever has the smaller number is the better one, the first seat helps, and
/// now and then somebody fails or the game is aborted.
pub(crate) fn result_of(pairing: &Pairing, seed: Seed) -> GameResult {
    let rng = &mut seed.derive(pairing.id).rng();
    let n = pairing.entrants.len();
    let luck = |rng: &mut _, of: u32| below(rng, of) as i32;
    let scores = BySeat::new(n, |seat| {
        let strength = -(pairing.entrants[seat.index()].0 as i32) + i32::from(seat.index() == 0);
        strength + luck(rng, 9)
    });
    let mut result = GameResult::new(pairing, Some(Outcome::by_score(scores)), Cause::Normal);
    match luck(rng, 20) {
        0 => {
            (result.outcome, result.cause) = (None, Cause::PlatformAbort);
        }
        1 => {
            let worst = *pairing.entrants.iter().max().unwrap();
            let at = result.seat_of(worst).unwrap();
            let offence = [Offence::Timeout, Offence::Crashed, Offence::IllegalMove][luck(rng, 3) as usize];
            let mut outcome = result.outcome.take().unwrap();
            outcome.winners.take_out(at);
            if outcome.winners.is_empty() {
                outcome.winners = Seat::all(n).filter(|&seat| seat != at).collect::<Seats>();
            }
            result.outcome = Some(outcome);
            result.failed = vec![worst];
            result.faults = vec![(worst, offence)];
            result.cause = if n == 2 { Cause::Offence(offence) } else { Cause::Normal };
        }
        2 if n == 2 => result.cause = Cause::Resigned,
        _ => {}
    }
    result
}

pub(crate) fn results(spec: &TournamentSpec) -> Vec<GameResult> {
    pairings(spec).iter().map(|pairing| result_of(pairing, spec.seed)).collect()
}

pub(crate) fn evaluated<'a>(
    spec: &TournamentSpec,
    results: impl IntoIterator<Item = &'a GameResult>,
) -> Evaluation {
    let mut evaluation = Evaluation::new(spec);
    results.into_iter().for_each(|result| assert!(evaluation.add(result)));
    evaluation
}

/// With everything that games alone do not say.
pub(crate) fn full_report(evaluation: &Evaluation) -> Report {
    let ratings = Ratings::fit(evaluation, &RatingOptions::default()).unwrap();
    let mut timing = Timing::default();
    for (entrant, ms) in (0..400).map(|n| (Entrant(n % 4), u64::from(n * n % 997 * (n % 4 + 1)))) {
        timing.add(entrant, ms);
    }
    let mut test = Run::new(Sprt::new(sprt::Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap(), 2).unwrap();
    for block in 0..40 {
        test.take(block, Some([2, 4, 3, 1, 4][block as usize % 5])).unwrap();
    }
    let bye = Bye { entrant: Entrant(3), round: 1, points: Points::ONE, before: Points::ZERO };
    let context = Context {
        tournament: Some("k3v9p0q2x7ab".to_owned()),
        is_complete: true,
        byes: vec![bye],
        suspended: vec![Entrant(3)],
        timing: Some(&timing),
        accuracy: vec![Some(0.9), None, Some(1.0)],
        evidence: vec![Evidence {
            entrant: Entrant(3),
            cause: "crashed".to_owned(),
            text: "exit status 1; IndexError: list index out of range".to_owned(),
        }],
        test: Some(&test),
        recompute: Some("rookery ratings --store evening.db --recompute".to_owned()),
        ..Context::default()
    };
    Report::new(evaluation, Some(&ratings), &context)
}

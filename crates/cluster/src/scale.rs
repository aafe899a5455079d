//! Clocks on machines of unequal speed: who is half as fast as the reference has twice the time.

use std::time::Duration;

use rookery_record::{Header, Lines};
use rookery_referee::{MatchSpec, TimeControl, Verdict};

use crate::judge;

/// How much less or more time than agreed there may be, in thousandths. A machine beyond is no match for the reference.
const LEAST: u32 = 250;
pub(crate) const MOST: u32 = 4000;

/// By how much time is scaled, in thousandths, on a machine of this speed.
pub(crate) fn factor(reference: u32, speed: u32) -> Option<u32> {
    let factor = u64::from(reference) * 1000 / u64::from(speed.max(1));
    u32::try_from(factor).ok().filter(|factor| (LEAST..=MOST).contains(factor))
}

/// A time control scaled by thousandths, in whole milliseconds.
pub(crate) fn scaled(time: TimeControl, factor: u32) -> TimeControl {
    let scale = |time: Duration| {
        let ms = time.as_millis().saturating_mul(u128::from(factor)) / 1000;
        let ms = u64::try_from(ms).unwrap_or(u64::MAX);
        // What was something stays something.
        Duration::from_millis(if time.is_zero() { 0 } else { ms.max(1) })
    };
    match time {
        TimeControl::Untimed => TimeControl::Untimed,
        TimeControl::PerMove(time) => TimeControl::PerMove(scale(time)),
        TimeControl::Fischer { base, increment } => {
            TimeControl::Fischer { base: scale(base), increment: scale(increment) }
        }
        TimeControl::Bank { per_move, bank } => {
            TimeControl::Bank { per_move: scale(per_move), bank: scale(bank) }
        }
    }
}

/// What is played on a machine that scales the clock by thousandths. Without a clock nothing is scaled.
pub(crate) fn scaled_spec(spec: MatchSpec, factor: u32) -> MatchSpec {
    if spec.time == TimeControl::Untimed {
        return spec;
    }
    MatchSpec { time: scaled(spec.time, factor), scale: Some(factor), ..spec }
}

/// What is played on a machine of this speed: whose word a clock is stands in the record. Without a clock the record is the same
/// on every machine, so nothing is said of it.
pub(crate) fn spec_at_speed(spec: MatchSpec, speed: Option<u32>) -> MatchSpec {
    if spec.time == TimeControl::Untimed {
        return spec;
    }
    MatchSpec { speed, ..spec }
}

/// Judges a record, whose clock may have been scaled if that was agreed: how it ended, and by how much it was.
pub(crate) fn judge_scaled(
    record: &[u8],
    agreed: &MatchSpec,
    may_scale: bool,
) -> Result<(Verdict, Option<u32>), String> {
    if agreed.time == TimeControl::Untimed {
        return judge(record, agreed).map(|verdict| (verdict, None));
    }
    let header = Lines::new(record).first_line().ok().and_then(|line| Header::parse(line).ok());
    let (scale, speed) = header.map_or((None, None), |header| (header.spec.scale, header.spec.speed));
    let agreed = spec_at_speed(agreed.clone(), speed);
    let expected = match scale.filter(|_| may_scale) {
        Some(factor) if !(LEAST..=MOST).contains(&factor) => {
            return Err(format!("its clock was scaled to {factor} thousandths; expected {LEAST} to {MOST}"));
        }
        Some(factor) => scaled_spec(agreed, factor),
        None => agreed,
    };
    judge(record, &expected).map(|verdict| (verdict, scale))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    use rookery_arena::SingleGame;
    use rookery_rules::Seed;

    use super::*;

    #[test]
    fn who_is_half_as_fast_has_twice_the_time() {
        let half = factor(1000, 500).unwrap();
        for (agreed, expected) in
            [("10s+100ms", "20s+200ms"), ("500ms", "1s"), ("1s/30s", "2s/60s"), ("untimed", "untimed")]
        {
            let expected: TimeControl = expected.parse().unwrap();
            assert_eq!(scaled(agreed.parse().unwrap(), half), expected, "{agreed}");
        }
        assert_eq!(scaled("1ms".parse().unwrap(), LEAST), "1ms".parse().unwrap(), "never nothing");
        assert_eq!((factor(1000, 1000), factor(1000, 249), factor(1000, 4001)), (Some(1000), None, None));
    }

    #[test]
    fn a_record_with_a_scaled_clock_is_right_and_one_with_any_other_is_not() {
        let agreed = MatchSpec::new("hexapawn:rows=3,cols=3", ["random", "first"], Seed(7)).unwrap();
        let agreed = MatchSpec { time: "10s".parse().unwrap(), ..agreed };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let record_of = |spec: MatchSpec| {
            runtime.block_on(async {
                let game = SingleGame::new(spec, false, Arc::new(AtomicU64::new(0))).unwrap();
                game.play().await.unwrap().unwrap()
            })
        };
        let judged = |time: &str, scale: Option<u32>| {
            let record = record_of(MatchSpec { time: time.parse().unwrap(), scale, ..agreed.clone() });
            let scaled = judge_scaled(&record, &agreed, true).ok().map(|(_, scale)| scale);
            (judge_scaled(&record, &agreed, false).is_ok(), scaled)
        };
        assert_eq!(judged("10s", None), (true, Some(None)));
        assert_eq!(judged("20s", Some(2000)), (false, Some(Some(2000))), "twice the time");
        assert_eq!(judged("20s", None), (false, None), "it does not say by how much");
        assert_eq!(judged("20s", Some(2001)), (false, None), "it says another factor");
        assert_eq!(judged("41s", Some(4100)), (false, None), "more than four times");
        assert_eq!(judged("20s+1s", Some(2000)), (false, None), "another kind of clock");
        let at_speed = spec_at_speed(agreed.clone(), Some(900));
        assert_eq!(at_speed.speed, Some(900));
        assert!(judge_scaled(&record_of(at_speed), &agreed, false).is_ok(), "whatever its machine is");
        let untimed = MatchSpec { time: TimeControl::Untimed, ..agreed.clone() };
        assert_eq!(spec_at_speed(untimed.clone(), Some(900)), untimed, "the same everywhere");
        let told = MatchSpec { speed: Some(900), ..untimed.clone() };
        assert!(judge_scaled(&record_of(told), &untimed, true).is_err(), "nobody may say it there");
        assert_eq!(scaled_spec(MatchSpec { time: TimeControl::Untimed, ..agreed.clone() }, 2000).scale, None);
    }
}

//! Dates as people and programs write them, in universal time.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY_MS: i64 = 86_400_000;

/// A time in milliseconds since 1970.
pub fn in_ms(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The day: `2026-11-17`.
pub fn day(ms: i64) -> String {
    // Years begin in March here, so that a leap day comes last; 400 years have 146,097 days.
    let days = ms.div_euclid(DAY_MS) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

/// The moment, for programs: `2026-11-17T09:05:03.250Z`.
pub fn moment(ms: i64) -> String {
    let of_day = ms.rem_euclid(DAY_MS);
    let (seconds, ms_of_second) = (of_day / 1000, of_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{ms_of_second:03}Z", day(ms))
}

/// The day after 1970 began, from `2026-11-17`; `None` if there is no such day.
pub fn days_of(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let mut part = |len: usize| parts.next().filter(|part| part.len() == len)?.parse::<i64>().ok();
    let (year, month, day_of_month) = (part(4)?, part(2)?, part(2)?);
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (shifted_year.div_euclid(400), shifted_year.rem_euclid(400));
    let day_of_year = (153 * shifted_month + 2) / 5 + day_of_month - 1;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = 146_097 * era + day_of_era - 719_468;
    // A day that does not exist would be another one.
    (day(DAY_MS * days) == text).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, expected) in [
            (-1, "1969-12-31"),
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (10_957, "2000-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_774, "2026-11-17"),
        ] {
            assert_eq!(day(DAY_MS * days), expected);
            assert_eq!(days_of(expected), Some(days));
        }
    }

    #[test]
    fn what_is_no_day_is_none() {
        for text in [
            "",
            "2026",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "26-01-01",
            "2026-1-1",
            "2026-01-01-",
            "x-y-z",
        ] {
            assert_eq!(days_of(text), None, "{text}");
        }
    }

    #[test]
    fn moments_have_their_times() {
        let ms = DAY_MS * 20_774 + ((9 * 60 + 5) * 60 + 3) * 1000 + 250;
        assert_eq!(moment(ms), "2026-11-17T09:05:03.250Z");
        assert_eq!(moment(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn no_number_is_too_large() {
        // What a file says may be anything.
        let _ = (day(i64::MIN), moment(i64::MAX));
    }
}

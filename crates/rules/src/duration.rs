//! Times as text, read and written in one way everywhere: `500ms`, `2s`, `1.5s`, `3m`, `1h`, `2` (seconds).

use std::fmt;
use std::time::Duration;

/// A text that is no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseDurationError;

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected a time such as 500ms, 2s, 1.5s or 3m (a number without a unit means seconds; from 1 ms to 24 h)",
        )
    }
}

impl std::error::Error for ParseDurationError {}

/// Reads `500ms`, `2s`, `1.5s`, `3m`, `1h` or `2` (seconds), from 1 ms to 24 h.
///
/// ```
/// use std::time::Duration;
/// use rookery_rules::parse_duration;
/// assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
/// assert!(parse_duration("-1s").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, ParseDurationError> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let well_formed = number.len() <= 12 && number.starts_with(|c: char| c.is_ascii_digit());
    let number: f64 = number.parse().ok().filter(|_| well_formed).ok_or(ParseDurationError)?;
    let milliseconds = match unit {
        "ms" => number,
        "s" | "" => number * 1e3,
        "m" => number * 60e3,
        "h" => number * 3600e3,
        _ => return Err(ParseDurationError),
    };
    if !(1.0..=24.0 * 3600e3).contains(&milliseconds) {
        return Err(ParseDurationError);
    }
    Ok(Duration::from_millis(milliseconds.round() as u64))
}

/// The same where no time at all is possible too: `0`, `0s`, `0ms`.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(rookery_rules::parse_duration_or_zero("0s"), Ok(Duration::ZERO));
/// ```
pub fn parse_duration_or_zero(text: &str) -> Result<Duration, ParseDurationError> {
    if matches!(text, "0" | "0s" | "0ms") { Ok(Duration::ZERO) } else { parse_duration(text) }
}

/// Writes a time as [`parse_duration`] reads it, in milliseconds or whole seconds.
pub fn write_duration(time: Duration) -> String {
    let ms = time.as_millis();
    if ms.is_multiple_of(1000) { format!("{}s", ms / 1000) } else { format!("{ms}ms") }
}

//! Small pictures of numbers, as SVG. The same numbers give the same text, and every name in it is escaped.
//!
//! Colours come from classes, never from inline styles, so that a page that forbids those can show plots, with
//! [`STYLE`] or rules of its own. A [`Frame`] that [stands alone](Frame::is_alone) brings the style along.

mod axis;
mod draw;

use axis::Axis;
use draw::{Canvas, Room, WIDE};

use crate::table::shortened;

/// The style sheet of all plots, by day and by night.
pub const STYLE: &str = include_str!("style.css");

/// The most different kinds or lines that a plot tells apart.
pub const MAX_KINDS: usize = 8;

/// What every plot has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// What it shows, for those who cannot see it too.
    pub title: &'a str,
    /// Begins the ids inside: unlike that of any other plot of the page.
    pub id: &'a str,
    /// Whether it brings its style along: as a file, not as a part of a page.
    pub is_alone: bool,
    /// Whether it is half as wide, for small screens: names stand above their bars.
    pub is_narrow: bool,
}

/// A value with its interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// Whose it is.
    pub label: String,
    /// The value.
    pub value: f64,
    /// From where to where it may be.
    pub interval: Option<(f64, f64)>,
}

/// Values of some, each with its interval, on one scale that holds zero. What is no number is left out.
///
/// ```
/// use rookery_report::plots::{Bar, Frame, bars};
///
/// let frame = Frame { title: "Ratings", id: "r", is_alone: true, is_narrow: false };
/// let ann = Bar { label: "Ann <3".to_owned(), value: 120.0, interval: Some((80.0, 160.0)) };
/// let svg = bars(frame, "Elo", &[ann]);
/// assert!(svg.starts_with("<svg") && svg.contains("Ann &lt;3"));
/// ```
pub fn bars(frame: Frame<'_>, unit: &str, all: &[Bar]) -> String {
    let is_shown = |bar: &&Bar| {
        bar.value.is_finite() && bar.interval.is_none_or(|(low, high)| low.is_finite() && high.is_finite())
    };
    let shown: Vec<&Bar> = all.iter().filter(is_shown).collect();
    let ends = shown.iter().flat_map(|bar| {
        let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
        [low, high, bar.value]
    });
    let room = Room::of(frame);
    let axis = Axis::new(ends.chain([0.0]), room.left, room.right);
    let mut canvas = Canvas::new(frame, shown.len() as f64 * room.row + draw::FOOT);
    canvas.grid(&axis, unit);
    for (idx, bar) in shown.iter().enumerate() {
        let middle = room.middle(idx);
        canvas.label("", middle, &bar.label);
        let (zero, value) = (axis.at(0.0), axis.at(bar.value));
        canvas.rect("bar", zero.min(value), middle - 7.0, (value - zero).abs(), 14.0);
        if let Some((low, high)) = bar.interval {
            canvas.whisker(axis.at(low), axis.at(high), middle);
        }
    }
    canvas.close()
}

/// How much each has of each kind, one bar for each with a part for each kind. Kinds beyond [`MAX_KINDS`] share the last.
pub fn stacked(frame: Frame<'_>, unit: &str, kinds: &[&str], all: &[(String, Vec<u64>)]) -> String {
    let sums = all.iter().map(|(_, counts)| counts.iter().sum::<u64>() as f64);
    let room = Room::of(frame);
    let axis = Axis::new(sums.chain([0.0]), room.left, room.right);
    let rows = all.len() as f64 * room.row;
    let key_rows = kinds.len().div_ceil(room.keys) as f64;
    let mut canvas = Canvas::new(frame, rows + draw::FOOT + key_rows * 20.0);
    canvas.grid_of(&axis, unit, rows);
    for (idx, (label, counts)) in all.iter().enumerate() {
        canvas.label("", room.middle(idx), label);
        let mut before = 0;
        for (kind, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (from, to) = (axis.at(before as f64), axis.at((before + count) as f64));
            canvas.rect(
                &format!("k{}", kind.min(MAX_KINDS - 1)),
                from,
                room.middle(idx) - 7.0,
                to - from,
                14.0,
            );
            before += count;
        }
    }
    for (kind, name) in kinds.iter().enumerate() {
        let (x, y) =
            (20.0 + (kind % room.keys) as f64 * 165.0, rows + draw::FOOT + (kind / room.keys) as f64 * 20.0);
        canvas.rect(&format!("k{}", kind.min(MAX_KINDS - 1)), x, y, 12.0, 12.0);
        canvas.text("key", x + 18.0, y + 10.0, &shortened(name, 20));
    }
    canvas.close()
}

/// Shares of rows against columns, 0 to 1, from one colour to another one; `None` where there is none. Rows and columns
/// have the same labels, columns by their number.
pub fn heat_map(frame: Frame<'_>, labels: &[String], share: impl Fn(usize, usize) -> Option<f64>) -> String {
    let n = labels.len();
    let side = ((WIDE.right - WIDE.left) / n.max(1) as f64).clamp(11.0, 36.0);
    let (width, height) = (WIDE.left + n as f64 * side + 20.0, 24.0 + n as f64 * side + 8.0);
    let mut canvas =
        Canvas::sized(frame, if width > WIDE.width { "plot wide" } else { "plot" }, width, height);
    let small = if side < 16.0 { " small" } else { "" };
    for (row, label) in labels.iter().enumerate() {
        let (across, down) = (WIDE.left + row as f64 * side, 24.0 + row as f64 * side);
        canvas.label(small, down + side / 2.0, &format!("{} {label}", row + 1));
        canvas.text(&format!("tick{small}"), across + side / 2.0, 16.0, &(row + 1).to_string());
        for col in (0..n).filter(|&col| col != row) {
            let Some(share) = share(row, col).filter(|share| (0.0..=1.0).contains(share)) else { continue };
            let x = WIDE.left + col as f64 * side;
            canvas.rect(&format!("h{}", (share * 10.0).round()), x, down, side - 1.0, side - 1.0);
            if side >= 24.0 {
                let class = if (0.15..0.85).contains(&share) { "in" } else { "in far" };
                canvas.text(class, x + side / 2.0, down + side / 2.0 + 4.0, &format!("{:.0}", share * 100.0));
            }
        }
    }
    canvas.close()
}

/// A line through points, left to right.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<'a> {
    /// From left to right.
    pub points: &'a [(f64, f64)],
    /// How far up and down each point may be, if known.
    pub band: &'a [(f64, f64)],
    /// Horizontal lines that mean something, with their names.
    pub limits: &'a [(f64, &'a str)],
    /// What is to the right.
    pub x_unit: &'a str,
    /// What is up.
    pub y_unit: &'a str,
}

/// A line, with a band around it and limits beside it. What is no number is left out.
///
/// ```
/// use rookery_report::plots::{Frame, Line, line};
///
/// let points = [(1.0, 0.2), (2.0, 0.9)];
/// let llr = Line { points: &points, band: &[], limits: &[(2.94, "H1")], x_unit: "blocks", y_unit: "LLR" };
/// let frame = Frame { title: "Test", id: "t", is_alone: false, is_narrow: false };
/// assert!(line(frame, &llr).contains("<path"));
/// ```
pub fn line(frame: Frame<'_>, line: &Line<'_>) -> String {
    const HEIGHT: f64 = 240.0;
    let points: Vec<(f64, f64)> =
        line.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    let band: Vec<(f64, f64)> =
        line.band.iter().copied().filter(|(low, high)| low.is_finite() && high.is_finite()).collect();
    let heights = points.iter().map(|&(_, y)| y).chain(line.limits.iter().map(|&(y, _)| y));
    let heights = heights.chain(band.iter().flat_map(|&(low, high)| [low, high]));
    let y_axis = Axis::new(heights.chain([0.0]), HEIGHT - 40.0, 16.0);
    let Room { line: left, right, .. } = Room::of(frame);
    let x_axis = Axis::new(points.iter().map(|&(x, _)| x).chain([0.0]), left, right);
    let mut canvas = Canvas::new(frame, HEIGHT);
    canvas.grid_of(&x_axis, line.x_unit, HEIGHT - 40.0);
    canvas.scale(&y_axis, line.y_unit);
    if band.len() == points.len() && !band.is_empty() {
        let upper = points.iter().zip(&band).map(|(&(x, _), &(_, high))| (x, high));
        let lower = points.iter().zip(&band).rev().map(|(&(x, _), &(low, _))| (x, low));
        let around: Vec<(f64, f64)> = upper.chain(lower).map(|(x, y)| (x_axis.at(x), y_axis.at(y))).collect();
        canvas.path("band", &around, true);
    }
    for &(y, name) in line.limits.iter().filter(|(y, _)| y.is_finite()) {
        canvas.path("limit", &[(left, y_axis.at(y)), (right, y_axis.at(y))], false);
        canvas.text("key", left + 6.0, y_axis.at(y) - 4.0, name);
    }
    let way: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x_axis.at(x), y_axis.at(y))).collect();
    canvas.path("line", &way, false);
    canvas.close()
}

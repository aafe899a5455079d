//! Writing the SVG of a plot.

use std::fmt::Write as _;

use super::axis::Axis;
use super::{Frame, STYLE};
use crate::markup::escaped;
use crate::table::shortened;

/// What a scale below takes.
pub(super) const FOOT: f64 = 44.0;

/// Where the parts of a plot are.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// How wide it is, unless it has to be wider.
    pub(super) width: f64,
    /// Where the rows begin, and where they end.
    pub(super) left: f64,
    pub(super) right: f64,
    /// Where a line begins, which has a scale beside it.
    pub(super) line: f64,
    /// How high a row is.
    pub(super) row: f64,
    /// So many characters of a label fit, and so many kinds are named beside each other.
    label: usize,
    pub(super) keys: usize,
    /// Whether labels stand above their rows and not beside them.
    is_narrow: bool,
}

pub(super) const WIDE: Room = Room {
    width: 680.0,
    left: 190.0,
    right: 660.0,
    line: 60.0,
    row: 24.0,
    label: 24,
    keys: 4,
    is_narrow: false,
};
const NARROW: Room = Room {
    width: 340.0,
    left: 24.0,
    right: 320.0,
    line: 48.0,
    row: 40.0,
    label: 36,
    keys: 2,
    is_narrow: true,
};

impl Room {
    pub(super) const fn of(frame: Frame<'_>) -> Self {
        if frame.is_narrow { NARROW } else { WIDE }
    }

    /// The middle of the bar of a row.
    pub(super) fn middle(&self, idx: usize) -> f64 {
        (idx as f64 + if self.is_narrow { 0.7 } else { 0.5 }) * self.row
    }
}

pub(super) struct Canvas {
    text: String,
    height: f64,
    room: Room,
}

impl Canvas {
    pub(super) fn new(frame: Frame<'_>, height: f64) -> Self {
        let room = Room::of(frame);
        Self::sized(frame, if room.is_narrow { "plot narrow" } else { "plot" }, room.width, height)
    }

    pub(super) fn sized(frame: Frame<'_>, class: &str, width: f64, height: f64) -> Self {
        let (title, id) = (escaped(frame.title), escaped(frame.id));
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" class=\"{class}\" role=\"img\" \
             aria-labelledby=\"{id}-title\">\n<title id=\"{id}-title\">{title}</title>\n",
            short(width),
            short(height)
        );
        if frame.is_alone {
            let _ = write!(text, "<style>\n{STYLE}</style>\n");
        }
        Self { text, height, room: Room::of(frame) }
    }

    pub(super) fn close(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// Lines from top to bottom at the marks of a scale, which stands below.
    pub(super) fn grid(&mut self, axis: &Axis, unit: &str) {
        self.grid_of(axis, unit, self.height - FOOT);
    }

    /// The same in the upper part.
    pub(super) fn grid_of(&mut self, axis: &Axis, unit: &str, bottom: f64) {
        for (x, mark) in axis.marks() {
            self.path(if mark == "0" { "zero" } else { "grid" }, &[(x, 0.0), (x, bottom)], false);
            self.text("tick", x, bottom + 16.0, &mark);
        }
        self.text("unit", self.room.right, bottom + 34.0, unit);
    }

    /// Lines from left to right at the marks of a scale, which stands at the left.
    pub(super) fn scale(&mut self, axis: &Axis, unit: &str) {
        let Room { line, right, .. } = self.room;
        for (y, mark) in axis.marks() {
            self.path(if mark == "0" { "zero" } else { "grid" }, &[(line, y), (right, y)], false);
            self.text("unit", line - 8.0, y + 4.0, &mark);
        }
        self.text("key", 4.0, 12.0, unit);
    }

    /// Whose row this is.
    pub(super) fn label(&mut self, more_class: &str, middle: f64, text: &str) {
        let Room { left, label, is_narrow, .. } = self.room;
        let text = shortened(text, label);
        if is_narrow {
            self.text("name", left, middle - 12.0, &text);
        } else {
            self.text(&format!("label{more_class}"), left - 10.0, middle + 4.0, &text);
        }
    }

    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
            short(x),
            short(y),
            escaped(text)
        );
    }

    pub(super) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let [x, y, width, height] = [x, y, width, height].map(short);
        let _ = writeln!(
            self.text,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }

    /// An interval: a line with an end at both sides.
    pub(super) fn whisker(&mut self, low: f64, high: f64, middle: f64) {
        let [low, high, top, middle, bottom] = [low, high, middle - 5.0, middle, middle + 5.0].map(short);
        let _ = writeln!(
            self.text,
            "<path class=\"whisker\" d=\"M{low} {top}V{bottom}M{low} {middle}H{high}M{high} {top}V{bottom}\"/>"
        );
    }

    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)], is_closed: bool) {
        let mut way = String::new();
        for (idx, &(x, y)) in points.iter().enumerate() {
            let letter = if idx == 0 { 'M' } else { 'L' };
            let _ = write!(way, "{letter}{} {}", short(x), short(y));
        }
        if is_closed {
            way.push('Z');
        }
        let _ = writeln!(self.text, "<path class=\"{class}\" d=\"{way}\"/>");
    }
}

/// A number with at most one decimal.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

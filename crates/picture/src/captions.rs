//! Texts: title, description, coordinates, how the game and the seats stand.

use std::fmt::Write as _;

use rookery_rules::scene::{Caption, Place, Point, Viewbox};
use rookery_rules::{Scene, Seat};

use crate::canvas::Canvas;
use crate::{Options, sprites};

/// A narrower board gets an empty margin, so that the captions have room.
const MIN_WIDTH: i32 = 420;

/// The board with the captions around it.
pub(crate) struct Frame {
    pub(crate) viewbox: Viewbox,
    /// The size of the letters above the board.
    size: i32,
    chips: Chips,
}

/// A table of chips, one for each seat.
struct Chips {
    /// Where it begins.
    top: i32,
    per_line: usize,
    n_lines: usize,
    /// The width of a chip.
    width: i32,
    /// The size of the letters.
    size: i32,
}

impl Frame {
    pub(crate) fn around(scene: &Scene, options: &Options) -> Self {
        let view = scene.viewbox;
        let width = view.width.max(MIN_WIDTH);
        // Letters grow with the board, but not on one that is all width.
        let size = (width / 28).min(view.height / 6).max(22);
        let chips = Chips::below(scene, size, width);
        if !options.captions {
            return Self { viewbox: view, size, chips };
        }
        let head = 2 * size;
        let foot = size + chips.n_lines as i32 * chips.line_height();
        let x = view.x - (width - view.width) / 2;
        let viewbox = Viewbox { x, y: view.y - head, width, height: head + view.height + foot };
        Self { viewbox, size, chips }
    }
}

impl Chips {
    /// As few lines as possible, with about as many chips in each.
    fn below(scene: &Scene, size: i32, width: i32) -> Self {
        let top = scene.viewbox.y + scene.viewbox.height + size / 2;
        let inner = width - size;
        let size = size * 9 / 10;
        let seats = || scene.captions.iter().filter(|caption| matches!(caption.place, Place::Seat(_)));
        // Letters differ in width; this is a little more than they need on average.
        let natural = seats().map(|caption| 4 * size + caption.text.chars().count() as i32 * size * 43 / 100);
        let widest = natural.max().unwrap_or(size);
        let fit = usize::try_from((inner + size / 2) / (widest + size / 2)).unwrap_or(1).max(1);
        let n_lines = seats().count().div_ceil(fit);
        let per_line = seats().count().div_ceil(n_lines.max(1)).max(1);
        let width = (inner + size / 2) / per_line as i32 - size / 2;
        Self { top, per_line, n_lines, width, size }
    }

    fn line_height(&self) -> i32 {
        self.size * 5 / 2
    }

    /// The middle of the left edge of a chip.
    fn left(&self, idx: usize, x: i32) -> Point {
        let (line, place) = ((idx / self.per_line) as i32, (idx % self.per_line) as i32);
        Point::new(
            x + place * (self.width + self.size / 2),
            self.top + line * self.line_height() + self.line_height() / 2,
        )
    }
}

fn status(scene: &Scene) -> &str {
    let status = scene.captions.iter().find(|caption| caption.place == Place::Status);
    status.map_or("", |caption| &caption.text)
}

pub(crate) fn title(scene: &Scene) -> String {
    format!("{}: {}", scene.title, status(scene))
}

/// Everything that is seen, in words: the seats, and the pieces by kind.
pub(crate) fn description(scene: &Scene) -> String {
    let mut text = String::new();
    for caption in &scene.captions {
        if let Place::Seat(_) = caption.place {
            let _ = write!(text, "{}. ", capital(&caption.text));
        }
    }
    let mut kinds: Vec<&str> = vec![];
    for piece in &scene.pieces {
        if !kinds.contains(&piece.label.as_str()) {
            kinds.push(&piece.label);
        }
    }
    for kind in kinds {
        let cells = scene.pieces.iter().filter(|piece| piece.label == kind).map(|piece| piece.cell.as_str());
        let _ = write!(text, "{} on {}. ", capital(kind), cells.collect::<Vec<_>>().join(", "));
    }
    text.trim_end().to_owned()
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
}

pub(crate) fn draw_panel(canvas: &mut Canvas, frame: &Frame) {
    let Viewbox { x, y, width, height } = frame.viewbox;
    canvas.raw(&format!(
        "<rect class=\"panel\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"16\"/>\n"
    ));
}

pub(crate) fn draw_coordinates(canvas: &mut Canvas, scene: &Scene) {
    // On tiles they are small, at the edge of a board they can be read from afar.
    let size = if scene.ground == "sea" { 13 } else { 24 };
    let class = format!("{}-co", scene.ground);
    for caption in &scene.captions {
        if let Place::At(at) = caption.place {
            canvas.write(&class, at, size, &caption.text);
        }
    }
}

/// The status above the board, a chip for each seat below it.
pub(crate) fn draw(canvas: &mut Canvas, scene: &Scene, frame: &Frame) {
    let (view, size) = (&frame.viewbox, frame.size);
    let inner = size * 3 / 4;
    canvas.write("say", Point::new(view.x + inner, view.y + size), size, &capital(status(scene)));
    canvas.write("game", Point::new(view.x + view.width - inner, view.y + size), size, scene.title);
    let seats = scene.captions.iter().filter_map(|caption| match caption.place {
        Place::Seat(seat) => Some((seat, caption)),
        Place::Status | Place::At(_) => None,
    });
    for (idx, (seat, caption)) in seats.enumerate() {
        let left = frame.chips.left(idx, view.x + size / 2);
        draw_chip(canvas, seat, caption, left, &frame.chips);
    }
}

fn draw_chip(canvas: &mut Canvas, seat: Seat, caption: &Caption, left: Point, chips: &Chips) {
    let (width, size) = (chips.width, chips.size);
    let has = |class: &str| caption.classes.contains(&class);
    let on = if has("to-move") || has("winner") { " on" } else { "" };
    let height = size * 2;
    canvas.raw(if has("out") { "<g class=\"faded\">\n" } else { "<g>\n" });
    canvas.raw(&format!(
        "<rect class=\"chip{on}\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"{size}\"/>\n",
        left.x,
        left.y - size
    ));
    // Behind the piece, so that a dark one is seen on a dark chip.
    let middle = Point::new(left.x + size * 6 / 5, left.y);
    canvas.raw(&format!(
        "<circle class=\"coin\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n",
        middle.x,
        middle.y,
        size * 17 / 20
    ));
    let scale = (f64::from(size) * 1.5).round() / 100.0;
    canvas.place_scaled(&sprites::id(seat), middle, scale);
    canvas.write(
        "say seat",
        Point::new(left.x + size * 9 / 4, left.y),
        size * 17 / 20,
        &capital(&caption.text),
    );
    if has("winner") {
        let star = "<path class=\"star\" d=\"M0-50 13-17 48-16 20 6 30 41 0 21-30 41-20 6-48-16-13-17Z\"";
        let (x, y) = (left.x + width - size, left.y);
        let scale = f64::from(size) / 110.0;
        canvas.raw(&format!("{star} transform=\"translate({x} {y}) scale({scale:.3})\"/>\n"));
    }
    canvas.raw("</g>\n");
}

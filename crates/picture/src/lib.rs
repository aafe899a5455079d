//! Scenes as pictures: [`svg`] draws any [`Scene`] as one self-contained SVG text.
//!
//! The picture has a title and a description for people who do not see it, follows the reader's choice of light or
//! dark colours, and uses neither scripts nor anything from elsewhere. Everything that repeats is drawn once and
//! used by reference, so a picture has a few kilobytes.
//!
//! Nothing here knows a game: cells are drawn by their shape and classes, pieces by their sprite, and a sprite that
//! is not known is drawn as a disc.
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_picture::{Options, svg};
//! use rookery_rules::{Picture, Setup};
//!
//! let text = svg(&hexapawn::Setup::default().start().scene(), &Options::default());
//! assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
//! assert!(text.contains("<title id=\"rk-title\">Hexapawn: player 1 to move</title>"));
//! ```

mod board;
mod canvas;
mod captions;
mod sprites;
mod style;

use rookery_rules::Scene;
use rookery_rules::scene::Move;

use crate::canvas::Canvas;
use crate::captions::Frame;

/// What a picture shows beside the scene.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The move that led here, to be highlighted.
    pub last: Option<LastMove>,
    /// Whether cells or edges have coordinates.
    pub coordinates: bool,
    /// Whether it is said how the game and the seats stand.
    pub captions: bool,
    /// Begins every id in the picture; two pictures on one page need different ones.
    pub prefix: String,
    /// Whether it brings its own colours; on a page that has a style sheet for boards it needs none.
    pub style: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { last: None, coordinates: true, captions: true, prefix: "rk-".to_owned(), style: true }
    }
}

/// The cells of a move that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastMove {
    /// Where the piece stood, unless it is new.
    pub from: Option<String>,
    /// Where it went, unless it left the board.
    pub to: Option<String>,
}

impl From<&Move> for LastMove {
    fn from(mv: &Move) -> Self {
        Self { from: mv.from.clone(), to: mv.to.clone() }
    }
}

/// Draws a scene.
pub fn svg(scene: &Scene, options: &Options) -> String {
    let frame = Frame::around(scene, options);
    let mut canvas = Canvas::new(&options.prefix);
    let classes = format!("{} {}", scene.ground, scene.sprite);
    canvas.open(&frame.viewbox, &classes, &captions::title(scene), &captions::description(scene));
    if options.style {
        canvas.raw(&style::sheet(scene));
    }
    sprites::define(&mut canvas, scene);
    board::define_cells(&mut canvas, scene);
    captions::draw_panel(&mut canvas, &frame);
    board::draw_ground(&mut canvas, scene);
    board::draw_cells(&mut canvas, scene);
    if let Some(last) = &options.last {
        board::draw_last(&mut canvas, scene, last);
    }
    board::draw_values(&mut canvas, scene);
    if options.coordinates {
        captions::draw_coordinates(&mut canvas, scene);
    }
    sprites::draw_pieces(&mut canvas, scene);
    if options.captions {
        captions::draw(&mut canvas, scene, &frame);
    }
    canvas.close()
}

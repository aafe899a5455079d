//! Pieces, drawn by hand in a box from -50 to 50.
//!
//! In the drawings `currentColor` is the colour of the seat; what has no `fill` takes the seat's second colour, and `~` stands for the prefix of ids.

use rookery_rules::scene::{Piece, Point};
use rookery_rules::{Scene, Seat};

use crate::canvas::{Canvas, escape};

struct Sprite {
    name: &'static str,
    /// The piece itself.
    drawing: &'static str,
    /// What the seats wear, so that colour is not the only sign.
    wear: &'static [&'static str],
    /// Where the mark stands, and how large it is.
    mark: (i32, i32),
    /// How it is moved and scaled to fit its cells.
    fit: &'static str,
}

const SPRITES: &[Sprite] = &[
    Sprite {
        name: "penguin",
        drawing: "\
<ellipse cy=\"39\" rx=\"27\" ry=\"5\" fill=\"#0b2b40\" fill-opacity=\".18\" stroke=\"none\"/>
<path class=\"penguin-orange\" d=\"M-20 38q1-7 10-7t9 7zM1 38q0-7 9-7t10 7z\"/>
<path fill=\"currentColor\" d=\"M-21-7c-9 6-14 16-11 27 6-2 10-8 12-15zM21-7c9 6 14 16 11 27-6-2-10-8-12-15z\"/>
<path fill=\"currentColor\" d=\"M0-40c15 0 20 11 20 22 0 5 1 9 3 14 6 20-1 39-23 39s-29-19-23-39c2-5 3-9 3-14 0-11 5-22 20-22z\"/>
<path stroke=\"none\" d=\"M0-11c4-8 14-4 14-14 0-6-4-8-8-8s-5 3-6 3-2-3-6-3-8 2-8 8c0 10 10 6 14 14zM0-8c11 0 17 11 17 22 0 13-8 18-17 18s-17-5-17-18c0-11 6-22 17-22z\"/>
<g fill=\"#1d2530\" stroke=\"none\"><circle cx=\"-7\" cy=\"-24\" r=\"3\"/><circle cx=\"7\" cy=\"-24\" r=\"3\"/></g>
<g fill=\"#fff\" stroke=\"none\"><circle cx=\"-6\" cy=\"-25\" r=\"1\"/><circle cx=\"8\" cy=\"-25\" r=\"1\"/></g>
<path class=\"penguin-orange\" d=\"M-6-20q6-4 12 0-2 8-6 8t-6-8z\"/>
",
        wear: &[
            // A scarf, a woolly hat, a bow tie, ear muffs.
            "<path fill=\"#ffd24a\" stroke=\"#9a6a00\" d=\"M-21-10q21 9 42 0l1 7q-3 2-5 3l3 16-8 2-3-16q-16 2-32-5z\"/>",
            "<path fill=\"#2f7fd1\" stroke=\"#123f70\" d=\"M-18-30q2-14 18-14t18 14z\"/><path fill=\"#fff\" stroke=\"#123f70\" d=\"M-20-33h40v6h-40z\"/><circle cy=\"-45\" r=\"4.5\" fill=\"#fff\" stroke=\"#123f70\"/>",
            "<path fill=\"#3fae5a\" stroke=\"#14562a\" d=\"M-2-6l-13-7v14zM2-6l13-7v14z\"/><circle cy=\"-6\" r=\"4\" fill=\"#3fae5a\" stroke=\"#14562a\"/>",
            "<path fill=\"none\" stroke=\"#c23a86\" stroke-width=\"4\" d=\"M-20-25q0-19 20-19t20 19\"/><g fill=\"#ff6fb5\" stroke=\"#8a1f5a\"><ellipse cx=\"-20\" cy=\"-23\" rx=\"5\" ry=\"8\"/><ellipse cx=\"20\" cy=\"-23\" rx=\"5\" ry=\"8\"/></g>",
        ],
        mark: (16, 21),
        fit: "translate(0 -4) scale(.94)",
    },
    Sprite {
        name: "pawn",
        drawing: "\
<ellipse cy=\"40\" rx=\"30\" ry=\"5\" fill=\"#000\" fill-opacity=\".2\" stroke=\"none\"/>
<path fill=\"currentColor\" d=\"M-9-8c1 13-4 24-14 33h46c-10-9-15-20-14-33z\"/>
<path fill=\"currentColor\" d=\"M-24 25h48q5 3 5 12 0 2-2 2h-54q-2 0-2-2 0-9 5-12z\"/>
<circle cy=\"-24\" r=\"15\" fill=\"currentColor\"/>
<path fill=\"currentColor\" d=\"M-17-9q17-6 34 0 3 5-3 6-14 3-28 0-6-1-3-6z\"/>
<path fill=\"#fff\" fill-opacity=\".35\" stroke=\"none\" d=\"M-10-27q2-8 10-9-5 4-6 11-2 3-4-2zM-22 29q-2 2-2 6h4q0-4 2-6z\"/>
",
        wear: &[],
        mark: (13, 18),
        fit: "scale(1.1) translate(0 -1)",
    },
    Sprite {
        name: "horse",
        drawing: "\
<ellipse cy=\"40\" rx=\"31\" ry=\"5\" fill=\"#000\" fill-opacity=\".2\" stroke=\"none\"/>
<path d=\"M1-37c12-3 19 5 19 9 5 1 10 9 8 15 4 5 6 14 2 19 2 8 0 18-4 22H10z\"/>
<path fill=\"currentColor\" d=\"M-21 28c-2-14 16-19 17-29-6 5-12 4-15 9-3 6-10 5-12 0-3-6 3-11 6-16 3-8 5-17 13-24l1-10 9 8c16 2 24 22 24 41 0 9-1 16-1 21z\"/>
<path fill=\"currentColor\" d=\"M-26 27h52q4 3 4 10 0 2-2 2h-56q-2 0-2-2 0-7 4-10z\"/>
<ellipse cx=\"-9\" cy=\"-18\" rx=\"4\" ry=\"3.4\" fill=\"#fff\" stroke-width=\"1.2\"/><circle cx=\"-10\" cy=\"-18\" r=\"2\" fill=\"#1a100a\" stroke=\"none\"/><circle cx=\"-26\" cy=\"3\" r=\"1.9\" stroke=\"none\"/>
<path fill=\"none\" stroke-linecap=\"round\" d=\"M-21 8q4 0 6-3M-4-1q5-3 6-9\"/>
",
        wear: &[],
        mark: (17, 18),
        fit: "scale(1.08) translate(1 -1)",
    },
    STONE,
];

/// Also what is drawn for a sprite that is not known.
const STONE: Sprite = Sprite {
    name: "stone",
    drawing: "\
<ellipse cx=\"2\" cy=\"6\" rx=\"37\" ry=\"36\" fill=\"#000\" fill-opacity=\".22\" stroke=\"none\"/>
<circle r=\"36\" fill=\"currentColor\"/>
<circle r=\"36\" fill=\"url(#~gloss)\" stroke=\"#000\" stroke-opacity=\".35\"/>
<ellipse cx=\"-11\" cy=\"-19\" rx=\"15\" ry=\"8\" transform=\"rotate(-28 -11 -19)\" fill=\"#fff\" fill-opacity=\".3\" stroke=\"none\"/>
",
    wear: &[],
    mark: (1, 38),
    fit: "",
};

const GLOSS: &str = "\
<radialGradient id=\"~gloss\" cx=\".36\" cy=\".3\" r=\".8\"><stop offset=\"0\" stop-color=\"#fff\" stop-opacity=\".35\"/>\
<stop offset=\".5\" stop-color=\"#fff\" stop-opacity=\"0\"/><stop offset=\"1\" stop-color=\"#000\" stop-opacity=\".32\"/></radialGradient>
";

/// Where the two pieces of a pile stand, seen from the middle of their cell.
const UNDER: (Point, f64) = (Point::new(-19, 12), 0.76);
const OVER: (Point, f64) = (Point::new(15, -11), 0.8);

fn sprite(name: &str) -> &'static Sprite {
    SPRITES.iter().find(|sprite| sprite.name == name).unwrap_or(&STONE)
}

/// The id of a drawing of a seat's piece.
pub(crate) fn id(seat: Seat) -> String {
    format!("p{}", seat.index())
}

/// Draws one piece of each seat that is on the board or has a caption.
pub(crate) fn define(canvas: &mut Canvas, scene: &Scene) {
    let sprite = sprite(scene.sprite);
    let name = sprite.name;
    canvas.raw("<defs>\n");
    if sprite.drawing.contains("~gloss") {
        canvas.template(GLOSS);
    }
    canvas.template(&format!("<g id=\"~{name}\">\n{}</g>\n", sprite.drawing));
    for seat in scene.seats() {
        let wear = sprite.wear.get(seat.index()).unwrap_or(&"");
        canvas.template(&format!(
            "<g id=\"~{}\" class=\"{name}-s{}\" transform=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\">\
             <use href=\"#~{name}\"/>{wear}",
            id(seat),
            seat.index(),
            sprite.fit,
        ));
        // Without a piece on the board nobody knows the mark, and the caption says whose the drawing is.
        if let Some(piece) = scene.pieces.iter().find(|piece| piece.seat == seat) {
            let (y, size) = sprite.mark;
            let baseline = y + size * 35 / 100;
            canvas.raw(&format!(
                "<text class=\"{name}-mark\" y=\"{baseline}\" font-size=\"{size}\">{}</text>",
                escape(&piece.mark)
            ));
        }
        canvas.raw("</g>\n");
    }
    canvas.raw("</defs>\n");
}

/// Draws all pieces where they stand.
pub(crate) fn draw_pieces(canvas: &mut Canvas, scene: &Scene) {
    for piece in &scene.pieces {
        let Some(cell) = scene.cell(&piece.cell) else { continue };
        let at = |offset: Point| Point::new(cell.centre.x + offset.x, cell.centre.y + offset.y);
        match pile(scene, piece) {
            None => canvas.place(&id(piece.seat), cell.centre),
            Some((offset, scale)) => canvas.place_scaled(&id(piece.seat), at(offset), scale),
        }
    }
}

/// Where a piece stands that shares its cell with another.
fn pile(scene: &Scene, piece: &Piece) -> Option<(Point, f64)> {
    if piece.classes.contains(&"covered") {
        return Some(UNDER);
    }
    let covers = scene.pieces_on(&piece.cell).any(|other| other.classes.contains(&"covered"));
    covers.then_some(OVER)
}

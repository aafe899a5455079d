//! The ground, the cells and the last move.

use std::fmt::Write as _;

use rookery_rules::Scene;
use rookery_rules::scene::{Cell, Point, Shape};

use crate::LastMove;
use crate::canvas::{Canvas, decimal, escape};

/// The width of the frame around a board of squares, inside the viewbox.
const RADIUS: i32 = 14;

/// How thick an ice floe looks.
const THICKNESS: i32 = 9;

const SEA: &str = "\
<defs><linearGradient id=\"~sea\" x2=\"0\" y2=\"1\"><stop class=\"sea-w0\"/><stop class=\"sea-w1\" offset=\"1\"/></linearGradient>\
<linearGradient id=\"~ice\" x2=\".4\" y2=\"1\"><stop class=\"sea-i0\"/><stop class=\"sea-i1\" offset=\"1\"/></linearGradient>\
<pattern id=\"~waves\" width=\"120\" height=\"64\" patternUnits=\"userSpaceOnUse\">\
<path class=\"sea-wave\" d=\"M10 18q8-7 16 0t16 0M70 50q8-7 16 0t16 0\"/></pattern>
<g id=\"~fish\" class=\"sea-fish\"><path d=\"M-18 0C-12-10 4-11 11-2l9-7q-4 9 0 18l-9-7C4 11-12 10-18 0z\"/>\
<path fill=\"none\" d=\"M-5-5q3 5 0 10\"/><circle cx=\"-11\" cy=\"-2\" r=\"1.8\" fill=\"#3a1a05\" stroke=\"none\"/></g></defs>
";

/// Where the fish of a free tile lie, and how large they are: for one, two, three, four and five.
const SHOALS: [(&[Point], f64); 5] = [
    (&[Point::new(0, -3)], 1.75),
    (&[Point::new(-7, -18), Point::new(7, 13)], 1.3),
    (&[Point::new(4, -25), Point::new(-20, -1), Point::new(14, 21)], 1.05),
    (&[Point::new(-12, -26), Point::new(25, -13), Point::new(-25, 3), Point::new(12, 20)], 0.95),
    (
        &[
            Point::new(-17, -27),
            Point::new(22, -23),
            Point::new(-1, -4),
            Point::new(-24, 15),
            Point::new(18, 20),
        ],
        0.9,
    ),
];

/// Where they lie beside a piece, and how large they are.
const BESIDE: ([Point; 5], f64) = (
    [Point::new(42, 1), Point::new(-42, 1), Point::new(39, -17), Point::new(-39, -17), Point::new(39, 19)],
    0.46,
);

pub(crate) fn define_cells(canvas: &mut Canvas, scene: &Scene) {
    if scene.ground == "sea" {
        canvas.template(SEA);
    }
    canvas.raw("<defs>\n");
    for (idx, cell) in kinds(scene).iter().enumerate() {
        canvas.template(&format!("<g id=\"~c{idx}\">{}</g>\n", drawing(scene, cell)));
    }
    canvas.raw("</defs>\n");
}

/// One cell of each look.
fn kinds(scene: &Scene) -> Vec<&Cell> {
    let mut kinds: Vec<&Cell> = vec![];
    for cell in &scene.cells {
        if !kinds.iter().any(|kind| look_alike(kind, cell)) {
            kinds.push(cell);
        }
    }
    kinds
}

fn look_alike(a: &Cell, b: &Cell) -> bool {
    a.shape == b.shape && a.classes == b.classes
}

/// The shape once for each class: the first is the cell, the others lie over it.
fn drawing(scene: &Scene, cell: &Cell) -> String {
    if is_floe(scene, cell) {
        return floe(cell);
    }
    let shape = |class: &&str| {
        outline(&cell.shape, &format!("class=\"{}-{}\"", escape(scene.ground), escape(class)), 0)
    };
    cell.classes.iter().map(shape).collect()
}

fn is_floe(scene: &Scene, cell: &Cell) -> bool {
    scene.ground == "sea" && cell.classes.contains(&"floe")
}

/// Ice with a side towards the viewer and a glint along its upper left edge.
fn floe(cell: &Cell) -> String {
    let (left, up, right, _) = cell.shape.reach();
    let (left, up, right) = (left * 86 / 100, up * 86 / 100, right * 40 / 100);
    let side = format!("class=\"sea-side\" transform=\"translate(0 {THICKNESS})\"");
    outline(&cell.shape, &side, 3)
        + &outline(&cell.shape, "class=\"sea-ice\" fill=\"url(#~ice)\"", 3)
        + &format!("<path class=\"sea-glint\" d=\"M{} {}L{} {}H{right}\"/>", -left, -4, -left / 2 - 1, -up)
}

/// An outline, smaller by `inset` all around.
fn outline(shape: &Shape, attributes: &str, inset: i32) -> String {
    match shape {
        Shape::Rect(width, height) => {
            let (width, height) = (width - inset, height - inset);
            format!(
                "<rect {attributes} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                -width,
                -height,
                2 * width,
                2 * height
            )
        }
        Shape::Circle(radius) => format!("<circle {attributes} r=\"{}\"/>", radius - inset),
        Shape::Polygon(corners) => {
            let mut points = String::new();
            let (left, up, right, down) = shape.reach();
            let (wide, high) = (f64::from((left + right).max(1)), f64::from((up + down).max(1)));
            let inset = f64::from(2 * inset);
            for corner in corners {
                let x = f64::from(corner.x) * (1.0 - inset / wide);
                let y = f64::from(corner.y) * (1.0 - inset / high);
                let _ = write!(points, "{} {} ", decimal(x), decimal(y));
            }
            format!("<polygon {attributes} points=\"{}\"/>", points.trim_end())
        }
    }
}

pub(crate) fn draw_ground(canvas: &mut Canvas, scene: &Scene) {
    let view = &scene.viewbox;
    let rect = |margin: i32, radius: i32, attributes: &str| {
        format!(
            "<rect {attributes} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{radius}\"/>\n",
            view.x + margin,
            view.y + margin,
            view.width - 2 * margin,
            view.height - 2 * margin
        )
    };
    if scene.ground == "sea" {
        canvas.template(&rect(0, RADIUS, "fill=\"url(#~sea)\""));
        canvas.template(&rect(0, RADIUS, "fill=\"url(#~waves)\""));
        return;
    }
    let class = |name: &str| format!("class=\"{}-{name}\"", escape(scene.ground));
    canvas.raw(&rect(0, RADIUS, &class("rim")));
    canvas.raw(&rect(3, RADIUS - 3, &class("frame")));
}

pub(crate) fn draw_cells(canvas: &mut Canvas, scene: &Scene) {
    let kinds = kinds(scene);
    for cell in &scene.cells {
        let kind = kinds.iter().position(|kind| look_alike(kind, cell)).expect("every cell has its kind");
        canvas.place(&format!("c{kind}"), cell.centre);
    }
}

/// What there is to gain, over the last move's arrow.
pub(crate) fn draw_values(canvas: &mut Canvas, scene: &Scene) {
    for cell in &scene.cells {
        draw_value(canvas, scene, cell);
    }
}

/// Fish on a floe. Other cells with a value show it as a number.
fn draw_value(canvas: &mut Canvas, scene: &Scene, cell: &Cell) {
    let Some(value) = cell.value else { return };
    let at = |offset: &Point| Point::new(cell.centre.x + offset.x, cell.centre.y + offset.y);
    let occupied = scene.pieces_on(&cell.id).next().is_some();
    let shoal = (value as usize).checked_sub(1).and_then(|idx| SHOALS.get(idx));
    match shoal.filter(|_| is_floe(scene, cell)) {
        Some(_) if occupied => {
            let (offsets, scale) = BESIDE;
            for offset in &offsets[..value as usize] {
                canvas.place_scaled("fish", at(offset), scale);
            }
        }
        Some((offsets, scale)) => {
            for offset in *offsets {
                canvas.place_scaled("fish", at(offset), *scale);
            }
        }
        None => {
            let class = format!("{}-times", scene.ground);
            let (offset, size) = if occupied { (Point::new(42, 0), 18) } else { (Point::new(0, 0), 36) };
            canvas.write(&class, at(&offset), size, &format!("×{value}"));
        }
    }
}

pub(crate) fn draw_last(canvas: &mut Canvas, scene: &Scene, last: &LastMove) {
    let cell = |id: &Option<String>| id.as_ref().and_then(|id| scene.cell(id));
    let (from, to) = (cell(&last.from), cell(&last.to));
    for (cell, class) in [(from, "trail from"), (to, "trail")] {
        if let Some(Cell { shape, centre, .. }) = cell {
            let attributes = format!("class=\"{class}\" transform=\"translate({} {})\"", centre.x, centre.y);
            canvas.raw(&outline(shape, &attributes, 5));
            canvas.raw("\n");
        }
    }
    if let (Some(from), Some(to)) = (from, to)
        && from.centre != to.centre
    {
        canvas.raw(&arrow(from.centre, to.centre));
    }
}

/// An arrow from near one point to near another, so that the piece that went there does not hide its head.
fn arrow(from: Point, to: Point) -> String {
    const START: f64 = 2.0;
    const END: f64 = 38.0;
    const HEAD: f64 = 22.0;
    const HALF: f64 = 5.0;
    const HALF_HEAD: f64 = 15.0;
    let (dx, dy) = (f64::from(to.x - from.x), f64::from(to.y - from.y));
    let length = dx.hypot(dy);
    let (dx, dy) = (dx / length, dy / length);
    let point = |along: f64, across: f64| {
        let x = f64::from(from.x) + along * dx - across * dy;
        let y = f64::from(from.y) + along * dy + across * dx;
        format!("{} {}", decimal(x), decimal(y))
    };
    let tip = length - END;
    let corners = [
        point(START, -HALF),
        point(tip - HEAD, -HALF),
        point(tip - HEAD, -HALF_HEAD),
        point(tip, 0.0),
        point(tip - HEAD, HALF_HEAD),
        point(tip - HEAD, HALF),
        point(START, HALF),
    ];
    format!("<path class=\"arrow\" d=\"M{}Z\"/>\n", corners.join("L"))
}

//! Where the cells of a scene go on the screen: how large they are, which one is under the mouse, which one is next.

use ratatui::layout::Rect;
use rookery_rules::scene::{Cell, Place, Scene, Shape};

/// How the cells are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tile {
    /// So wide and so high.
    Square { width: u16, height: u16 },
    /// A hexagon with a flat top: so many characters in its upper edge, and half as many lines as it is high.
    Hexagon { edge: u16, half: u16 },
}

/// Sizes of squares, the largest first. Odd widths have a middle.
const SQUARES: [(u16, u16); 6] = [(13, 6), (11, 5), (9, 4), (7, 3), (5, 2), (3, 1)];
/// Sizes of hexagons: upper edge and half the height.
const HEXAGONS: [(u16, u16); 8] = [(9, 4), (7, 3), (5, 2), (4, 2), (3, 2), (5, 1), (4, 1), (3, 1)];

/// Where everything is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) tile: Tile,
    /// The whole board with its coordinates.
    pub(crate) area: Rect,
    /// The upper left corner of the box around each cell, in the order of the scene.
    pub(crate) corners: Vec<(u16, u16)>,
    /// Coordinates at the edges.
    pub(crate) labels: Vec<(u16, u16, String)>,
}

impl Tile {
    /// The box around a tile.
    pub(crate) fn size(self) -> (u16, u16) {
        match self {
            Self::Square { width, height } => (width, height),
            Self::Hexagon { edge, half } => (edge + 2 * half, 2 * half),
        }
    }

    /// From where to where a line of the tile reaches, seen from its left edge.
    pub(crate) fn span(self, line: u16) -> (u16, u16) {
        match self {
            Self::Square { width, .. } => (0, width),
            Self::Hexagon { edge, half } => {
                let inset = if line < half { half - 1 - line } else { line - half };
                (inset, edge + 2 * half - inset)
            }
        }
    }
}

impl Plan {
    /// The largest plan for which there is room; `Err` says how much the smallest would take.
    pub(crate) fn new(scene: &Scene, room: Rect) -> Result<Self, (u16, u16)> {
        let is_hexagon = |cell: &Cell| matches!(&cell.shape, Shape::Polygon(corners) if corners.len() == 6);
        let plans: Vec<Sketch> = if !scene.cells.is_empty() && scene.cells.iter().all(is_hexagon) {
            HEXAGONS.iter().map(|&(edge, half)| hexagons(scene, edge, half)).collect()
        } else {
            SQUARES.iter().map(|&(width, height)| squares(scene, width, height)).collect()
        };
        let fits = |sketch: &&Sketch| {
            sketch.width <= i32::from(room.width) && sketch.height <= i32::from(room.height)
        };
        let limit = |n: i32| u16::try_from(n).unwrap_or(u16::MAX);
        if let Some(sketch) = plans.iter().find(fits) {
            return Ok(sketch.place(room));
        }
        let smallest = plans.last().expect("there are several sizes");
        Err((limit(smallest.width), limit(smallest.height)))
    }

    /// The cell at a place of the screen.
    pub(crate) fn cell_at(&self, x: u16, y: u16) -> Option<usize> {
        let (_, height) = self.tile.size();
        self.corners.iter().position(|&(left, top)| {
            y >= top && y < top + height && {
                let (from, to) = self.tile.span(y - top);
                x >= left + from && x < left + to
            }
        })
    }
}

/// A plan before it is moved to its place.
struct Sketch {
    tile: Tile,
    width: i32,
    height: i32,
    corners: Vec<(i32, i32)>,
    labels: Vec<(i32, i32, String)>,
}

impl Sketch {
    /// In the middle of the room.
    fn place(&self, room: Rect) -> Plan {
        let left = i32::from(room.x) + (i32::from(room.width) - self.width) / 2;
        let top = i32::from(room.y) + (i32::from(room.height) - self.height) / 2;
        let at = |x: i32, y: i32| ((left + x) as u16, (top + y) as u16);
        let (x, y) = at(0, 0);
        Plan {
            tile: self.tile,
            area: Rect { x, y, width: self.width as u16, height: self.height as u16 },
            corners: self.corners.iter().map(|&(x, y)| at(x, y)).collect(),
            labels: self
                .labels
                .iter()
                .map(|(x, y, text)| {
                    let (x, y) = at(*x, *y);
                    (x, y, text.clone())
                })
                .collect(),
        }
    }
}

/// The different numbers, in order.
fn ranks(values: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut ranks: Vec<i32> = values.collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

fn squares(scene: &Scene, width: u16, height: u16) -> Sketch {
    let tile = Tile::Square { width, height };
    let (width, height) = (i32::from(width), i32::from(height));
    let cols = ranks(scene.cells.iter().map(|cell| cell.centre.x));
    let rows = ranks(scene.cells.iter().map(|cell| cell.centre.y));
    let rank = |ranks: &[i32], value: i32| ranks.binary_search(&value).ok().map(|rank| rank as i32);
    // Numbers beside a row stand left of it, those of a column below it.
    let (mut beside, mut below) = (vec![], vec![]);
    for caption in &scene.captions {
        let Place::At(point) = caption.place else { continue };
        match (rank(&cols, point.x), rank(&rows, point.y)) {
            (None, Some(row)) => beside.push((row, caption.text.clone())),
            (Some(col), None) => below.push((col, caption.text.clone())),
            _ => {}
        }
    }
    let n_chars = |text: &str| text.chars().count() as i32;
    let margin = beside.iter().map(|(_, text)| n_chars(text) + 1).max().unwrap_or(0);
    let bottom = rows.len() as i32 * height;
    let mut labels = vec![];
    for (row, text) in beside {
        labels.push((margin - 1 - n_chars(&text), row * height + (height - 1) / 2, text));
    }
    let n_below = below.len();
    for (col, text) in below {
        labels.push((margin + col * width + (width - n_chars(&text)) / 2, bottom, text));
    }
    let corners = scene.cells.iter().map(|cell| {
        let (col, row) = (rank(&cols, cell.centre.x), rank(&rows, cell.centre.y));
        (margin + col.unwrap_or(0) * width, row.unwrap_or(0) * height)
    });
    Sketch {
        tile,
        corners: corners.collect(),
        labels,
        width: margin + cols.len() as i32 * width,
        height: bottom + i32::from(n_below > 0),
    }
}

fn hexagons(scene: &Scene, edge: u16, half: u16) -> Sketch {
    let tile = Tile::Hexagon { edge, half };
    let (edge, half) = (i32::from(edge), i32::from(half));
    let (left, up, right, down) = scene.cells[0].shape.reach();
    // Neighbours are three quarters of a width and half a height apart.
    let (step_x, step_y) = (((left + right) * 3 / 4).max(1), i32::midpoint(up, down).max(1));
    let min_x = scene.cells.iter().map(|cell| cell.centre.x).min().unwrap_or(0);
    let min_y = scene.cells.iter().map(|cell| cell.centre.y).min().unwrap_or(0);
    let places: Vec<(i32, i32)> = scene
        .cells
        .iter()
        .map(|cell| ((cell.centre.x - min_x) / step_x, (cell.centre.y - min_y) / step_y))
        .collect();
    // Small tiles have no room for their own coordinates: the first of each row and each column has them outside.
    let outside = half == 1;
    let ids = |idx: usize| scene.cells[idx].id.clone();
    let longest = scene.cells.iter().map(|cell| cell.id.chars().count() as i32).max().unwrap_or(0);
    let (margin, top) = if outside { (longest + 1, 2) } else { (0, 1) };
    let corner = |(col, row): (i32, i32)| (margin + col * (edge + half), top + row * half);
    let mut labels = vec![];
    if outside {
        for (idx, &place) in places.iter().enumerate() {
            let (x, y) = corner(place);
            let first = !places.iter().any(|&(col, row)| row == place.1 && col < place.0);
            if first {
                labels.push((margin - 1 - ids(idx).chars().count() as i32, y, ids(idx)));
            }
            if place.1 <= 1 {
                labels.push((x + 1, 0, ids(idx)));
            }
        }
    }
    let width = places.iter().map(|&place| corner(place).0).max().unwrap_or(0) + edge + 2 * half;
    let height = places.iter().map(|&place| corner(place).1).max().unwrap_or(0) + 2 * half;
    Sketch { tile, width, height, corners: places.into_iter().map(corner).collect(), labels }
}

/// Where an arrow key leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Left,
    Right,
    Up,
    Down,
}

/// The neighbouring cell that way: the nearest, as the crow walks.
pub(crate) fn neighbour(scene: &Scene, from: usize, way: Way) -> usize {
    let here = scene.cells[from].centre;
    let rows = ranks(scene.cells.iter().map(|cell| cell.centre.y));
    // In rows that are shifted by turns, the way to the side goes down and up by turns, and so stays on its height.
    let is_even = rows.binary_search(&here.y).is_ok_and(|row| row % 2 == 0);
    let cost = |cell: &Cell| {
        let (x, y) = (cell.centre.x - here.x, cell.centre.y - here.y);
        let along = match way {
            Way::Left => -x,
            Way::Right => x,
            Way::Up => -y,
            Way::Down => y,
        };
        let wrong_turn = matches!(way, Way::Left | Way::Right) && y != 0 && (y > 0) != is_even;
        (along > 0).then_some((x.abs() + y.abs(), wrong_turn))
    };
    let costs = scene.cells.iter().enumerate().filter_map(|(idx, cell)| Some((cost(cell)?, idx)));
    costs.min().map_or(from, |(_, idx)| idx)
}

#[cfg(test)]
mod tests {
    use rookery_catalog::start;

    use super::*;

    const ROOM: Rect = Rect { x: 0, y: 0, width: 57, height: 20 };

    #[test]
    fn all_usual_boards_fit_beside_the_list_of_moves() {
        for spec in [
            "fish",
            "fish:board=classic",
            "fish:rows=8,cols=5",
            "hexapawn:rows=8,cols=8",
            "renpaarden",
            "renpaarden:width=11,height=11",
            "stones",
            "stones:rows=16,cols=16",
        ] {
            let scene = start(spec).unwrap().scene();
            let plan = Plan::new(&scene, ROOM).unwrap_or_else(|size| panic!("{spec} takes {size:?}"));
            let mut seen = vec![];
            for y in 0..ROOM.height {
                for x in 0..ROOM.width {
                    seen.extend(plan.cell_at(x, y));
                }
            }
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), scene.cells.len(), "{spec}: every cell can be clicked at");
        }
    }

    #[test]
    fn what_does_not_fit_says_what_it_takes() {
        let scene = start("stones:rows=16,cols=16").unwrap().scene();
        let size = Plan::new(&scene, Rect { height: 10, ..ROOM }).unwrap_err();
        assert_eq!(size, (51, 17));
        assert!(Plan::new(&scene, Rect { width: size.0, height: size.1, ..ROOM }).is_ok());
    }

    #[test]
    fn arrows_reach_every_cell() {
        for spec in ["fish", "fish:board=classic", "fish:rows=1,cols=8", "stones:rows=3,cols=5", "renpaarden"]
        {
            let scene = start(spec).unwrap().scene();
            let mut reached = vec![0];
            let mut at = 0;
            while at < reached.len() {
                for way in [Way::Left, Way::Right, Way::Up, Way::Down] {
                    let next = neighbour(&scene, reached[at], way);
                    if !reached.contains(&next) {
                        reached.push(next);
                    }
                }
                at += 1;
            }
            assert_eq!(reached.len(), scene.cells.len(), "{spec}");
        }
    }
}

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
const HEXAGONS: [(u16, u16); 9] = [(9, 4), (7, 3), (6, 3), (5, 2), (4, 2), (3, 2), (5, 1), (4, 1), (3, 1)];

/// The least room, in columns and lines, through which a board is shown a part at a time.
const SMALLEST_ROOM: (u16, u16) = (14, 6);

/// Where everything is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) tile: Tile,
    /// The board with its coordinates, or as much of it as there is room for.
    pub(crate) area: Rect,
    /// The part of it in which cells are seen.
    pub(crate) view: Rect,
    /// The upper left corner of the box around each cell, in the order of the scene. Cells may lie outside the view.
    pub(crate) corners: Vec<(i32, i32)>,
    /// Coordinates at the edges.
    pub(crate) labels: Vec<(i32, i32, String)>,
    /// How far the board is moved to the left and up under the view, and how far it could be.
    pub(crate) offset: (i32, i32),
    limit: (i32, i32),
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
    /// The largest plan for which there is room. If there is none, a part of the smallest, moved by `offset` as far as
    /// that goes; `Err` says how much room this would take.
    pub(crate) fn new(scene: &Scene, room: Rect, offset: (i32, i32)) -> Result<Self, (u16, u16)> {
        let is_hexagon = |cell: &Cell| matches!(&cell.shape, Shape::Polygon(corners) if corners.len() == 6);
        let sketches: Vec<Sketch> = if !scene.cells.is_empty() && scene.cells.iter().all(is_hexagon) {
            HEXAGONS.iter().map(|&(edge, half)| hexagons(scene, edge, half)).collect()
        } else {
            SQUARES.iter().map(|&(width, height)| squares(scene, width, height)).collect()
        };
        let (width, height) = (i32::from(room.width), i32::from(room.height));
        let fits = |sketch: &&Sketch| sketch.size().0 <= width && sketch.size().1 <= height;
        let smallest = sketches.last().expect("there are several sizes");
        let least = |size: i32, enough: u16| size.min(i32::from(enough)) as u16;
        let (least_x, least_y) =
            (least(smallest.size().0, SMALLEST_ROOM.0), least(smallest.size().1, SMALLEST_ROOM.1));
        match sketches.iter().find(fits) {
            Some(sketch) => Ok(sketch.place(room, offset)),
            None if room.width >= least_x && room.height >= least_y => Ok(smallest.place(room, offset)),
            None => Err((least_x, least_y)),
        }
    }

    /// The cell at a place of the screen.
    pub(crate) fn cell_at(&self, x: u16, y: u16) -> Option<usize> {
        if !self.view.contains((x, y).into()) {
            return None;
        }
        let (_, height) = self.tile.size();
        self.corners.iter().position(|&(left, top)| {
            let (x, y) = (i32::from(x) - left, i32::from(y) - top);
            (0..i32::from(height)).contains(&y) && {
                let (from, to) = self.tile.span(y as u16);
                (i32::from(from)..i32::from(to)).contains(&x)
            }
        })
    }

    /// Whether there is more than can be seen.
    pub(crate) fn is_part(&self) -> bool {
        self.limit != (0, 0)
    }

    /// Whether there is more that way.
    pub(crate) fn has_more(&self, way: Way) -> bool {
        match way {
            Way::Left => self.offset.0 > 0,
            Way::Right => self.offset.0 < self.limit.0,
            Way::Up => self.offset.1 > 0,
            Way::Down => self.offset.1 < self.limit.1,
        }
    }

    /// The offset half a view further than another.
    pub(crate) fn further(&self, (x, y): (i32, i32), way: Way) -> (i32, i32) {
        let step = |size: u16| i32::from(size / 2).max(1);
        match way {
            Way::Left => (x - step(self.view.width), y),
            Way::Right => (x + step(self.view.width), y),
            Way::Up => (x, y - step(self.view.height)),
            Way::Down => (x, y + step(self.view.height)),
        }
    }

    /// The nearest offset with which a cell is seen, and the cells around it where there is room for them.
    pub(crate) fn showing(&self, cell: usize) -> (i32, i32) {
        let Some(&(left, top)) = self.corners.get(cell) else { return self.offset };
        let along = |offset: i32, at: i32, size: u16, view: u16| {
            let (size, view) = (i32::from(size), i32::from(view));
            let around = ((view - size) / 2).clamp(0, size);
            let (from, to) = (offset + at - around, offset + at + size + around);
            offset.max(to - view).min(from)
        };
        let (width, height) = self.tile.size();
        (
            along(self.offset.0, left - i32::from(self.view.x), width, self.view.width),
            along(self.offset.1, top - i32::from(self.view.y), height, self.view.height),
        )
    }
}

/// A plan before it is moved to its place.
struct Sketch {
    tile: Tile,
    /// Of all cells together.
    width: i32,
    height: i32,
    corners: Vec<(i32, i32)>,
    /// Columns at the left, lines above and lines below that coordinates take.
    margins: (i32, i32, i32),
    /// Coordinates of rows, with their columns in the left margin and their lines beside the cells.
    beside: Vec<(i32, i32, String)>,
    /// Coordinates of columns, with their columns beside the cells: in the line above, or else in that below.
    across: Vec<(i32, String)>,
}

impl Sketch {
    /// With the coordinates.
    fn size(&self) -> (i32, i32) {
        (self.margins.0 + self.width, self.margins.1 + self.height + self.margins.2)
    }

    /// In the middle of the room. Where it is larger, coordinates stay at the edges and the cells are moved under the
    /// view, which leaves room at both ends for signs that there is more.
    fn place(&self, room: Rect, offset: (i32, i32)) -> Plan {
        let (left, above, below) = self.margins;
        let along = |start: u16, room: u16, size: i32, before: i32, after: i32, offset: i32| {
            let (start, room) = (i32::from(start), i32::from(room));
            let sign = i32::from(size > room);
            let shown = size.min(room);
            let start = start + (room - shown) / 2;
            let view = (shown - before - after - 2 * sign).max(1);
            let limit = (size - before - after - view).max(0) * sign;
            (start, shown, start + before + sign, view, offset.clamp(0, limit), limit)
        };
        let size = self.size();
        let (x, width, view_x, view_width, offset_x, limit_x) =
            along(room.x, room.width, size.0, left, 0, offset.0);
        let (y, height, view_y, view_height, offset_y, limit_y) =
            along(room.y, room.height, size.1, above, below, offset.1);
        let rect = |x: i32, y: i32, width: i32, height: i32| Rect {
            x: x as u16,
            y: y as u16,
            width: width as u16,
            height: height as u16,
        };
        let to_screen = |x: i32, y: i32| (view_x - offset_x + x, view_y - offset_y + y);
        let beside = self.beside.iter().filter_map(|(column, line, text)| {
            let line = to_screen(0, *line).1;
            (view_y..view_y + view_height).contains(&line).then(|| (x + column, line, text.clone()))
        });
        let line = if above > 0 { y } else { y + height - 1 };
        let across = self.across.iter().filter_map(|(column, text)| {
            let column = to_screen(*column, 0).0;
            let is_seen = column >= view_x && column + n_chars(text) <= view_x + view_width;
            is_seen.then(|| (column, line, text.clone()))
        });
        Plan {
            tile: self.tile,
            area: rect(x, y, width, height),
            view: rect(view_x, view_y, view_width, view_height),
            corners: self.corners.iter().map(|&(x, y)| to_screen(x, y)).collect(),
            labels: beside.chain(across).collect(),
            offset: (offset_x, offset_y),
            limit: (limit_x, limit_y),
        }
    }
}

fn n_chars(text: &str) -> i32 {
    text.chars().count() as i32
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
    let margin = beside.iter().map(|(_, text)| n_chars(text) + 1).max().unwrap_or(0);
    let n_below = i32::from(!below.is_empty());
    let corners = scene.cells.iter().map(|cell| {
        let (col, row) = (rank(&cols, cell.centre.x), rank(&rows, cell.centre.y));
        (col.unwrap_or(0) * width, row.unwrap_or(0) * height)
    });
    Sketch {
        tile,
        width: cols.len() as i32 * width,
        height: rows.len() as i32 * height,
        corners: corners.collect(),
        margins: (margin, 0, n_below),
        beside: beside
            .into_iter()
            .map(|(row, text)| (margin - 1 - n_chars(&text), row * height + (height - 1) / 2, text))
            .collect(),
        across: below
            .into_iter()
            .map(|(col, text)| (col * width + (width - n_chars(&text)) / 2, text))
            .collect(),
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
    let margins = if outside { (longest + 1, 1, 0) } else { (0, 0, 0) };
    // The upper edge of a tile is drawn in the line above its box.
    let corner = |(col, row): (i32, i32)| (col * (edge + half), 1 + row * half);
    let (mut beside, mut across) = (vec![], vec![]);
    if outside {
        for (idx, &place) in places.iter().enumerate() {
            let (x, y) = corner(place);
            let first = !places.iter().any(|&(col, row)| row == place.1 && col < place.0);
            if first {
                beside.push((longest - n_chars(&ids(idx)), y, ids(idx)));
            }
            if place.1 <= 1 {
                across.push((x + 1, ids(idx)));
            }
        }
    }
    let width = places.iter().map(|&place| corner(place).0).max().unwrap_or(0) + edge + 2 * half;
    let height = places.iter().map(|&place| corner(place).1).max().unwrap_or(0) + 2 * half;
    let corners = places.into_iter().map(corner).collect();
    Sketch { tile, width, height, corners, margins, beside, across }
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
            let plan = Plan::new(&scene, ROOM, (0, 0)).unwrap_or_else(|size| panic!("{spec} takes {size:?}"));
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

    /// The cells that are seen from edge to edge.
    fn seen(plan: &Plan) -> Vec<usize> {
        let (width, height) = plan.tile.size();
        let is_seen = |&(x, y): &(i32, i32)| {
            x >= i32::from(plan.view.left())
                && y >= i32::from(plan.view.top())
                && x + i32::from(width) <= i32::from(plan.view.right())
                && y + i32::from(height) <= i32::from(plan.view.bottom())
        };
        (0..plan.corners.len()).filter(|&cell| is_seen(&plan.corners[cell])).collect()
    }

    const LARGE: [&str; 4] = [
        "fish:board=classic",
        "hexapawn:rows=8,cols=8",
        "renpaarden:width=11,height=11",
        "stones:rows=16,cols=16",
    ];

    #[test]
    fn every_cell_of_a_large_board_can_be_brought_into_view() {
        for spec in LARGE {
            let scene = start(spec).unwrap().scene();
            for (width, height) in [(57, 8), (20, 20), (20, 8), SMALLEST_ROOM] {
                let room = Rect { x: 3, y: 1, width, height };
                let mut plan = Plan::new(&scene, room, (0, 0)).unwrap();
                assert!(plan.is_part(), "{spec} in {room}");
                for cell in (0..scene.cells.len()).chain((0..scene.cells.len()).rev().step_by(7)) {
                    plan = Plan::new(&scene, room, plan.showing(cell)).unwrap();
                    assert!(seen(&plan).contains(&cell), "{spec} in {room}: cell {cell}");
                    assert_eq!(Plan::new(&scene, room, plan.showing(cell)).unwrap(), plan, "it stays there");
                    assert!(
                        room.intersection(plan.area) == plan.area
                            && plan.area.intersection(plan.view) == plan.view
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_not_seen_cannot_be_clicked_at() {
        for spec in LARGE {
            let scene = start(spec).unwrap().scene();
            let room = Rect { x: 3, y: 1, width: 20, height: 8 };
            let plan = Plan::new(&scene, room, (7, 3)).unwrap();
            let mut clicked = vec![];
            for place in Rect::new(0, 0, 40, 20).positions() {
                let cell = plan.cell_at(place.x, place.y);
                assert!(cell.is_none() || plan.view.contains(place), "{spec}: {place}");
                clicked.extend(cell);
            }
            assert!(seen(&plan).iter().all(|cell| clicked.contains(cell)), "{spec}");
        }
    }

    #[test]
    fn a_large_board_goes_as_far_as_its_edges() {
        for spec in LARGE {
            let scene = start(spec).unwrap().scene();
            let room = Rect { x: 3, y: 1, width: 20, height: 8 };
            for (way, back) in [(Way::Right, Way::Left), (Way::Down, Way::Up)] {
                let mut plan = Plan::new(&scene, room, (0, 0)).unwrap();
                let mut all = seen(&plan);
                assert!(!plan.has_more(back));
                while plan.has_more(way) {
                    let next = Plan::new(&scene, room, plan.further(plan.offset, way)).unwrap();
                    assert!(next.offset != plan.offset && next.has_more(back), "{spec}");
                    all.extend(seen(&next));
                    plan = next;
                }
                assert!(all.len() > 2, "{spec}");
                assert_eq!(
                    Plan::new(&scene, room, plan.further(plan.offset, way)).unwrap(),
                    plan,
                    "there is no more"
                );
            }
        }
    }

    #[test]
    fn what_is_far_too_small_says_what_it_takes() {
        let scene = start("stones:rows=16,cols=16").unwrap().scene();
        let size = Plan::new(&scene, Rect { height: 3, ..ROOM }, (0, 0)).unwrap_err();
        assert_eq!(size, SMALLEST_ROOM);
        let small = start("hexapawn:rows=3,cols=3").unwrap().scene();
        let size = Plan::new(&small, Rect { height: 2, ..ROOM }, (0, 0)).unwrap_err();
        assert_eq!(size, (11, 4), "the whole board");
        assert!(
            !Plan::new(&small, Rect { width: size.0, height: size.1, ..ROOM }, (0, 0)).unwrap().is_part()
        );
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

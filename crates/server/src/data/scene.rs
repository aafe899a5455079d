//! Scenes as JSON.

use rookery_rules::scene::{Place, Shape};
use rookery_rules::{Scene, Seat};
use serde::Serialize;

/// A scene.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SceneData {
    /// The game's name for people.
    pub title: &'static str,
    /// What lies under the cells.
    pub ground: &'static str,
    /// What the pieces look like.
    pub sprite: &'static str,
    /// Left, top, width, height.
    pub viewbox: [i32; 4],
    /// In reading order.
    pub cells: Vec<CellData>,
    /// The lower of two on a cell first.
    pub pieces: Vec<PieceData>,
    /// The legal moves, in the newest scene of a running match.
    pub moves: Vec<MoveData>,
    /// Texts around the board.
    pub captions: Vec<CaptionData>,
}

/// A cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CellData {
    /// As moves write it.
    pub id: String,
    /// Its middle.
    pub x: i32,
    /// Its middle.
    pub y: i32,
    /// Its outline.
    pub shape: ShapeData,
    /// For people who do not see it.
    pub label: String,
    /// For a style sheet.
    pub classes: Vec<&'static str>,
    /// What there is to gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<u32>,
}

/// An outline around the middle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeData {
    /// Corners.
    Polygon(Vec<[i32; 2]>),
    /// Width and height.
    Rect([i32; 2]),
    /// Radius.
    Circle(i32),
}

/// A piece.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PieceData {
    /// The same from scene to scene.
    pub id: String,
    /// Where it stands.
    pub cell: String,
    /// Whose it is.
    pub seat: usize,
    /// What it looks like.
    pub sprite: &'static str,
    /// Its owner's sign.
    pub mark: String,
    /// For people who do not see it.
    pub label: String,
    /// For a style sheet.
    pub classes: Vec<&'static str>,
}

/// A legal move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveData {
    /// Its text.
    pub id: String,
    /// Where the piece stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// For people.
    pub label: String,
}

/// A text around the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CaptionData {
    /// Where it belongs.
    pub place: PlaceData,
    /// What it says.
    pub text: String,
    /// For a style sheet.
    pub classes: Vec<&'static str>,
}

/// Where a text belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceData {
    /// How the game stands.
    Status,
    /// About a seat.
    Seat(usize),
    /// A coordinate.
    At([i32; 2]),
}

impl SceneData {
    /// The same without its moves.
    #[must_use]
    pub fn still(self) -> Self {
        Self { moves: vec![], ..self }
    }
}

impl From<&Scene> for SceneData {
    fn from(scene: &Scene) -> Self {
        let cells = scene.cells.iter().map(|cell| CellData {
            id: cell.id.clone(),
            x: cell.centre.x,
            y: cell.centre.y,
            shape: (&cell.shape).into(),
            label: cell.label.clone(),
            classes: cell.classes.clone(),
            value: cell.value,
        });
        let pieces = scene.pieces.iter().map(|piece| PieceData {
            id: piece.id.clone(),
            cell: piece.cell.clone(),
            seat: piece.seat.index(),
            sprite: piece.sprite,
            mark: piece.mark.clone(),
            label: piece.label.clone(),
            classes: piece.classes.clone(),
        });
        let moves = scene.moves.iter().map(|mv| MoveData {
            id: mv.id.clone(),
            from: mv.from.clone(),
            to: mv.to.clone(),
            label: mv.label.clone(),
        });
        let captions = scene.captions.iter().map(|caption| CaptionData {
            place: match caption.place {
                Place::Status => PlaceData::Status,
                Place::Seat(seat) => PlaceData::Seat(Seat::index(seat)),
                Place::At(point) => PlaceData::At([point.x, point.y]),
            },
            text: caption.text.clone(),
            classes: caption.classes.clone(),
        });
        let view = scene.viewbox;
        Self {
            title: scene.title,
            ground: scene.ground,
            sprite: scene.sprite,
            viewbox: [view.x, view.y, view.width, view.height],
            cells: cells.collect(),
            pieces: pieces.collect(),
            moves: moves.collect(),
            captions: captions.collect(),
        }
    }
}

impl From<&Shape> for ShapeData {
    fn from(shape: &Shape) -> Self {
        match shape {
            Shape::Polygon(corners) => {
                Self::Polygon(corners.iter().map(|corner| [corner.x, corner.y]).collect())
            }
            // A scene has half of each, a page wants the whole.
            Shape::Rect(width, height) => Self::Rect([2 * width, 2 * height]),
            Shape::Circle(radius) => Self::Circle(*radius),
        }
    }
}

//! What the data look like, for the description of the API.

use rookery_referee::Info;
use serde_json::Value;

use super::scene::{CaptionData, CellData, MoveData, PieceData, PlaceData, ShapeData};
use super::state::{AskedData, EntryData, EvidenceData, Kind, OfferData, SeatData, VerdictData};
use super::{Can, MatchState, SceneData};
use crate::http::{Shape, Shapes, any_of, shape, tagged, words};

shape!(MatchState {
    id: String,
    version: u64,
    game: String,
    title: &'static str,
    casual: bool,
    unrated: Option<&'static str>,
    evaluated: bool,
    time: String,
    seats: Vec<SeatData>,
    you: Option<usize>,
    ply: u64,
    scene: SceneData,
    entries: Vec<EntryData>,
    asked: Option<AskedData>,
    clocks_ms: Vec<u64>,
    offer: Option<OfferData>,
    over: Option<VerdictData>,
    suspended: bool,
    waiting: Vec<usize>,
    rematch: Option<String>,
    note: Option<String>,
    tournament: Option<String>,
    viewers: usize,
    can: Can,
});

shape!(SeatData {
    name: String,
    label: String,
    kind: Kind,
    you: bool,
    online: Option<bool>,
    back_ms: Option<u64>,
    out: bool,
});

impl Shape for Kind {
    fn shape(_: &mut Shapes) -> Value {
        words(&["person", "computer", "bot"])
    }
}

shape!(EntryData {
    n: usize,
    ply: u64,
    seat: Option<usize>,
    kind: &'static str,
    text: String,
    ms: Option<u64>,
    left_ms: Option<u64>,
    info: Option<Info>,
    sentence: Option<String>,
});

shape!(Info { ; maybe depth: Option<u32>, score: Option<i64>, line: Vec<String>, text: Option<String> });

shape!(AskedData { seat: usize, ply: u64, left_ms: Option<u64>, running_ms: u64 });

shape!(OfferData { kind: &'static str, by: usize, waits_for: Vec<usize>; maybe to: Option<u64> });

shape!(VerdictData {
    sentence: String,
    cause: &'static str,
    blame: Option<&'static str>,
    winners: Vec<usize>,
    scores: Option<Vec<i32>>,
    places: Option<Vec<usize>>,
    offender: Option<usize>,
    evidence: Option<EvidenceData>,
});

shape!(EvidenceData {
    sent: Option<String>,
    note: String,
    expected: Option<String>,
    legal: Vec<String>,
    exit: Option<String>,
    stderr: Option<String>,
});

shape!(Can {
    mv = "move": bool,
    resign: bool,
    take_back: Option<u64>,
    draw: bool,
    hint: bool,
    chat: bool,
    rematch: bool,
});

shape!(SceneData {
    title: &'static str,
    ground: &'static str,
    sprite: &'static str,
    viewbox: [i32; 4],
    cells: Vec<CellData>,
    pieces: Vec<PieceData>,
    moves: Vec<MoveData>,
    captions: Vec<CaptionData>,
});

shape!(CellData {
    id: String,
    x: i32,
    y: i32,
    shape: ShapeData,
    label: String,
    classes: Vec<&'static str>;
    maybe value: Option<u32>
});

shape!(PieceData {
    id: String,
    cell: String,
    seat: usize,
    sprite: &'static str,
    mark: String,
    label: String,
    classes: Vec<&'static str>,
});

shape!(MoveData { id: String, label: String; maybe from: Option<String>, to: Option<String> });

shape!(CaptionData { place: PlaceData, text: String, classes: Vec<&'static str> });

impl Shape for ShapeData {
    fn shape(all: &mut Shapes) -> Value {
        any_of(&[
            tagged("polygon", Vec::<[i32; 2]>::shape(all)),
            tagged("rect", <[i32; 2]>::shape(all)),
            tagged("circle", i32::shape(all)),
        ])
    }
}

impl Shape for PlaceData {
    fn shape(all: &mut Shapes) -> Value {
        any_of(&[words(&["status"]), tagged("seat", usize::shape(all)), tagged("at", <[i32; 2]>::shape(all))])
    }
}

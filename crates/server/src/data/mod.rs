//! What the page and programs are told, as JSON: plain data made from scenes, snapshots and verdicts.

mod can;
mod scene;
mod shapes;
mod state;
mod trail;

pub use can::Can;
pub use scene::{CaptionData, CellData, MoveData, PieceData, PlaceData, SceneData, ShapeData};
pub use state::{
    Around, AskedData, EntryData, EvidenceData, Kind, MatchState, NewsData, OfferData, SeatData, Sight,
    VerdictData,
};
pub(crate) use state::{clocks, offer};
pub use trail::{Trail, positions};

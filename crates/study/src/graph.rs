//! The graph of a review.

use std::fmt::Write as _;

use crate::review::{Judgement, Review};

/// The sizes of the picture.
const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 160.0;

/// The graph of a review: the share of a win that the first player had after each move, with a mark at each mistake.
pub fn graph_svg(review: &Review) -> String {
    let curve = review.curve(0);
    let step = WIDTH / curve.len().max(1) as f32;
    let point = |idx: usize, share: f32| (step * (idx as f32 + 0.5), HEIGHT * (1.0 - share));
    let mut line = String::new();
    let mut marks = String::new();
    for (idx, share) in curve.iter().enumerate() {
        let Some(share) = share else { continue };
        let (x, y) = point(idx, *share);
        let _ = write!(line, "{x:.1},{y:.1} ");
        let sign = review.moves[idx].judgement.filter(|judgement| *judgement != Judgement::Great);
        if let Some(sign) = sign {
            let (title, mv) = (sign.sign(), &review.moves[idx].mv);
            let _ = write!(
                marks,
                "<circle class=\"{sign:?}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"><title>{} {mv}{title}</title></circle>",
                idx + 1
            );
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"share of a win of \
         the first player\"><style>rect{{fill:#f1f4f6}}path{{stroke:#b8c4cc;stroke-width:1}}polyline{{fill:none;\
         stroke:#0a5c8f;stroke-width:2.5}}circle{{fill:#e98a15}}circle.Mistake{{fill:#d8483e}}circle.Blunder{{fill:#8c211a}}\
         </style><rect width=\"{WIDTH}\" height=\"{HEIGHT}\"/><path d=\"M0 {0}H{WIDTH}\"/><polyline points=\"{line}\"/>{marks}</svg>\n",
        HEIGHT / 2.0
    )
}

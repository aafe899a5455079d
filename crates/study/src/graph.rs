//! The graph of a review.

use std::fmt::Write as _;

use crate::review::{Judgement, Review};

/// The sizes of the picture.
const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 160.0;

/// The graph of a review: the share of a win that the first player had after each move, with a mark at each mistake. With
/// more than two players it stays the same after the moves of the others.
pub fn graph_svg(review: &Review) -> String {
    let curve = review.steady_curve(0);
    let step = WIDTH / curve.len().max(1) as f32;
    let point = |idx: usize, share: f32| (step * (idx as f32 + 0.5), HEIGHT * (1.0 - share));
    let mut line = String::new();
    let mut marks = String::new();
    for (idx, share) in curve.iter().enumerate() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{Judged, ReviewedPlayer};

    #[test]
    fn every_move_of_three_players_has_its_point_and_every_mistake_its_mark() {
        let player = |name: &str| ReviewedPlayer {
            name: name.to_owned(),
            moves: 2,
            best: 2,
            inaccuracies: 0,
            mistakes: 0,
            blunders: 0,
            accuracy: Some(100.0),
        };
        let judged = |idx: usize| Judged {
            ply: idx + 1,
            seat: idx % 3,
            mv: "a".to_owned(),
            before: 0.4,
            after: 0.3,
            best: "b".to_owned(),
            line: vec![],
            loss: 0.1,
            proven: false,
            plies: None,
            judgement: (idx == 1).then_some(Judgement::Mistake),
            reasons: vec![],
        };
        let review = Review {
            game: "fish:players=3".to_owned(),
            players: ["Ann", "Bob", "Cy"].map(player).to_vec(),
            moves: (0..6).map(judged).collect(),
            decisive: None,
            exact: false,
        };
        let svg = graph_svg(&review);
        let points = svg.split("points=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert_eq!(points.map(|points| points.split_whitespace().count()), Some(6), "{svg}");
        assert!(svg.contains("class=\"Mistake\""), "{svg}");
    }
}

//! How the strongest level judges a position of Fish.

use rookery_games::fish::{Move, Position, bits};
use rookery_rules::{Position as _, Seat};
use rookery_search::Evaluation;

use super::levels::{CAUGHT, MAX_SEATS, OWN_WATER, THREE_OF_FOUR, appetite, lead, spread, worth_of_water};

/// What the strongest level sees in a position: fish in the net, under foot and in reach of one slide, the tiles that each seat
/// is nearest to, and penguins that are nearly shut in. The weights are those of positions of the 5 x 5 board after the last
/// penguin was placed, whose winner the solver knows: they tell the winner of 886 of a thousand, those of [`Territory`](super::levels::Territory) of 875.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floes;

/// A fish under a penguin that can still move.
const UNDER_MOVING: i32 = 86;
/// A penguin that cannot move any more.
const SHUT_IN: i32 = -68;
/// One with a single way out.
const NEARLY_SHUT_IN: i32 = -129;
/// A fish that is in reach of one slide, and a slide.
const IN_REACH: i32 = 19;
const SLIDE: i32 = 3;
/// A tile that a seat is nearer to than the other, step by step.
const OWN_TILE: i32 = 71;
/// A penguin that is still to be placed.
const TO_PLACE_WELL: i32 = 600;

impl Evaluation<Position> for Floes {
    fn value(&self, position: &Position, seat: Seat) -> i32 {
        lead(position, seat, worths_of_floes(position))
    }

    fn rank(&self, position: &Position, mv: Move) -> i32 {
        appetite(position, mv)
    }

    fn three_of_four(&self) -> i32 {
        THREE_OF_FOUR
    }
}

fn worths_of_floes(position: &Position) -> [i32; MAX_SEATS] {
    let board = position.board();
    let n_seats = position.n_seats().min(MAX_SEATS);
    let free = position.free_tiles();
    let mut worth = [0; MAX_SEATS];
    let mut edges = [0u128; MAX_SEATS];
    for seat in Seat::all(n_seats) {
        let penguins = position.penguin_tiles(seat);
        let mut value = position.score(seat) as i32 * CAUGHT + position.to_place(seat) as i32 * TO_PLACE_WELL;
        let mut reach = 0;
        for bit in bits(penguins) {
            let slides = board.slides(bit, free);
            value += match (board.near(bit) & free).count_ones() {
                0 => SHUT_IN,
                1 => NEARLY_SHUT_IN + UNDER_MOVING * i32::from(board.fish_at(bit)),
                _ => UNDER_MOVING * i32::from(board.fish_at(bit)),
            };
            value += SLIDE * slides.count_ones() as i32;
            reach |= slides;
        }
        value += IN_REACH * bits(reach).map(|bit| i32::from(board.fish_at(bit))).sum::<i32>();
        worth[seat.index()] = value;
        edges[seat.index()] = penguins;
    }
    let tile = OWN_TILE * worth_of_water(position) / OWN_WATER;
    spread(position, edges, &mut worth, |own| tile * own.count_ones() as i32);
    worth
}

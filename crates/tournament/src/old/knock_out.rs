//! The knock-out tournament of Fish: the best of every game go on.

use super::{Format, Round, Step};

/// The most that play in one game.
const LARGEST: usize = 4;

/// The winners of every game play the next round, in the order in which they signed up, until there is a last game.
///
/// - Fewer than two are the winners as they are; two to four play one last game.
/// - More are put into games of four in their order. If one is left over, the last game is taken back, and those are
///   put into games of three; what is left after that is a game of two.
/// - A round that ends with the same winners as the one before is the last.
///
/// ```
/// use rookery_tournament::old::{Format, KnockOut, Step};
///
/// let groups = vec![vec![0, 1, 2], vec![3, 4]];
/// assert_eq!(KnockOut.next(&[0, 1, 2, 3, 4], &[]), Step::Play(groups));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnockOut;

impl Format for KnockOut {
    fn next(&self, entrants: &[usize], rounds: &[Round]) -> Step {
        let playing = rounds.last().map_or_else(|| entrants.to_vec(), Round::winners);
        let was_last = match rounds {
            [.., last] if last.groups.len() == 1 => true,
            [.., before, _] => before.winners() == playing,
            [] | [_] => false,
        };
        if was_last || playing.len() < 2 { Step::End(playing) } else { Step::Play(groups(&playing)) }
    }
}

/// Who plays with whom: everybody in one group, in order.
fn groups(playing: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<&[usize]> = vec![];
    let mut size = LARGEST;
    let mut from = 0;
    while from < playing.len() {
        let left = playing.len() - from;
        if left == 1 {
            // Nobody plays alone.
            from -= groups.pop().expect("two or more play, so a group was made before").len();
            size -= 1;
        } else {
            groups.push(&playing[from..from + left.min(size)]);
            from += left.min(size);
        }
    }
    groups.into_iter().map(<[usize]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::super::GroupResult;
    use super::*;

    fn sizes(n: usize) -> Vec<usize> {
        groups(&(0..n).collect::<Vec<_>>()).iter().map(Vec::len).collect()
    }

    #[test]
    fn the_groups_of_few() {
        for (n, expected) in [
            (2, &[2][..]),
            (3, &[3]),
            (4, &[4]),
            (5, &[3, 2]),
            (6, &[4, 2]),
            (7, &[4, 3]),
            (8, &[4, 4]),
            (9, &[4, 3, 2]),
            (10, &[4, 4, 2]),
            (11, &[4, 4, 3]),
            (12, &[4, 4, 4]),
            (13, &[4, 4, 3, 2]),
        ] {
            assert_eq!(sizes(n), expected, "{n} players");
        }
    }

    #[test]
    fn everybody_is_in_one_group_of_two_to_four_and_the_order_stays() {
        for n in 2..=2000 {
            // Numbers with gaps, as after a round.
            let playing: Vec<usize> = (0..n).map(|idx| 3 * idx + 1).collect();
            let groups = groups(&playing);
            assert!(groups.iter().all(|group| (2..=4).contains(&group.len())), "{n} players");
            assert_eq!(groups.concat(), playing);
        }
    }

    /// A round in which the first `n_winners` of each group win.
    fn round(groups: Vec<Vec<usize>>, n_winners: usize) -> Round {
        let result = |entrants: Vec<usize>| GroupResult {
            winners: entrants.iter().copied().take(n_winners).collect(),
            entrants,
            failed: vec![],
        };
        Round { groups: groups.into_iter().map(result).collect() }
    }

    #[test]
    fn it_ends_with_a_last_game_with_less_than_two_or_with_the_same_winners() {
        assert_eq!(KnockOut.next(&[], &[]), Step::End(vec![]));
        assert_eq!(KnockOut.next(&[7], &[]), Step::End(vec![7]));
        let four = [1, 3, 5, 7];
        assert_eq!(KnockOut.next(&four, &[]), Step::Play(vec![four.to_vec()]));
        let last_game = round(vec![four.to_vec()], 2);
        assert_eq!(KnockOut.next(&four, &[last_game]), Step::End(vec![1, 3]), "a tie in the last game stays");

        let six: Vec<usize> = (0..6).collect();
        let Step::Play(groups) = KnockOut.next(&six, &[]) else { panic!("six play") };
        let all_win = round(groups, 4);
        let again = KnockOut.next(&six, std::slice::from_ref(&all_win));
        assert_eq!(
            again,
            Step::Play(vec![vec![0, 1, 2, 3], vec![4, 5]]),
            "there is no round before the first"
        );
        assert_eq!(KnockOut.next(&six, &[all_win.clone(), all_win]), Step::End(six.clone()));

        let nobody = round(vec![vec![0, 1, 2, 3], vec![4, 5]], 0);
        assert_eq!(KnockOut.next(&six, &[nobody]), Step::End(vec![]));
    }

    #[test]
    fn as_many_winners_as_before_are_not_the_same_winners() {
        let groups = |list: &[&[usize]]| list.iter().map(|group| group.to_vec()).collect::<Vec<_>>();
        let first = round(groups(&[&[0, 1, 2, 3], &[4, 5, 6, 7], &[8, 9]]), 2);
        let second = Round {
            groups: vec![
                GroupResult { entrants: vec![], winners: vec![0, 1, 4, 5, 8, 10], failed: vec![] };
                2
            ],
        };
        assert!(matches!(KnockOut.next(&[], &[first, second]), Step::Play(_)));
    }
}

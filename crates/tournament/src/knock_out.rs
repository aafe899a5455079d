//! The knock-out tournament of Fish: the best of every game go on.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Entrant, Format, GameResult, Next, Pairing, Reason, Round};

/// The most that play in one game.
const LARGEST: usize = 4;

/// The winners of every game play the next round, in the order in which they signed up, until there is a last game.
///
/// - Fewer than two are the winners as they are; two to four play one last game.
/// - More are put into games of four in their order. If one is left over, the last game is taken back, and those are
///   put into games of three; what is left after that is a game of two.
/// - A round that ends with the same winners as the one before is the last.
/// - A game that was aborted is nobody's loss: all go on who did not fail in it.
/// - Who failed in a game or left is in no later round. Who leaves when a round has begun still has its seat in it,
///   empty: so its game is ruled and recorded, and who plays whom does not depend on the moment.
///
/// A round begins when its first game is given, or has a result of an earlier run. The id of a pairing is its round in
/// the upper and its table in the lower 32 bits, so it says nothing of how many played before.
///
/// ```
/// use rookery_tournament::{Entrant, Format, KnockOut, Next};
///
/// let mut format = KnockOut::new(5);
/// let Next::Play(pairings) = format.next(10) else { panic!("five can play") };
/// assert_eq!(pairings[0].entrants, [Entrant(0), Entrant(1), Entrant(2)]);
/// assert_eq!(pairings[1].entrants, [Entrant(3), Entrant(4)]);
/// assert_eq!(pairings[1].reason.to_string(), "round 1, table 2 of 2");
/// assert_eq!(format.next(10), Next::Wait, "the second round is among the winners of the first");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnockOut {
    n_entrants: usize,
    stage: Stage,
    /// The last round that began; 0 before the first.
    round: u32,
    /// The tables of that round.
    tables: Vec<Table>,
    /// Who plays that round; between rounds, who may play the next; at the end, who has won. In order.
    playing: Vec<Entrant>,
    /// Who failed or left.
    gone: BTreeSet<Entrant>,
    /// Those of them who failed.
    failed: BTreeSet<Entrant>,
    /// Results of rounds to come: an archive is read in any order.
    early: BTreeMap<u64, GameResult>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Between,
    Playing,
    Over,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Table {
    entrants: Vec<Entrant>,
    given: bool,
    /// Who goes on, once that is known.
    winners: Option<Vec<Entrant>>,
}

impl KnockOut {
    /// A tournament of so many.
    pub fn new(n_entrants: usize) -> Self {
        Self {
            n_entrants,
            stage: Stage::Between,
            round: 0,
            tables: vec![],
            playing: Entrant::all(n_entrants).collect(),
            gone: BTreeSet::new(),
            failed: BTreeSet::new(),
            early: BTreeMap::new(),
        }
    }

    /// How many sit at the largest table there can be among so many. The smallest has two.
    pub fn largest_table(n_entrants: usize) -> usize {
        n_entrants.clamp(2, LARGEST)
    }

    /// The game at a table of the round that is being played.
    fn pairing(&self, table: usize) -> Pairing {
        let (round, of) = (self.round, self.tables.len() as u32);
        let id = u64::from(round) << 32 | table as u64;
        Pairing {
            id,
            entrants: self.tables[table].entrants.clone(),
            // Every game has a start of its own.
            block: id,
            start: id,
            round: Some(round),
            reason: Reason::Group { round, table: table as u32 + 1, of },
        }
    }

    /// Begins the next round, unless those who are left have won already.
    fn begin(&mut self) {
        self.playing.retain(|entrant| !self.gone.contains(entrant));
        if self.playing.len() < 2 {
            self.end();
            return;
        }
        self.round += 1;
        self.stage = Stage::Playing;
        let table = |entrants: &[Entrant]| Table { entrants: entrants.to_vec(), given: false, winners: None };
        self.tables = groups(&self.playing).into_iter().map(table).collect();
    }

    fn end(&mut self) {
        self.stage = Stage::Over;
        self.early.clear();
    }

    /// Takes a result of the round that is being played.
    fn settle(&mut self, result: &GameResult) {
        let table = (result.pairing & u64::from(u32::MAX)) as usize;
        let Some(table) = self.tables.get_mut(table) else { return };
        if table.winners.is_some() || table.entrants != result.entrants {
            return;
        }
        let goes_on = |entrant: &Entrant| !result.failed.contains(entrant);
        let winners = if result.outcome.is_some() { result.winners() } else { table.entrants.clone() };
        table.winners = Some(winners.into_iter().filter(goes_on).collect());
        self.failed.extend(result.failed.iter().filter(|failed| table.entrants.contains(failed)));
        self.gone.extend(&self.failed);
    }

    /// Ends the round if all its results are there.
    fn finish_round(&mut self) {
        let winners: Option<Vec<&Vec<Entrant>>> =
            self.tables.iter().map(|table| table.winners.as_ref()).collect();
        let Some(winners) = winners else { return };
        let mut winners: Vec<Entrant> = winners.into_iter().flatten().copied().collect();
        winners.sort_unstable();
        // All who played are the winners of the round before; before the first there is none.
        let same_again = self.round > 1 && winners == self.playing;
        self.playing = winners;
        if self.tables.len() == 1 || same_again || self.playing.len() < 2 {
            self.end();
        } else {
            self.stage = Stage::Between;
        }
    }

    /// Takes what came early, as far as its rounds can be played now.
    fn catch_up(&mut self) {
        while self.stage == Stage::Between {
            let round = u64::from(self.round) + 1;
            let mut now = std::mem::take(&mut self.early);
            self.early = now.split_off(&((round + 1) << 32));
            if now.is_empty() {
                return;
            }
            self.begin();
            if self.stage == Stage::Playing {
                for result in now.values() {
                    self.settle(result);
                }
                self.finish_round();
            }
        }
    }
}

impl Format for KnockOut {
    fn n_entrants(&self) -> usize {
        self.n_entrants
    }

    fn take(&mut self, result: &GameResult) {
        let round = result.pairing >> 32;
        match self.stage {
            Stage::Playing if round == u64::from(self.round) => {
                self.settle(result);
                self.finish_round();
            }
            Stage::Playing | Stage::Between if round > u64::from(self.round) => {
                self.early.entry(result.pairing).or_insert_with(|| result.clone());
            }
            // Of a round that is over.
            _ => {}
        }
        self.catch_up();
    }

    fn leave(&mut self, entrant: Entrant) {
        if entrant.index() < self.n_entrants {
            self.gone.insert(entrant);
        }
    }

    fn next(&mut self, room: usize) -> Next {
        if self.stage == Stage::Between {
            let n_left = self.playing.iter().filter(|entrant| !self.gone.contains(entrant)).count();
            // Without room no round begins, but an end needs no room.
            if room > 0 || n_left < 2 {
                self.begin();
            }
        }
        match self.stage {
            Stage::Over => return Next::End,
            Stage::Between => return Next::Wait,
            Stage::Playing => {}
        }
        let is_open = |&idx: &usize| !self.tables[idx].given && self.tables[idx].winners.is_none();
        let open: Vec<usize> = (0..self.tables.len()).filter(is_open).take(room).collect();
        let give = |idx: usize| {
            self.tables[idx].given = true;
            self.pairing(idx)
        };
        let pairings: Vec<Pairing> = open.into_iter().map(give).collect();
        if pairings.is_empty() { Next::Wait } else { Next::Play(pairings) }
    }

    fn follows_results(&self) -> bool {
        true
    }

    fn round(&self) -> Option<Round> {
        let tables = || self.tables.iter().map(|table| table.entrants.clone()).collect();
        (self.round > 0).then(|| Round { number: self.round, tables: tables() })
    }

    fn suspended(&self) -> Vec<Entrant> {
        self.failed.iter().copied().collect()
    }

    fn winners(&self) -> Vec<Entrant> {
        let over = self.stage == Stage::Over;
        let there = |entrant: &Entrant| over && !self.gone.contains(entrant);
        self.playing.iter().copied().filter(there).collect()
    }
}

/// Who plays with whom: everybody in one group, in order.
fn groups(playing: &[Entrant]) -> Vec<&[Entrant]> {
    let mut groups: Vec<&[Entrant]> = vec![];
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
    groups
}

#[cfg(test)]
mod tests {
    use rookery_referee::Cause;
    use rookery_rules::{BySeat, Outcome, Seat};

    use super::*;

    fn entrants(numbers: &[u32]) -> Vec<Entrant> {
        numbers.iter().copied().map(Entrant).collect()
    }

    fn sizes(n: usize) -> Vec<usize> {
        groups(&Entrant::all(n).collect::<Vec<_>>()).into_iter().map(<[Entrant]>::len).collect()
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
            let playing: Vec<Entrant> = (0..n).map(|idx| Entrant(3 * idx + 1)).collect();
            let groups = groups(&playing);
            assert!(groups.iter().all(|group| (2..=4).contains(&group.len())), "{n} players");
            assert_eq!(groups.concat(), playing);
        }
    }

    /// The first `n_winners` of the table win.
    fn won(pairing: &Pairing, n_winners: usize) -> GameResult {
        let n_seats = pairing.entrants.len();
        let winners = Seat::all(n_seats).take(n_winners).collect();
        let outcome = Outcome { scores: BySeat::filled(n_seats, 0), winners };
        GameResult::new(pairing, Some(outcome), Cause::Normal)
    }

    fn play(format: &mut KnockOut) -> Vec<Pairing> {
        match format.next(usize::MAX) {
            Next::Play(pairings) => pairings,
            other => panic!("games are to be played, not {other:?}"),
        }
    }

    /// Plays the games of a round: the first `n_winners` of each win.
    fn play_round(format: &mut KnockOut, n_winners: usize) -> Vec<Pairing> {
        let pairings = play(format);
        for pairing in &pairings {
            format.take(&won(pairing, n_winners));
        }
        pairings
    }

    fn end_of(mut format: KnockOut) -> Vec<Entrant> {
        assert_eq!(format.next(1), Next::End);
        format.winners()
    }

    #[test]
    fn fewer_than_two_have_won() {
        assert_eq!(end_of(KnockOut::new(0)), []);
        assert_eq!(end_of(KnockOut::new(1)), [Entrant(0)]);
        let mut format = KnockOut::new(8);
        (0..8).filter(|&number| number != 6).for_each(|number| format.leave(Entrant(number)));
        assert_eq!(format.clone().next(0), Next::End, "an end needs no room");
        assert_eq!(format.round(), None);
        assert_eq!(end_of(format), [Entrant(6)]);
    }

    #[test]
    fn a_tie_in_the_last_game_stays() {
        let mut format = KnockOut::new(8);
        (0..8).step_by(2).for_each(|number| format.leave(Entrant(number)));
        let pairings = play_round(&mut format, 2);
        assert_eq!(pairings.len(), 1);
        assert_eq!(pairings[0].entrants, entrants(&[1, 3, 5, 7]));
        assert_eq!(end_of(format), entrants(&[1, 3]));
    }

    #[test]
    fn the_same_winners_twice_end_it() {
        let mut format = KnockOut::new(6);
        play_round(&mut format, 4);
        let again = play_round(&mut format, 4);
        let tables: Vec<Vec<Entrant>> = again.into_iter().map(|pairing| pairing.entrants).collect();
        assert_eq!(tables, [entrants(&[0, 1, 2, 3]), entrants(&[4, 5])], "none is before the first round");
        assert_eq!(end_of(format), entrants(&[0, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn who_failed_in_between_makes_them_other_winners() {
        let mut format = KnockOut::new(13);
        play_round(&mut format, 4);
        let second = play(&mut format);
        for pairing in &second {
            let mut result = won(pairing, 4);
            if pairing.entrants.contains(&Entrant(12)) {
                result.outcome.as_mut().unwrap().winners.take_out(Seat::new(1));
                result.failed = vec![Entrant(12)];
            }
            format.take(&result);
        }
        assert_eq!(play_round(&mut format, 4).len(), 3, "twelve are other winners than thirteen");
        assert_eq!(end_of(format).len(), 12);
    }

    #[test]
    fn nobody_wins_where_all_lose() {
        let mut format = KnockOut::new(6);
        play_round(&mut format, 0);
        assert_eq!(end_of(format), []);
    }

    #[test]
    fn an_aborted_game_is_nobodys_loss() {
        let mut format = KnockOut::new(7);
        let pairings = play(&mut format);
        let mut aborted = GameResult::new(&pairings[0], None, Cause::PlatformAbort);
        aborted.failed = vec![Entrant(2)];
        format.take(&aborted);
        format.take(&won(&pairings[1], 1));
        assert_eq!(play(&mut format)[0].entrants, entrants(&[0, 1, 3, 4]));
    }

    #[test]
    fn who_leaves_keeps_its_seat_in_the_round_and_has_none_in_the_next() {
        let mut format = KnockOut::new(8);
        let Next::Play(first) = format.next(1) else { panic!("a round of two games") };
        format.leave(Entrant(0));
        format.leave(Entrant(4));
        let second = play(&mut format);
        assert_eq!(second[0].entrants, entrants(&[4, 5, 6, 7]), "the round has begun");
        // Both win nevertheless: they left when their games were over.
        [first, second].concat().iter().for_each(|pairing| format.take(&won(pairing, 2)));
        assert_eq!(format.clone().next(0), Next::Wait, "without room no round begins");
        format.leave(Entrant(5));
        assert_eq!(end_of(format), [Entrant(1)], "nobody is left to play against");
    }

    #[test]
    fn what_is_of_another_tournament_is_no_result() {
        let mut format = KnockOut::new(6);
        let pairings = play(&mut format);
        let before = format.clone();
        let mut foreign = won(&pairings[1], 1);
        foreign.entrants = entrants(&[4, 3]);
        format.take(&foreign);
        let mut foreign = won(&pairings[1], 1);
        foreign.pairing += 1;
        format.take(&foreign);
        assert_eq!(format, before);
    }
}

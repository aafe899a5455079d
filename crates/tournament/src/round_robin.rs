//! Everybody meets everybody.

use crate::meeting::{MAX_ROUNDS, MAX_TABLES, Meeting};
use crate::schedule::Schedule;
use crate::seats::{SeatCounts, seat};
use crate::{Change, Entrant, Format, FormatOptions, GameResult, Next, Reason, Round, tables};

/// Everybody meets everybody, equally often.
///
/// - Tables of two follow the Berger tables; with an odd number one entrant rests each round. `double` plays a second
///   cycle with seats swapped, for which the last two rounds of the first are exchanged, so that nobody has the same seat
///   three times in a row.
/// - Larger tables are balanced by design: everybody meets everybody as equally as can be in the rounds there are, and
///   rests, where the sizes do not divide, are shared evenly.
/// - A table plays whole blocks unless told otherwise, so that all its players sit on every seat.
///
/// Rounds order the games, but no game waits for the round before. A forbidden pair has no meeting; a larger table at
/// which it could not be avoided is left out. Who leaves or is suspended plays no further game, and those who would have
/// met it rest. Who comes late (tables of two only) meets everybody in rounds of its own at the end.
///
/// ```
/// use rookery_tournament::{Entrant, Format, FormatOptions, Next, RoundRobin};
///
/// let mut format = RoundRobin::new(4, &FormatOptions::default(), false, None);
/// assert_eq!((format.rounds(), format.games()), (3, 12));
/// let Next::Play(pairings) = format.next(2) else { panic!("games are to be played") };
/// assert_eq!(pairings[0].entrants, [Entrant(0), Entrant(3)]);
/// assert_eq!(pairings[1].entrants, [Entrant(3), Entrant(0)]);
/// assert_eq!(pairings[1].reason.to_string(), "round 1 of 3, in which everybody meets everybody: game 2 of 2");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoundRobin {
    schedule: Schedule,
    options: FormatOptions,
}

impl RoundRobin {
    /// Of so many entrants. `rounds` is for tables of more than two; without it there are as many as everybody needs to
    /// meet everybody once if the tables could be chosen freely.
    ///
    /// # Panics
    /// If a table has fewer than two or more than eight seats, or if there are more rounds or tables than can be numbered.
    pub fn new(n_entrants: usize, options: &FormatOptions, double: bool, rounds: Option<u32>) -> Self {
        options.check();
        let cycles = 1 + usize::from(double);
        let mut format =
            Self { schedule: Schedule::new(n_entrants, options.max_faults), options: options.clone() };
        let rounds = if options.size.max == 2 {
            berger_rounds(n_entrants, double)
        } else {
            let once = rounds.map_or_else(|| enough_rounds(n_entrants, options), |rounds| rounds as usize);
            format.table_rounds(n_entrants, once * cycles)
        };
        assert!(rounds.len() <= MAX_ROUNDS as usize, "there are no more rounds than can be numbered");
        for (number, tables) in (0..).zip(rounds) {
            assert!(tables.len() <= MAX_TABLES, "there are no more tables than can be numbered");
            format.add_round(number, tables);
        }
        format
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.schedule.n_games()
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> u32 {
        self.schedule.n_rounds()
    }

    fn add_round(&mut self, number: u64, tables: Vec<Vec<Entrant>>) {
        let start = number * self.options.starts();
        let options = &self.options;
        let allowed = tables.into_iter().filter(|table| !options.is_forbidden(table));
        let with_games = allowed.map(|table| {
            let games = options.games_at(table.len());
            (table, start, games)
        });
        self.schedule.add_round(with_games.collect::<Vec<_>>());
    }

    fn table_rounds(&self, n_entrants: usize, rounds: usize) -> Vec<Vec<Vec<Entrant>>> {
        let (sizes, rests) = self.options.size.sizes(n_entrants);
        if sizes.is_empty() {
            return vec![];
        }
        let index = |(one, other): &(Entrant, Entrant)| (one.index(), other.index());
        let apart: Vec<(usize, usize)> = self.options.forbidden.iter().map(index).collect();
        let mut had = SeatCounts::default();
        let seated = |players: &Vec<usize>| {
            let table: Vec<Entrant> = players.iter().map(|&player| Entrant(player as u32)).collect();
            let seated = seat(&table, |entrant, seat| had.had(entrant, seat));
            had.add(&seated);
            seated
        };
        let mut seated = seated;
        let draws = tables::draw(&sizes, rests, rounds, &apart);
        draws.iter().map(|draw| draw.tables.iter().map(&mut seated).collect()).collect()
    }
}

/// As many rounds as everybody needs to meet all others once.
fn enough_rounds(n_entrants: usize, options: &FormatOptions) -> usize {
    let (sizes, _) = options.size.sizes(n_entrants);
    let meetings: usize = sizes.iter().map(|size| size * (size - 1) / 2).sum();
    (n_entrants * n_entrants.saturating_sub(1) / 2).div_ceil(meetings.max(1))
}

/// The rounds of the Berger tables.
pub(crate) fn berger_rounds(n_entrants: usize, double: bool) -> Vec<Vec<Vec<Entrant>>> {
    if n_entrants < 2 {
        return vec![];
    }
    let mut rounds: Vec<Vec<Vec<Entrant>>> =
        (1..n_entrants.next_multiple_of(2)).map(|round| berger(n_entrants, round)).collect();
    if double {
        let swapped = |table: &Vec<Entrant>| table.iter().rev().copied().collect();
        let second: Vec<Vec<Vec<Entrant>>> =
            rounds.iter().map(|tables| tables.iter().map(swapped).collect()).collect();
        if let Some([.., one, other]) = rounds.get_mut(..) {
            std::mem::swap(one, other);
        }
        rounds.extend(second);
    }
    rounds
}

/// The tables of a round, from 1: two who are not the last meet if the sum of their numbers fits the round.
fn berger(n_entrants: usize, round: usize) -> Vec<Vec<Entrant>> {
    let n = n_entrants.next_multiple_of(2);
    let entrant = |number: usize| Entrant(number as u32 - 1);
    let mut tables = vec![];
    for i in 1..n {
        // Modulo n - 1, in which they count from 1.
        let j = (round + n - 1 - i) % (n - 1) + 1;
        let (first, second) = match j {
            _ if i == j && i <= n / 2 => (i, n),
            _ if i == j => (n, i),
            _ if i > j => continue,
            _ if (i + j) % 2 == 1 => (i, j),
            _ => (j, i),
        };
        if first.max(second) <= n_entrants {
            tables.push(vec![entrant(first), entrant(second)]);
        }
    }
    tables
}

impl Format for RoundRobin {
    fn n_entrants(&self) -> usize {
        self.schedule.n_entrants()
    }

    fn take(&mut self, result: &GameResult) {
        self.schedule.take(result);
    }

    fn leave(&mut self, entrant: Entrant) {
        self.schedule.leave(entrant);
    }

    fn follows_results(&self) -> bool {
        self.schedule.follows_results()
    }

    fn join(&mut self) -> Option<Entrant> {
        let n_others = self.schedule.n_entrants() as u32;
        let fits = self.rounds().saturating_add(n_others) <= MAX_ROUNDS;
        if self.options.size.max > 2 || !fits {
            return None;
        }
        let (newcomer, games) = (self.schedule.join(), self.games());
        for other in (0..n_others).map(Entrant) {
            let first = self.rounds().is_multiple_of(2);
            let table = if first { vec![newcomer, other] } else { vec![other, newcomer] };
            self.add_round(u64::from(self.rounds()), vec![table]);
        }
        self.schedule.cancel_those_gone(games);
        Some(newcomer)
    }

    fn changes(&self) -> Vec<Change> {
        self.schedule.changes().to_vec()
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Join { .. } => {
                self.join();
            }
            Change::Leave { .. } => self.schedule.change(change.clone()),
        }
    }

    fn next(&mut self, room: usize) -> Next {
        let of = self.schedule.n_rounds();
        let options = &self.options;
        self.schedule.next(room, |meeting: &Meeting, game| Reason::RoundRobin {
            round: meeting.round,
            of,
            game: game + 1,
            games: options.games_at(meeting.entrants.len()),
        })
    }

    fn round(&self) -> Option<Round> {
        self.schedule.round()
    }

    fn suspended(&self) -> Vec<Entrant> {
        self.schedule.suspended()
    }
}

//! A few challengers against all others.

use crate::meeting::{MAX_ROUNDS, MAX_TABLES, Meeting};
use crate::schedule::Schedule;
use crate::{Change, Entrant, Format, FormatOptions, GameResult, Next, Reason, Round};

/// The first entrants are challengers: each of them meets all who are none, and nobody else meets. In round `r` every
/// challenger meets another of the others, so that few need the same player at a time; all meetings have the same starts,
/// so that everybody is measured by the same.
///
/// Tables are of two. A forbidden pair has no meeting. Who leaves or is suspended plays no further game. Who comes late is
/// one of the others, and meets the challengers at the end.
///
/// ```
/// use rookery_tournament::{Entrant, Format, FormatOptions, Gauntlet, Next};
///
/// let mut format = Gauntlet::new(4, 1, &FormatOptions::default());
/// assert_eq!(format.games(), 6);
/// let Next::Play(pairings) = format.next(10) else { panic!("games are to be played") };
/// assert!(pairings.iter().all(|pairing| pairing.entrants.contains(&Entrant(0))));
/// assert_eq!(pairings[2].reason.to_string(), "challenger 1 of 1 meets opponent 2 of 3: game 1 of 2");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gauntlet {
    schedule: Schedule,
    options: FormatOptions,
    challengers: usize,
}

impl Gauntlet {
    /// Of so many entrants, the first of whom are challengers.
    ///
    /// # Panics
    /// If nobody or everybody is a challenger, if tables are not of two, or if there are more than can be numbered.
    pub fn new(n_entrants: usize, challengers: usize, options: &FormatOptions) -> Self {
        options.check();
        assert!(options.size.max == 2, "a challenger meets one opponent at a time");
        assert!((1..n_entrants).contains(&challengers), "some are challengers and some are not");
        let others = n_entrants - challengers;
        let rounds = others.max(challengers);
        assert!(rounds <= MAX_ROUNDS as usize && challengers <= MAX_TABLES, "everything can be numbered");
        let schedule = Schedule::new(n_entrants, options.max_faults);
        let mut format = Self { schedule, options: options.clone(), challengers };
        for round in 0..rounds {
            // With fewer others than challengers some of these rest.
            let opponent = |challenger: usize| (challenger + round) % rounds;
            let pairs = (0..challengers).map(|challenger| (challenger, opponent(challenger)));
            let pairs: Vec<(usize, usize)> = pairs.filter(|&(_, other)| other < others).collect();
            format.add_round(&pairs, challengers);
        }
        format
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.schedule.n_games()
    }

    /// Adds meetings of challengers and others, each counted from 0; the others begin at entrant `from`.
    fn add_round(&mut self, pairs: &[(usize, usize)], from: usize) {
        let meeting = |&(challenger, other): &(usize, usize)| {
            let (challenger, opponent) = (Entrant(challenger as u32), Entrant((from + other) as u32));
            // Who sits first in the first game changes from meeting to meeting.
            if (challenger.index() + other).is_multiple_of(2) {
                vec![challenger, opponent]
            } else {
                vec![opponent, challenger]
            }
        };
        let options = &self.options;
        let tables: Vec<Vec<Entrant>> =
            pairs.iter().map(meeting).filter(|table| !options.is_forbidden(table)).collect();
        let games = options.games_at(2);
        self.schedule.add_round(tables.into_iter().map(|table| (table, 0, games)));
    }
}

impl Format for Gauntlet {
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
        if self.schedule.n_rounds() >= MAX_ROUNDS {
            return None;
        }
        let (newcomer, games) = (self.schedule.join(), self.games());
        let other = newcomer.index() - self.challengers;
        let pairs: Vec<(usize, usize)> =
            (0..self.challengers).map(|challenger| (challenger, other)).collect();
        self.add_round(&pairs, self.challengers);
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
        let (challengers, games) = (self.challengers, self.options.games_at(2));
        let others = self.schedule.n_entrants() - challengers;
        self.schedule.next(room, |meeting: &Meeting, game| {
            let [one, other] = [meeting.entrants[0].index(), meeting.entrants[1].index()];
            Reason::Gauntlet {
                challenger: one.min(other) as u32 + 1,
                challengers: challengers as u32,
                opponent: (one.max(other) - challengers) as u32 + 1,
                opponents: others as u32,
                game: game + 1,
                games,
            }
        })
    }

    fn round(&self) -> Option<Round> {
        self.schedule.round()
    }

    fn suspended(&self) -> Vec<Entrant> {
        self.schedule.suspended()
    }
}

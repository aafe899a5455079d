//! The final ranking of a tournament.

use std::cmp::Reverse;
use std::io::{self, Write};

/// How somebody came out of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placing {
    /// The place, from 1; equal ones share it.
    pub place: usize,
    /// The name with its number.
    pub player: String,
    /// Whether it has won the tournament.
    pub won: bool,
    /// The last round it played; 0 if none.
    pub round: u32,
    /// Games it has won.
    pub wins: u32,
    /// Fish it has caught in all its games.
    pub fish: u32,
    /// What it did wrong, if it failed.
    pub offence: Option<&'static str>,
}

impl Placing {
    /// Winners first; then who came further, won more games and caught more fish; who failed comes last.
    fn key(&self) -> (bool, bool, Reverse<u32>, Reverse<u32>, Reverse<u32>) {
        let Self { won, round, wins, fish, offence, .. } = self;
        if *won {
            return (false, false, Reverse(0), Reverse(0), Reverse(0));
        }
        (true, offence.is_some(), Reverse(*round), Reverse(*wins), Reverse(*fish))
    }

    fn fate(&self) -> String {
        match (self.won, self.offence, self.round) {
            (true, ..) => "won".to_owned(),
            (false, Some(offence), 0) => format!("failed at the start: {offence}"),
            (false, Some(offence), round) => format!("failed in round {round}: {offence}"),
            (false, None, 0) => "did not play".to_owned(),
            (false, None, round) => format!("out in round {round}"),
        }
    }
}

/// Puts them in order and fills in the places.
pub(crate) fn rank(placings: &mut [Placing]) {
    placings.sort_by_key(Placing::key);
    for idx in 0..placings.len() {
        let shared = idx > 0 && placings[idx].key() == placings[idx - 1].key();
        placings[idx].place = if shared { placings[idx - 1].place } else { idx + 1 };
    }
}

/// Writes a ranking, a line for each.
pub fn write_standings(placings: &[Placing], out: &mut dyn Write) -> io::Result<()> {
    let width = placings.iter().map(|placing| placing.player.len()).max().unwrap_or(0).max("player".len());
    writeln!(out, "place  {:width$}  games won  fish  how it went", "player")?;
    for placing in placings {
        let Placing { place, player, wins, fish, .. } = placing;
        writeln!(out, "{place:>5}  {player:width$}  {wins:>9}  {fish:>4}  {}", placing.fate())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placing(player: &str, won: bool, round: u32, fish: u32, offence: Option<&'static str>) -> Placing {
        Placing { place: 0, player: player.to_owned(), won, round, wins: 0, fish, offence }
    }

    #[test]
    fn winners_come_first_and_who_failed_last() {
        let mut all = [
            placing("Ann#1", false, 2, 20, Some("timeout")),
            placing("Bob#2", false, 1, 9, None),
            placing("Cid#3", false, 2, 12, None),
            placing("Dan#4", true, 2, 30, None),
            placing("Eve#5", false, 1, 9, None),
            placing("Fay#6", false, 0, 0, Some("malformed")),
        ];
        rank(&mut all);
        let mut text = vec![];
        write_standings(&all, &mut text).expect("a vector takes it");
        assert_eq!(
            String::from_utf8(text).expect("text"),
            "place  player  games won  fish  how it went\n    \
             1  Dan#4           0    30  won\n    \
             2  Cid#3           0    12  out in round 2\n    \
             3  Bob#2           0     9  out in round 1\n    \
             3  Eve#5           0     9  out in round 1\n    \
             5  Ann#1           0    20  failed in round 2: timeout\n    \
             6  Fay#6           0     0  failed at the start: malformed\n"
        );
    }
}

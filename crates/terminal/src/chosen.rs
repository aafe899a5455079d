//! The setup of a new match: how many play, and on what board.

use rookery_catalog::AnyGame;
use rookery_rules::{GameSpec, Kind, SetupError};

/// The key that says how many play.
const PLAYERS: &str = "players";
/// The keys that say how large a board is, as games call them.
const SIZES: [(&str, &str); 2] = [("rows", "cols"), ("width", "height")];
/// The boards that are offered beside the usual one have as many rows as columns.
const SIDES: [u64; 12] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16];

/// A setup that the game admits.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    game: &'static dyn AnyGame,
    spec: GameSpec,
}

impl Chosen {
    /// The setup that a game has unless somebody says otherwise.
    pub(crate) fn usual(game: &'static dyn AnyGame) -> Self {
        Self { game, spec: GameSpec { game: game.name().to_owned(), options: vec![] } }
    }

    /// A setup as somebody types it: the whole game spec, or only its keys and values.
    pub(crate) fn read(&self, text: &str) -> Result<Self, SetupError> {
        let name = self.game.name();
        let text = text.trim();
        let is_whole = text == name || text.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        self.checked(&GameSpec::parse(&if is_whole { text.to_owned() } else { format!("{name}:{text}") })?)
    }

    fn checked(&self, spec: &GameSpec) -> Result<Self, SetupError> {
        let text = self.game.canonical(spec)?;
        Ok(Self { game: self.game, spec: GameSpec::parse(&text)? })
    }

    /// The shortest game spec.
    pub(crate) fn text(&self) -> String {
        self.game.canonical(&self.spec).expect("a setup is checked before it is chosen")
    }

    /// The keys and values of the game spec, as they are typed.
    pub(crate) fn options(&self) -> String {
        self.text().split_once(':').map(|(_, options)| options.to_owned()).unwrap_or_default()
    }

    pub(crate) fn n_seats(&self) -> usize {
        self.game.start(&self.spec).expect("a setup is checked before it is chosen").n_seats()
    }

    /// The same with other values, if the game admits them together.
    fn with(&self, values: &[(&str, u64)]) -> Option<Self> {
        let mut spec = self.spec.clone();
        for (key, value) in values {
            spec.options.retain(|(given, _)| given != key);
            spec.options.push(((*key).to_owned(), value.to_string()));
        }
        self.checked(&spec).ok()
    }

    /// The value of a key and the numbers it takes; `None` if there is no such key, or if it means nothing here.
    fn number(&self, name: &str) -> Option<(u64, std::ops::RangeInclusive<u64>)> {
        let key = self.game.keys().iter().find(|key| key.name == name)?;
        let Kind::Number(min, max) = key.kind else { return None };
        let given = self.spec.options.iter().find(|(given, _)| given == name).map(|(_, value)| value);
        let value = given.map_or(key.default, String::as_str).parse().ok()?;
        // A setup whose board is written out refuses to be told how large it is.
        self.with(&[(name, value)]).map(|_| (value, min..=max))
    }

    /// How many play, if that can be chosen.
    pub(crate) fn players(&self) -> Option<u64> {
        self.number(PLAYERS).map(|(players, _)| players)
    }

    /// The same with more players, or with fewer. After the most come the fewest.
    pub(crate) fn other_players(&self, more: bool) -> Option<Self> {
        let (players, range) = self.number(PLAYERS)?;
        let choices = range.filter_map(|n| Some((n, self.with(&[(PLAYERS, n)])?)));
        next(choices.collect(), players, more)
    }

    /// Rows and columns of the board, if they can be chosen.
    pub(crate) fn size(&self) -> Option<(u64, u64)> {
        SIZES.iter().find_map(|(rows, cols)| Some((self.number(rows)?.0, self.number(cols)?.0)))
    }

    /// The same on a larger board, or on a smaller one. After the largest comes the smallest.
    pub(crate) fn other_size(&self, larger: bool) -> Option<Self> {
        let (rows, cols) = self.size()?;
        let keys = SIZES.iter().find(|(rows, _)| self.number(rows).is_some())?;
        let mut sizes: Vec<_> =
            SIDES.map(|n| (n, n)).into_iter().chain(Self::usual(self.game).size()).collect();
        sizes.sort_by_key(|(rows, cols)| rows * cols);
        sizes.dedup();
        let choices = sizes
            .into_iter()
            .filter_map(|(rows, cols)| Some((rows * cols, self.with(&[(keys.0, rows), (keys.1, cols)])?)));
        next(choices.collect(), rows * cols, larger)
    }
}

/// The choice with the next larger number, or the next smaller one, around the ends.
fn next(mut choices: Vec<(u64, Chosen)>, current: u64, larger: bool) -> Option<Chosen> {
    choices.retain(|(number, _)| *number != current);
    if !larger {
        choices.reverse();
    }
    let at = choices.iter().position(|(number, _)| (*number > current) == larger).unwrap_or(0);
    (at < choices.len()).then(|| choices.swap_remove(at).1)
}

#[cfg(test)]
mod tests {
    use rookery_catalog::{CATALOG, game};

    use super::*;

    fn usual(name: &str) -> Chosen {
        Chosen::usual(game(name).unwrap())
    }

    /// All setups to which a key leads, until the first comes again.
    fn around(first: Chosen, step: impl Fn(&Chosen) -> Option<Chosen>) -> Vec<String> {
        let mut seen = vec![first.text()];
        let mut at = first;
        while let Some(next) = step(&at).filter(|next| !seen.contains(&next.text())) {
            seen.push(next.text());
            at = next;
        }
        seen
    }

    #[test]
    fn players_are_offered_where_a_game_takes_them() {
        let all = around(usual("fish"), |chosen| chosen.other_players(true));
        assert_eq!(all, ["fish", "fish:players=3", "fish:players=4"]);
        let all = around(usual("fish"), |chosen| chosen.other_players(false));
        assert_eq!(all, ["fish", "fish:players=4", "fish:players=3"]);
        assert_eq!(around(usual("stones"), |chosen| chosen.other_players(true)).len(), 7);
        for name in ["hexapawn", "renpaarden"] {
            assert_eq!(usual(name).players(), None);
            assert!(usual(name).other_players(true).is_none());
        }
    }

    #[test]
    fn every_game_has_boards_to_choose_from() {
        for game in CATALOG {
            let first = Chosen::usual(*game);
            let mut up = around(first.clone(), |chosen| chosen.other_size(true));
            let mut down = around(first.clone(), |chosen| chosen.other_size(false));
            assert!(up.len() >= 5, "{up:?}");
            up.sort();
            down.sort();
            assert_eq!(up, down);
            let larger = first.other_size(true).unwrap();
            let cells = |chosen: &Chosen| chosen.size().map(|(rows, cols)| rows * cols);
            assert!(cells(&larger) > cells(&first));
            assert_eq!(larger.other_size(false).unwrap().text(), first.text());
            for text in up {
                assert!(rookery_catalog::start(&text).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn only_what_goes_together_is_offered() {
        let four_rows = usual("stones").read("rows=4,cols=4").unwrap();
        let all = around(four_rows, |chosen| chosen.other_players(true));
        assert_eq!(all.len(), 3, "a row each: {all:?}");
        let classic = usual("fish").read("board=classic").unwrap();
        assert_eq!(classic.size(), None);
        assert!(classic.other_size(true).is_none());
        assert_eq!(classic.other_players(true).unwrap().text(), "fish:players=3,board=classic");
        let odd = usual("hexapawn").read("rows=3,cols=7").unwrap();
        assert_eq!(odd.size(), Some((3, 7)));
        assert_eq!(odd.other_size(true).unwrap().text(), "hexapawn", "5 by 5");
    }

    #[test]
    fn what_is_typed_is_read_by_the_parser_of_game_specs() {
        let fish = usual("fish");
        for (typed, text) in [
            ("", "fish"),
            ("fish", "fish"),
            ("rows=8, players=3", "fish:rows=8,players=3"),
            (" fish:players=3 ", "fish:players=3"),
        ] {
            let read = fish.read(typed).unwrap();
            assert_eq!(read.text(), text);
            assert_eq!(fish.read(&read.options()).unwrap().text(), text);
        }
        for (typed, complaint) in [
            ("row=8", "fish has no key `row`; did you mean `rows`?"),
            ("players=5", "fish: `players=5` is not possible; `players` takes a number from 2 to 4"),
            ("hexapawn", "an option has no `=`"),
        ] {
            let error = fish.read(typed).unwrap_err().to_string();
            assert!(error.contains(complaint), "{typed}: {error}");
        }
        assert_eq!(fish.read("players=3").unwrap().n_seats(), 3);
    }
}

//! What the first screen offers, page by page.

use rookery_catalog::CATALOG;
use rookery_referee::SeatSpec;

use super::{Launcher, Wish};
use crate::{clean, quoted};

/// The levels that are offered.
pub(super) const LEVELS: [&str; 8] =
    ["level:1", "level:2", "level:3", "level:4", "level:5", "level:6", "level:7", "level:8"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Page {
    Home,
    Game(usize),
    Records,
    Help,
}

/// What a line of the list does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Act {
    Open(Page),
    /// Changes who begins.
    Swap,
    /// Another number of players.
    Players,
    /// Another board.
    Size,
    /// A match against the chosen level.
    Level(Wish),
    /// A line to type a setup.
    Type,
    Go(Wish),
}

/// One line of the list.
pub(super) struct Item {
    pub(super) text: String,
    pub(super) note: String,
    pub(super) act: Act,
}

impl Launcher {
    pub(super) fn items(&self) -> Vec<Item> {
        let item =
            |text: &str, note: &str, act: Act| Item { text: text.to_owned(), note: note.to_owned(), act };
        match self.page {
            Page::Home => {
                let games = CATALOG.iter().enumerate();
                let mut items: Vec<Item> = games
                    .map(|(idx, game)| item(game.title(), game.summary(), Act::Open(Page::Game(idx))))
                    .collect();
                if self.results.is_empty() {
                    let note = "three by three pawns, and each step is explained";
                    items.push(item("A first game", note, Act::Go(Wish::Guide)));
                }
                if !self.recent.is_empty() {
                    items.push(item(
                        "Your matches",
                        "go on with one, or see it again",
                        Act::Open(Page::Records),
                    ));
                }
                items.push(item("Help", "what else there is", Act::Open(Page::Help)));
                items.push(item("Quit", "", Act::Go(Wish::Quit)));
                items
            }
            Page::Game(idx) => self.game_items(idx),
            Page::Records => {
                let records = self.recent.iter().map(|recent| {
                    let path = recent.path.clone();
                    let (note, wish) = if recent.finished {
                        ("see it again; r reviews it", Wish::Replay(path))
                    } else {
                        ("go on; r reviews it", Wish::Resume(path))
                    };
                    item(&clean(&recent.text), note, Act::Go(wish))
                });
                records.chain([item("Back", "", Act::Open(Page::Home))]).collect()
            }
            Page::Help => vec![item("Back", "", Act::Open(Page::Home))],
        }
    }

    fn game_items(&self, idx: usize) -> Vec<Item> {
        let item = |text: String, note: &str, act: Act| Item { text, note: note.to_owned(), act };
        let known = CATALOG[idx].players();
        let person = SeatSpec::Human.to_string();
        let (spec, n_seats) = (self.chosen.text(), self.chosen.n_seats());
        let play = |players: Vec<String>| Act::Go(Wish::Play { game: spec.clone(), players });
        let level = LEVELS[self.level];
        let mut players = vec![level.to_owned(); n_seats - 1];
        players.insert(if self.swapped { n_seats - 1 } else { 0 }, person.clone());
        let about = known.iter().find(|info| info.name == level).map_or("", |info| info.summary);
        let about = match self.results.against(CATALOG[idx].name(), level) {
            Some(tally) => format!("{tally}; {about}"),
            None => about.to_owned(),
        };
        let wish = Wish::Play { game: spec.clone(), players };
        let mut items = vec![item(format!("You against {level}"), &about, Act::Level(wish))];
        let begins = if self.swapped { "Begins: the computer" } else { "Begins: you" };
        items.push(item(begins.to_owned(), "Enter changes it", Act::Swap));
        if let Some(players) = self.chosen.players() {
            items.push(item(format!("Players: {players}"), "left and right change it", Act::Players));
        }
        if let Some((rows, cols)) = self.chosen.size() {
            items.push(item(format!("Board: {rows} x {cols}"), "left and right change it", Act::Size));
        }
        items.push(item("Setup".to_owned(), &format!("{spec}; Enter types another"), Act::Type));
        let persons = if n_seats == 2 { "Two persons".to_owned() } else { format!("{n_seats} persons") };
        items.push(item(persons, "by turns at this terminal", play(vec![person.clone(); n_seats])));
        let note = format!("a match between players of {level}");
        let players = vec![level.to_owned(); n_seats];
        items.push(item("Watch".to_owned(), &note, Act::Go(Wish::Watch { game: spec.clone(), players })));
        let note = "how it is played, with boards to move on";
        items.push(item("Rules".to_owned(), note, Act::Go(Wish::Rules(CATALOG[idx].name()))));
        items.push(item("Back".to_owned(), "", Act::Open(Page::Home)));
        items
    }

    pub(super) fn title(&self) -> String {
        match self.page {
            Page::Home => "What would you like to play?".to_owned(),
            Page::Game(idx) => {
                let game = CATALOG[idx];
                format!("{} ({} players): {}", game.title(), game.seats(), game.summary())
            }
            Page::Records => "Your matches, the newest first".to_owned(),
            Page::Help => "Everything here is also a command:".to_owned(),
        }
    }
}

/// The command that does the same.
pub(super) fn command(act: &Act) -> String {
    match act {
        Act::Go(Wish::Play { game, players }) | Act::Level(Wish::Play { game, players }) => {
            format!("rookery play {game} {}", players.join(" "))
        }
        Act::Go(Wish::Watch { game, players }) => format!("rookery watch {game} {}", players.join(" ")),
        Act::Go(Wish::Resume(path)) => format!("rookery play --resume {}", quoted(path)),
        Act::Go(Wish::Rules(game)) => format!("rookery rules {game}"),
        Act::Go(Wish::Replay(path)) => format!("rookery watch {}", quoted(path)),
        _ => String::new(),
    }
}

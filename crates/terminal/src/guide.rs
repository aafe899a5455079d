//! A guided game: a sentence at each step, from the scene and its legal moves, on the full screen and line by line. It needs
//! no rules, and so works in every game.

use rookery_catalog::game;
use rookery_rules::scene::Move;
use rookery_rules::{GameSpec, Scene};

use crate::telling::capital;
use crate::{App, Table};

/// The game that the launcher offers to whoever has not played yet: small, and over soon.
pub const FIRST_GAME: (&str, [&str; 2]) = ("hexapawn:rows=3,cols=3", ["human", "level:1"]);

/// So many cells are named in a sentence.
const NAMED: usize = 5;

impl App {
    /// The same match with a sentence at each step.
    #[must_use]
    pub fn guided(mut self) -> Self {
        self.guide = true;
        self
    }

    /// Says that there are such sentences, without getting in the way.
    pub fn offer_guide(&mut self) {
        if self.message.1.is_empty() {
            self.say(crate::app::Tone::Calm, "New here? Press g, and each step is explained to you.");
        }
    }

    /// Begins or ends to explain.
    pub(crate) fn toggle_guide(&mut self) {
        self.guide = !self.guide;
        let text = if self.guide { "" } else { "No more explanations; g brings them back." };
        self.say(crate::app::Tone::Calm, text);
    }

    /// What just happened, and what can be done now; or why it ended.
    pub(crate) fn guidance(&self) -> Option<String> {
        if !self.guide || self.watch.is_some() || self.looks_back() {
            return None;
        }
        let guide = Guide { table: &self.table, scene: &self.scene, last: self.last.as_ref() };
        let Some(selected) = self.selected.as_ref().filter(|_| self.table.person_to_move().is_some()) else {
            return guide.says(By::Keys);
        };
        let moves = self.scene.moves.iter().filter(|mv| mv.from.as_ref() == Some(selected));
        let labels: Vec<&str> = moves.map(|mv| mv.label.as_str()).collect();
        Some(format!(
            "You hold {selected}. It can: {}. Tab goes there, Enter plays it, Esc lets go.",
            some_of(&labels, "; ")
        ))
    }
}

/// How somebody plays to whom a step is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum By {
    /// On the full screen.
    Keys,
    /// Line by line.
    Lines,
}

/// A match as it is explained.
pub(crate) struct Guide<'a> {
    pub(crate) table: &'a Table,
    /// What the board shows, with the moves.
    pub(crate) scene: &'a Scene,
    pub(crate) last: Option<&'a Move>,
}

impl Guide<'_> {
    /// What just happened, and what can be done now; or why it ended. `None` while others think.
    pub(crate) fn says(&self, by: By) -> Option<String> {
        if self.table.verdict().is_some() {
            return Some(self.why_it_ended(by));
        }
        self.table.person_to_move()?;
        Some(format!("{}{}", self.what_happened(), self.what_can_be_done(by)))
    }

    fn what_can_be_done(&self, by: By) -> String {
        let moves = &self.scene.moves;
        let begins = |id: &String| moves.iter().any(|mv| mv.from.as_ref() == Some(id));
        let cells = self.scene.cells.iter().map(|cell| &cell.id).filter(|id| begins(id));
        let cells: Vec<&str> = cells.map(String::as_str).collect();
        let placing = cells.is_empty() && moves.iter().any(|mv| mv.to.is_some());
        let example = moves.first().map_or("", |mv| mv.id.as_str());
        let can = match () {
            () if placing => format!("You can place a piece on {} cells: ", n_cells(moves)),
            () if cells.is_empty() => String::new(),
            () => format!("You can move from {}: ", some_of(&cells, ", ")),
        };
        let how = match by {
            By::Lines => {
                format!("type a move, for example {example}. `moves` lists all, `hint` names a good one.")
            }
            By::Keys if placing => "go there with the arrows, and press Enter.".to_owned(),
            By::Keys if cells.is_empty() => "press m for the list of what you can do.".to_owned(),
            By::Keys => "Tab goes there, Enter takes the piece.".to_owned(),
        };
        capital(&format!("{can}{how}"))
    }

    /// The last move, if it was somebody else's.
    fn what_happened(&self) -> String {
        let last = self.table.history().iter().rev().find(|entry| entry.deed.as_move().is_some());
        match (last.and_then(|entry| entry.seat), self.last) {
            (Some(seat), Some(mv)) if !self.table.is_here(seat) => {
                format!("{}: {}. ", capital(&self.table.who(seat)), mv.label)
            }
            (None, _) => format!("{}. ", capital(self.aim())),
            _ => String::new(),
        }
    }

    fn why_it_ended(&self, by: By) -> String {
        let last = self.last.map(|mv| format!("The last move was {}. ", mv.label)).unwrap_or_default();
        let next = match by {
            By::Keys => "n begins another match.",
            By::Lines => "`restart` begins another match.",
        };
        format!("{last}This is what it was about: {}. {next}", self.aim())
    }

    /// The game in a few words.
    fn aim(&self) -> &'static str {
        let spec = GameSpec::parse(&self.table.spec().game);
        spec.and_then(|spec| game(&spec.game)).map_or("", rookery_catalog::AnyGame::summary)
    }
}

fn n_cells(moves: &[Move]) -> usize {
    let mut cells: Vec<&str> = moves.iter().filter_map(|mv| mv.to.as_deref()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.len()
}

fn some_of(texts: &[&str], between: &str) -> String {
    match texts.len().checked_sub(NAMED) {
        None | Some(0) => texts.join(between),
        Some(more) => format!("{} and {more} more", texts[..NAMED].join(between)),
    }
}

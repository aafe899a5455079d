//! A guided game: a sentence at each step, from the scene and its legal moves. It needs no rules, and so works in every
//! game.

use rookery_catalog::game;
use rookery_rules::GameSpec;
use rookery_rules::scene::Move;

use crate::App;
use crate::telling::capital;

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
        if self.table.verdict().is_some() {
            return Some(self.why_it_ended());
        }
        self.table.person_to_move()?;
        let moves = &self.scene.moves;
        if let Some(selected) = &self.selected {
            let labels: Vec<&str> = moves
                .iter()
                .filter(|mv| mv.from.as_ref() == Some(selected))
                .map(|mv| mv.label.as_str())
                .collect();
            return Some(format!(
                "You hold {selected}. It can: {}. Tab goes there, Enter plays it, Esc lets go.",
                some_of(&labels, "; ")
            ));
        }
        let begins = |id: &String| moves.iter().any(|mv| mv.from.as_ref() == Some(id));
        let cells = self.scene.cells.iter().map(|cell| &cell.id).filter(|id| begins(id));
        let cells: Vec<&str> = cells.map(String::as_str).collect();
        let can = if cells.is_empty() && moves.iter().any(|mv| mv.to.is_some()) {
            format!(
                "You can place a piece on {} cells: go there with the arrows, and press Enter.",
                n_cells(moves)
            )
        } else if cells.is_empty() {
            "Press m for the list of what you can do.".to_owned()
        } else {
            format!("You can move from {}: Tab goes there, Enter takes the piece.", some_of(&cells, ", "))
        };
        Some(format!("{}{can}", self.what_happened()))
    }

    /// The last move, if it was somebody else's.
    fn what_happened(&self) -> String {
        let last = self.table.history().iter().rev().find(|entry| entry.deed.as_move().is_some());
        match (last.and_then(|entry| entry.seat), &self.last) {
            (Some(seat), Some(mv)) if !self.table.is_here(seat) => {
                format!("{}: {}. ", capital(&self.table.who(seat)), mv.label)
            }
            (None, _) => format!("{}. ", capital(self.aim())),
            _ => String::new(),
        }
    }

    fn why_it_ended(&self) -> String {
        let last =
            self.last.as_ref().map(|mv| format!("The last move was {}. ", mv.label)).unwrap_or_default();
        format!("{last}This is what it was about: {}. n begins another match.", self.aim())
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

//! Choosing moves by cells: which piece, and where it goes.

use rookery_rules::scene::Move;

use crate::App;
use crate::app::Tone;
use crate::popup::Popup;

impl App {
    /// The cells that the selected piece can go to.
    pub(crate) fn targets(&self) -> Vec<&str> {
        let Some(selected) = &self.selected else { return vec![] };
        let moves = self.scene.moves.iter().filter(|mv| mv.from.as_ref() == Some(selected));
        moves.filter_map(|mv| mv.to.as_deref()).collect()
    }

    /// The cells that are marked as those that something can be done with: where the selected piece can go, or where
    /// one can be placed unless that is almost anywhere.
    pub(crate) fn marked(&self) -> Vec<&str> {
        if self.selected.is_some() || self.table.person_to_move().is_none() || self.watch.is_some() {
            return self.targets();
        }
        let is_drop = |mv: &Move| mv.from.is_none() && mv.to.is_some();
        let moves = &self.scene.moves;
        if moves.len() * 3 > self.scene.cells.len() || !moves.iter().all(is_drop) {
            return vec![];
        }
        moves.iter().filter_map(|mv| mv.to.as_deref()).collect()
    }

    /// The next cell, or the one before, at which something can be done.
    pub(crate) fn jump(&mut self, back: bool) {
        let ids = if self.selected.is_some() {
            self.targets()
        } else {
            self.scene.moves.iter().filter_map(|mv| mv.from.as_deref().or(mv.to.as_deref())).collect()
        };
        let mut cells: Vec<usize> = ids.into_iter().filter_map(|id| self.cell_number(id)).collect();
        cells.sort_unstable();
        let next = if back {
            cells.iter().rev().find(|&&cell| cell < self.cursor).or(cells.last())
        } else {
            cells.iter().find(|&&cell| cell > self.cursor).or(cells.first())
        };
        self.cursor = next.copied().unwrap_or(self.cursor);
    }

    /// Chooses the cursor's cell: the piece to move, where to, or where to place one.
    pub(crate) fn choose_cell(&mut self) {
        if self.table.person_to_move().is_none() || self.watch.is_some() {
            return self.say_error(&self.table.not_now());
        }
        let Some(here) = self.cursor_id().map(str::to_owned) else { return };
        let meant = self.moves_meant(&here);
        match (meant.as_slice(), &self.selected) {
            ([only], _) => drop(self.play(&only.id)),
            ([_, _, ..], _) => {
                let items = meant.iter().map(|mv| (mv.id.clone(), mv.label.clone())).collect();
                self.popup = Some(Popup::Choice { title: "Which move?", items, at: 0 });
            }
            ([], Some(from)) if *from == here => self.selected = None,
            ([], _) if self.scene.moves.iter().any(|mv| mv.from.as_ref() == Some(&here)) => {
                self.selected = Some(here);
                self.message.1.clear();
            }
            ([], Some(from)) => {
                let text = format!("No move from {from} to {here}; Tab goes through those there are.");
                self.say(Tone::Wrong, text);
            }
            ([], None) => {
                self.say(Tone::Wrong, format!("No move begins at {here}; Tab goes through those that do."));
            }
        }
    }

    /// The moves that are meant by choosing this cell, after the one that is selected already.
    fn moves_meant(&self, here: &str) -> Vec<Move> {
        let is_here = |cell: &Option<String>| cell.as_deref() == Some(here);
        let find = |test: &dyn Fn(&Move) -> bool| -> Vec<Move> {
            self.scene.moves.iter().filter(|mv| test(mv)).cloned().collect()
        };
        let begins = find(&|mv| is_here(&mv.from));
        match &self.selected {
            // A second time: what can be done with the piece where it stands.
            Some(from) if from == here => {
                find(&|mv| is_here(&mv.from) && (mv.to.is_none() || is_here(&mv.to)))
            }
            Some(from) => find(&|mv| mv.from.as_ref() == Some(from) && is_here(&mv.to)),
            // A placement, or a move that is no matter of cells.
            None if begins.is_empty() => {
                find(&|mv| mv.from.is_none() && (mv.to.is_none() || is_here(&mv.to)))
            }
            None if begins.iter().all(|mv| mv.to.is_none()) => begins,
            None => vec![],
        }
    }
}

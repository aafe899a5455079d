//! What is said about a match at this screen.

use rookery_live::{Deed, Entry};
use rookery_referee::{Cause, Evidence, Verdict, words};
use rookery_rules::scene::Place;
use rookery_rules::{Scene, Seat, Status};

use crate::{Table, clean};

/// What follows the label of whoever is simply to move.
const TO_MOVE: &str = " to move";

impl Table {
    /// How the game calls a seat.
    pub fn label(&self, seat: Seat) -> String {
        self.spec().seats.get(seat.index()).map_or_else(String::new, |entry| clean(&entry.label))
    }

    /// How a seat is called in a sentence: `you`, or its label and who plays there.
    pub fn who(&self, seat: Seat) -> String {
        match self.player(seat).as_str() {
            "you" => "you".to_owned(),
            _ => clean(&self.spec().who(seat)),
        }
    }

    /// How the match stands, in a sentence or two.
    pub fn status(&self, scene: &Scene) -> String {
        if let Some(verdict) = self.verdict() {
            return self.ending(verdict);
        }
        let caption = scene.captions.iter().find(|caption| caption.place == Place::Status);
        let text = caption.map_or("", |caption| &caption.text);
        sentence(&self.for_whom_it_is(text).unwrap_or_else(|| text.to_owned()))
    }

    /// What a game says of a person whose turn it is, for those who sit here: to the only one, and else by the person's name.
    fn for_whom_it_is(&self, text: &str) -> Option<String> {
        let Status::ToMove(seat) = self.position().status() else { return None };
        if !(self.is_live() && self.is_present()) {
            return None;
        }
        let entry = self.spec().seats.get(seat.index()).filter(|_| self.is_here(seat))?;
        let rest = text.strip_prefix(&entry.label)?;
        if self.persons().count() == 1 {
            return Some(if rest == TO_MOVE { "your turn".to_owned() } else { format!("your turn: {text}") });
        }
        // A name that nobody has given says less than the label.
        let kind = entry.player.to_string();
        let is_given =
            entry.name.strip_prefix(&kind).is_none_or(|more| !(more.is_empty() || more.starts_with('#')));
        is_given.then(|| format!("{}{rest}", entry.name))
    }

    fn ending(&self, verdict: &Verdict) -> String {
        let who = |seat| self.who(seat);
        let mut short = verdict.clone();
        // Which moves were legal is for those who write programs.
        if let Some(evidence) = &mut short.ending.evidence {
            evidence.legal.clear();
        }
        let why = sentence(&words::verdict(&short, &who));
        match (verdict.ending.cause, &verdict.outcome) {
            (Cause::Resigned | Cause::Offence(_), Some(outcome)) => {
                format!("{why} {}", sentence(&words::result(outcome, &who)))
            }
            _ => why,
        }
    }

    /// What happened, without whose it was: a move, or a few words.
    pub fn deed(&self, entry: &Entry) -> String {
        clean(&match &entry.deed {
            Deed::Moved { text, .. } => text.clone(),
            Deed::Said(text) => format!("\"{text}\""),
            Deed::Resigned => "resigned".to_owned(),
            Deed::Drawn => "draw agreed".to_owned(),
            Deed::Adjudicated => "the result is proved".to_owned(),
            Deed::Fouled(foul) => {
                let evidence = Evidence { legal: vec![], ..foul.evidence.clone() };
                words::offence(foul.offence, &evidence)
            }
        })
    }

    /// What happened, in a line of its own.
    pub fn told(&self, entry: &Entry) -> String {
        let who = entry.seat.map(|seat| capital(&self.who(seat)));
        match (&entry.deed, who) {
            (Deed::Moved { .. }, Some(who)) if who == "You" => format!("You play {}", self.deed(entry)),
            (Deed::Moved { .. }, Some(who)) => format!("{who} plays {}", self.deed(entry)),
            (Deed::Said(text), Some(who)) => format!("{who}: {}", clean(text)),
            (_, Some(who)) => format!("{who} {}", self.deed(entry)),
            (_, None) => capital(&self.deed(entry)),
        }
    }
}

/// The same with a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn sentence(text: &str) -> String {
    format!("{}.", capital(&clean(text)))
}

//! Sentences that say what the figures of a report mean.

use std::fmt;

use rookery_rules::text::clean;

use crate::columns::{percent, trimmed};
use crate::facts::{RatingFacts, TestFacts};
use crate::ratings::{FEW_BLOCKS, Model};
use crate::report::{Context, FaultLine, Report};

/// What was played, in two lines: a table is often shown far from where it was made.
pub(crate) fn header(report: &Report) -> [String; 2] {
    let setting = &report.setting;
    let games = match &setting.games[..] {
        [only] => clean(only),
        several => several.iter().map(|game| clean(game)).collect::<Vec<_>>().join(", "),
    };
    let entrants = report.standings.len();
    let state = if report.complete { "complete" } else { "not complete" };
    let id = report.tournament.as_ref().map(|id| format!("; tournament {}", clean(id))).unwrap_or_default();
    [
        format!(
            "{games}; {}; {} seats; {}; seed {}{id}",
            setting.format, setting.seats, setting.time, setting.seed
        ),
        format!("{entrants} entrants, {} games, {state}", report.games),
    ]
}

/// What is odd about the games: how they ended, who is suspended, what does not count.
pub(crate) fn notes(report: &Report) -> Vec<String> {
    let mut lines = vec![];
    let odd: Vec<String> = report
        .endings
        .iter()
        .filter(|&(&word, _)| word != "normal")
        .map(|(word, n)| format!("{n} ended {word}"))
        .collect();
    if !odd.is_empty() {
        lines.push(format!("{}.", odd.join(", ")));
    }
    if report.aborted > 0 {
        lines.push(format!("{} aborted; they do not count.", report.aborted));
    }
    let suspended: Vec<String> =
        report.standings.iter().filter(|row| row.suspended).map(|row| clean(&row.name)).collect();
    if !suspended.is_empty() {
        lines.push(format!("Suspended after too many faults in a row: {}.", suspended.join(", ")));
    }
    lines.extend(report.trials.iter().map(ToString::to_string));
    lines
}

/// What somebody did wrong.
pub(crate) fn fault(line: &FaultLine) -> String {
    let evidence = line.evidence.as_ref().map(|text| format!(": {}", clean(text))).unwrap_or_default();
    format!("{}: {} {}{evidence}", clean(&line.name), line.count, line.cause)
}

/// The same with the command that shows it.
pub(crate) fn fault_with_replay(line: &FaultLine) -> String {
    let replay = line.replay.as_ref().map(|command| format!(" ({})", clean(command))).unwrap_or_default();
    fault(line) + &replay
}

/// How a test stands, in a sentence.
impl fmt::Display for TestFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { llr, lower, upper, model, elo0, elo1, games, dropped, .. } = self;
        let bound = if *llr < 0.0 { lower } else { upper };
        let progress = percent((llr / bound).clamp(0.0, 1.0));
        let state = match &self.decision {
            Some(decision) => format!("{decision} is accepted"),
            None => format!("{progress} of the way to a bound"),
        };
        let left_out = if *dropped > 0 { format!(", {dropped} blocks left out") } else { String::new() };
        write!(
            f,
            "Test whether {} is {elo0} or {elo1} Elo stronger than {} ({model}): {state}; LLR {llr:.2}, bounds {lower:.2} \
             and {upper:.2}, {games} games{left_out}.",
            clean(&self.names[0]),
            clean(&self.names[1]),
        )
    }
}

/// What the columns mean.
pub(crate) fn lines(report: &Report, open: (u64, u64), context: &Context<'_>) -> Vec<String> {
    let mut lines = vec![];
    if let Some(facts) = &report.ratings {
        lines.extend(ratings(facts));
        lines.extend(blocks(report, facts, open));
    }
    if !report.setting.tie_breaks.is_empty() {
        lines.push(format!("Equal points are told apart by {}.", report.setting.tie_breaks.join(", ")));
    }
    lines.push(
        "late: games lost by running out of time; crashed: by the end of the program or its connection."
            .to_owned(),
    );
    if report.standings.iter().any(|row| row.accuracy.is_some()) {
        lines.push("accuracy: the share of moves that keep the result of perfect play.".to_owned());
    }
    if let Some(command) = &context.recompute {
        lines.push(format!("To compute all of it again: {}", clean(command)));
    }
    lines
}

fn ratings(facts: &RatingFacts) -> Vec<String> {
    let model = Model::ALL.into_iter().find(|model| model.word() == facts.model);
    let explained = model.map_or("", Model::explained);
    if model == Some(Model::WengLin) {
        return vec![format!(
            "mu: strength after all games in order, from 25 ({explained}); it has no error bar."
        )];
    }
    let against = match &facts.anchor {
        Some(anchor) => {
            format!("{} is set to {}, and errors are against it", clean(&anchor.name), anchor.rating)
        }
        None => "errors are against the mean of all".to_owned(),
    };
    let prior = trimmed(facts.prior);
    let games = if prior == "1" { "game" } else { "games" };
    let mut lines = vec![
        format!(
            "Elo: {explained}; prior: {prior} virtual {games} of each against a player of 0; ± is the 95 % interval by \
             blocks (of who has fewer than {FEW_BLOCKS}, at least that of the model); {against}."
        ),
        "LOS: how sure it is that a player is stronger than the next one in the table.".to_owned(),
    ];
    if let Some(weight) = facts.draw_weight {
        lines.push(format!("The weight of draws was fitted: {weight:.3}."));
    }
    if facts.groups.len() > 1 {
        let names = |group: &Vec<String>| group.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ");
        let groups: Vec<String> = facts.groups.iter().map(names).collect();
        lines.push(format!("These groups never met, so compare nobody across them: {}.", groups.join(" | ")));
    }
    if facts.games_without_winner > 0 {
        lines.push(format!(
            "{} games in which everybody was removed are in no rating.",
            facts.games_without_winner
        ));
    }
    lines
}

fn blocks(report: &Report, facts: &RatingFacts, (open, games): (u64, u64)) -> Vec<String> {
    let n = facts.block_games;
    let mut lines = vec![format!(
        "A block is {n} games on one start, in which everybody has every seat equally often: the unit of all errors."
    )];
    let rows = &report.standings;
    if rows.iter().any(|row| row.blocks.by_points.is_some()) {
        lines.push("0-½-1-1½-2: how many blocks gave so many points.".to_owned());
    }
    if rows.iter().any(|row| row.blocks.by_points.is_none() || row.blocks.broken > 0) {
        lines.push("blocks: those with every game; partial: those with some of their games only.".to_owned());
    }
    if open > 0 {
        lines.push(format!(
            "{games} games of {open} blocks that are not complete count as far as they were played."
        ));
    }
    lines
}

//! A bar and the running score, from the start of a series to its end.

use std::io::{Write, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rookery_rules::text::clean;
use rookery_tournament::Summary;

use super::series::Series;

/// How often the bar is drawn, also while no game ends.
const EVERY: Duration = Duration::from_millis(200);

pub(super) struct Progress {
    bar: ProgressBar,
    names: Vec<String>,
}

impl Progress {
    pub(super) fn new(series: &Series, shown: bool) -> Self {
        let names = series.agreed().seats.iter().map(|entry| clean(&entry.name)).collect();
        let bar = if shown {
            // Whatever the width is: the message gets what is left of it.
            let style =
                ProgressStyle::with_template("{bar:20} {pos}/{len} {per_sec:.0} {eta} to go  {wide_msg}");
            let bar =
                ProgressBar::new(series.games()).with_style(style.expect("the template is well formed"));
            bar.enable_steady_tick(EVERY);
            bar
        } else {
            ProgressBar::hidden()
        };
        let progress = Self { bar, names };
        progress.bar.set_message(progress.score(&Summary::new(series.players())));
        progress
    }

    /// A game has ended.
    pub(super) fn update(&self, summary: &Summary) {
        self.bar.inc(1);
        if !self.bar.is_hidden() {
            self.bar.set_message(self.score(summary));
        }
    }

    /// Wins of each player, and the draws, of whole blocks.
    fn score(&self, summary: &Summary) -> String {
        let players = summary.players();
        let wins =
            self.names.iter().zip(&players).map(|(name, player)| format!("{name} {}", player.total.wins));
        let draws: u64 = players.first().map_or(0, |player| player.total.draws);
        let wins: Vec<String> = wins.collect();
        format!("{}, drawn {draws}", wins.join(" - "))
    }

    /// Says something without spoiling the bar.
    pub(super) fn say(&self, text: &str) {
        self.bar.suspend(|| {
            // Whoever closed our standard error wants to hear nothing.
            let _ = writeln!(stderr(), "{text}");
        });
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

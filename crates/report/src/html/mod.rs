//! A report as one page that needs nothing else: no script, no font, no picture from elsewhere.

use std::fmt::Write as _;

use rookery_rules::text::clean;

use crate::columns::{self, MAX_CROSS, Table};
use crate::facts::TestFacts;
use crate::legend;
use crate::markup::escaped;
use crate::plots::{self, Bar, Frame, MAX_KINDS};
use crate::report::Report;

const PAGE_STYLE: &str = include_str!("page.css");

/// Where a game can be replayed, by the number of its pairing.
type Links<'a> = &'a dyn Fn(u64) -> Option<String>;

impl Report {
    /// As a page. `links` says where a game can be replayed, by the number of its pairing: an address on the web, or one
    /// relative to the page.
    pub fn to_html(&self, links: Links<'_>) -> String {
        let [setting, state] = legend::header(self).map(|line| escaped(&line));
        let name = escaped(&clean(&self.name));
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{name}</title>\n<style>\n{PAGE_STYLE}{}</style>\n</head>\n<body>\n<main>\n<h1>{name}</h1>\n\
             <p>{setting}<br>{state}</p>\n",
            plots::STYLE
        );
        self.write_standings(&mut page);
        self.write_test(&mut page);
        self.write_cross(&mut page, links);
        self.write_times(&mut page);
        self.write_losses(&mut page, links);
        list(&mut page, "What this means", self.legend.iter().map(|line| escaped(line)));
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    fn write_standings(&self, page: &mut String) {
        page.push_str("<h2>Standings</h2>\n");
        let bar = |row: &crate::report::Row| {
            let value = row.rating?;
            let interval = row.error.map(|error| (value - error, value + error));
            Some(Bar { label: clean(&row.name), value, interval })
        };
        let bars: Vec<Bar> = self.standings.iter().filter_map(bar).collect();
        if let Some(facts) = self.ratings.as_ref().filter(|_| !bars.is_empty()) {
            let title = "Ratings, with the 95 % interval where it is known";
            figure(page, title, &plots::bars(frame(title, "ratings"), facts.unit, &bars));
        }
        page.push_str(&table(&columns::standings(self), &|_, _| String::new()));
        list(page, "", legend::notes(self).iter().map(|line| escaped(line)));
    }

    fn write_cross(&self, page: &mut String, links: Links<'_>) {
        let rows = &self.standings;
        if rows.len() <= MAX_CROSS {
            page.push_str("<h2>Results by opponent</h2>\n");
            let against = |row: usize, col: usize| {
                rows[row].versus.iter().find(|against| against.entrant == rows[col].entrant)
            };
            let share = |row: usize, col: usize| {
                let against = against(row, col)?;
                let games = against.tally.wins + against.tally.draws + against.tally.losses;
                Some(against.points / games as f64)
            };
            let labels: Vec<String> = rows.iter().map(|row| clean(&row.name)).collect();
            let title = "Points of the row against the column, in percent";
            figure(page, title, &plots::heat_map(frame(title, "heat"), &labels, share));
            let replays = |row: usize, col: usize| {
                against(row, col).map(|against| replays(&against.pairings, links)).unwrap_or_default()
            };
            page.push_str("<p>Wins-draws-losses of the row against the column.</p>\n");
            page.push_str(&table(&columns::cross(self), &replays));
        }
        page.push_str("<h2>Results by seat</h2>\n<p>Wins-draws-losses.</p>\n");
        page.push_str(&table(&columns::by_seat(self), &|_, _| String::new()));
        if let Some(openings) = columns::openings(self) {
            page.push_str("<h2>Results by opening</h2>\n");
            page.push_str(&table(&openings, &|_, _| String::new()));
        }
    }

    fn write_times(&self, page: &mut String) {
        let Some(times) = columns::times(self) else { return };
        page.push_str("<h2>Time per move</h2>\n");
        let bars = self.standings.iter().filter_map(|row| {
            let time = row.time.as_ref()?;
            let (median, p95) = (time.median_ms as f64, time.p95_ms as f64);
            Some(Bar { label: clean(&row.name), value: median, interval: Some((median, p95)) })
        });
        let title = "Half of the moves took no longer than the bar, 95 of 100 no longer than the line";
        figure(page, title, &plots::bars(frame(title, "times"), "ms", &bars.collect::<Vec<_>>()));
        page.push_str(&table(&times, &|_, _| String::new()));
    }

    fn write_losses(&self, page: &mut String, links: Links<'_>) {
        let Some(losses) = columns::losses(self) else { return };
        page.push_str("<h2>Reasons of losses</h2>\n");
        let words = columns::loss_words(self);
        let counts = |row: &crate::report::Row| -> Vec<u64> {
            words.iter().map(|word| columns::loss(row, word)).collect()
        };
        let rows: Vec<(String, Vec<u64>)> =
            self.standings.iter().map(|row| (clean(&row.name), counts(row))).collect();
        let kinds: Vec<&str> = words.iter().take(MAX_KINDS).copied().collect();
        let title = "Games lost, by reason";
        figure(page, title, &plots::stacked(frame(title, "losses"), "games", &kinds, &rows));
        page.push_str(&table(&losses, &|_, _| String::new()));
        let fault =
            |line: &crate::report::FaultLine| escaped(&legend::fault(line)) + &replays(&line.pairings, links);
        list(page, "Faults", self.faults.iter().map(fault));
    }

    fn write_test(&self, page: &mut String) {
        let Some(test) = &self.test else { return };
        let counts = &test.counts;
        let _ = writeln!(page, "<h2>Test</h2>\n<p>{}</p>", escaped(&test.to_string()));
        figure(page, TestFacts::PLOT, &test.plot(frame(TestFacts::PLOT, "llr")));
        page.push_str("<div class=\"scroll\"><table>\n<tr><th scope=\"col\">points of a block</th>");
        for halves in 0..counts.len() {
            let _ = write!(page, "<th scope=\"col\">{}</th>", halves as f64 / 2.0);
        }
        page.push_str("</tr>\n<tr><th scope=\"row\">blocks</th>");
        for count in counts {
            let _ = write!(page, "<td>{count}</td>");
        }
        page.push_str("</tr>\n</table></div>\n");
    }
}

fn frame<'a>(title: &'a str, id: &'a str) -> Frame<'a> {
    Frame { title, id, is_alone: false, is_narrow: false }
}

/// A plot with its title below it.
fn figure(page: &mut String, title: &str, plot: &str) {
    let _ = write!(page, "<figure>\n{plot}<figcaption>{}</figcaption>\n</figure>\n", escaped(title));
}

fn list(page: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    if !heading.is_empty() {
        let _ = writeln!(page, "<h2>{heading}</h2>");
    }
    page.push_str("<ul>\n");
    for line in lines {
        let _ = writeln!(page, "<li>{line}</li>");
    }
    page.push_str("</ul>\n");
}

/// With something more in cells, by row and column.
fn table(table: &Table, more: &dyn Fn(usize, usize) -> String) -> String {
    let mut html = "<div class=\"scroll\"><table>\n<thead><tr>".to_owned();
    if !table.numbers.is_empty() {
        html.push_str("<th scope=\"col\">#</th>");
    }
    let _ = write!(html, "<th scope=\"col\" class=\"name\">{}</th>", table.title);
    for column in &table.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(&column.cells()[0]));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (row, name) in table.names.iter().enumerate() {
        html.push_str("<tr>");
        if let Some(number) = table.numbers.get(row) {
            let _ = write!(html, "<td>{number}</td>");
        }
        let _ = write!(html, "<th scope=\"row\">{}</th>", escaped(name));
        for (col, column) in table.columns.iter().enumerate() {
            let _ = write!(html, "<td>{}{}</td>", escaped(&column.cells()[row + 1]), more(row, col));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
    html
}

/// Links to those of these games that can be replayed.
fn replays(pairings: &[u64], links: Links<'_>) -> String {
    let mut html = String::new();
    let known = pairings.iter().filter_map(|&pairing| links(pairing)).filter(|link| is_address(link));
    for (number, link) in (1..).zip(known) {
        let _ = write!(html, " <a href=\"{}\" title=\"replay {number}\">{number}</a>", escaped(&link));
    }
    html
}

/// Whether it leads to a page and does nothing else: on the web, or relative to here.
fn is_address(link: &str) -> bool {
    let scheme = link.split(['/', '?', '#']).next().and_then(|start| start.split_once(':'));
    !link.starts_with("//") && scheme.is_none_or(|(scheme, _)| ["http", "https"].contains(&scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_only_lead_somewhere() {
        for link in ["https://x.org/a", "replays/1.html", "../a?b=c:d", "#x"] {
            assert!(is_address(link), "{link}");
        }
        for link in ["javascript:alert(1)", "data:text/html,x", "//x.org", "JAVASCRIPT:x", " javascript:x"] {
            assert!(!is_address(link), "{link}");
        }
        assert_eq!(
            replays(&[3, 4], &|game| (game == 4).then(|| "a\"b".to_owned())),
            " <a href=\"a&quot;b\" title=\"replay 1\">1</a>"
        );
    }
}

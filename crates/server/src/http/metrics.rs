//! What is counted, as Prometheus reads it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rookery_arena::Figure;

/// Counters of this server.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Answers by the first digit of their status.
    answers: [AtomicU64; 6],
    /// Connections that are open.
    pub connections: Gauge,
    /// Connections that were not taken.
    pub refused: AtomicU64,
    /// Sockets of pages that are open.
    pub sockets: Gauge,
    /// Snapshots that were sent because somebody had fallen behind.
    pub resyncs: AtomicU64,
}

/// Goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub fn take(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// One more, until the guard is dropped.
    pub fn count(&self) -> Counted<'_> {
        self.add();
        Counted(self)
    }

    /// How many there are.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counted as long as it lives.
#[derive(Debug)]
pub struct Counted<'a>(&'a Gauge);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.take();
    }
}

impl Metrics {
    /// An answer was given.
    pub fn answered(&self, status: u16) {
        let class = usize::from(status / 100).min(self.answers.len() - 1);
        self.answers[class].fetch_add(1, Ordering::Relaxed);
    }

    /// All counters, and what the caller knows beside them: name, help, value; and what is counted of other machines.
    pub fn text(&self, more: &[(&str, &str, u64)], elsewhere: &[Figure]) -> String {
        let mut text = String::new();
        text.push_str("# HELP rookery_http_responses_total Answers by the class of their status.\n");
        text.push_str("# TYPE rookery_http_responses_total counter\n");
        for (class, n) in self.answers.iter().enumerate().skip(1) {
            let n = n.load(Ordering::Relaxed);
            let _ = writeln!(text, "rookery_http_responses_total{{class=\"{class}xx\"}} {n}");
        }
        let counters = [
            ("rookery_connections_refused_total", "Connections that were not taken.", &self.refused),
            ("rookery_resyncs_total", "Snapshots sent to those who had fallen behind.", &self.resyncs),
        ];
        for (name, help, n) in counters {
            let n = n.load(Ordering::Relaxed);
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {n}");
        }
        let own = [
            ("rookery_connections", "Connections that are open.", self.connections.get().max(0) as u64),
            ("rookery_sockets", "Sockets of pages that are open.", self.sockets.get().max(0) as u64),
        ];
        for (name, help, n) in own.iter().chain(more) {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {n}");
        }
        for Figure { name, help, grows, value } in elsewhere {
            let kind = if *grows { "counter" } else { "gauge" };
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        text
    }
}

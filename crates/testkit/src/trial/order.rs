//! What is to be tried, as it stands on the command line of `cargo xtask cluster`.

use std::path::PathBuf;

const USAGE: &str = "usage: cluster [--games N] [--kill worker,coordinator,broker,database,freeze-worker,...] [--keep DIR] \
                     [--revive yes]";

/// What can be killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One of the workers, for good.
    Worker,
    /// The server that coordinates, for good: the other one takes over.
    Coordinator,
    /// The broker, which comes back after a moment.
    Broker,
    /// The database, which comes back after a moment.
    Database,
    /// One of the workers stands still for longer than a lease, and goes on.
    FreezeWorker,
    /// The server that coordinates does.
    FreezeCoordinator,
    /// The broker does.
    FreezeBroker,
    /// The database does.
    FreezeDatabase,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Coordinator => "coordinator",
            Self::Broker => "broker",
            Self::Database => "database",
            Self::FreezeWorker => "freeze-worker",
            Self::FreezeCoordinator => "freeze-coordinator",
            Self::FreezeBroker => "freeze-broker",
            Self::FreezeDatabase => "freeze-database",
        }
    }

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Worker,
        Self::Coordinator,
        Self::Broker,
        Self::Database,
        Self::FreezeWorker,
        Self::FreezeCoordinator,
        Self::FreezeBroker,
        Self::FreezeDatabase,
    ];
}

/// What is to be tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The program.
    pub binary: PathBuf,
    /// How many games.
    pub games: u64,
    /// What is killed, in this order.
    pub kill: Vec<Kind>,
    /// Where the records are left.
    pub keep: PathBuf,
    /// Whether workers and servers that were killed are started again.
    pub revive: bool,
}

impl Order {
    /// Reads `--binary FILE --games N --kill worker,coordinator,broker --keep DIR --revive yes`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut order = Self {
            binary: PathBuf::new(),
            games: 2000,
            kill: vec![Kind::Worker, Kind::Coordinator, Kind::Broker],
            keep: PathBuf::from("target/cluster"),
            revive: false,
        };
        for pair in args.chunks(2) {
            let [flag, value] = pair else { return Err(USAGE.to_owned()) };
            match flag.as_str() {
                "--binary" => order.binary = value.into(),
                "--games" => order.games = games(value)?,
                "--keep" if value.is_empty() => return Err(format!("--keep: expected a folder; {USAGE}")),
                "--keep" => order.keep = value.into(),
                "--revive" => order.revive = value == "yes",
                "--kill" => order.kill = kinds(value)?,
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(order)
    }
}

/// Each pair of players plays on both seats.
fn games(value: &str) -> Result<u64, String> {
    let games = value.parse().ok().filter(|games| (10..=100_000).contains(games) && games % 2 == 0);
    games.ok_or_else(|| format!("--games {value}: expected an even number from 10 to 100000"))
}

/// Nothing is killed if nothing is named.
fn kinds(value: &str) -> Result<Vec<Kind>, String> {
    let kind = |word| {
        let found = Kind::ALL.into_iter().find(|kind| kind.word() == word);
        found.ok_or_else(|| format!("--kill {word}: {USAGE}"))
    };
    value.split(',').filter(|word| !word.is_empty()).map(kind).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    fn parse(line: &str) -> Result<Order, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Order::parse(&args)
    }

    #[test]
    fn an_order_is_read_and_what_it_does_not_say_is_usual() {
        let usual = Order {
            binary: PathBuf::new(),
            games: 2000,
            kill: vec![Kind::Worker, Kind::Coordinator, Kind::Broker],
            keep: PathBuf::from("target/cluster"),
            revive: false,
        };
        assert_eq!(parse(""), Ok(usual.clone()));
        let line = "--binary ./rookery --games 200 --kill broker,freeze-database,worker --keep /tmp/kept --revive yes";
        let all = Order {
            binary: PathBuf::from("./rookery"),
            games: 200,
            kill: vec![Kind::Broker, Kind::FreezeDatabase, Kind::Worker],
            keep: PathBuf::from("/tmp/kept"),
            revive: true,
        };
        assert_eq!(parse(line), Ok(all));
        assert_eq!(parse("--kill ,"), Ok(Order { kill: vec![], ..usual }), "nobody is killed");
        for kind in Kind::ALL {
            assert_eq!(parse(&format!("--kill {}", kind.word())).unwrap().kill, [kind]);
        }
    }

    #[test]
    fn an_order_that_cannot_be_meant_says_what_was_expected() {
        for line in ["--games", "--games 200 --keep", "games 200", "--slots 2"] {
            assert_eq!(parse(line), Err(USAGE.to_owned()), "{line}");
        }
        for games in ["0", "8", "201", "100002", "-10", "many"] {
            let refused = parse(&format!("--games {games}")).unwrap_err();
            assert!(refused.contains(games) && refused.contains("from 10 to 100000"), "{refused}");
        }
        let refused = parse("--kill worker,everything").unwrap_err();
        assert!(refused.starts_with("--kill everything: usage: cluster"), "{refused}");
        let refused = Order::parse(&["--keep".to_owned(), String::new()]).unwrap_err();
        assert!(refused.contains("expected a folder"), "what is in the folder is deleted: {refused}");
    }
}

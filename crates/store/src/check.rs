//! Looking for damage, also for what the database itself does not see.

use std::fmt;
use std::time::{Duration, Instant};

use crate::chain::{GameRow, Head};
use crate::engine::Engine;
use crate::facts::unpack;
use crate::import::judge;
use crate::sql::{Row, Sql, SqlError, params};
use crate::store::edge;
use crate::{StoreError, migrate};

/// How many games are read at a time.
const PAGE: i64 = 200;
/// The most bad games that are listed.
const MAX_LISTED: usize = 100;

/// What is to be looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckOrder {
    /// How long it may take.
    pub budget: Duration,
    /// How many games, from the latest back.
    pub games: u64,
    /// Whether each is also judged again by the rules.
    pub judge: bool,
    /// Whether the engine compares every index with its table, which takes longer.
    pub full: bool,
}

impl Default for CheckOrder {
    /// Everything, however long it takes, but for the rules.
    fn default() -> Self {
        Self { budget: Duration::from_hours(24), games: u64::MAX, judge: false, full: false }
    }
}

/// A game that is not what was stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadGame {
    /// Its number.
    pub seq: u64,
    /// Its id, as far as it can be read.
    pub id: String,
    /// What is wrong.
    pub why: String,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CheckReport {
    /// How many games were looked at.
    pub games: u64,
    /// Whether it was everything that was ordered; else time was up.
    pub complete: bool,
    /// What the engine found.
    pub problems: Vec<String>,
    /// The games that are not what was stored, at most 100.
    pub bad: Vec<BadGame>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.problems.is_empty() && self.bad.is_empty()
    }

    pub(crate) fn of_problem(problem: String) -> Self {
        Self { problems: vec![problem], ..Self::default() }
    }

    fn add(&mut self, seq: i64, id: &str, why: String) {
        if self.bad.len() < MAX_LISTED {
            self.bad.push(BadGame { seq: seq as u64, id: id.to_owned(), why });
        }
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_good() {
            return write!(f, "{} games are as they were stored", self.games);
        }
        let problems = self.problems.iter().map(String::clone);
        let bad = self.bad.iter().map(|BadGame { seq, id, why }| format!("game {id} (number {seq}): {why}"));
        let mut all = problems.chain(bad);
        let listed: Vec<String> = all.by_ref().take(5).collect();
        f.write_str(&listed.join("; "))?;
        match all.count() {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// The look at the start, before anything is written.
pub(crate) fn at_start(
    engine: &dyn Engine,
    sql: &mut dyn Sql,
    games: u64,
    deadline: Instant,
) -> Result<(), StoreError> {
    let failed = |error| edge(engine, error);
    let version = engine.schema_version(sql).map_err(failed)?;
    migrate::refuse_newer(engine, version)?;
    if version == 0 {
        return Ok(());
    }
    let budget = deadline.saturating_duration_since(Instant::now());
    let order = CheckOrder { budget, games, ..CheckOrder::default() };
    refuse_damage(engine, look(engine, sql, &order).map_err(failed)?)
}

fn refuse_damage(engine: &dyn Engine, report: CheckReport) -> Result<(), StoreError> {
    if report.is_good() {
        return Ok(());
    }
    Err(StoreError::Damaged { location: engine.location().to_owned(), report: Box::new(report) })
}

/// Looks at the games, and then lets the engine look at its pages in what time is left. What cannot even be read is part
/// of the report.
pub(crate) fn look(
    engine: &dyn Engine,
    sql: &mut dyn Sql,
    order: &CheckOrder,
) -> Result<CheckReport, SqlError> {
    let deadline = Instant::now() + order.budget;
    let mut report = CheckReport { complete: true, ..CheckReport::default() };
    match games_of(sql, &mut report, order.games, order.judge, deadline) {
        Err(SqlError::Corrupt(problem)) => report.problems.push(problem),
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    if order.full {
        report.problems.extend(strays(sql)?);
    }
    let (problems, ended) = engine.check_pages(deadline, order.full)?;
    report.complete &= ended;
    report.problems.extend(problems);
    Ok(report)
}

/// What is said to be somebody's game, and is no game or nobody's.
fn strays(sql: &mut dyn Sql) -> Result<Option<String>, SqlError> {
    let row = sql.row(
        "select count(*) from entrant_games where not exists (select 1 from games where games.seq = entrant_games.seq) \
         or not exists (select 1 from entrants where entrants.id = entrant_games.entrant)",
        &[],
    )?;
    let strays = row.map_or(Ok(0), |row| row.int(0))?;
    Ok((strays > 0).then(|| format!("{strays} rows of entrant_games belong to no game or to nobody")))
}

/// The last games are what they were when they were stored.
pub(crate) fn verify_tail(sql: &mut dyn Sql, games: u64) -> Result<(), String> {
    let mut report = CheckReport::default();
    let deadline = Instant::now() + Duration::from_mins(1);
    games_of(sql, &mut report, games, false, deadline).map_err(|error| error.to_string())?;
    if report.is_good() { Ok(()) } else { Err(report.to_string()) }
}

/// Looks at games from the latest back: the record, the link to the game before, and that none is missing.
fn games_of(
    sql: &mut dyn Sql,
    report: &mut CheckReport,
    games: u64,
    judged: bool,
    deadline: Instant,
) -> Result<(), SqlError> {
    let mut below = Head::read(sql)?.seq + 1;
    // The end of the chain has nothing behind it that would miss it, but for its record.
    let row = sql.row("select coalesce(max(seq), 0) from records", &[])?;
    let last_record = row.map_or(Ok(0), |row| row.int(0))?;
    if last_record >= below {
        report.add(last_record, "?", "it is missing, and its record is there".to_owned());
    }
    let select = format!(
        "select {}, records.bytes from games left join records on records.seq = games.seq \
         where games.seq < ?1 order by games.seq desc limit ?2",
        GameRow::COLUMNS
    );
    while below > 1 && report.games < games {
        if Instant::now() >= deadline {
            report.complete = false;
            return Ok(());
        }
        let limit = PAGE.min(i64::try_from(games - report.games).unwrap_or(PAGE));
        let rows = sql.rows(&select, params![below, limit])?;
        if rows.is_empty() {
            report.add(below - 1, "?", "it is missing".to_owned());
            return Ok(());
        }
        let mut links = vec![];
        for mut row in rows {
            report.games += 1;
            let seq = row.int(0)?;
            if seq != below - 1 {
                report.add(below - 1, "?", "it is missing".to_owned());
            }
            below = seq;
            match GameRow::of_row(&mut row) {
                Err(error) => report.add(seq, "?", format!("its row cannot be read: {error}")),
                Ok((game, chain)) => {
                    if let Err(why) = look_at(&game, &mut row, judged) {
                        report.add(seq, &game.id, why);
                    }
                    links.push((game, chain));
                }
            }
        }
        check_links(sql, report, &links)?;
    }
    Ok(())
}

/// The record of a game, and what its row says of it.
fn look_at(game: &GameRow, row: &mut Row, judged: bool) -> Result<(), String> {
    let packed = row.blob(GameRow::N_COLUMNS).map_err(|_| "its record is missing".to_owned())?;
    let record = unpack(&packed, game.record_bytes as u64, game.sha256)?;
    if judged {
        judge(&record).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Each of these games, the latest first, holds the hash that follows from its row and the game before.
fn check_links(
    sql: &mut dyn Sql,
    report: &mut CheckReport,
    links: &[(GameRow, crate::Hash)],
) -> Result<(), SqlError> {
    for (idx, (game, chain)) in links.iter().enumerate() {
        let before = match links.get(idx + 1) {
            Some((other, chain)) if other.seq == game.seq - 1 => Some(*chain),
            _ => Head::before(sql, game.seq)?.map(|head| head.chain),
        };
        // A game that is missing is told of already.
        if before.is_some_and(|before| game.chain(&before) != *chain) {
            report.add(
                game.seq,
                &game.id,
                "its row was changed, or a game before it: the chain differs".to_owned(),
            );
        }
    }
    Ok(())
}

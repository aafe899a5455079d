//! Looking for damage, also for what the database itself does not see.

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

use crate::chain::{GameRow, Head};
use crate::engine::Engine;
use crate::facts::unpack;
use crate::games::list;
use crate::import::judge;
use crate::sql::{Row, Sql, SqlError, Value, in_pieces, marks, params};
use crate::store::edge;
use crate::tables::{self, Table};
use crate::{SCHEMA_VERSION, StoreError, migrate};

/// How many games are read at a time.
const PAGE: i64 = 200;
/// The most bad games that are listed, and the most other problems.
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
    /// Whether every index is compared with its table, and every list of somebody's games with the games: that takes longer.
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
    /// How many rows of other tables were.
    pub rows: u64,
    /// Whether it was everything that was ordered; else time was up.
    pub complete: bool,
    /// What the engine found, and what is wrong in other tables, at most 100.
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

    fn add(&mut self, seq: i64, id: &str, why: impl Into<String>) {
        if self.bad.len() < MAX_LISTED {
            self.bad.push(BadGame { seq: seq as u64, id: id.to_owned(), why: why.into() });
        }
    }

    fn add_problem(&mut self, problem: String) {
        if self.problems.len() < MAX_LISTED {
            self.problems.push(problem);
        }
    }

    /// What cannot even be read is part of the report; so is what our own statements do not find in the tables.
    fn note(&mut self, what: &str, looked: Result<(), SqlError>) -> Result<(), SqlError> {
        match looked {
            Err(SqlError::Corrupt(problem) | SqlError::Statement(problem)) => {
                self.add_problem(format!("{what}: {problem}"));
                Ok(())
            }
            other => other,
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

/// Looks at the games, lets the engine look at its pages, and looks at the rows of all other tables in what time is left.
pub(crate) fn look(
    engine: &dyn Engine,
    sql: &mut dyn Sql,
    order: &CheckOrder,
) -> Result<CheckReport, SqlError> {
    let deadline = Instant::now() + order.budget;
    let mut report = CheckReport { complete: true, ..CheckReport::default() };
    // Tables of before are looked at as far as they were known then.
    let is_current = engine.schema_version(sql)? == SCHEMA_VERSION;
    let walk = Walk { games: order.games, judged: order.judge, is_current, deadline };
    let looked = games_of(sql, &mut report, &walk);
    report.note("games", looked)?;
    if order.full {
        let looked = strays(sql, &mut report);
        report.note("entrant_games", looked)?;
    }
    match engine.check_pages(deadline, order.full) {
        Ok((problems, ended)) => {
            report.complete &= ended;
            report.problems.extend(problems);
        }
        Err(error) => report.note("the file", Err(error))?,
    }
    for table in tables::ALL.iter().filter(|table| table.is_sealed && is_current) {
        let looked = rows_of(sql, table, &mut report, deadline);
        report.note(table.name, looked)?;
    }
    Ok(report)
}

/// Looks at the rows of a table: each is the one that was written, and a pairing that was played has its game.
fn rows_of(
    sql: &mut dyn Sql,
    table: &Table,
    report: &mut CheckReport,
    deadline: Instant,
) -> Result<(), SqlError> {
    let more = if table.name == tables::PAIRINGS.name {
        ", state <> 'done' or exists (select 1 from games where games.tournament = pairings.tournament \
         and games.pairing = pairings.id and games.attempt = pairings.attempt)"
    } else {
        ", 1 = 1"
    };
    let mut pages = table.pages(more);
    while let Some(rows) = pages.next(sql)? {
        if Instant::now() >= deadline {
            report.complete = false;
            return Ok(());
        }
        for row in rows {
            report.rows += 1;
            let is_whole = row.int(table.columns.len() + 1)? == 1;
            match table.opened(row) {
                Err(error) => report.add_problem(error.to_string()),
                Ok(row) if !is_whole => {
                    report
                        .add_problem(format!("{}: it is done, and its game is missing", table.name_of(&row)));
                }
                Ok(_) => {}
            }
        }
    }
    Ok(())
}

/// What is said to be somebody's game, and is no game or nobody's.
fn strays(sql: &mut dyn Sql, report: &mut CheckReport) -> Result<(), SqlError> {
    let row = sql.row(
        "select count(*) from entrant_games where not exists (select 1 from games where games.seq = entrant_games.seq) \
         or not exists (select 1 from entrants where entrants.id = entrant_games.entrant)",
        &[],
    )?;
    let strays = row.map_or(Ok(0), |row| row.int(0))?;
    if strays > 0 {
        report.add_problem(format!("{strays} rows of entrant_games belong to no game or to nobody"));
    }
    Ok(())
}

/// The last games are what they were when they were stored.
pub(crate) fn verify_tail(sql: &mut dyn Sql, games: u64) -> Result<(), SqlError> {
    let mut report = CheckReport::default();
    let deadline = Instant::now() + Duration::from_mins(1);
    let walk = Walk { games, judged: false, is_current: true, deadline };
    games_of(sql, &mut report, &walk)?;
    if report.is_good() { Ok(()) } else { Err(SqlError::Corrupt(report.to_string())) }
}

/// Which games are looked at, and how.
struct Walk {
    games: u64,
    judged: bool,
    /// Whether the tables are of our version.
    is_current: bool,
    deadline: Instant,
}

/// The number of the last game. The end of the chain has nothing behind it that would miss it, but what was kept for that.
fn last_game(sql: &mut dyn Sql, report: &mut CheckReport, is_current: bool) -> Result<i64, SqlError> {
    let row = sql.row(
        "select coalesce((select max(seq) from games), 0), coalesce((select max(seq) from records), 0)",
        &[],
    )?;
    let (mut last, last_record) = row.map_or(Ok((0, 0)), |row| Ok((row.int(0)?, row.int(1)?)))?;
    if last_record > last {
        report.add(last_record, "?", "it is missing, and its record is there");
    }
    if is_current {
        // In one statement, so that no game comes between.
        let row = sql.row(
            "select seq, chain, (select max(seq) from games), (select chain from games where games.seq = chain_end.seq) \
             from chain_end where id = 1",
            &[],
        )?;
        let mut row = row.ok_or_else(|| SqlError::Corrupt("the end of the chain is not known".to_owned()))?;
        let (expected, found) = (row.int(0)?, row.maybe(2, |row, idx| row.int(idx))?.unwrap_or(0));
        last = found;
        if expected > found {
            report.add(expected, "?", "it was stored last, and is missing");
        } else if expected < found {
            report.add(found, "?", format!("the chain ends before it, at number {expected}"));
        } else if expected > 0 && row.blob(1)? != row.blob(3)? {
            report.add(found, "?", "it was stored last, and the chain ends in another way");
        }
    }
    Ok(last)
}

/// Looks at games from the latest back: the record, the link to the game before, that none is missing, and that it is in the
/// lists of those who played it.
fn games_of(sql: &mut dyn Sql, report: &mut CheckReport, walk: &Walk) -> Result<(), SqlError> {
    let mut below = last_game(sql, report, walk.is_current)? + 1;
    // Earlier versions did not promise it, and migrating mends it.
    let is_open = if walk.is_current {
        "case when pairings.attempt = games.attempt and pairings.state <> 'done' then 1 else 0 end"
    } else {
        "0"
    };
    let select = format!(
        "select {}, records.bytes, {is_open} from games left join records on records.seq = games.seq \
         left join pairings on pairings.tournament = games.tournament and pairings.id = games.pairing \
         where games.seq < ?1 order by games.seq desc limit ?2",
        GameRow::COLUMNS
    );
    while below > 1 && report.games < walk.games {
        if Instant::now() >= walk.deadline {
            report.complete = false;
            return Ok(());
        }
        let limit = PAGE.min(i64::try_from(walk.games - report.games).unwrap_or(PAGE));
        let rows = sql.rows(&select, params![below, limit])?;
        if rows.is_empty() {
            report.add(below - 1, "?", "it is missing");
            return Ok(());
        }
        let mut links = vec![];
        for mut row in rows {
            report.games += 1;
            let seq = row.int(0)?;
            if seq >= below {
                // Damage has changed the order: it could go round for ever.
                return Err(SqlError::Corrupt(format!("game number {seq} stands behind number {below}")));
            }
            if seq != below - 1 {
                report.add(below - 1, "?", "it is missing");
            }
            below = seq;
            match GameRow::of_row(&mut row) {
                Err(error) => report.add(seq, "?", format!("its row cannot be read: {error}")),
                Ok((game, chain)) => {
                    if let Err(why) = look_at(&game, &mut row, walk.judged) {
                        report.add(seq, &game.id, why);
                    }
                    links.push((game, chain));
                }
            }
        }
        check_links(sql, report, &links)?;
        if walk.is_current {
            check_lists(sql, report, &links)?;
        }
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
    if row.int(GameRow::N_COLUMNS + 1).is_ok_and(|is_open| is_open == 1) {
        return Err("its pairing is not done".to_owned());
    }
    Ok(())
}

/// Whoever played one of these games, the latest first, has it among theirs.
fn check_lists(
    sql: &mut dyn Sql,
    report: &mut CheckReport,
    links: &[(GameRow, crate::Hash)],
) -> Result<(), SqlError> {
    let (Some((latest, _)), Some((earliest, _))) = (links.first(), links.last()) else { return Ok(()) };
    let mut expected: BTreeSet<(i64, i64)> = BTreeSet::new();
    for (game, _) in links {
        match list::<Option<i64>>(&game.entrants) {
            Err(error) => report.add(game.seq, &game.id, error.to_string()),
            Ok(entrants) => {
                expected.extend(entrants.into_iter().flatten().map(|entrant| (entrant, game.seq)));
            }
        }
    }
    let mut entrants: Vec<i64> = expected.iter().map(|&(entrant, _)| entrant).collect();
    entrants.dedup();
    for entrants in in_pieces(&entrants, 1) {
        let mut values = params![earliest.seq, latest.seq].to_vec();
        values.extend(entrants.iter().copied().map(Value::Int));
        let list = marks(3, entrants.len());
        let rows = sql.rows(
            &format!(
                "select entrant, seq from entrant_games where seq >= ?1 and seq <= ?2 and entrant in {list}"
            ),
            &values,
        )?;
        for row in rows {
            expected.remove(&(row.int(0)?, row.int(1)?));
        }
    }
    for (entrant, seq) in expected {
        let id = links.iter().find(|(game, _)| game.seq == seq).map_or("?", |(game, _)| &game.id);
        report.add(seq, id, format!("it is missing among the games of entrant {entrant}"));
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

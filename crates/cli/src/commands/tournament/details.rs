//! What a report says beyond the results: times per move and evidence from the records, accuracy, where games are replayed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use anyhow::anyhow;
use rookery_arena::Tournament;
use rookery_live::read_story;
use rookery_record::{FouledLine, Header, Line, Lines};
use rookery_referee::{Cause, Ruling, TimeControl};
use rookery_report::{Evaluation, Evidence, OpeningFacts, Report, Timing};
use rookery_rules::text::{clean, shell_quoted};
use rookery_search::Stop;
use rookery_store::{GameId, Store, StoreError, StoredResult};
use rookery_study::{ReviewTime, review};
use rookery_tournament::{Entrant, GameResult, Sprt, TournamentSpec};

/// The longest line of evidence.
const MAX_EVIDENCE: usize = 200;
/// A review of less time than this says too little of a game.
const LEAST: Duration = Duration::from_millis(100);
/// Less than this share of a win is nothing given away.
const NOTHING: f32 = 1e-4;

/// What the records of a tournament say.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub(super) timing: Timing,
    pub(super) evidence: Vec<Evidence>,
    /// How games ended by their openings, where there are some.
    pub(super) openings: Vec<OpeningFacts>,
    /// By entrant.
    pub(super) accuracy: Vec<Option<f64>>,
    /// A test between the first two entrants of a series, if one was asked for.
    pub(super) test: Option<Sprt>,
}

impl Details {
    /// Reads the records that have something to tell: all where players had clocks, else those with faults.
    pub(super) fn read(
        tournament: &Tournament,
        store: &Store,
        evaluation: &Evaluation,
    ) -> anyhow::Result<Self> {
        let spec = tournament.spec();
        let timed = spec.time != TimeControl::Untimed;
        let mut details = Self::default();
        let table = evaluation.standings().table(&spec.tie_breaks(), &[]);
        if !timed && spec.openings.is_empty() && table.iter().all(|row| row.faults.is_empty()) {
            return Ok(details);
        }
        let mut openings = Openings::new(spec);
        let mut known = BTreeSet::new();
        for stored in counted(tournament, evaluation)? {
            let StoredResult { key, result, .. } = stored?;
            let has_more = timed || !result.failed.is_empty();
            if !has_more && spec.openings.is_empty() {
                continue;
            }
            let record = store.record_of(tournament.id(), key)?;
            let wrong = |error| anyhow!("the game of pairing {}: {error}", key.pairing);
            let mut lines = Lines::new(&*record);
            openings.add(lines.first_line().map_err(wrong)?, &result);
            if !has_more {
                continue;
            }
            while let Some(line) = lines.next_line().map_err(wrong)? {
                match Line::parse(line) {
                    Ok(Line::Moved(moved)) => {
                        let who = result.entrants.get(usize::from(moved.seat));
                        if let (Some(&entrant), Some(ms)) = (who, moved.ms) {
                            details.timing.add(entrant, ms);
                        }
                    }
                    Ok(Line::Fouled(foul)) if foul.ruling == Ruling::Removed.word() => {
                        let who = result.entrants.get(usize::from(foul.seat));
                        // One line for each kind of fault: that of the first game.
                        if let Some(&entrant) = who
                            && known.insert((entrant, foul.offence.clone().into_owned()))
                        {
                            details.evidence.extend(evidence(entrant, &foul));
                        }
                    }
                    _ => {}
                }
            }
        }
        details.openings = openings.played();
        Ok(details)
    }

    /// Judges games for about so long: of each entrant the share of moves that kept the result of perfect play, among those
    /// of which that is certain. With too little time for all, every second game is taken, or every third …
    pub(super) fn judge(
        &mut self,
        tournament: &Tournament,
        store: &Store,
        evaluation: &Evaluation,
        time: Duration,
        stop: &Stop,
    ) -> anyhow::Result<()> {
        let n_games = counted(tournament, evaluation)?.count().max(1);
        let fit = (time.as_secs_f64() / LEAST.as_secs_f64()).max(1.0) as usize;
        let every = n_games.div_ceil(fit);
        let each = time.div_f64(n_games.div_ceil(every) as f64);
        let mut sums: BTreeMap<Entrant, (u64, u64)> = BTreeMap::new();
        for stored in counted(tournament, evaluation)?.step_by(every) {
            let StoredResult { id, result, .. } = stored?;
            let played = read_story(&*store.record(id)?).map_err(|error| anyhow!("game {id}: {error}"))?;
            let Some(reviewed) =
                review(&played, ReviewTime { all: each, ..ReviewTime::USUAL }, stop, &|_, _| ())
            else {
                break;
            };
            for judged in reviewed.moves.iter().filter(|judged| judged.proven) {
                let Some(&entrant) = result.entrants.get(judged.seat) else { continue };
                let (kept, all) = sums.entry(entrant).or_default();
                *kept += u64::from(judged.loss < NOTHING);
                *all += 1;
            }
        }
        let share = |entrant: Entrant| sums.get(&entrant).map(|&(kept, all)| kept as f64 / all as f64);
        self.accuracy = Entrant::all(tournament.spec().entrants.len()).map(share).collect();
        Ok(())
    }
}

/// Games by the openings that their records name.
struct Openings {
    all: Vec<OpeningFacts>,
    /// Where each is, by what it is called.
    known: HashMap<String, usize>,
}

impl Openings {
    fn new(spec: &TournamentSpec) -> Self {
        let labels = spec.opening_labels();
        let known = labels.iter().cloned().zip(0..).collect();
        Self { all: labels.into_iter().map(OpeningFacts::new).collect(), known }
    }

    /// A game with the first line of its record. Records of earlier versions name no opening.
    fn add(&mut self, first_line: &[u8], result: &GameResult) {
        if self.all.is_empty() {
            return;
        }
        let start = Header::parse(first_line).ok().and_then(|header| header.spec.start);
        let at = start.and_then(|start| self.known.get(&start.opening?).copied());
        if let Some(opening) = at.and_then(|at| self.all.get_mut(at)) {
            opening.add(result);
        }
    }

    /// Those that games began from.
    fn played(self) -> Vec<OpeningFacts> {
        self.all.into_iter().filter(|opening| opening.games > 0).collect()
    }
}

/// The games that were played to their end and are in the tables, in the order of their pairings.
fn counted(
    tournament: &Tournament,
    evaluation: &Evaluation,
) -> anyhow::Result<impl Iterator<Item = Result<StoredResult, StoreError>>> {
    let counts = |stored: &StoredResult| {
        stored.result.cause != Cause::PlatformAbort && evaluation.counts(stored.key.pairing)
    };
    Ok(tournament.stored_results()?.filter(move |stored| stored.as_ref().map_or(true, counts)))
}

/// What speaks for a fault, in one line: how its program ended, what was wrong, the last it said.
fn evidence(entrant: Entrant, foul: &FouledLine<'_>) -> Option<Evidence> {
    let last_words = foul
        .evidence
        .stderr
        .as_deref()
        .and_then(|text| text.lines().rev().map(str::trim).find(|line| !line.is_empty()));
    let note = Some(foul.evidence.note.as_str()).filter(|note| !note.is_empty());
    let parts: Vec<String> =
        [foul.evidence.exit.as_deref(), note, last_words].into_iter().flatten().map(clean).collect();
    let text: String = parts.join("; ").chars().take(MAX_EVIDENCE).collect();
    (!text.is_empty()).then(|| Evidence { entrant, cause: foul.offence.clone().into_owned(), text })
}

/// The games that a report leads to, by the number of their pairing: those with faults, and for a page some of every two.
pub(super) fn replays(
    report: &Report,
    tournament: &Tournament,
    store: &Store,
    is_page: bool,
) -> anyhow::Result<BTreeMap<u64, GameId>> {
    let rows = report.standings.iter().filter(|_| is_page);
    let met = rows.flat_map(|row| &row.versus).flat_map(|against| &against.pairings);
    let wanted: BTreeSet<u64> =
        met.chain(report.faults.iter().flat_map(|fault| &fault.pairings)).copied().collect();
    let mut found = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    for stored in store.results(tournament.id())? {
        let stored = stored?;
        if wanted.contains(&stored.key.pairing) {
            found.insert(stored.key.pairing, stored.id);
        }
    }
    Ok(found)
}

/// Says of each fault which command shows its first game.
pub(super) fn tell_replays(report: &mut Report, games: &BTreeMap<u64, GameId>, store: &Store) {
    let location = shell_quoted(&clean(store.location()));
    for fault in &mut report.faults {
        let game = fault.pairings.iter().find_map(|pairing| games.get(pairing));
        fault.replay = game.map(|id| format!("rookery replay {id} --store {location}"));
    }
}

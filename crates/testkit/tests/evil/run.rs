//! One match against the evil bot, and everything that is asked of it.

use std::io::BufReader;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rookery_catalog::agree;
use rookery_live::{Opened, Opening, Programs, Terms, prepare, verify};
use rookery_record::{Archive as _, Key, OneFile};
use rookery_referee::{Blame, Cause, Conduct, End, MatchSpec, TimeControl, Verdict};
use rookery_rules::{GameSpec, Seat, Seed};
use rookery_sandbox::{Level, Limits, Policy, Sandbox};
use rookery_testkit::TempFolder;
use rookery_testkit::evil::Way;
pub(crate) use rookery_testkit::skip;
use rookery_wire::Protocols;

use crate::host::{Host, assert_nothing_is_left};

pub(crate) const EVIL_BOT: &str = env!("CARGO_BIN_EXE_evil-bot");

/// A game of four moves.
const GAME: &str = "hexapawn:rows=3,cols=3";

/// How long it may take until nothing is left: half a second for a program to end by itself, and one to end it.
const TIME_TO_CLEAN_UP: Duration = Duration::from_millis(2500);

/// Where the bot is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cage {
    /// With what always holds.
    None,
    /// In every layer.
    Full,
    /// Without namespaces and control groups, as somebody else gets it who is not root.
    Own,
}

/// A match and what is expected of it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) mode: &'static str,
    pub(crate) way: Way,
    pub(crate) cage: Cage,
    /// A move.
    pub(crate) time: Duration,
    pub(crate) target: String,
    /// How many are played, one after the other.
    pub(crate) games: u32,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) sentence: String,
    /// What the bot wrote to its standard error.
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// The sandbox of a cage, or `None` if this machine has none.
pub(crate) fn sandbox(cage: Cage) -> Option<Sandbox> {
    let level = match cage {
        Cage::None => Level::None,
        Cage::Full => Level::Full,
        Cage::Own => Level::Auto,
    };
    let limits =
        Limits { memory: Some(96 << 20), processes: Some(24), disk: Some(4 << 20), ..Limits::default() };
    let own = cage != Cage::Own;
    let policy = Policy { limits, use_bubblewrap: own, use_cgroups: own, ..Policy::new(level, EVIL_BOT) };
    policy.prepare().inspect_err(|error| skip(&format!("the cage {cage:?}: {error}"))).ok()
}

fn fresh_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("evil-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Plays, checks the record, and that nothing is left. `None` if this machine cannot.
#[track_caller]
pub(crate) fn run(case: &Case) -> Option<Outcome> {
    let mark = fresh_mark();
    let seat = match case.way {
        Way::Pipe => format!("evil=cmd:{EVIL_BOT} {}", arguments(case, &mark).join(" ")),
        Way::Tcp => "evil=tcp:0".to_owned(),
        Way::Ws => "evil=ws:0".to_owned(),
    };
    Some(run_all(case, &seat, sandbox(case.cage)?, &mark, &|| {}))
}

/// The same with a command and a sandbox of one's own, and something to be done after the match.
#[track_caller]
pub(crate) fn run_in(sandbox: Sandbox, command: &str, after: &dyn Fn()) -> Outcome {
    let time = Duration::from_secs(20);
    let case = Case { mode: "", way: Way::Pipe, cage: Cage::None, time, target: String::new(), games: 1 };
    run_all(&case, &format!("evil=cmd:{command}"), sandbox, &fresh_mark(), after)
}

#[track_caller]
fn run_all(case: &Case, seat: &str, sandbox: Sandbox, mark: &str, after: &dyn Fn()) -> Outcome {
    let folder = TempFolder::new("evil");
    // What is loaded once stays: the first look is behind it.
    drop(runtime());
    let before = Host::look();
    let begin = Instant::now();
    let runtime = runtime();
    let (outcome, bot) = runtime.block_on(play(case, seat, sandbox, mark, &folder));
    drop(runtime);
    // Over a network the bot is not ours to end.
    if let Some(mut bot) = bot {
        let _ = bot.kill();
        bot.wait().unwrap();
    }
    drop(folder);
    after();
    let what = format!("{case:?}");
    assert_nothing_is_left(mark, &before, TIME_TO_CLEAN_UP, &what);
    Outcome { took: begin.elapsed(), ..outcome }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn agreed(case: &Case, seat: &str) -> MatchSpec {
    let entries = [seat.parse().unwrap(), "first".parse().unwrap()];
    let mut agreed = agree(&GameSpec::parse(GAME).unwrap(), &entries, Seed(7)).unwrap();
    agreed.time = TimeControl::PerMove(case.time);
    agreed.conduct = Conduct::removing();
    agreed
}

fn arguments(case: &Case, mark: &str) -> Vec<String> {
    let mut words = vec![case.mode.to_owned(), "--mark".to_owned(), mark.to_owned()];
    if !case.target.is_empty() {
        words.extend(["--target".to_owned(), format!("at:{}", case.target)]);
    }
    words
}

async fn play(
    case: &Case,
    seat: &str,
    sandbox: Sandbox,
    mark: &str,
    folder: &TempFolder,
) -> (Outcome, Option<Child>) {
    let agreed = agreed(case, seat);
    let opening = Opening { wait: Duration::from_secs(20), sandbox: Some(sandbox), ..Opening::default() };
    let programs = Programs::new(Protocols::default(), opening, vec![], false);
    let mut bot = None;
    let mut announce = |_: usize, address: SocketAddr| {
        let flag = if case.way == Way::Ws { "--ws" } else { "--tcp" };
        let mut command = Command::new(EVIL_BOT);
        command.args(arguments(case, mark)).args([flag, &address.to_string()]);
        bot = Some(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    };
    let (mut said, mut last) = (String::new(), None);
    for number in 1..=case.games {
        let opened = programs.bring(&agreed, &mut announce).await.unwrap();
        let path = folder.join(format!("game-{number}.rookery.jsonl"));
        let (verdict, stderr) = one_game(&agreed, &programs, opened, &path).await;
        said += &stderr;
        last = Some(verdict);
    }
    programs.quit().await;
    let verdict = last.expect("there is a game");
    let sentence = agreed.sentence(&verdict);
    (Outcome { stderr: said, sentence, verdict, took: Duration::ZERO }, bot)
}

/// The verdict, and what the programs wrote to their standard error.
async fn one_game(agreed: &MatchSpec, programs: &Programs, opened: Opened, path: &Path) -> (Verdict, String) {
    let slot = OneFile::new(path, false).open(&Key::first(1)).unwrap();
    let prepared = prepare(agreed.clone(), opened.guests, &Protocols::default(), Some(slot)).unwrap();
    // Long enough for a busy machine, short enough for whoever does not read.
    let terms = Terms { startup: Duration::from_secs(3), ..programs.terms() };
    let mut played = prepared.with_terms(terms).run().await;
    opened.closing.done().await;
    if let Some(receipt) = played.receipt.take() {
        receipt.await.unwrap();
    }
    assert_eq!(played.problem, None);
    let End::Verdict(verdict) = played.end else { panic!("nobody suspends it") };
    let record = std::fs::File::open(path).unwrap();
    let summary = verify(BufReader::new(record)).unwrap();
    assert_eq!(summary.verdict.as_ref(), Some(&verdict), "the record says the same");
    let stderr =
        opened.started.iter().map(|(_, program)| String::from_utf8_lossy(&program.log.all()).into_owned());
    (verdict, stderr.collect())
}

impl Outcome {
    /// The bot lost for this, and the evidence says so.
    #[track_caller]
    pub(crate) fn assert_lost(&self, cause: Cause, says: &str) {
        let Verdict { ending, outcome, .. } = &self.verdict;
        assert_eq!((ending.cause, ending.seat), (cause, Some(Seat::new(0))), "{self:#?}");
        assert_eq!(ending.blame(), Some(Blame::Player));
        let winners: Vec<Seat> = outcome.as_ref().unwrap().winners.iter().collect();
        assert_eq!(winners, [Seat::new(1)], "the other one wins");
        assert!(self.sentence.contains(says), "{says:?} is not in {:?}", self.sentence);
    }

    /// The game went on to its end.
    #[track_caller]
    pub(crate) fn assert_played(&self) {
        assert_eq!(
            (self.verdict.ending.cause, self.verdict.ending.blame()),
            (Cause::Normal, None),
            "{self:#?}"
        );
    }

    /// Nobody lost: it was our own failure.
    #[track_caller]
    pub(crate) fn assert_ours(&self, says: &str) {
        let Verdict { ending, outcome, .. } = &self.verdict;
        assert_eq!(
            (ending.cause, ending.blame()),
            (Cause::PlatformAbort, Some(Blame::Platform)),
            "{self:#?}"
        );
        assert_eq!((ending.seat, outcome), (None, &None), "nobody is blamed, nobody has won");
        assert!(self.sentence.contains(says), "{says:?} is not in {:?}", self.sentence);
    }
}

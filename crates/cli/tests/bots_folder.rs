//! Folders of real bots: built in the sandbox and tried by a game, good ones and bad ones.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_arena::bots::{
    BotFolder, BotProblem, BuildError, BuildLimits, Building, Built, Candidate, Failing, FoundBot, LEVEL,
    Validated, Validation, Validity, foreign,
};
use rookery_live::{GRACE, Opening, Programs, Signal, Stopping};
use rookery_referee::{Cause, Offence, TimeControl};
use rookery_rules::Seed;
use rookery_sandbox::{Level, Policy, Sandbox};
use rookery_testkit::{TempFolder, skip};
use rookery_wire::Protocols;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
const GAME: &str = "hexapawn:rows=3,cols=3";

/// Every way to be shut in that this machine has, with its name.
fn sandboxes() -> Vec<(&'static str, Sandbox)> {
    let own = Policy { use_bubblewrap: false, use_cgroups: false, ..Policy::new(LEVEL, ROOKERY) };
    let all = [
        ("none", Policy::new(Level::None, ROOKERY)),
        ("auto", Policy::new(LEVEL, ROOKERY)),
        ("own", own),
        ("full", Policy::new(Level::Full, ROOKERY)),
    ];
    all.into_iter()
        .filter_map(|(name, policy)| match policy.prepare() {
            Ok(sandbox) => Some((name, foreign(sandbox))),
            Err(error) => {
                skip(&format!("the sandbox {name}: {error}"));
                None
            }
        })
        .collect()
}

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// A new bot that is not built: no compiler is found.
fn kit(language: &str, folder: &Path) {
    let mut command = Command::new(ROOKERY);
    let made = command.args(["new-bot", language]).arg(folder).env("PATH", "/nonexistent").output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

fn read(folder: &Path) -> Vec<FoundBot> {
    let found = BotFolder::read(folder).unwrap();
    assert_eq!(found.refused, []);
    found.bots
}

fn build(
    bots: Vec<FoundBot>,
    cache: &Path,
    sandbox: &Sandbox,
    limits: BuildLimits,
) -> Result<Built, BuildError> {
    let stopping = Stopping::new(GRACE);
    Building { sandbox, cache, limits, stopping: &stopping }.build(bots, &mut |_| {})
}

fn try_out(bots: &[FoundBot], sandbox: &Sandbox, stopping: &Stopping) -> Vec<Validated> {
    // Long enough for any machine that is busy with other things.
    try_out_within(Duration::from_secs(100), bots, sandbox, stopping)
}

fn try_out_within(
    reply: Duration,
    bots: &[FoundBot],
    sandbox: &Sandbox,
    stopping: &Stopping,
) -> Vec<Validated> {
    let places = bots.iter().map(|bot| bot.place(sandbox)).collect();
    let opening = Opening { reply, places: Arc::new(places), ..Opening::default() };
    let programs = Programs::new(Protocols::default(), opening, vec![], false);
    let games = [GAME.to_owned(), "fish:rows=4,cols=4,players=3".to_owned()];
    let validation = Validation {
        programs: &programs,
        games: &games,
        time: TimeControl::PerMove(Duration::from_mins(1)),
        conduct: None,
        seed: Seed(1),
        concurrency: 4,
        stopping,
        announce: &|_, _| {},
    };
    let mut told = vec![];
    let candidates: Vec<Candidate> = bots.iter().map(Candidate::from).collect();
    let validated = validation
        .validate(&candidates, &mut |progress| {
            told.push((progress.name.to_owned(), progress.is_fine));
            assert_eq!((progress.done, progress.of), (told.len(), bots.len()));
        })
        .unwrap();
    let mut said: Vec<(String, bool)> = validated
        .iter()
        .filter(|bot| !matches!(bot.outcome, Validity::Unknown(_)))
        .map(|bot| (bot.name.clone(), bot.outcome == Validity::Passed))
        .collect();
    if !stopping.is_requested() {
        told.sort();
        said.sort();
        assert_eq!(told, said, "progress says the same");
    }
    validated
}

/// What a bot did wrong.
#[track_caller]
fn failing(outcome: &Validity) -> &Failing {
    let Validity::Failing(failing) = outcome else { panic!("{outcome:?}") };
    failing
}

#[test]
fn kits_of_all_languages_in_one_folder_are_built_and_play() {
    let (folder, cache) = (TempFolder::new("bots"), TempFolder::new("built"));
    let kits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots");
    let languages = fs::read_dir(kits).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
    for language in languages.map(|entry| entry.file_name().into_string().unwrap()) {
        kit(&language, &folder.join(&language));
    }
    let mut bots = read(&folder);
    assert_eq!(bots.len(), 10);
    bots.retain(|bot| {
        let commands = [Some(&bot.run), bot.build.as_ref()].into_iter().flatten();
        let mut programs = commands.filter_map(|command| command.split(' ').next());
        // A sandbox sees the system's programs, not those in somebody's home folder.
        let missing =
            programs.find(|word| !word.contains('/') && !Path::new("/usr/bin").join(word).is_file());
        if let Some(missing) = missing {
            skip(&format!("the {} kit, because {missing} is not in /usr/bin", bot.name));
        }
        missing.is_none()
    });
    let before = bots.clone();
    let (level, sandbox) = sandboxes().pop().unwrap();
    let Built { bots, refused } = build(bots, &cache, &sandbox, BuildLimits::default()).unwrap();
    let problems: Vec<(String, Option<String>)> =
        refused.iter().map(|problem| (problem.to_string(), problem.output.clone())).collect();
    assert_eq!(problems, [], "{level}");
    let after: Vec<FoundBot> = read(&folder).into_iter().filter(|bot| before.contains(bot)).collect();
    assert_eq!(after, before, "the folders of the authors are as they were");
    for Validated { name, outcome } in try_out(&bots, &sandbox, &Stopping::new(GRACE)) {
        assert_eq!(outcome, Validity::Passed, "{level}: {name}");
    }
}

#[test]
fn a_bot_is_built_once_for_the_same_contents() {
    for (level, sandbox) in sandboxes() {
        let (folder, cache) = (TempFolder::new("bots"), TempFolder::new("built"));
        kit("c", &folder.join("one"));
        kit("python", &folder.join("snake"));
        let bots = read(&folder);
        let hash = bots[0].hash.clone();
        let Built { bots, refused } = build(bots, &cache, &sandbox, BuildLimits::default()).unwrap();
        assert_eq!(refused, [], "{level}");
        assert_eq!(bots[0].home, cache.join(&hash), "{level}");
        assert_eq!(
            bots[1].home,
            folder.canonicalize().unwrap().join("snake"),
            "nothing is to be built there"
        );
        let program = bots[0].home.join("bot");
        let stamp = program.metadata().unwrap();
        assert_eq!(stamp.uid(), folder.metadata().unwrap().uid(), "{level}: it is ours");
        assert!(!folder.join("one/bot").exists(), "the author's folder is not written to");

        // The same again, under another name of the folder: nothing runs.
        fs::rename(folder.join("one"), folder.join("two")).unwrap();
        let again = build(read(&folder), &cache, &sandbox, BuildLimits::default()).unwrap();
        assert_eq!(again.bots[1].home, bots[0].home);
        let same = again.bots[1].home.join("bot").metadata().unwrap();
        assert_eq!((same.ino(), same.mtime_nsec()), (stamp.ino(), stamp.mtime_nsec()), "{level}");

        // Other contents are another bot. What a killed build has left is no hindrance.
        write(&folder, "two/more.h", "");
        let changed = read(&folder);
        write(&cache, &format!("{}.building/half", changed[1].hash), "");
        let other = build(changed, &cache, &sandbox, BuildLimits::default()).unwrap();
        assert_ne!(other.bots[1].home, bots[0].home);
        assert!(other.bots[1].home.join("bot").exists() && !other.bots[1].home.join("half").exists());
        let names = cache.names();
        assert_eq!(names.len(), 3, "two bots and the lock: {names:?}");
        for Validated { name, outcome } in try_out(&other.bots, &sandbox, &Stopping::new(GRACE)) {
            assert_eq!(outcome, Validity::Passed, "{level}: {name}");
        }
    }
}

#[test]
fn a_build_that_fails_is_told_with_what_its_compiler_said_and_stops_no_other() {
    let cases = [
        (
            "error",
            "cc -o bot bad.c",
            "its build `cc -o bot bad.c` ended with exit code 1; expected exit code 0",
        ),
        ("absent", "./no-such-compiler", "could not be started: No such file"),
        ("late", "sleep 1000", "its build did not end; expected an end within 20s"),
        ("large", "sh fill.sh", "its build wrote too much; expected at most 8 MiB"),
        ("empty", "true", "it was built, but `run`: there is no file ./bot"),
        ("loud", "sh loud.sh", "ended with exit code 3"),
    ];
    for (level, sandbox) in sandboxes() {
        let (folder, cache) = (TempFolder::new("bots"), TempFolder::new("built"));
        for (name, build, _) in cases {
            write(&folder, &format!("{name}/bot.toml"), &format!("run = \"./bot\"\nbuild = \"{build}\""));
        }
        write(&folder, "error/bad.c", "int main(void) { return \u{1b}; }");
        write(
            &folder,
            "large/fill.sh",
            "for i in 1 2 3 4 5; do head -c 3000000 /dev/zero > f$i; done; cp fill.sh bot; chmod +x bot",
        );
        write(&folder, "loud/loud.sh", "yes | head -c 1000000; echo the end >&2; exit 3");
        kit("c", &folder.join("good"));
        let limits = BuildLimits { time: Duration::from_secs(20), disk: 8 << 20, ..BuildLimits::default() };
        let begin = Instant::now();
        let Built { bots, refused } = build(read(&folder), &cache, &sandbox, limits).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(500), "{level}: nothing waits for a sleeper");
        assert_eq!(
            bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(),
            ["good"],
            "{level}: {refused:#?}"
        );
        let refused: BTreeMap<&str, &BotProblem> =
            refused.iter().map(|problem| (problem.name.as_str(), problem)).collect();
        for (name, _, says) in cases {
            let said = refused[name].to_string();
            assert!(said.contains(says), "{level}: {said}");
        }
        let output = refused["error"].output.as_deref().unwrap();
        assert!(output.contains("bad.c:1") && !output.contains('\u{1b}'), "{level}: {output:?}");
        let output = refused["loud"].output.as_deref().unwrap();
        assert!(output.len() < 9000 && output.ends_with("more bytes were left out]"), "{level}: {output:?}");
        let names = cache.names();
        assert_eq!(names.len(), 2, "{level}: the good one and the lock: {names:?}");
    }
}

#[test]
fn fault_c12_a_build_changes_its_own_folder_and_nothing_else() {
    for (level, sandbox) in sandboxes() {
        if level == "none" {
            continue;
        }
        let (folder, cache) = (TempFolder::new("bots"), TempFolder::new("built"));
        let others = folder.canonicalize().unwrap();
        let build_sh = format!(
            "echo x > {0}/victim/bot.py; echo x > {0}/evil/mark; echo x > {1}/mark; cat {0}/victim/secret\n\
             (exec 3<>/dev/tcp/127.0.0.1/1) 2>&1; printf '#!/bin/sh\\n' > bot; chmod 4755 bot; echo built; exit 7",
            others.display(),
            cache.display(),
        );
        write(&folder, "evil/bot.toml", "run = \"./bot\"\nbuild = \"bash build.sh\"");
        write(&folder, "evil/build.sh", &build_sh);
        write(&folder, "victim/bot.py", "mine");
        write(&folder, "victim/secret", "the recipe");
        let Built { refused, .. } = build(read(&folder), &cache, &sandbox, BuildLimits::default()).unwrap();
        let [problem] = &refused[..] else { panic!("{level}: {refused:?}") };
        let output = problem.output.as_deref().unwrap();
        assert!(output.contains("built") && !output.contains("the recipe"), "{level}: {output}");
        assert!(
            !output.contains("Connection refused"),
            "{level}: there is no network to be refused by: {output}"
        );
        assert_eq!(fs::read_to_string(folder.join("victim/bot.py")).unwrap(), "mine", "{level}");
        assert!(!folder.join("evil/mark").exists() && !cache.join("mark").exists(), "{level}");
        assert_eq!(cache.names(), ["lock"], "{level}: nothing of it is kept");
    }
}

/// Each waits until the other has begun.
#[test]
fn several_bots_are_built_at_the_same_time() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return skip("builds at the same time: this machine has one core");
    }
    let sandbox = Policy::new(Level::None, ROOKERY).prepare().unwrap();
    let (folder, cache, meeting) =
        (TempFolder::new("bots"), TempFolder::new("built"), TempFolder::new("meeting"));
    for (own, other) in [("a", "b"), ("b", "a")] {
        let at = meeting.display();
        let text = format!(
            "echo > {at}/{own}; until test -e {at}/{other}; do sleep 0.1; done; cp build.sh bot; chmod +x bot"
        );
        write(&folder, &format!("{own}/build.sh"), &text);
        write(&folder, &format!("{own}/bot.toml"), "run = \"./bot\"\nbuild = \"sh build.sh\"");
    }
    let built = build(read(&folder), &cache, &sandbox, BuildLimits::default()).unwrap();
    assert_eq!((built.bots.len(), built.refused), (2, vec![]));
}

#[test]
fn a_request_to_stop_ends_a_build_at_once() {
    let (_, sandbox) = sandboxes().pop().unwrap();
    let (folder, cache) = (TempFolder::new("bots"), TempFolder::new("built"));
    write(&folder, "slow/bot.toml", "run = \"./bot\"\nbuild = \"sleep 100\"");
    let bots = read(&folder);
    let stopping = Stopping::new(GRACE);
    let other = stopping.clone();
    let begin = Instant::now();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.request(Signal::Interrupt);
    });
    let building =
        Building { sandbox: &sandbox, cache: &cache, limits: BuildLimits::default(), stopping: &stopping };
    let error = building.build(bots.clone(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, BuildError::Stopped), "{error}");
    assert!(begin.elapsed() < Duration::from_mins(1));
    stopper.join().unwrap();
    // And none is begun any more, nor a game.
    assert!(matches!(building.build(bots.clone(), &mut |_| {}), Err(BuildError::Stopped)));
    for Validated { outcome, .. } in try_out(&bots, &sandbox, &stopping) {
        assert!(matches!(outcome, Validity::Unknown(_)), "{outcome:?}");
    }
}

#[test]
fn who_fails_its_validation_game_is_told_with_sentence_evidence_and_standard_error() {
    for (level, sandbox) in sandboxes() {
        let folder = TempFolder::new("bots");
        kit("python", &folder.join("good"));
        // Whoever is called like the opponent is still somebody else.
        kit("python", &folder.join("random"));
        write(
            &folder,
            "crashing/bot.py",
            "import sys\nprint('about to fail', file=sys.stderr, flush=True)\nraise ValueError('no idea')\n",
        );
        let python = fs::read_to_string(folder.join("good/bot.py")).unwrap();
        let illegal = python.replace("return random.choice(legal)", "return 'z9-z8'");
        assert_ne!(illegal, python);
        write(&folder, "illegal/bot.py", &illegal);
        write(&folder, "elsewhere/bot.py", &python);
        write(&folder, "elsewhere/bot.toml", "games = [\"four\", \"stones\"]");
        write(&folder, "broken/bot", "no program at all");
        fs::set_permissions(folder.join("broken/bot"), Permissions::from_mode(0o755)).unwrap();
        let bots = read(&folder);
        let validated = try_out(&bots, &sandbox, &Stopping::new(GRACE));
        assert!(validated.iter().map(|bot| &bot.name).eq(bots.iter().map(|bot| &bot.name)), "in their order");
        let outcomes: BTreeMap<&str, &Validity> =
            validated.iter().map(|bot| (bot.name.as_str(), &bot.outcome)).collect();
        for good in ["good", "random"] {
            assert_eq!(outcomes[good], &Validity::Passed, "{level}: {good}");
        }
        let crashing = failing(outcomes["crashing"]);
        assert_eq!(crashing.ending.as_ref().unwrap().cause, Cause::Offence(Offence::Crashed), "{level}");
        assert!(
            crashing.sentence.starts_with("crashing crashed: the program ended: exit status: 1;"),
            "{crashing:?}"
        );
        let stderr = crashing.stderr.as_deref().unwrap();
        assert!(
            stderr.contains("about to fail") && stderr.ends_with("ValueError: no idea"),
            "{level}: {stderr}"
        );
        let evidence = crashing.ending.as_ref().unwrap().evidence.as_ref().unwrap();
        assert!(evidence.stderr.as_ref().unwrap().contains("no idea"));

        let illegal = failing(outcomes["illegal"]);
        assert!(illegal.sentence.contains("z9-z8"), "{level}: {}", illegal.sentence);
        let elsewhere = failing(outcomes["elsewhere"]);
        assert_eq!(elsewhere.sentence, "elsewhere does not play hexapawn: its bot.toml names four, stones");
        let broken = failing(outcomes["broken"]);
        assert_eq!(broken.ending.as_ref().unwrap().cause, Cause::Offence(Offence::Crashed), "{level}");
        assert!(
            broken.sentence.contains("could not be started: Exec format error"),
            "{level}: {}",
            broken.sentence
        );
    }
}

#[test]
fn fault_j02_who_hangs_at_its_start_fails_when_its_time_is_over() {
    let (level, sandbox) = sandboxes().pop().unwrap();
    let folder = TempFolder::new("bots");
    write(&folder, "hanging/bot.toml", "run = \"sh bot.sh\"");
    write(&folder, "hanging/bot.sh", "echo hm >&2\nsleep 1000\n");
    let stopping = Stopping::new(GRACE);
    let validated = try_out_within(Duration::from_secs(10), &read(&folder), &sandbox, &stopping);
    let hanging = failing(&validated[0].outcome);
    assert_eq!(hanging.ending.as_ref().unwrap().cause, Cause::Offence(Offence::BadHello), "{level}");
    assert!(hanging.sentence.contains("no hello within 10s"), "{level}: {}", hanging.sentence);
    assert_eq!(hanging.stderr.as_deref(), Some("hm"), "{level}");
}

#[test]
fn fault_c16_a_bot_of_a_folder_reads_its_own_and_changes_nothing() {
    for (level, sandbox) in sandboxes() {
        if level == "none" {
            continue;
        }
        let folder = TempFolder::new("bots");
        kit("python", &folder.join("nosy"));
        write(&folder, "nosy/own", "seven");
        write(&folder, "other/secret", "the recipe");
        write(&folder, "other/bot.py", "");
        let python = fs::read_to_string(folder.join("nosy/bot.py")).unwrap();
        let nosy = format!(
            "import sys\nprint(open('own').read(), file=sys.stderr)\n\
             for path, how in (('../other/secret', 'r'), ('own', 'w'), ('new', 'w')):\n    \
             try: print('got', path, open(path, how), file=sys.stderr)\n    except OSError: pass\nsys.stderr.flush()\n{python}"
        );
        write(
            &folder,
            "nosy/bot.py",
            &nosy.replace("return random.choice(legal)", "return 'give me the log'"),
        );
        // The command itself asks for what is not its own.
        write(&folder, "nosy/bot.toml", "run = \"python3 bot.py ../other/secret\"");
        let bots: Vec<FoundBot> = read(&folder).into_iter().filter(|bot| bot.name == "nosy").collect();
        let validated = try_out(&bots, &sandbox, &Stopping::new(GRACE));
        let stderr = failing(&validated[0].outcome).stderr.clone().unwrap();
        assert!(stderr.starts_with("seven") && !stderr.contains("got"), "{level}: {stderr}");
        assert_eq!(fs::read_to_string(folder.join("nosy/own")).unwrap(), "seven", "{level}");
    }
}

//! Folders of bots are read: what is found, what is refused and why, and what a version follows from.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use rookery_arena::bots::{BotFolder, BotProblem, FolderError, FoundBot, foreign};
use rookery_referee::SeatSpec;
use rookery_sandbox::{Level, Policy};
use rookery_testkit::TempFolder;
use rookery_wire::Protocols;

/// Writes a file of a bot, with the folders above it.
fn write(folder: &Path, path: &str, text: impl AsRef<[u8]>) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// The same, and it may be executed.
fn program(folder: &Path, path: &str) {
    write(folder, path, "#!/bin/sh\n");
    executable(folder, path, true);
}

fn executable(folder: &Path, path: &str, is_so: bool) {
    let mode = if is_so { 0o755 } else { 0o644 };
    fs::set_permissions(folder.join(path), Permissions::from_mode(mode)).unwrap();
}

fn read(folder: &Path) -> BotFolder {
    BotFolder::read(folder).unwrap()
}

/// The one bot of a folder, or what is wrong with it.
#[track_caller]
fn only(folder: &Path) -> Result<FoundBot, BotProblem> {
    let BotFolder { mut bots, mut refused, .. } = read(folder);
    assert_eq!(bots.len() + refused.len(), 1, "{bots:?} {refused:?}");
    bots.pop().ok_or_else(|| refused.pop().unwrap())
}

#[test]
fn a_bot_is_what_its_toml_says_or_the_program_in_its_folder() {
    let folder = TempFolder::new("bots");
    write(&folder, "README.md", "no bot");
    write(
        &folder,
        "a/bot.toml",
        "name = \"Ann\"\nrun = \"python3 src/main.py 'a b'\"\nbuild = \"make all\"\ngames = [\"fish\"]\n\
         protocol = \"rookery\"\nversion = \"1.2\"\n",
    );
    program(&folder, "b/bot");
    program(&folder, "b/other");
    program(&folder, "c/my player");
    write(&folder, "c/data.txt", "");
    program(&folder, "c/tools/helper");
    write(&folder, "d/bot.py", "");
    write(&folder, "e/bot.js", "");
    // Not a program as it stands: nothing says how it is run.
    write(&folder, "f/bot.py", "print()");
    executable(&folder, "f/bot.py", true);
    program(&folder, "g/bot.py");
    write(&folder, "h/bot.toml", "name = \"hal\"");
    program(&folder, "h/bot");
    let found = read(&folder);
    assert_eq!((found.refused, found.skipped), (vec![], vec![]));
    let commands: Vec<(&str, &str)> =
        found.bots.iter().map(|bot| (bot.name.as_str(), bot.run.as_str())).collect();
    assert_eq!(
        commands,
        [
            ("Ann", "python3 src/main.py 'a b'"),
            ("b", "./bot"),
            ("c", "'./my player'"),
            ("d", "python3 bot.py"),
            ("e", "node bot.js"),
            ("f", "python3 bot.py"),
            ("g", "./bot.py"),
            ("hal", "./bot"),
        ]
    );
    let ann = &found.bots[0];
    assert_eq!((ann.build.as_deref(), ann.plays("fish"), ann.plays("four")), (Some("make all"), true, false));
    assert!(found.bots[1].plays("four"), "who does not say plays any game");
}

#[test]
fn a_bot_becomes_an_entrant_with_a_place_from_the_root() {
    let folder = TempFolder::new("bots");
    write(&folder, "ann/bot.py", "");
    write(&folder, "ann/bot.toml", "version = \"2.0\"");
    // However the folder is named.
    let path = folder.join("../.").join(folder.file_name().unwrap());
    let bot = only(&path).unwrap();
    let entrant = bot.entrant();
    assert_eq!((entrant.name.as_str(), bot.hash.len()), ("ann", 64));
    assert_eq!(entrant.player, SeatSpec::Command("python3 bot.py".to_owned()));
    assert_eq!(entrant.version, Some(format!("2.0+{}", &bot.hash[..16])));
    let sandbox = Policy::new(Level::None, "/bin/sh").prepare().unwrap();
    assert!(sandbox.policy().read_named);
    let (name, place) = bot.place(&foreign(sandbox));
    assert_eq!((name.as_str(), place.cwd), ("ann", Some(folder.canonicalize().unwrap().join("ann"))));
    let policy = place.sandbox.unwrap().policy().clone();
    assert!(!policy.read_named, "what a command of somebody else names is not shown");
    assert_eq!(bot.protocol_in("hexapawn", &Protocols::default()), Ok(rookery_bots::PROTOCOL));
    let other = FoundBot { protocol: Some("hexapawn".to_owned()), ..bot };
    let problem = other.protocol_in("hexapawn", &Protocols::default()).unwrap_err().to_string();
    assert_eq!(problem, "ann: `protocol`: hexapawn has no protocol \"hexapawn\"; expected `rookery`");
}

#[test]
fn what_is_wrong_with_one_bot_is_said_and_stops_no_other() {
    let cases: &[(&str, &str)] = &[
        ("rum = \"./bot\"", "line 1: unknown field `rum`, expected one of"),
        ("rum = \"./bot\"", "did you mean `run`?"),
        ("\n\nrun = 7", "bot.toml, line 3: invalid type: integer `7`, expected a string"),
        ("run = \"a\"\nrun = \"b\"", "bot.toml, line 2: duplicate key"),
        ("run = ", "bot.toml, line 1: "),
        ("run = \"./bot | tee log\"", "`run`: '|' at character 7 means something to a shell"),
        ("run = \"\"", "`run`: "),
        ("run = \"./bot 'x\"", "is never closed"),
        ("run = \"./bot \\u202e\"", "characters that cannot be shown"),
        (
            "run = \"./none\"",
            "`run`: there is no file ./none; expected a program in its folder, or a `build`",
        ),
        ("run = \"./data\"", "`run`: ./data cannot be executed; expected a program (chmod +x ./data)"),
        ("run = \"../other/bot\"", "leads out of its folder"),
        ("run = \"data\"", "is a file of its folder; expected ./data"),
        ("build = \"make\"", "has `build` and no `run`"),
        ("games = []", "`games` is empty"),
        ("games = [\"hexpawn\"]", "there is no game \"hexpawn\"; expected `fish`"),
        ("games = [\"hexpawn\"]", "did you mean `hexapawn`?"),
        ("version = \"1 2\"", "`version` = \"1 2\"; expected 1 to 32 letters"),
        ("protocol = \"\"", "`protocol` = \"\""),
        ("name = \"a\\u001b[2J\"", "is no name; expected 1 to 24 letters"),
    ];
    for (toml, says) in cases {
        let folder = TempFolder::new("bots");
        write(&folder, "bad/bot.toml", toml);
        write(&folder, "bad/data", "");
        write(&folder, "good/bot.py", "");
        let found = read(&folder);
        let [problem] = &found.refused[..] else { panic!("{toml}: {found:?}") };
        assert_eq!(problem.name, "bad");
        assert!(problem.to_string().contains(says), "{toml}: {problem}");
        assert!(!problem.to_string().contains(char::is_control), "{problem:?}");
        assert_eq!(found.bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(), ["good"]);
    }
}

#[test]
fn a_folder_without_one_program_is_no_bot() {
    let folder = TempFolder::new("bots");
    write(&folder, "x/notes.txt", "");
    let problem = only(&folder).unwrap_err().to_string();
    assert!(
        problem.starts_with("x: there is nothing in its folder that can be executed; expected"),
        "{problem}"
    );
    program(&folder, "x/one");
    assert_eq!(only(&folder).unwrap().run, "./one");
    program(&folder, "x/two");
    let problem = only(&folder).unwrap_err().to_string();
    assert!(problem.starts_with("x: there are 2 programs in its folder: one, two; expected"), "{problem}");
    // A disk that knows no rights calls everything a program; the script is still the bot.
    write(&folder, "x/bot.py", "");
    assert_eq!(only(&folder).unwrap().run, "python3 bot.py");
}

#[test]
fn a_toml_that_is_no_file_of_text_is_refused() {
    let folder = TempFolder::new("bots");
    write(&folder, "x/bot.py", "");
    let toml = folder.join("x/bot.toml");
    for bytes in [vec![b'#'; (64 << 10) + 1], b"name = \"\xff\"".to_vec()] {
        fs::write(&toml, bytes).unwrap();
        let problem = only(&folder).unwrap_err();
        assert!(problem.problem.starts_with("bot.toml cannot be read"), "{problem}");
    }
    fs::remove_file(&toml).unwrap();
    symlink("/etc/hostname", &toml).unwrap();
    assert!(only(&folder).unwrap_err().problem.contains("it is no file"));
    fs::remove_file(&toml).unwrap();
    fs::write(&toml, vec![b'#'; 64 << 10]).unwrap();
    assert!(only(&folder).is_ok(), "the bound itself is allowed");
}

#[test]
fn fault_j04_names_are_short_and_plain_wherever_they_come_from() {
    let long = "a".repeat(25);
    for name in ["-a", "_a", "a b", "Änn", "a.b", &long, "a\nb", "a\u{202e}b", "\u{1f426}"] {
        let folder = TempFolder::new("bots");
        write(&folder, &format!("{name}/bot.py"), "");
        let problem = only(&folder).unwrap_err();
        assert!(problem.to_string().contains("is no name; expected 1 to 24"), "{problem}");
        assert!(!problem.to_string().contains(['\n', '\u{202e}']), "{problem:?}");
        // A name in the file helps.
        write(&folder, &format!("{name}/bot.toml"), "name = \"fine-1_X\"");
        assert_eq!(only(&folder).unwrap().name, "fine-1_X");
    }
    let folder = TempFolder::new("bots");
    fs::create_dir(folder.join(OsStr::from_bytes(b"x\xff"))).unwrap();
    assert!(only(&folder).is_err());
    write(&folder, "y/bot.py", "");
    write(&folder, "y/bot.toml", "name = \"aaaaaaaaaaaaaaaaaaaaaaaa\"");
    assert_eq!(read(&folder).bots.len(), 1, "24 characters are allowed");
}

#[test]
fn fault_j05_names_are_unique_whatever_their_case_and_nobody_loses_its_own() {
    let folder = TempFolder::new("bots");
    for (bot, toml) in
        [("a", "name = \"Zed\""), ("b", "name = \"same\""), ("c", "name = \"SAME\""), ("zed", "")]
    {
        write(&folder, &format!("{bot}/bot.py"), "");
        write(&folder, &format!("{bot}/bot.toml"), toml);
    }
    let found = read(&folder);
    assert_eq!(found.bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(), ["same", "zed"]);
    let problems: Vec<String> = found.refused.iter().map(ToString::to_string).collect();
    assert!(
        problems[0].starts_with("a: its name \"Zed\" is taken by the bot in zed; expected another"),
        "{problems:?}"
    );
    assert!(problems[1].starts_with("c: its name \"SAME\" is taken by the bot in b"), "{problems:?}");
}

#[test]
fn hidden_folders_and_links_that_lead_out_are_named_and_left_out() {
    let (folder, outside) = (TempFolder::new("bots"), TempFolder::new("outside"));
    write(&outside, "bot.py", "");
    write(&folder, ".git/bot.py", "");
    write(&folder, "real/bot.py", "");
    symlink(&*outside, folder.join("out")).unwrap();
    symlink(".", folder.join("self")).unwrap();
    symlink("/no/such/folder", folder.join("dangling")).unwrap();
    let found = read(&folder);
    assert_eq!(found.bots.len(), 1, "{found:?}");
    let skipped: Vec<(&str, &str)> =
        found.skipped.iter().map(|skipped| (skipped.name.as_str(), skipped.problem.as_str())).collect();
    let link = "its folder is a link that leads elsewhere";
    assert_eq!(skipped, [(".git", "its folder is hidden"), ("out", link), ("self", link)]);

    assert!(matches!(BotFolder::read(&folder.join("none")), Err(FolderError::Unreadable(..))));
    let error = BotFolder::read(&folder.join("real/bot.py")).unwrap_err().to_string();
    assert!(error.contains("expected a folder with one bot in each subfolder"), "{error}");
}

#[test]
fn a_version_follows_from_what_the_bot_is_and_from_nothing_else() {
    let folder = TempFolder::new("bots");
    write(&folder, "x/bot.py", "one");
    write(&folder, "x/lib/a", "text");
    symlink("lib/a", folder.join("x/link")).unwrap();
    let hash = || only(&folder).unwrap().hash;
    let first = hash();
    // What changes nothing.
    write(&folder, "x/.cache/junk", "1");
    write(&folder, "x/__pycache__/bot.pyc", "1");
    fs::create_dir(folder.join("x/empty")).unwrap();
    let now = std::time::SystemTime::now();
    fs::File::options().write(true).open(folder.join("x/bot.py")).unwrap().set_modified(now).unwrap();
    fs::rename(folder.join("x"), folder.join("y")).unwrap();
    assert_eq!(hash(), first);
    fs::rename(folder.join("y"), folder.join("x")).unwrap();
    // What does.
    let mut hashes = vec![first.clone()];
    let mut changed = |what: &str| {
        let new = hash();
        assert!(!hashes.contains(&new), "{what}");
        hashes.push(new);
    };
    write(&folder, "x/bot.py", "two");
    changed("contents");
    executable(&folder, "x/lib/a", true);
    changed("the right to execute");
    fs::rename(folder.join("x/lib/a"), folder.join("x/lib/b")).unwrap();
    changed("a name");
    // The same bytes in another file, and a boundary moved between path and contents.
    write(&folder, "x/lib/b", "");
    write(&folder, "x/lib/btext", "");
    changed("a boundary");
    fs::remove_file(folder.join("x/link")).unwrap();
    symlink("lib/b", folder.join("x/link")).unwrap();
    changed("where a link leads");
    fs::remove_file(folder.join("x/link")).unwrap();
    write(&folder, "x/link", "lib/b");
    changed("a link that became a file");
}

#[test]
fn the_hash_is_the_one_that_is_documented() {
    let folder = TempFolder::new("bots");
    program(&folder, "x/bot");
    symlink("bot", folder.join("x/link")).unwrap();
    let script = "import hashlib\nh = hashlib.sha256\nout = h()\n\
        for kind, path, text in [(b'x', b'bot', b'#!/bin/sh\\n'), (b'l', b'link', b'bot')]:\n    \
        out.update(kind + len(path).to_bytes(8, 'little') + path + h(text).digest())\n\
        print(out.hexdigest())";
    let output = Command::new("python3").args(["-c", script]).output().unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert_eq!(only(&folder).unwrap().hash, expected.trim());
}

#[test]
fn what_is_in_a_folder_is_bounded_and_links_are_not_followed() {
    let folder = TempFolder::new("bots");
    write(&folder, "x/bot.py", "");
    symlink("/", folder.join("x/root")).unwrap();
    symlink("..", folder.join("x/up")).unwrap();
    assert!(only(&folder).is_ok(), "links may be there");
    let deep = format!("x/{}file", "d/".repeat(40));
    write(&folder, &deep, "");
    let problem = only(&folder).unwrap_err().to_string();
    assert!(problem.contains("too much in it; expected at most 10000 files"), "{problem}");
    fs::remove_dir_all(folder.join("x/d")).unwrap();
    // A file of many bytes that needs no room on the disk.
    let large = fs::File::create(folder.join("x/large")).unwrap();
    large.set_len((256 << 20) + 1).unwrap();
    assert!(only(&folder).unwrap_err().problem.contains("too much"));
    fs::remove_file(folder.join("x/large")).unwrap();
    // It would never end, and is never opened.
    assert!(Command::new("mkfifo").arg(folder.join("x/pipe")).status().unwrap().success());
    let problem = only(&folder).unwrap_err().to_string();
    assert!(problem.starts_with("x: pipe is neither a file nor a folder"), "{problem}");
}

#[test]
fn fault_c20_no_toml_whatever_its_bytes_brings_us_down() {
    let folder = TempFolder::new("bots");
    write(&folder, "x/bot.py", "");
    let pieces = [
        "name", "run", "build", "games", " = ", "\"", "'", "\"\"\"", "[", "]", "{", "}", "\n", ".", "#",
        "\\u0000", "1e9", "\u{0}", "é", "[[", "true", ",", "../", "./bot", "\\", "\u{1b}",
    ];
    let mut state = 7_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..1000 {
        let text: String = (0..random(30)).map(|_| pieces[random(pieces.len())]).collect();
        write(&folder, "x/bot.toml", &text);
        if let Err(problem) = only(&folder) {
            assert!(!problem.to_string().contains(char::is_control), "{text:?}: {problem:?}");
            assert!(problem.to_string().len() < 1500, "{text:?}: {problem}");
        }
    }
    // Brackets inside each other have an end, too.
    write(&folder, "x/bot.toml", format!("games = {}", "[".repeat(60_000)));
    assert!(only(&folder).is_err());
}

#[test]
fn the_page_shows_a_toml_that_is_read() {
    let page = include_str!("../../../docs/bots-folder.md");
    let toml = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = TempFolder::new("bots");
    write(&folder, "x/bot.toml", toml);
    let bot = only(&folder).unwrap();
    assert_eq!((bot.name.as_str(), bot.run.as_str(), bot.plays("fish")), ("ann", "./bot --fast", true));
}

//! `rookery new-bot`: a starter kit, copied out of this program.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use clap::ValueEnum;
use rookery_referee::SeatSpec;
use rookery_rules::text::{clean, shell_quoted};

use crate::spec::UsageError;

/// Write a bot to begin from: it plays every game at once
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What the bot is written in
    #[arg(value_name = "LANGUAGE")]
    language: Language,

    /// The folder for it, which is made; one that exists has to be empty
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  rookery new-bot python my-bot
  SPEC=$(rookery new-bot c fast-bot | tail -n 1)
  rookery match hexapawn \"$SPEC\" random --games 4

The last line printed is the seat spec of the new bot: it works from any folder. A compiled bot is built if its compiler
is found.";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Language {
    Python,
    Javascript,
    Typescript,
    Java,
    C,
    Cpp,
    Rust,
    Go,
    Csharp,
    Bash,
}

/// What a language's bot is made of. The files stand in `bots`, where they are tested.
struct Kit {
    /// Name and text; the first one is the bot itself.
    files: &'static [(&'static str, &'static str)],
    /// The command that builds it, in its folder; empty if there is nothing to build.
    build: &'static [&'static str],
    /// The command that starts it, where [`FOLDER`] stands for its folder.
    start: &'static [&'static str],
    /// What brings the programs that these two need.
    install: &'static str,
}

const FOLDER: char = '@';

/// The files of one folder of `bots`.
macro_rules! files {
    ($folder:literal: $($name:literal),+) => {
        &[$(($name, include_str!(concat!("../../../../bots/", $folder, "/", $name)))),+]
    };
}

impl Language {
    fn kit(self) -> Kit {
        match self {
            Self::Python => Kit {
                files: files!("python": "bot.py", "README.md", "bot.toml"),
                build: &[],
                start: &["python3", "@/bot.py"],
                install: "Python 3 (Debian: apt install python3)",
            },
            Self::Javascript => Kit {
                files: files!("javascript": "bot.js", "README.md", "bot.toml", "package.json", "rookery-bot.js", "with-library.js"),
                build: &[],
                start: &["node", "@/bot.js"],
                install: "Node (Debian: apt install nodejs)",
            },
            Self::Typescript => Kit {
                files: files!("typescript": "bot.ts", "README.md", "bot.toml", "tsconfig.json"),
                build: &["tsc"],
                start: &["node", "@/bot.js"],
                install: "TypeScript and Node (Debian: apt install node-typescript nodejs)",
            },
            Self::Java => Kit {
                files: files!("java": "Bot.java", "README.md", "bot.toml"),
                build: &["javac", "Bot.java"],
                start: &["java", "-cp", "@", "Bot"],
                install: "a Java development kit (Debian: apt install default-jdk)",
            },
            Self::C => Kit {
                files: files!("c": "bot.c", "README.md", "bot.toml"),
                build: &["cc", "-O2", "-o", "bot", "bot.c"],
                start: &["@/bot"],
                install: "a C compiler (Debian: apt install gcc libc6-dev)",
            },
            Self::Cpp => Kit {
                files: files!("cpp": "bot.cpp", "README.md", "bot.toml"),
                build: &["c++", "-O2", "-std=c++17", "-o", "bot", "bot.cpp"],
                start: &["@/bot"],
                install: "a C++ compiler (Debian: apt install g++)",
            },
            Self::Rust => Kit {
                files: files!("rust": "bot.rs", "README.md", "bot.toml", "json.rs", "rookery_bot.rs", "with_library.rs"),
                build: &["rustc", "-O", "--edition", "2021", "bot.rs"],
                start: &["@/bot"],
                install: "Rust (https://rustup.rs, or Debian: apt install rustc)",
            },
            Self::Go => Kit {
                files: files!("go": "bot.go", "README.md", "bot.toml"),
                build: &["go", "build", "-o", "bot", "bot.go"],
                start: &["@/bot"],
                install: "Go (Debian: apt install golang-go)",
            },
            Self::Csharp => Kit {
                files: files!("csharp": "bot.cs", "README.md", "bot.toml"),
                build: &["mcs", "-out:bot.exe", "bot.cs"],
                start: &["mono", "@/bot.exe"],
                install: "Mono (Debian: apt install mono-mcs)",
            },
            Self::Bash => Kit {
                files: files!("bash": "bot.sh", "README.md", "bot.toml"),
                build: &[],
                start: &["bash", "@/bot.sh"],
                install: "Bash (Debian: apt install bash)",
            },
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    make(args, std::env::var_os("PATH").as_deref(), out)
}

/// Does it all. Compilers are looked for in this list of folders.
fn make(args: &Args, path: Option<&OsStr>, out: &mut dyn Write) -> anyhow::Result<()> {
    let kit = args.language.kit();
    // Asked before anything is made, so that a name that cannot be used leaves nothing behind.
    kit.command_in(&path::absolute(&args.dir)?)?;
    let dir = &empty_folder(&args.dir)?;
    let start = kit.command_in(dir)?;
    for (name, text) in kit.files {
        let written = File::create_new(dir.join(name)).and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("{name} could not be written into {}", dir.display()))?;
    }
    let names: Vec<&str> = kit.files.iter().map(|&(name, _)| name).collect();
    let shown = shell_quoted(&dir.display().to_string());
    writeln!(out, "wrote into {shown}: {}", names.join(", "))?;
    kit.build(dir, path, out)?;
    writeln!(
        out,
        "\"Your choice goes here\" in {} marks the place for your own; README.md says more",
        names[0]
    )?;
    let spec = format!("cmd:{start}");
    writeln!(out, "play it:  rookery match hexapawn {} random --games 4", shell_quoted(&spec))?;
    writeln!(out, "check it: rookery check hexapawn -- {start}")?;
    Ok(writeln!(out, "{spec}")?)
}

impl Kit {
    /// The command that starts the bot in this folder, quoted as for a shell.
    fn command_in(&self, dir: &Path) -> Result<String, UsageError> {
        let refused = |why: &str| UsageError(format!("DIR: {} {why}", clean(&dir.to_string_lossy())));
        let text = dir.to_str().filter(|text| clean(text) == *text);
        let odd = "has characters that a command cannot show; take a folder with another name";
        let text = text.ok_or_else(|| refused(odd))?;
        // Java knows no way to quote it in a class path.
        if self.start.contains(&"-cp") && text.contains(':') {
            return Err(refused("has a `:`, which Java takes for the end of it; take another folder"));
        }
        let words = self.start.iter().map(|word| shell_quoted(&word.replace(FOLDER, text)));
        let command = words.collect::<Vec<String>>().join(" ");
        let seat: Result<SeatSpec, _> = format!("cmd:{command}").parse();
        seat.map_err(|error| refused(&format!("makes no seat spec: {error}"))).map(|_| command)
    }

    /// Builds the bot if its compiler is there, and says what is missing otherwise.
    fn build(&self, dir: &Path, path: Option<&OsStr>, out: &mut dyn Write) -> anyhow::Result<()> {
        let (starter, install) = (self.start[0], self.install);
        if !starter.starts_with(FOLDER) && find(starter, path).is_none() {
            writeln!(out, "{starter} is not on the PATH, and the bot needs it to run: install {install}")?;
        }
        let Some(compiler) = self.build.first() else { return Ok(()) };
        let line = self.build.join(" ");
        let Some(program) = find(compiler, path) else {
            writeln!(out, "not built, because {compiler} is not on the PATH: install {install}")?;
            let shown = shell_quoted(&dir.display().to_string());
            return Ok(writeln!(out, "then build it: cd {shown} && {line}")?);
        };
        writeln!(out, "building: {line}")?;
        // It may take seconds.
        out.flush()?;
        let built =
            Command::new(program).args(&self.build[1..]).current_dir(dir).stdin(Stdio::null()).output();
        let built = built.with_context(|| format!("{compiler} could not be started"))?;
        if built.status.success() {
            return Ok(());
        }
        let said = [built.stdout, built.stderr].concat();
        bail!(
            "`{line}` failed in {} ({}); the files are there, so set {compiler} right and run it again. It said:\n{}",
            dir.display(),
            built.status,
            beginning(&said)
        )
    }
}

/// The first lines of what a compiler said: the first error is the one that counts.
fn beginning(said: &[u8]) -> String {
    const BYTES: usize = 2000;
    String::from_utf8_lossy(&said[..said.len().min(BYTES)]).trim_end().to_owned()
}

/// Makes the folder, or takes an empty one, and gives its full name.
fn empty_folder(dir: &Path) -> anyhow::Result<PathBuf> {
    let shown = dir.display();
    match fs::read_dir(dir) {
        Ok(mut entries) => {
            let other = "give a folder that is empty, or one that does not exist yet";
            ensure!(entries.next().is_none(), "{shown} is not empty, and nothing in it was changed: {other}");
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(dir).with_context(|| format!("the folder {shown} could not be made"))?;
        }
        Err(error) => return Err(error).with_context(|| format!("{shown} is no folder for a bot")),
    }
    dir.canonicalize().with_context(|| format!("the folder {shown} could not be found again"))
}

/// The first program of this name in a list of folders.
fn find(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let mut files = std::env::split_paths(path?).map(|dir| dir.join(program));
    let file = files.find(|file| fs::metadata(file).is_ok_and(|data| is_program(&data)))?;
    // It is started in another folder.
    path::absolute(file).ok()
}

#[cfg(unix)]
fn is_program(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.is_file() && file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(file: &fs::Metadata) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::os::unix::fs::PermissionsExt as _;

    use rookery_testkit::TempFolder;

    use super::*;

    /// What is printed. The PATH is one folder.
    fn made(language: Language, dir: &Path, tools: &Path) -> anyhow::Result<Vec<String>> {
        let mut out = Vec::new();
        make(&Args { language, dir: dir.to_owned() }, Some(tools.as_os_str()), &mut out)?;
        Ok(String::from_utf8(out)?.lines().map(str::to_owned).collect())
    }

    fn tool(folder: &Path, name: &str, script: &str) {
        let file = folder.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The words a shell makes of a command.
    fn words(command: &str) -> Vec<String> {
        let output = Command::new("sh").args(["-c", &format!("printf '%s\\n' {command}")]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_language_gets_all_files_of_its_kit_and_a_seat_spec_as_the_last_line() {
        let folder = TempFolder::new("kits");
        for language in Language::value_variants() {
            let name = language.to_possible_value().unwrap().get_name().to_owned();
            let bots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots").join(&name);
            let dir = folder.join("a").join(&name);
            let printed = made(*language, &dir, &folder).unwrap();
            let names = |dir: &Path| {
                let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
                let mut names: Vec<OsString> = names.collect();
                names.sort();
                names
            };
            // What somebody has built in `bots` is no part of the kit.
            let outputs = ["bot", "bot.exe", "Bot.class", "with_library", "__pycache__"];
            let is_source = |file: &OsString| {
                !outputs.iter().any(|output| file == output) && (name != "typescript" || file != "bot.js")
            };
            let sources: Vec<OsString> = names(&bots).into_iter().filter(is_source).collect();
            assert_eq!(names(&dir), sources, "{name}");
            let kit = language.kit();
            let bot = fs::read_to_string(dir.join(kit.files[0].0)).unwrap();
            assert!(
                bot.contains("Your choice goes here") && bot.to_lowercase().contains("choose("),
                "{name}"
            );
            let readme = fs::read_to_string(dir.join("README.md")).unwrap();
            assert!(readme.contains(&kit.build.join(" ")), "{name}: README.md says how to build");

            // A folder of kits is a folder of bots: in it the same commands hold.
            let inside = |(idx, word): (usize, &&str)| match (idx, *word) {
                (_, "@") => ".".to_owned(),
                (0, word) => word.replace('@', "."),
                (_, word) => word.replace("@/", ""),
            };
            let run: Vec<String> = kit.start.iter().enumerate().map(inside).collect();
            let build = (!kit.build.is_empty()).then(|| kit.build.join(" "));
            let keys = [("run", Some(run.join(" "))), ("build", build)];
            let lines = keys.map(|(key, value)| Some(format!("{key} = \"{}\"", value?)));
            let written = fs::read_to_string(dir.join("bot.toml")).unwrap();
            let written: Vec<&str> = written.lines().skip(1).collect();
            assert_eq!(written, lines.into_iter().flatten().collect::<Vec<String>>(), "{name}");

            let dir = dir.canonicalize().unwrap();
            let start: Vec<String> =
                kit.start.iter().map(|word| word.replace(FOLDER, dir.to_str().unwrap())).collect();
            assert_eq!(printed.last().unwrap(), &format!("cmd:{}", start.join(" ")));
        }
    }

    #[test]
    fn a_folder_with_something_in_it_is_left_alone() {
        let folder = TempFolder::new("kit-full");
        fs::write(folder.join("bot.py"), "mine").unwrap();
        let error = made(Language::Python, &folder, &folder).unwrap_err().to_string();
        assert!(error.contains("is not empty, and nothing in it was changed"), "{error}");
        assert_eq!(folder.names(), ["bot.py"]);
        assert_eq!(fs::read_to_string(folder.join("bot.py")).unwrap(), "mine");
        let error = format!("{:#}", made(Language::Python, &folder.join("bot.py"), &folder).unwrap_err());
        assert!(error.contains("is no folder for a bot: Not a directory"), "{error}");

        fs::create_dir(folder.join("empty")).unwrap();
        made(Language::Python, &folder.join("empty"), &folder).unwrap();
    }

    #[test]
    fn a_path_that_needs_it_is_quoted_as_for_a_shell() {
        let folder = TempFolder::new("kit-quotes");
        for name in ["my bot", "it's $HOME; \"x\" \\ *", "né-x=1"] {
            let printed = made(Language::Python, &folder.join(name), &folder).unwrap();
            let spec = printed.last().unwrap();
            let file = folder.canonicalize().unwrap().join(name).join("bot.py");
            let file = file.to_str().unwrap();
            assert_eq!(words(spec.strip_prefix("cmd:").unwrap()), ["python3", file]);
            // And what is to be typed: the same, quoted once more.
            let play = printed.iter().find_map(|line| line.strip_prefix("play it:  ")).unwrap();
            assert_eq!(&words(play)[3], spec);
            let check = printed.iter().find_map(|line| line.strip_prefix("check it: ")).unwrap();
            assert_eq!(words(check)[4..], ["python3", file]);
        }
    }

    #[test]
    fn the_seat_spec_works_from_any_folder() {
        let folder = TempFolder::new("kit-relative");
        let here = std::env::current_dir().unwrap();
        let up = "../".repeat(here.components().count() - 1);
        let dir = Path::new(&up).join(folder.strip_prefix("/").unwrap()).join("bot");
        let printed = made(Language::Bash, &dir, &folder).unwrap();
        let full = folder.canonicalize().unwrap().join("bot/bot.sh");
        assert_eq!(printed.last().unwrap(), &format!("cmd:bash {}", full.display()));
    }

    #[test]
    fn a_path_that_no_command_can_name_is_refused_before_anything_is_made() {
        let folder = TempFolder::new("kit-names");
        // Each quote needs four bytes, so that the command is too long, though the path is not.
        let long = vec!["'".repeat(250); 5].join("/");
        let binary = OsString::from_vec(b"x\xff".to_vec());
        for name in [OsStr::new("a\nb"), OsStr::new("a\u{202e}b"), &binary, OsStr::new(&long)] {
            let error = made(Language::Python, &folder.join("in").join(name), &folder).unwrap_err();
            assert!(error.is::<UsageError>(), "{error}");
        }
        let error = made(Language::Java, &folder.join("a:b"), &folder).unwrap_err().to_string();
        assert!(error.contains("has a `:`"), "{error}");
        assert!(folder.names().is_empty());
        made(Language::C, &folder.join("a:b"), &folder).unwrap();
    }

    #[test]
    fn a_compiler_that_is_there_is_run_in_the_folder() {
        let (folder, tools) = (TempFolder::new("kit-build"), TempFolder::new("kit-tools"));
        tool(&tools, "cc", "echo noise; echo \"$@\" > arguments; pwd > bot");
        let printed = made(Language::C, &folder.join("c"), &tools).unwrap();
        assert_eq!(printed[1], "building: cc -O2 -o bot bot.c");
        assert!(!printed.contains(&"noise".to_owned()), "the output is ours: {printed:?}");
        assert_eq!(fs::read_to_string(folder.join("c/arguments")).unwrap(), "-O2 -o bot bot.c\n");
        let dir = folder.join("c").canonicalize().unwrap();
        assert_eq!(fs::read_to_string(dir.join("bot")).unwrap().trim_end(), dir.to_str().unwrap());
    }

    #[test]
    fn a_compiler_that_fails_or_is_missing_is_told() {
        let (folder, tools) = (TempFolder::new("kit-fails"), TempFolder::new("kit-tools"));
        let printed = made(Language::Csharp, &folder.join("a b"), &tools).unwrap();
        let dir = folder.canonicalize().unwrap().join("a b");
        let install = "install Mono (Debian: apt install mono-mcs)";
        assert_eq!(
            printed[1..4],
            [
                format!("mono is not on the PATH, and the bot needs it to run: {install}"),
                format!("not built, because mcs is not on the PATH: {install}"),
                format!("then build it: cd '{}' && mcs -out:bot.exe bot.cs", dir.display()),
            ]
        );
        // A file of that name that cannot be run is no compiler.
        fs::write(tools.join("cc"), "").unwrap();
        assert!(made(Language::C, &folder.join("c"), &tools).unwrap()[1].starts_with("not built"));

        tool(&tools, "tsc", "echo bot.ts has an error; exit 2");
        let error = made(Language::Typescript, &folder.join("ts"), &tools).unwrap_err().to_string();
        assert!(
            error.starts_with("`tsc` failed in /") && error.ends_with("It said:\nbot.ts has an error"),
            "{error}"
        );
        assert!(folder.join("ts/bot.ts").exists());
    }
}

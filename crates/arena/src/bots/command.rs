//! The command that starts a bot: found where its author says none, and looked at before anything is started.

use std::env;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path};

use rookery_rules::text::{clean, shell_quoted};
use rookery_sandbox::split;

use super::contents::{Contents, Item, Kind, is_program};
use super::found::{Wrong, shown, shown_path};
use super::manifest::FILE;

/// What is started without a `bot.toml`, if nothing in the folder can be executed.
const SCRIPTS: [(&str, &str); 2] = [("bot.py", "python3 bot.py"), ("bot.js", "node bot.js")];
/// How many programs are listed when there are several.
const LISTED: usize = 5;

/// The command of a bot that does not say: `bot`, or the only program of its folder, or a script that is called `bot`.
pub(super) fn find_command(home: &Path, contents: &Contents) -> Result<String, Wrong> {
    let is_at_top = |item: &&Item| item.path.components().count() == 1;
    let programs: Vec<&Path> = contents
        .items
        .iter()
        .filter(is_at_top)
        .filter(|item| match &item.kind {
            Kind::Program => true,
            Kind::File => false,
            Kind::Link(_) => home.join(&item.path).metadata().is_ok_and(|found| is_program(&found)),
        })
        .map(|item| item.path.as_path())
        .collect();
    let script = SCRIPTS.iter().find(|(name, _)| home.join(name).is_file());
    let program = match programs[..] {
        _ if programs.contains(&Path::new("bot")) => Some(Path::new("bot")),
        // Without a first line that says so, no system knows how to run a script.
        [only] if script.is_none_or(|(name, _)| only != *name) || is_script(&home.join(only)) => Some(only),
        _ => None,
    };
    if let Some(name) = program {
        let name = name.to_str().filter(|name| clean(name) == *name).ok_or_else(|| {
            (
                format!("the name {:?} of its program cannot be shown", shown_path(name)),
                "a program called bot".to_owned(),
            )
        })?;
        return Ok(shell_quoted(&format!("./{name}")));
    }
    if let Some((_, command)) = script {
        return Ok((*command).to_owned());
    }
    let problem = match programs.len() {
        0 => "there is nothing in its folder that can be executed".to_owned(),
        n => {
            let names: Vec<String> = programs.iter().take(LISTED).map(|name| shown_path(name)).collect();
            let more = if n > LISTED { " and more" } else { "" };
            format!("there are {n} programs in its folder: {}{more}", names.join(", "))
        }
    };
    Err((problem, format!("one program called bot (chmod +x), or bot.py, or bot.js, or a {FILE} with `run`")))
}

/// Whether the first line of a file names its interpreter.
fn is_script(path: &Path) -> bool {
    let mut first = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && &first == b"#!"
}

/// Whether the program of a command is there, as far as can be seen without starting it.
pub(super) fn check_program(home: &Path, command: &str) -> Result<(), Wrong> {
    let words = split(command).unwrap_or_default();
    let Some(word) = words.first() else { return Ok(()) };
    let (path, name) = (Path::new(word), shown(word));
    if !word.contains('/') {
        if home.join(word).is_file() && !is_in_path(word) {
            return Err((
                format!(
                    "`run`: {name} is looked for among the programs of the system, and is a file of its folder"
                ),
                format!("./{name}"),
            ));
        }
        return Ok(());
    }
    if path.is_absolute() {
        return Ok(());
    }
    if path.components().any(|part| part == Component::ParentDir) {
        return Err((
            format!("`run`: {name} leads out of its folder"),
            "a program in its folder, or one of the system".to_owned(),
        ));
    }
    match home.join(path).metadata() {
        Err(_) => Err((
            format!("`run`: there is no file {name}"),
            format!("a program in its folder, or a `build` in {FILE} that makes it"),
        )),
        Ok(found) if !is_program(&found) => {
            Err((format!("`run`: {name} cannot be executed"), format!("a program (chmod +x {name})")))
        }
        Ok(_) => Ok(()),
    }
}

fn is_in_path(word: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(word).is_file())
}

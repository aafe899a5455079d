//! `rookery help`: pages about subjects that concern more than one command, and the help of any command.

use std::io::Write;

use clap::error::ErrorKind;
use rookery_rules::nearest;

use crate::spec::UsageError;

/// Explain a subject or a command
///
/// Without an argument: the list of all commands.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A topic (players, records, specs, exit-codes), or a command
    #[arg(value_name = "TOPIC")]
    words: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  rookery help players      who can be seated, and how they are named
  rookery help records      what is kept of a match, and what can be done with it
  rookery help specs        how a game and its setup are named
  rookery help exit-codes   what a command's exit code says
  rookery help bench rules  the same as rookery bench rules --help";

/// The topics and their pages.
const TOPICS: [(&str, &str); 4] = [
    ("players", include_str!("players.txt")),
    ("records", include_str!("records.txt")),
    ("specs", include_str!("specs.txt")),
    ("exit-codes", include_str!("exit-codes.txt")),
];

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    if let [word] = words[..]
        && let Some((_, page)) = TOPICS.iter().find(|(topic, _)| *topic == word)
    {
        return Ok(out.write_all(page.as_bytes())?);
    }
    check_path(&words)?;
    // Exactly what `--help` behind the command says.
    let line = ["rookery"].into_iter().chain(words).chain(["--help"]);
    match crate::command().try_get_matches_from(line) {
        Err(help) if help.kind() == ErrorKind::DisplayHelp => Ok(help.print()?),
        _ => unreachable!("the words lead to a command, and every command has --help"),
    }
}

/// Checks that these words lead from subcommand to subcommand.
fn check_path(words: &[&str]) -> Result<(), UsageError> {
    let root = crate::command();
    let mut command = &root;
    for (idx, word) in words.iter().enumerate() {
        command = match command.find_subcommand(word) {
            Some(sub) => sub,
            None => return Err(unknown(word, command, idx == 0)),
        };
    }
    Ok(())
}

fn unknown(word: &str, command: &clap::Command, at_the_top: bool) -> UsageError {
    let topics = TOPICS.iter().map(|&(topic, _)| topic).filter(|_| at_the_top);
    let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(clap::Command::get_name);
    let known: Vec<&str> = topics.chain(subs).collect();
    let near = nearest(word, &known);
    let word: String = word.chars().take(40).flat_map(char::escape_default).collect();
    let what = match command.get_name() {
        _ if at_the_top => format!("there is no command and no topic `{word}`"),
        name => format!("{name} has no subcommand `{word}`"),
    };
    UsageError(match near {
        Some(near) => format!("{what}; did you mean `{near}`?"),
        None => format!("{what}; `rookery help` lists the commands and topics"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> anyhow::Result<String> {
        let mut out = vec![];
        run(&Args { words: words.iter().map(ToString::to_string).collect() }, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn every_topic_is_a_short_page_and_stands_in_the_help() {
        let all = crate::command().render_long_help().to_string();
        for (topic, page) in TOPICS {
            assert_eq!(help(&[topic]).unwrap(), page);
            assert!((5..60).contains(&page.lines().count()), "{topic} is a page");
            assert!(page.lines().all(|line| line.chars().count() <= 100), "{topic} fits on a screen");
            assert!(all.contains(topic), "rookery --help names {topic}");
            assert!(EXAMPLES.contains(topic), "rookery help --help names {topic}");
        }
    }

    #[test]
    fn what_is_neither_topic_nor_command_is_explained() {
        for (words, expected) in [
            (vec!["player"], "there is no command and no topic `player`; did you mean `players`?"),
            (vec!["\u{1b}xyz"], "there is no command and no topic `\\u{1b}xyz`; `rookery help` lists"),
            (vec!["bench", "rule"], "bench has no subcommand `rule`; did you mean `rules`?"),
            (vec!["show", "fish"], "show has no subcommand `fish`; `rookery help` lists the commands"),
        ] {
            let error = help(&words).unwrap_err();
            assert!(error.is::<UsageError>() && error.to_string().starts_with(expected), "{error}");
        }
    }

    #[test]
    fn every_exit_code_is_explained() {
        let page = TOPICS[3].1;
        let mut codes = vec!["0".to_owned(), "1".to_owned()];
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let source = std::fs::read_to_string(path).unwrap();
                    let after = source.split("ExitCode::from(").skip(1);
                    let digits = after.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
                    codes.extend(digits.filter(|code: &String| !code.is_empty()));
                }
            }
        }
        assert!(codes.len() > 4, "the codes are found");
        for code in codes {
            assert!(
                page.lines().any(|line| line.trim_start().starts_with(&format!("{code} "))),
                "code {code}"
            );
        }
    }
}

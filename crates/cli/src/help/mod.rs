//! How the command line explains itself: groups of subcommands, topics, completions and man pages.

pub(crate) mod completions;
pub(crate) mod man;
pub(crate) mod topics;

use std::fmt::Write as _;

use clap::Command;

/// The groups of `rookery --help` in their order, and the subcommands in each. A subcommand that stands in none is
/// listed under [`OTHERS`], and a test complains.
const GROUPS: &[(&str, &[&str])] = &[
    ("Play and watch", &["serve", "play", "watch", "puzzle", "history", "review"]),
    ("Matches and records", &["match", "sprt", "tournament", "ratings", "replay", "verify"]),
    ("The store", &["tournaments", "entrants", "db"]),
    ("Many machines", &["worker", "cluster"]),
    ("Bots", &["new-bot", "check", "connect", "bot"]),
    ("Games and players", &["games", "rules", "players", "show", "moves"]),
    ("Analysis and solving", &["analyse", "solve", "accuracy", "drill"]),
    ("The games' own systems", &["fish", "hexapawn", "renpaarden", "stones"]),
    ("Tools", &["doctor", "bench", "perft", "completions", "help"]),
];

const OTHERS: &str = "Others";

/// The list of subcommands stands where clap has a text before the help, because clap itself knows no groups.
const TEMPLATE: &str = "\
{about}

{usage-heading} {usage}

{before-help}{options-heading}
{options}{after-help}";

/// The command with its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let list = list(&command);
    let options = format!("{header}Options:{header:#}");
    command.help_template(TEMPLATE.replace("{options-heading}", &options)).before_help(list)
}

/// Every visible subcommand with its purpose, by group.
fn list(command: &Command) -> String {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let visible: Vec<&Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    let width = visible.iter().map(|sub| sub.get_name().len()).max().unwrap_or(0);
    let in_group = |names: &[&str]| {
        let found =
            names.iter().filter_map(|name| visible.iter().copied().find(|sub| sub.get_name() == *name));
        found.collect::<Vec<&Command>>()
    };
    let mut groups: Vec<(&str, Vec<&Command>)> =
        GROUPS.iter().map(|&(title, names)| (title, in_group(names))).collect();
    groups.push((OTHERS, visible.iter().copied().filter(|sub| group_of(sub.get_name()).is_none()).collect()));
    let mut text = String::new();
    for (title, subs) in groups.iter().filter(|(_, subs)| !subs.is_empty()) {
        let _ = writeln!(text, "{header}{title}:{header:#}");
        for sub in subs {
            let purpose = sub.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{:width$}{literal:#}  {purpose}", sub.get_name());
        }
        text.push('\n');
    }
    // The template puts an empty line behind it.
    text.trim_end().to_owned()
}

fn group_of(name: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(_, names)| names.contains(&name)).map(|&(title, _)| title)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `look` with every visible command below this one, and the words that lead there.
    fn walk(command: &Command, path: &str, look: &mut dyn FnMut(&Command, &str)) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let path = format!("{path} {}", sub.get_name());
            look(sub, &path);
            walk(sub, &path, look);
        }
    }

    #[test]
    fn every_subcommand_has_a_purpose_of_one_line_and_examples() {
        let mut n_seen = 0;
        walk(&crate::command(), "rookery", &mut |command, path| {
            n_seen += 1;
            let purpose = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!purpose.is_empty() && !purpose.contains('\n'), "`{path}` has a purpose of one line");
            let listed = path.matches(' ').count() == 1;
            assert!(!listed || purpose.len() <= 90, "the purpose of `{path}` fits a line of the list");
            assert!(!purpose.ends_with('.'), "the purpose of `{path}` has no full stop");
            let help = command.clone().render_long_help().to_string();
            let examples = help.split("Examples:\n").nth(1);
            let examples = examples.unwrap_or_else(|| panic!("`{path} --help` has Examples"));
            // A command of a folder of commands shows what stands below it.
            assert!(examples.contains(path), "the examples of `{path}` use it: {examples}");
        });
        assert!(n_seen > 15, "the subcommands are found");
    }

    #[test]
    fn examples_can_be_parsed() {
        let mut n_seen = 0;
        walk(&crate::command(), "rookery", &mut |command, path| {
            let help = command.clone().render_long_help().to_string();
            let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
            for line in examples.lines().take_while(|line| line.starts_with("  rookery")) {
                // Behind two spaces stands what it does.
                let line = line.trim().split("  ").next().unwrap_or_default();
                let words = words(line.split(['|', '<', '>']).next().unwrap_or_default());
                let parsed = crate::command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{path}: {line}: {}", parsed.unwrap_err());
                n_seen += 1;
            }
        });
        assert!(n_seen > 30, "the examples are found");
    }

    /// The words of a command, of which those in quotes may have spaces.
    fn words(command: &str) -> Vec<&str> {
        let parts = command.split(['"', '\'']).enumerate();
        parts
            .flat_map(|(idx, part)| if idx % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
            .collect()
    }

    #[test]
    fn every_visible_subcommand_stands_in_one_group() {
        for sub in crate::command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            let n_groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(n_groups, 1, "`{name}` stands in one group of help::GROUPS");
        }
    }

    #[test]
    fn what_stands_in_no_group_is_listed_all_the_same() {
        let command = Command::new("rookery").subcommand(Command::new("juggle").about("Throw things"));
        let help = grouped(command).render_help().to_string();
        assert!(help.contains("\n\nOthers:\n  juggle  Throw things\n\nOptions:\n"), "{help}");
    }
}

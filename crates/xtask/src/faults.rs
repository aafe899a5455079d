//! Which faults of the catalogue have tests: those whose names carry the fault's ID.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;

/// The catalogue: the letter of each part, how many faults it has, and what it is about.
const PARTS: [(char, u32, &str); 6] = [
    ('J', 11, "joining and naming"),
    ('T', 21, "answers during play"),
    ('C', 20, "child processes"),
    ('S', 19, "server, storage, clock"),
    ('Q', 15, "queue, workers, many machines"),
    ('W', 21, "observers and web"),
];

/// The table of all faults with their tests, and what is not covered yet.
pub(crate) fn table(crates: &Path) -> anyhow::Result<String> {
    let mut tests: BTreeMap<(char, u32), Vec<String>> = BTreeMap::new();
    collect(crates, &mut tests)?;
    let (mut text, mut covered, mut total) = (String::new(), 0, 0);
    for (letter, n_faults, about) in PARTS {
        writeln!(text, "{letter}: {about}")?;
        for number in 1..=n_faults {
            total += 1;
            match tests.get(&(letter, number)) {
                None => writeln!(text, "  {letter}{number:<3} NOT COVERED")?,
                Some(names) => {
                    covered += 1;
                    let more =
                        if names.len() > 1 { format!(" (+{} more)", names.len() - 1) } else { String::new() };
                    writeln!(text, "  {letter}{number:<3} {}{more}", names[0])?;
                }
            }
        }
    }
    writeln!(text, "{covered} of {total} faults have a test that carries their ID")?;
    Ok(text)
}

/// Finds functions named `fault_j08_...`; those of two digits alone are of another list.
fn collect(folder: &Path, tests: &mut BTreeMap<(char, u32), Vec<String>>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, tests)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            for part in fs::read_to_string(&path)?.split("fn fault_").skip(1) {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                for fault in ids(&name) {
                    tests.entry(fault).or_default().push(format!("fault_{name}"));
                }
            }
        }
    }
    Ok(())
}

/// The IDs that a name begins with: `q06_and_q07_a_broker…` has two, and so has `w02_fault_w01_load…`.
fn ids(name: &str) -> Vec<(char, u32)> {
    let words = name.split('_').filter(|word| !matches!(*word, "and" | "fault"));
    let id = |word: &str| {
        let letter = word.chars().next().filter(char::is_ascii_alphabetic)?.to_ascii_uppercase();
        let number =
            word[1..].parse().ok().filter(|_| word[1..].bytes().all(|byte| byte.is_ascii_digit()))?;
        Some((letter, number))
    };
    words.map_while(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_stands_in_the_table_once() {
        let table = table(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("the crates are there");
        let rows = table.lines().filter(|line| line.starts_with("  ")).count();
        assert_eq!(rows, 107);
        assert!(table.contains("  J8   fault_j08_"), "{table}");
        assert!(table.ends_with("107 of 107 faults have a test that carries their ID\n"), "{table}");
    }

    #[test]
    fn a_test_counts_for_each_fault_that_its_name_begins_with() {
        assert_eq!(ids("j08_a_name_that_is_taken"), [('J', 8)]);
        assert_eq!(ids("q06_and_q07_a_broker_that_is_killed"), [('Q', 6), ('Q', 7)]);
        assert_eq!(ids("q02_q06_and_q10_all_of_it"), [('Q', 2), ('Q', 6), ('Q', 10)]);
        assert_eq!(ids("w02_fault_w01_load_changes_little"), [('W', 2), ('W', 1)]);
        assert_eq!(ids("q04_and_late_answers_q05"), [('Q', 4)], "only what it begins with");
        assert_eq!(ids("12_of_another_list"), []);
        assert_eq!(ids("every_fault"), []);
    }
}

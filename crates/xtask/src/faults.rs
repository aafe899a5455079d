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
                let mut letters = name.chars();
                let letter = letters.next().unwrap_or_default().to_ascii_uppercase();
                let digits: String = letters.take_while(char::is_ascii_digit).collect();
                if let (true, Ok(number)) = (letter.is_ascii_alphabetic(), digits.parse()) {
                    tests.entry((letter, number)).or_default().push(format!("fault_{name}"));
                }
            }
        }
    }
    Ok(())
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
    }
}

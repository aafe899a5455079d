//! Openings from a file: one in each line, or TOML.

use std::path::Path;

use rookery_rules::text::clean;
use rookery_tournament::{Opening, OpeningFile, SpecError};

use super::agreed::{is_toml, read_bounded};
use crate::spec::{CheckedSpec, UsageError};

/// What stands before the name of an opening, behind its moves or its position.
const NAME_MARK: &str = " # ";

/// The openings of a file for a game: of all games where there is no other.
pub(super) fn read(path: &Path, first: &CheckedSpec, several: bool) -> Result<Vec<Opening>, UsageError> {
    let shown = clean(&path.display().to_string());
    let wrong = |error: &dyn std::fmt::Display| UsageError(clean(&format!("--openings {shown}: {error}")));
    let text = read_bounded(path).map_err(|error| wrong(&error))?;
    let mut openings = if is_toml(path) {
        let file: Result<OpeningFile, _> = toml::from_str(&text);
        file.map_err(|error| wrong(&SpecError::reading(error)))?.openings
    } else {
        let set = path.file_stem().map(|stem| clean(&stem.to_string_lossy()));
        of_lines(&text, set, first).map_err(|error| wrong(&error))?
    };
    if openings.is_empty() {
        return Err(wrong(&"no opening in it; expected moves or a position in each line"));
    }
    if several {
        for opening in &mut openings {
            opening.game.get_or_insert_with(|| first.text.clone());
        }
    }
    Ok(openings)
}

/// A line is an opening, a comment (`#`) or the name of the set that follows (`[wing]`); before any, the set is called as its
/// file is.
fn of_lines(text: &str, mut set: Option<String>, first: &CheckedSpec) -> Result<Vec<Opening>, String> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let mut openings = vec![];
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        if let Some(named) = line.strip_prefix('[') {
            let name = named.strip_suffix(']').map(str::trim).filter(|name| !name.is_empty());
            set = Some(name.ok_or_else(|| format!("line {number}: expected [NAME] of a set"))?.to_owned());
            continue;
        }
        let (start, name) = match line.split_once(NAME_MARK) {
            Some((start, name)) => (start.trim(), Some(name.trim().to_owned())),
            None => (line, None),
        };
        let is_position = first.game.position(start).is_ok();
        let moves = start.split_whitespace().filter(|_| !is_position).map(str::to_owned).collect();
        let position = is_position.then(|| start.to_owned());
        openings.push(Opening { set: set.clone(), name, game: None, position, moves });
    }
    Ok(openings)
}

//! Tables that were kept are looked up. What is at hand holds for the whole process, so this is a program of its own.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_games::hexapawn::Setup;
use rookery_players::hexapawn::EXPERTISE;
use rookery_players::{SolveOrder, read_table, solve, use_tables};
use rookery_rules::{Notation as _, Setup as _};
use rookery_testkit::TempFolder;

#[test]
fn who_looks_up_a_table_needs_to_find_out_little() {
    let start = Setup::parse("rows=4,cols=7").unwrap().start();
    let text = start.to_text();
    assert_eq!(read_table(&EXPERTISE, &text), Ok(()), "no folder, no table, no problem");
    let folder = TempFolder::new("tables");
    let kept = SolveOrder { db: Some(folder.to_path_buf()), ..SolveOrder::default() };
    let solved = solve(&EXPERTISE, &text, &kept).unwrap();
    assert_eq!(solved.value.plies, Some(19));

    use_tables(&folder);
    assert_eq!(read_table(&EXPERTISE, &text), Ok(()));
    // Each counts for itself.
    let quick = || SolveOrder { look_up: true, ..SolveOrder::default() };
    let again = solve(&EXPERTISE, &text, &quick()).unwrap();
    assert_eq!((&again.value, &again.line), (&solved.value, &solved.line));
    assert!(again.nodes * 10 < solved.nodes, "{} and then {}", solved.nodes, again.nodes);
    let alone = solve(&EXPERTISE, &text, &SolveOrder::default()).unwrap();
    assert_eq!(alone.nodes, solved.nodes, "nothing is looked up unless it is asked for");

    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, "rookery").unwrap();
    use_tables(&folder);
    let problem = read_table(&EXPERTISE, &text).unwrap_err();
    assert!(problem.contains("it begins with \"rookery\""), "{problem}");
    let without = solve(&EXPERTISE, &text, &quick()).unwrap();
    assert_eq!(without.nodes, solved.nodes, "a table that cannot be read is left out");
}

//! `rookery fish xboard`, `xstate`, `xtree`, `xstrategy`, `xref`: one JSON value in, one out.

use std::io::{Read, Write, stdin};

use crate::UsageError;
use crate::fish::Harness;

pub(super) const BOARD: &str = "\
Standard input has one value, for example {\"position\":[0,0],\"board\":[[1,2],[3,4]]}.

Examples:
  echo '{\"position\":[0,0],\"board\":[[1,2],[3,4]]}' | rookery fish xboard";

pub(super) const STATE: &str = "\
Standard input has one state. The answer is the state after the step, or false.

Examples:
  rookery fish xstate < state.json";

pub(super) const TREE: &str = "\
Standard input has {\"state\":STATE,\"from\":[ROW,COLUMN],\"to\":[ROW,COLUMN]}. The answer is the action of the next player
that brings a penguin beside the one that moved, or false.

Examples:
  rookery fish xtree < move.json";

pub(super) const STRATEGY: &str = "\
Standard input has [DEPTH,STATE]. The answer is the action of the first player, or false if it cannot move.

Examples:
  rookery fish xstrategy < question.json";

pub(super) const REF: &str = "\
Standard input has {\"row\":ROWS,\"column\":COLUMNS,\"players\":[[NAME,DEPTH],..],\"fish\":FISH}.

Examples:
  echo '{\"row\":5,\"column\":5,\"players\":[[\"a\",1],[\"b\",2]],\"fish\":2}' | rookery fish xref";

/// The most that is read.
const MAX_INPUT: u64 = 1 << 20;

pub(super) fn run(harness: Harness, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut input = vec![];
    stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut input)?;
    if input.len() as u64 > MAX_INPUT {
        return Err(UsageError(format!("standard input has more than {MAX_INPUT} bytes")).into());
    }
    let input = String::from_utf8(input).map_err(|error| {
        UsageError(format!("standard input is no UTF-8 after byte {}", error.utf8_error().valid_up_to()))
    })?;
    let output = harness.run(&input).map_err(|error| UsageError(format!("standard input: {error}")))?;
    Ok(writeln!(out, "{output}")?)
}

//! Records named on the command line.

use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use rookery_live::{Story, read_story};
use rookery_record::open_record;
use rookery_terminal::clean;

/// The match of a record, judged again.
pub(crate) fn story(path: &Path) -> anyhow::Result<Story> {
    let name = clean(&path.display().to_string());
    let file = open_record(path).with_context(|| format!("{name}: it cannot be opened"))?;
    read_story(BufReader::new(file)).map_err(|error| anyhow!("{name}: {}", clean(&error.to_string())))
}

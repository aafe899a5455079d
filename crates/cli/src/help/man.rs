//! `rookery man`: a man page for every subcommand. Hidden, because it is for those who make packages: `cargo xtask man`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;

/// Write man pages into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rookery man target/man")]
pub(crate) struct Args {
    /// The folder; made if it is not there
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let dir = &args.dir;
    let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(crate::command(), dir));
    written.with_context(|| format!("the man pages could not be written to {}", dir.display()))?;
    Ok(writeln!(out, "man pages written to {}", dir.display())?)
}

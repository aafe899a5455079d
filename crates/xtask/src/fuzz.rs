//! The fuzz targets of `fuzz/`, a workspace of its own: whether they still build, and the search itself.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, bail};

use crate::{build_once, say, step};

const TARGETS: [&str; 5] = ["session", "record", "command_line", "bundle", "cluster"];
const MANIFEST: &str = "fuzz/Cargo.toml";

/// A command of the nightly toolchain. It is chosen by rustup, which is not what `CARGO` names here.
fn nightly(args: &str) -> Command {
    let mut command = Command::new("cargo");
    command.arg("+nightly").args(args.split(' ')).env_remove("RUSTUP_TOOLCHAIN");
    build_once(&mut command);
    command
}

fn works(mut command: Command) -> bool {
    let probe = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// Sees to it that the targets build, where there is what that needs: nothing else notices when they do not.
pub(crate) fn check() -> anyhow::Result<()> {
    if let Some(why) = missing()? {
        say(&format!("== SKIPPED the fuzz targets: {why}"));
        return Ok(());
    }
    let check = format!("check --quiet --locked --manifest-path {MANIFEST} --target-dir target/fuzz");
    step("fuzz targets", nightly(&check))
}

/// Why this machine cannot build the targets.
fn missing() -> anyhow::Result<Option<String>> {
    if !works(nightly("--version")) {
        return Ok(Some("there is no nightly compiler (`rustup toolchain install nightly`)".to_owned()));
    }
    let mut compiler = Command::new("c++");
    compiler.arg("--version");
    if !works(compiler) {
        return Ok(Some("there is no C++ compiler for libFuzzer (Debian: apt-get install g++)".to_owned()));
    }
    // What no other crate needs may not be there yet.
    let fetch = nightly(&format!("fetch --quiet --locked --manifest-path {MANIFEST}"))
        .stdin(Stdio::null())
        .output()
        .context("cargo fetch could not be started")?;
    let said = String::from_utf8_lossy(&fetch.stderr);
    if !fetch.status.success() && said.contains("--locked") {
        bail!(
            "fuzz/Cargo.lock is out of date: `cargo +nightly update --workspace --manifest-path {MANIFEST}`"
        );
    }
    let why = said.lines().last().unwrap_or_default().trim();
    Ok((!fetch.status.success()).then(|| format!("what they need cannot be had: {why}")))
}

/// Looks for bytes that break something, one target after the other. What is found stays in `fuzz/` as a file, with the command
/// to see it again. Each begins with its seeds, and with what was interesting in earlier runs.
pub(crate) fn search(seconds: &str) -> anyhow::Result<()> {
    let seconds: u32 = seconds.parse().with_context(|| format!("--seconds {seconds}: expected a number"))?;
    if !works(nightly("fuzz --version")) {
        bail!(
            "a nightly compiler and cargo-fuzz are needed: `rustup toolchain install nightly`, `cargo install cargo-fuzz`"
        );
    }
    let folder = env::current_dir()?.join("fuzz");
    for target in TARGETS {
        let (own, seeds) = (folder.join("corpus").join(target), folder.join("seeds").join(target));
        fs::create_dir_all(&own).with_context(|| own.display().to_string())?;
        let mut command = nightly(&format!("fuzz run {target}"));
        command.args([own.as_path(), Path::new(&seeds)]);
        command.args(["--", &format!("-max_total_time={seconds}"), "-max_len=4096"]);
        step(&format!("fuzzing of {target}"), command)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_run_and_has_seeds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("the targets have a manifest");
        let bins = manifest.split("[[bin]]").skip(1).filter_map(|bin| bin.split('"').nth(1));
        let mut bins: Vec<&str> = bins.collect();
        let mut known = TARGETS.to_vec();
        bins.sort_unstable();
        known.sort_unstable();
        assert_eq!(bins, known);
        for target in TARGETS {
            let seeds = fs::read_dir(folder.join("seeds").join(target)).expect(target);
            assert!(seeds.count() >= 3, "{target} begins with something");
        }
    }
}

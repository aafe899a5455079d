//! `cargo xtask dist`: an archive and a Debian package with everything that is shipped, made without a network.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use crate::{cargo, say, step};

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    /// A binary that is there already; else one is built.
    binary: Option<PathBuf>,
    out: PathBuf,
    /// Nothing is packed tightly: for tests.
    fast: bool,
}

impl Order {
    fn read(words: &[&str]) -> anyhow::Result<Self> {
        let mut order = Self { binary: None, out: "target/package".into(), fast: false };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--binary" => order.binary = Some(words.next().context("--binary FILE")?.into()),
                "--out" => order.out = words.next().context("--out DIR")?.into(),
                "--fast" => order.fast = true,
                _ => bail!("{word}: expected --binary FILE, --out DIR or --fast"),
            }
        }
        Ok(order)
    }
}

/// Each unit of systemd, and where the package has it.
const UNITS: [&str; 2] = ["rookery.service", "rookery-worker.service"];
/// What an administrator may change.
const CONFIGURATION: [&str; 2] = ["serve.toml", "worker.env"];
/// Each shell, and where it looks for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/rookery"),
    ("zsh", "usr/share/zsh/vendor-completions/_rookery"),
    ("fish", "usr/share/fish/vendor_completions.d/rookery.fish"),
];

/// Where the system finds the user that services run as.
const POSTINST: &str = "\
#!/bin/sh
set -e
# In a root of its own there is no running system to tell.
if [ -z \"$DPKG_ROOT\" ] && [ \"$1\" = configure ]; then
    if command -v systemd-sysusers >/dev/null; then systemd-sysusers rookery.conf; fi
    if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
fi
";

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let order = Order::read(words)?;
    let binary = match &order.binary {
        Some(binary) => binary.clone(),
        None => build()?,
    };
    ensure!(binary.is_file(), "{}: there is no such binary", binary.display());
    let binary = binary.canonicalize()?;
    expect_cluster(&binary)?;
    let version = version(&binary)?;
    let machine = printed(Command::new("dpkg").arg("--print-architecture"))
        .unwrap_or_else(|_| std::env::consts::ARCH.to_owned());
    let name = format!("rookery-{version}-{machine}");
    fs::create_dir_all(&order.out)?;
    let (tree, package) = (order.out.join(&name), order.out.join("debian"));
    for stage in [&tree, &package] {
        if stage.exists() {
            fs::remove_dir_all(stage)?;
        }
    }
    fill(&tree, &binary)?;
    let archive = archive(&order, &name)?;
    let mut made = vec![archive];
    if found("dpkg-deb") {
        made.push(debian(&order, &tree, &package, &version, &machine)?);
    } else {
        say("== SKIPPED the Debian package: there is no dpkg-deb here");
    }
    for stage in [&tree, &package] {
        if stage.exists() {
            fs::remove_dir_all(stage)?;
        }
    }
    let sums = printed(Command::new("sha256sum").args(&made).current_dir(&order.out))?;
    fs::write(order.out.join("SHA256SUMS"), format!("{sums}\n"))?;
    say(&format!("== in {}:\n{sums}", order.out.display()));
    Ok(())
}

/// What is shipped has everything in it.
fn build() -> anyhow::Result<PathBuf> {
    step("the binary", cargo("build --locked --profile dist --package rookery --features cluster"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    Ok(target.join("dist/rookery"))
}

/// What is shipped can work with other machines. One that can says what is wrong with this address.
fn expect_cluster(binary: &Path) -> anyhow::Result<()> {
    let asked = Command::new(binary).args(["cluster", "status", "--dispatch", "nowhere"]).output()?;
    ensure!(
        !String::from_utf8_lossy(&asked.stderr).contains("built without cluster support"),
        "{}: it is built without cluster support; expected one that was built with `--features cluster`",
        binary.display()
    );
    Ok(())
}

fn version(binary: &Path) -> anyhow::Result<String> {
    let said = printed(Command::new(binary).arg("--version"))?;
    let version = said.split(' ').nth(1).context("the binary says its version")?;
    Ok(version.to_owned())
}

/// What a program prints, without the end of its last line.
fn printed(command: &mut Command) -> anyhow::Result<String> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

fn found(program: &str) -> bool {
    let probe = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// Puts a file where it belongs, readable for everybody.
fn put(tree: &Path, at: &str, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let path = tree.join(at);
    fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    Ok(fs::set_permissions(&path, Permissions::from_mode(mode))?)
}

/// Everything that is shipped, as it lies below the root of a system.
fn fill(tree: &Path, binary: &Path) -> anyhow::Result<()> {
    put(tree, "usr/bin/rookery", &fs::read(binary)?, 0o755)?;
    if found("strip") {
        // A binary that was made for tests is mostly what a debugger reads.
        printed(Command::new("strip").arg(tree.join("usr/bin/rookery")))?;
    }
    let pages = tree.join("usr/share/man/man1");
    printed(Command::new(binary).arg("man").arg(&pages))?;
    ensure!(fs::read_dir(&pages)?.count() > 20, "the man pages are there");
    for (shell, at) in COMPLETIONS {
        put(tree, at, printed(Command::new(binary).args(["completions", shell]))?.as_bytes(), 0o644)?;
    }
    for unit in UNITS {
        let text = fs::read(Path::new("deploy/systemd").join(unit))?;
        put(tree, &format!("usr/lib/systemd/system/{unit}"), &text, 0o644)?;
    }
    put(tree, "usr/lib/sysusers.d/rookery.conf", &fs::read("deploy/systemd/rookery.sysusers")?, 0o644)?;
    for file in CONFIGURATION {
        put(tree, &format!("etc/rookery/{file}"), &fs::read(Path::new("deploy").join(file))?, 0o644)?;
    }
    let docs = "usr/share/doc/rookery";
    for file in ["README.md", "CHANGELOG.md"] {
        put(tree, &format!("{docs}/{file}"), &fs::read(file)?, 0o644)?;
    }
    let licences = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"].map(fs::read_to_string);
    let licences = licences.into_iter().collect::<Result<Vec<_>, _>>()?;
    put(tree, &format!("{docs}/copyright"), licences.join("\n\n").as_bytes(), 0o644)?;
    copy(Path::new("docs"), tree, &format!("{docs}/docs"))?;
    copy(Path::new("deploy"), tree, &format!("{docs}/deploy"))
}

/// Copies all files of a folder.
fn copy(from: &Path, tree: &Path, to: &str) -> anyhow::Result<()> {
    let mut entries = fs::read_dir(from)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().into_string().ok().context("our files have plain names")?;
        let to = format!("{to}/{name}");
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), tree, &to)?;
        } else {
            put(tree, &to, &fs::read(entry.path())?, 0o644)?;
        }
    }
    Ok(())
}

/// When it was made, as far as anybody asks: the same source makes the same bytes.
fn moment() -> String {
    let commit = printed(Command::new("git").args(["log", "-1", "--format=%ct"]));
    std::env::var("SOURCE_DATE_EPOCH").or(commit).unwrap_or_else(|_| "0".to_owned())
}

fn archive(order: &Order, name: &str) -> anyhow::Result<String> {
    let file = format!("{name}.tar.gz");
    let level = if order.fast { "gzip -1" } else { "gzip -9 -n" };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", moment())).args(["--use-compress-program", level]);
    printed(tar.args(["--file", &file, name]).current_dir(&order.out))?;
    Ok(file)
}

/// The package: the same files, and what dpkg wants to know.
fn debian(
    order: &Order,
    tree: &Path,
    package: &Path,
    version: &str,
    machine: &str,
) -> anyhow::Result<String> {
    fs::rename(tree, package)?;
    for page in fs::read_dir(package.join("usr/share/man/man1"))? {
        printed(Command::new("gzip").args(["-9", "-n"]).arg(page?.path()))?;
    }
    let sums = printed(
        Command::new("sh")
            .current_dir(package)
            .args(["-c", "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum"]),
    )?;
    put(package, "DEBIAN/md5sums", format!("{sums}\n").as_bytes(), 0o644)?;
    let kibibytes = printed(Command::new("du").args(["--summarize", "--apparent-size", "-k"]).arg(package))?;
    let kibibytes = kibibytes.split('\t').next().unwrap_or_default();
    put(package, "DEBIAN/control", control(version, machine, kibibytes).as_bytes(), 0o644)?;
    let files = CONFIGURATION.map(|file| format!("/etc/rookery/{file}\n")).concat();
    put(package, "DEBIAN/conffiles", files.as_bytes(), 0o644)?;
    put(package, "DEBIAN/postinst", POSTINST.as_bytes(), 0o755)?;
    let file = format!("rookery_{version}_{machine}.deb");
    let mut build = Command::new("dpkg-deb");
    build.env("SOURCE_DATE_EPOCH", moment()).arg("--root-owner-group");
    if order.fast {
        build.arg("-Znone");
    }
    let path = order.out.join(&file);
    printed(build.arg("--build").arg(package).arg(&path))?;
    ensure!(File::open(&path)?.metadata()?.len() > 0, "the package has something in it");
    Ok(file)
}

fn control(version: &str, machine: &str, kibibytes: &str) -> String {
    format!(
        "Package: rookery\nVersion: {version}\nArchitecture: {machine}\nSection: games\nPriority: optional\n\
         Maintainer: The Rookery project <rookery@example.org>\nInstalled-Size: {kibibytes}\n\
         Depends: libc6{}, libgcc-s1\nRecommends: bubblewrap\nSuggests: postgresql, nats-server, python3\n\
         Description: one referee for board games between programs and people\n \
         Matches and tournaments between programs, built-in players and people, in a\n \
         terminal or on a page; bots run in a sandbox, results are kept in SQLite or\n \
         PostgreSQL, and many machines can share the games.\n",
        libc_version().map(|version| format!(" (>= {version})")).unwrap_or_default()
    )
}

/// The C library that the binary was linked with: the one of this machine.
fn libc_version() -> Option<String> {
    let said = printed(Command::new("getconf").arg("GNU_LIBC_VERSION")).ok()?;
    said.split(' ').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_and_mistakes_refused() {
        let order = Order::read(&["--binary", "a", "--out", "b", "--fast"]).expect("it is an order");
        assert_eq!(order, Order { binary: Some("a".into()), out: "b".into(), fast: true });
        assert!(Order::read(&["--binary"]).is_err() && Order::read(&["--quick"]).is_err());
    }
}

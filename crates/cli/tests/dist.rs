//! What `cargo xtask dist` makes can be installed and runs; its units pass systemd's own check. Only a binary with `cluster` is shipped.
#![cfg(all(feature = "cluster", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rookery_testkit::{TempFolder, skip};

fn is_there(program: &str) -> bool {
    let probe = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// What a program prints when all is well.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said} {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap() + &said
}

/// The file that begins and ends so.
fn file(folder: &Path, begin: &str, end: &str) -> PathBuf {
    let mut names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_meant = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(begin) && name.ends_with(end)
    };
    names.find(is_meant).unwrap_or_else(|| panic!("{begin}…{end} is not in {}", folder.display()))
}

/// Uses what was put somewhere as if that were the root of a system.
fn try_it(root: &Path) {
    let binary = root.join("usr/bin/rookery");
    assert_eq!(
        printed(Command::new(&binary).arg("--version")).trim(),
        format!("rookery {}", env!("CARGO_PKG_VERSION"))
    );
    let played = printed(Command::new(&binary).args([
        "match",
        "hexapawn:rows=3,cols=3",
        "first",
        "first",
        "--games",
        "2",
        "--json",
    ]));
    assert!(played.contains("games"), "{played}");
    for file in [
        "usr/share/bash-completion/completions/rookery",
        "usr/share/zsh/vendor-completions/_rookery",
        "usr/share/fish/vendor_completions.d/rookery.fish",
        "usr/lib/systemd/system/rookery.service",
        "usr/lib/systemd/system/rookery-worker.service",
        "usr/lib/sysusers.d/rookery.conf",
        "usr/share/doc/rookery/copyright",
        "usr/share/doc/rookery/docs/operations.md",
        "usr/share/doc/rookery/deploy/alerts.yml",
        "etc/rookery/serve.toml",
    ] {
        assert!(root.join(file).is_file(), "{file} is there");
    }
    for page in ["rookery.1", "rookery-serve.1", "rookery-bot-push.1"] {
        let is_page =
            ["", ".gz"].iter().any(|end| root.join(format!("usr/share/man/man1/{page}{end}")).is_file());
        assert!(is_page, "{page} is there");
    }
}

#[test]
fn what_is_shipped_can_be_installed_and_runs() {
    let folder = TempFolder::new("dist");
    let out = folder.join("out");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut dist = Command::new(env!("CARGO"));
    dist.current_dir(&repository).args([
        "run",
        "--quiet",
        "--locked",
        "--package",
        "xtask",
        "--",
        "dist",
        "--fast",
    ]);
    printed(dist.args(["--binary", env!("CARGO_BIN_EXE_rookery"), "--out"]).arg(&out));
    printed(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&out));
    printed(
        Command::new("tar")
            .arg("--extract")
            .arg("--file")
            .arg(file(&out, "rookery-", ".tar.gz"))
            .current_dir(&folder),
    );
    let name =
        file(&out, "rookery-", ".tar.gz").file_name().unwrap().to_str().unwrap().replace(".tar.gz", "");
    let unpacked = folder.join(name);
    try_it(&unpacked);
    if is_there("dpkg-deb") {
        let package = file(&out, "rookery_", ".deb");
        let told = printed(Command::new("dpkg-deb").arg("--info").arg(&package));
        assert!(told.contains("Depends: libc6") && told.contains("Recommends: bubblewrap"), "{told}");
        let extracted = folder.join("extracted");
        printed(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&extracted));
        try_it(&extracted);
        install(&folder, &package);
    } else {
        skip("the Debian package: there is no dpkg-deb");
    }
    check_units(&unpacked);
}

/// Installs it by dpkg in a root of its own, and takes it away again.
fn install(folder: &TempFolder, package: &Path) {
    if !rustix::process::geteuid().is_root() {
        return skip("dpkg --install: only root may");
    }
    let root = folder.join("root");
    for place in ["info", "updates", "triggers"] {
        fs::create_dir_all(root.join("var/lib/dpkg").join(place)).unwrap();
    }
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = || {
        let mut dpkg = Command::new("dpkg");
        // There is no C library there, and no shell for scripts.
        dpkg.arg(format!("--root={}", root.display())).args([
            "--force-depends",
            "--force-script-chrootless",
            "--force-not-root",
            "--log=/dev/null",
        ]);
        dpkg
    };
    printed(dpkg().arg("--install").arg(package));
    try_it(&root);
    let status = printed(dpkg().args(["--status", "rookery"]));
    assert!(status.contains("Status: install ok installed"), "{status}");
    assert_eq!(printed(dpkg().args(["--verify", "rookery"])), "", "every file is as it was packed");
    printed(dpkg().args(["--purge", "rookery"]));
    assert!(!root.join("usr/bin/rookery").exists() && !root.join("etc/rookery").exists(), "nothing is left");
}

/// systemd reads the units as they are installed.
fn check_units(root: &Path) {
    if !is_there("systemd-analyze") {
        return skip("the units: there is no systemd-analyze");
    }
    let units = root.join("usr/lib/systemd/system");
    for unit in ["rookery.service", "rookery-worker.service"] {
        // The program is where the package puts it, which is not this machine's root.
        let text = fs::read_to_string(units.join(unit)).unwrap();
        let binary = root.join("usr/bin/rookery");
        let here = text.replace("ExecStart=/usr/bin/rookery", &format!("ExecStart={}", binary.display()));
        assert_ne!(here, text);
        let copy = root.join(unit);
        fs::write(&copy, here).unwrap();
        let said = printed(
            Command::new("systemd-analyze").args(["verify", "--man=no", "--recursive-errors=no"]).arg(&copy),
        );
        assert!(!said.contains(unit), "{unit}: {said}");
    }
}

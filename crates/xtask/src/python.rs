//! The Python package: its tests, its wheel and its source package.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::{build_once, say, step, venv};

/// What the tests need from `PyPI`, beside what the notebook runs in.
const PACKAGES: [&str; 11] = [
    "maturin==1.16.0",
    "pytest==9.2.0",
    "hypothesis==6.170.15",
    "mypy==2.4.1",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "pandas-stubs==3.1.0.261029",
    "pettingzoo==1.27.0",
    "nbclient==0.11.0",
    "ipykernel==7.4.0",
    "matplotlib==3.11.2",
];

/// Builds the extension into an environment of its own and runs everything that is Python's. Where there is no Python or no
/// `PyPI`, that is told and skipped.
pub(crate) fn test() -> anyhow::Result<()> {
    let Some(environment) = Environment::make(&PACKAGES) else { return Ok(()) };
    let package = environment.root.join("python");
    let mut build = environment.run("maturin");
    build.args(["develop", "--quiet", "--locked"]).current_dir(&package);
    step("Python: the extension", build)?;
    let mut mypy = environment.run("mypy");
    mypy.arg("rookery").current_dir(&package);
    step("Python: types", mypy)?;
    let mut stubs = environment.run("stubtest");
    stubs.args(["rookery._rookery", "--ignore-missing-stub"]).current_dir(&package);
    step("Python: stubs are as the extension", stubs)?;
    let mut tests = environment.run("pytest");
    // What nobody installed is a mistake from here on, not a reason to skip.
    tests.args(["-q", "rookery", "tests"]).env("ROOKERY_ALL_PACKAGES", "1").current_dir(&package);
    step("Python: tests, docstrings, environments and the notebook", tests)
}

/// What the crates read beside their own folders, which maturin does not know of.
const BESIDE: [&str; 2] = ["docs/rules", ".cargo"];

/// Builds a wheel and a source package that need nothing of this repository, and shows that by installing each. Installs the
/// folder `python` as well, as docs/python.md says.
pub(crate) fn wheel() -> anyhow::Result<()> {
    let Some(environment) = Environment::make(&PACKAGES[..1]) else {
        bail!("maturin cannot be had, see above")
    };
    let wheels = environment.root.join("target/wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).with_context(|| wheels.display().to_string())?;
    }
    for what in [&["build", "--release"][..], &["sdist"][..]] {
        let mut maturin = environment.run("maturin");
        maturin.args(what).arg("--out").arg(&wheels).current_dir(environment.root.join("python"));
        step(&format!("maturin {}", what[0]), maturin)?;
    }
    let source = wheels.join(concat!("rookery-", env!("CARGO_PKG_VERSION"), ".tar.gz"));
    complete(&environment.root, &source)?;
    // Before pip builds its own here, which are not for others.
    let mut packages: Vec<PathBuf> = std::fs::read_dir(&wheels)
        .with_context(|| wheels.display().to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    packages.sort();
    for package in &packages {
        let size = package.metadata().map_or(0, |data| data.len());
        say(&format!("{} ({:.1} MB)", package.display(), size as f64 / 1e6));
    }
    let wheel = packages.iter().find(|package| package.extension().is_some_and(|kind| kind == "whl"));
    let wheel = wheel.with_context(|| format!("there is no wheel in {}", wheels.display()))?;
    install_alone(&environment.root, wheel, "the wheel alone")?;
    install_alone(&environment.root, &source, "the source package alone")?;
    install_alone(&environment.root, &environment.root.join("python"), "./python")?;
    Ok(())
}

/// Adds to a source package what lies beside the crates.
fn complete(root: &Path, package: &Path) -> anyhow::Result<()> {
    let work = root.join("target/source-package");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    std::fs::create_dir_all(&work)?;
    let folder = concat!("rookery-", env!("CARGO_PKG_VERSION"));
    let mut unpack = Command::new("tar");
    step("unpacking the source package", unpack.arg("-xzf").arg(package).arg("-C").arg(&work))?;
    for beside in BESIDE {
        let into = work.join(folder).join(beside);
        std::fs::create_dir_all(&into)?;
        for entry in std::fs::read_dir(root.join(beside))? {
            let file = entry?.path();
            if let (true, Some(name)) = (file.is_file(), file.file_name()) {
                std::fs::copy(&file, into.join(name))?;
            }
        }
    }
    let mut pack = Command::new("tar");
    step("packing it again", pack.arg("-czf").arg(package).arg("-C").arg(&work).arg(folder))
}

/// Installs a wheel, a source package or the folder of this repository in a new environment, and imports it from there.
fn install_alone(root: &Path, package: &Path, what: &str) -> anyhow::Result<()> {
    let folder = root.join("target/python/installed");
    let mut make = Command::new("python3");
    step("a new environment", make.args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut install = Command::new(folder.join("bin/pip"));
    install.args(["install", "--quiet", "--disable-pip-version-check"]).arg(package).current_dir(&folder);
    step(&format!("{what}: pip install"), install)?;
    let mut import = Command::new(folder.join("bin/python"));
    import.args(["-c", "import rookery; rookery.load('four')"]).current_dir(&folder);
    step(&format!("{what}: import"), import)
}

/// A virtual environment under `target`.
struct Environment {
    root: PathBuf,
    folder: PathBuf,
}

impl Environment {
    /// Makes it, or takes the one that is there; `None` if it cannot be had, and that has been told.
    fn make(packages: &[&str]) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().ok()?;
        let name = if packages.len() == 1 { "wheel" } else { "package" };
        let bin = venv::bin(&root.join("target"), name, packages);
        let Some(folder) = bin.as_ref().and_then(|bin| bin.parent()) else {
            say("== SKIPPED the Python package, see above (Debian: apt-get install python3-venv)");
            return None;
        };
        Some(Self { folder: folder.to_owned(), root })
    }

    /// A program of the environment, as if the environment were active.
    fn run(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join("bin").join(program));
        command.env("VIRTUAL_ENV", &self.folder).env_remove("PYTHONHOME").env_remove("PYTHONPATH");
        build_once(&mut command);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.join("bin")).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command
    }
}

//! What the command line prints, to the letter. `cargo xtask bless` rewrites the files.

#[test]
fn snapshots() {
    // A pattern that finds nothing is no failure to trycmd.
    let n_files = std::fs::read_dir("tests/cmd").map(Iterator::count);
    assert!(n_files.is_ok_and(|n| n >= 5), "the snapshots are found");
    trycmd::TestCases::new()
        // Whoever runs this has played or has not: here nobody has.
        .env("XDG_DATA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/nobody-has-played"))
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/*.toml")
        .case("../../README.md")
        .case("../../docs/*.md");
}

//! What the command line prints, to the letter. `cargo xtask bless` rewrites the files.

#[test]
fn snapshots() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("../../README.md").case("../../docs/*.md");
}

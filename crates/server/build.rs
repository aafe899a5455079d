//! Lists what is in `assets/`, so that the binary has all of it. Sheets and scripts lose their comments and their indentation:
//! readers have the files, browsers need neither.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// What every page needs before it can be painted, as one sheet: each further one is a way there and back.
const STYLE: [&str; 3] = ["tokens.css", "page.css", "board.css"];

fn main() {
    println!("cargo::rerun-if-changed=assets");
    let root = env::var("CARGO_MANIFEST_DIR").expect("Cargo says where the crate is");
    let out = env::var("OUT_DIR").expect("Cargo says where to write");
    let mut names = vec![];
    collect(&Path::new(&root).join("assets"), "", &mut names);
    names.sort();
    let mut table = String::from("&[\n");
    let mut style = String::new();
    for part in STYLE {
        let text = fs::read_to_string(Path::new(&root).join("assets").join(part))
            .expect("a part of the sheet is there");
        style += &without_comments(&text, "/*");
    }
    let sheet = Path::new(&out).join("style.css");
    fs::write(&sheet, style).expect("a file can be written");
    writeln!(table, "    (\"style.css\", include_bytes!({:?})),", sheet.display().to_string())
        .expect("a text grows");
    for name in names.into_iter().filter(|name| !STYLE.contains(&name.as_str())) {
        let mut path = Path::new(&root).join("assets").join(&name);
        let comment = match path.extension().and_then(|extension| extension.to_str()) {
            Some("js") => Some("/**"),
            Some("css") => Some("/*"),
            _ => None,
        };
        if let Some(comment) = comment {
            let text = fs::read_to_string(&path).expect("a sheet or script is text");
            path = Path::new(&out).join(name.replace('/', "-"));
            fs::write(&path, without_comments(&text, comment)).expect("a file can be written");
        }
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())
            .expect("a text grows");
    }
    table.push(']');
    fs::write(Path::new(&out).join("assets.rs"), table).expect("the table can be written");
}

/// Leaves out what begins with these signs, and lines that are a comment. No text of ours has such signs in it.
fn without_comments(text: &str, begin: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some((before, comment)) = rest.split_once(begin) {
        code.push_str(before);
        rest = comment.split_once("*/").expect("every comment ends").1;
    }
    code.push_str(rest);
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    if begin == "/*" { without_spaces(&text) } else { text }
}

/// A sheet without the spaces that only readers need; no quoted text of ours has such signs in it.
fn without_spaces(sheet: &str) -> String {
    let pairs = [
        (" {", "{"),
        ("{ ", "{"),
        ("; }", "}"),
        (" }", "}"),
        ("; ", ";"),
        (": ", ":"),
        (", ", ","),
        (" > ", ">"),
        ("\n", ""),
    ];
    pairs.iter().fold(sheet.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    let Ok(files) = fs::read_dir(folder) else { return };
    for file in files.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let is_folder = file.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            collect(&file.path(), &format!("{prefix}{name}/"), names);
        } else if !name.starts_with('.') {
            names.push(format!("{prefix}{name}"));
        }
    }
}

//! From a bot's folder to its archive.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::super::contents::{Contents, Item, Kind};
use super::super::found::{BotProblem, shown_path};
use super::super::manifest::FILE;
use super::unpack::named_bot;
use super::{BundleError, BundleLimits};

/// The archive of a bot's folder: the same bytes for the same files, whenever and by whomever it is made. Hidden files and what
/// Python leaves behind are not in it. It is unpacked like that of a stranger later, so what we would refuse is found here.
pub fn pack(folder: &Path) -> Result<Vec<u8>, BundleError> {
    let name = folder.file_name().map(|name| shown_path(Path::new(name))).unwrap_or_default();
    let wrong = |(problem, expected)| BundleError::Bot(Box::new(BotProblem::new(&name, problem, expected)));
    named_bot(folder).map_err(wrong)?;
    let contents = Contents::list(folder).map_err(wrong)?;
    let limits = BundleLimits::default();
    if contents.bytes > limits.unpacked || contents.items.len() > limits.files {
        return Err(wrong((
            format!("its folder has {} files with {} bytes", contents.items.len(), contents.bytes),
            limits.to_string(),
        )));
    }
    let gzip = GzBuilder::new().mtime(0).write(vec![], Compression::default());
    let mut archive = Builder::new(gzip);
    for Item { path, kind } in &contents.items {
        let mode = match kind {
            Kind::File => 0o644,
            Kind::Program => 0o755,
            Kind::Link(_) => {
                let problem = format!("{} is a link", shown_path(path));
                return Err(wrong((
                    problem,
                    "files and folders alone, so that nothing leads out of it".to_owned(),
                )));
            }
        };
        let added = fs::File::open(folder.join(path))
            .and_then(|file| add(&mut archive, path, mode, file, limits.unpacked));
        added.map_err(|error| {
            let problem = format!("{} cannot be packed: {error}", shown_path(path));
            wrong((problem, "files that can be read and do not change meanwhile".to_owned()))
        })?;
    }
    let packed = archive.into_inner().and_then(flate2::write::GzEncoder::finish);
    let packed = packed.map_err(|error| {
        wrong((format!("its {FILE} and files cannot be packed: {error}"), "room in memory".to_owned()))
    })?;
    if packed.len() as u64 > limits.packed {
        return Err(wrong((format!("its archive has {} bytes", packed.len()), limits.to_string())));
    }
    Ok(packed)
}

fn add(
    archive: &mut Builder<impl io::Write>,
    path: &Path,
    mode: u32,
    file: fs::File,
    most: u64,
) -> io::Result<()> {
    let mut bytes = vec![];
    file.take(most + 1).read_to_end(&mut bytes)?;
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    // When and by whom is nobody's business, and would make other bytes.
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, path, &bytes[..])
}

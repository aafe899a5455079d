//! What stands at a path, before it is opened or made.

use std::fs::{self, File, FileType};
use std::io;
use std::path::Path;

/// Opens a record to read it. Whatever is no file is refused at once, and by name: to open a pipe would wait until
/// somebody writes to it.
pub fn open_record(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.file_type() {
        kind if kind.is_file() => File::open(path),
        kind => {
            let problem = format!("it is {} and no file; expected a record, a file", name_of(kind));
            Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
        }
    }
}

/// What stands there in words, if something does: `a file`, `a link that leads nowhere`.
pub(crate) fn what_is(path: &Path) -> Option<&'static str> {
    fs::metadata(path).or_else(|_| fs::symlink_metadata(path)).ok().map(|found| name_of(found.file_type()))
}

fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a link that leads nowhere"
    } else {
        "a file"
    }
}

#[cfg(test)]
mod tests {
    use rookery_testkit::TempFolder;

    use super::*;

    #[test]
    fn what_is_no_file_is_named() {
        let folder = TempFolder::new("files");
        let file = folder.join("file");
        fs::write(&file, "").unwrap();
        assert!(open_record(&file).is_ok());
        assert_eq!(what_is(&file), Some("a file"));
        assert_eq!(open_record(&folder.join("missing")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(what_is(&folder.join("missing")), None);
        let error = open_record(&folder).unwrap_err().to_string();
        assert_eq!(error, "it is a folder and no file; expected a record, a file");
        #[cfg(unix)]
        {
            let link = folder.join("link");
            std::os::unix::fs::symlink("missing", &link).unwrap();
            assert_eq!(what_is(&link), Some("a link that leads nowhere"));
            let error = open_record(Path::new("/dev/null")).unwrap_err().to_string();
            assert!(error.starts_with("it is a device and no file"), "{error}");
        }
    }
}

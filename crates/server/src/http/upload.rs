//! A file in a form: the one part of `multipart/form-data` that has a file's name.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;

use super::ApiError;

/// The most bytes of what stands before a part.
const MAX_HEAD: usize = 4 << 10;
/// The longest boundary that the format allows.
const MAX_BOUNDARY: usize = 70;

/// The file of a form whose body was read within its bounds.
pub(crate) fn file_of<'a>(headers: &HeaderMap, body: &'a [u8]) -> Result<&'a [u8], ApiError> {
    let no_form = || ApiError::bad("the body is no form with a file; choose a file and send the form");
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).ok_or_else(no_form)?;
    let kind = kind.strip_prefix("multipart/form-data").ok_or_else(no_form)?;
    let boundary = kind.split(';').find_map(|part| part.trim().strip_prefix("boundary="));
    let boundary = boundary.map(|text| text.trim_matches('"')).ok_or_else(no_form)?;
    if boundary.is_empty() || boundary.len() > MAX_BOUNDARY {
        return Err(no_form());
    }
    let line = format!("--{boundary}");
    let mut rest = after(body, line.as_bytes()).ok_or_else(no_form)?;
    let end = format!("\r\n{line}");
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let length = find(part, end.as_bytes()).ok_or_else(no_form)?;
        let head = find(&part[..length.min(MAX_HEAD)], b"\r\n\r\n").ok_or_else(no_form)?;
        let names_a_file = find(&part[..head].to_ascii_lowercase(), b"filename=").is_some();
        let bytes = &part[head + 4..length.max(head + 4)];
        if names_a_file && !bytes.is_empty() {
            return Ok(bytes);
        }
        rest = &part[length + end.len()..];
    }
    Err(no_form())
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|part| part == word)
}

fn after<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    find(text, word).map(|at| &text[at + word.len()..])
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn read(kind: &'static str, body: &[u8]) -> Option<Vec<u8>> {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]);
        file_of(&headers, body).ok().map(<[u8]>::to_vec)
    }

    #[test]
    fn the_file_of_a_form_is_found_and_nothing_else_is_taken_for_one() {
        let form = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ntext\r\n--x\r\nContent-Disposition: \
            form-data; name=\"file\"; filename=\"b.tar.gz\"\r\nContent-Type: application/gzip\r\n\r\n\x1f\x8b\r\n\r\n--y\r\n--x--\r\n";
        let kind = "multipart/form-data; boundary=x";
        assert_eq!(read(kind, form).unwrap(), b"\x1f\x8b\r\n\r\n--y");
        assert_eq!(read("multipart/form-data; boundary=\"x\"", form).unwrap(), b"\x1f\x8b\r\n\r\n--y");
        for wrong in [
            "application/json",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/form-data; boundary=z",
        ] {
            assert_eq!(read(wrong, form), None, "{wrong}");
        }
        for cut in 0..form.len() - 4 {
            let _ = read(kind, &form[..cut]);
        }
        assert_eq!(read(kind, b"--x\r\nname\r\n\r\ntext\r\n--x--\r\n"), None, "no file");
        assert_eq!(read(kind, b"--x\r\n\r\n--x--"), None);
    }
}

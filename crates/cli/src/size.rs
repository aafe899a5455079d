//! Sizes of memory and disks on the command line.

/// Reads a size such as `64KiB`, `500MiB` or `4GiB`, in bytes.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let shift = match unit.trim() {
        "KiB" | "K" | "KB" => 10,
        "MiB" | "M" | "MB" => 20,
        "GiB" | "G" | "GB" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

//! How many sockets and files this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of files and sockets this process may have open to the most it is allowed, and says how many
/// that is.
pub fn raise_file_limit() -> usize {
    let limit = getrlimit(Resource::Nofile);
    // Some systems refuse what they call possible; then the limit stays as it was.
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let most = if raised.is_ok() { limit.maximum } else { limit.current };
    most.and_then(|most| most.try_into().ok()).unwrap_or(usize::MAX)
}

//! Names for what we make outside our own process (cgroups, folders): they say who made it, so that what a dead instance
//! has left behind can be told from what a live one uses. Never by the name of a program.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const PREFIX: &str = "rookery-";

/// A name that nothing else has: namespace of process ids, process, when it started, a number.
pub(crate) fn fresh_name() -> String {
    static INSTANCE: OnceLock<String> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let instance = INSTANCE.get_or_init(|| {
        let pid = std::process::id();
        format!("{PREFIX}{}-{pid}-{}", namespace(), started(pid).unwrap_or_default())
    });
    format!("{instance}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Whether this is one of our names and whoever made it is gone. What another namespace made cannot be judged.
pub(crate) fn is_stale(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let parts: Option<Vec<u64>> = rest.split('-').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[space, pid, start, _]) if space == namespace() => {
            u32::try_from(pid).is_ok_and(|pid| started(pid) != Some(start))
        }
        _ => false,
    }
}

fn namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino())
}

/// When a process was started, in ticks since the machine was.
fn started(pid: u32) -> Option<u64> {
    super::tree::stat_field(i32::try_from(pid).ok()?, 19)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_c18_only_what_a_dead_instance_made_is_stale() {
        let own = fresh_name();
        assert_ne!(own, fresh_name());
        assert!(!is_stale(&own));
        let (pid, start) = (std::process::id(), started(std::process::id()).unwrap());
        assert!(
            is_stale(&format!("rookery-{}-{pid}-{}-0", namespace(), start + 1)),
            "the number was used again"
        );
        assert!(is_stale(&format!("rookery-{}-4194305-1-0", namespace())), "no such process");
        assert!(!is_stale(&format!("rookery-{}-4194305-1-0", namespace() + 1)), "of another namespace");
        for other in ["rookery", "rookery-a-1-1-1", "user.slice", "rookery-1-2-3"] {
            assert!(!is_stale(other), "{other}");
        }
    }
}

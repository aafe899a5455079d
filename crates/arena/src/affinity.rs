//! Which cores a thread plays on. Games that run at the same time then take no core from each other, and a program finds its
//! caches where it left them; whatever a thread starts, programs too, stays on its cores.
//!
//! Linux alone: elsewhere, and where the system refuses, threads go where the system puts them, which changes nothing but speed.

/// The cores of each of so many threads: all that we may use, shared evenly. `None` where there are too few for that, or only
/// one thread: then everybody may use all of them.
fn shares(cores: &[usize], n_threads: usize) -> Option<Vec<&[usize]>> {
    if n_threads < 2 || n_threads > cores.len() {
        return None;
    }
    let each = cores.len() / n_threads;
    Some(cores.chunks_exact(each).take(n_threads).collect())
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The cores that this thread may use.
    pub(super) fn allowed() -> Vec<usize> {
        let Ok(set) = sched_getaffinity(None) else { return vec![] };
        (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect()
    }

    /// From here on this thread, and whatever it starts, uses these alone.
    pub(super) fn stay(cores: &[usize]) {
        let mut set = CpuSet::new();
        for &core in cores {
            set.set(core);
        }
        // It is about speed: who may not choose plays where it is.
        let _ = sched_setaffinity(None, &set);
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn allowed() -> Vec<usize> {
        vec![]
    }

    pub(super) fn stay(_: &[usize]) {}
}

/// The cores of each of so many threads, empty for a thread that may use all.
pub fn of_threads(n_threads: usize) -> Vec<Vec<usize>> {
    let allowed = system::allowed();
    match shares(&allowed, n_threads) {
        Some(shares) => shares.into_iter().map(<[usize]>::to_vec).collect(),
        None => vec![vec![]; n_threads],
    }
}

/// Keeps this thread on these cores; without any it may use all.
pub fn stay(cores: &[usize]) {
    if !cores.is_empty() {
        system::stay(cores);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_shared_evenly_and_never_by_two() {
        let cores = [0, 1, 2, 5, 6, 7];
        assert_eq!(shares(&cores, 2).unwrap(), [&[0, 1, 2][..], &[5, 6, 7]]);
        assert_eq!(shares(&cores, 4).unwrap(), [[0], [1], [2], [5]]);
        assert_eq!(shares(&cores, 6).unwrap().concat(), cores);
        for n_threads in [0, 1, 7, 100] {
            assert_eq!(shares(&cores, n_threads), None, "{n_threads}");
        }
        assert_eq!(shares(&[], 2), None, "where nothing is known");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_stays_on_its_core_with_all_that_it_starts() {
        let before = system::allowed();
        let Some(&last) = before.last() else { panic!("we run somewhere") };
        let started = std::thread::spawn(move || {
            stay(&[last]);
            let status = std::process::Command::new("cat").arg("/proc/self/status").output();
            (system::allowed(), String::from_utf8(status.expect("there is cat").stdout))
        });
        let (cores, status) = started.join().expect("it does not panic");
        assert_eq!(cores, [last]);
        let status = status.expect("it is text");
        let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:\t"));
        assert_eq!(line, Some(last.to_string().as_str()), "a program stays there, too");
        assert_eq!(system::allowed(), before, "nobody else is bound");
    }
}

//! Descriptors: what is passed on purpose, and nothing else.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};

use rustix::io::{FdFlags, dup};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

use super::plan::ReportPipe;
use crate::report::MAX_REPORT;

/// Takes inherited descriptors as ours, so that the next program does not inherit them, and closes every other one but
/// 0 to 2. Whatever the caller or its caller left open ends here.
pub(crate) fn take_inherited(wanted: &[i32]) -> io::Result<Vec<OwnedFd>> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd > 2)
        .collect();
    let taken = wanted.iter().map(|&fd| take(fd)).collect::<io::Result<Vec<OwnedFd>>>()?;
    for fd in open {
        // The listing itself had a descriptor, which is closed by now and perhaps used again for what was taken.
        if taken.iter().all(|ours| ours.as_raw_fd() != fd) {
            let _ = nix::unistd::close(fd);
        }
    }
    Ok(taken)
}

/// A descriptor of ours for what an inherited number stands for.
fn take(fd: i32) -> io::Result<OwnedFd> {
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    match pidfd_getfd(&own, fd, PidfdGetfdFlags::empty()) {
        Ok(taken) => Ok(taken),
        // Before Linux 5.6, or in a container that forbids it.
        Err(_) => reopen(fd),
    }
}

/// Opens once more what a number stands for, which works for pipes and files. For reading or writing as it was: who has
/// both ends of a pipe never sees that the other side has closed it.
fn reopen(fd: i32) -> io::Result<OwnedFd> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{fd}"))?;
    let flags =
        info.lines().find_map(|line| i32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    let access = flags.unwrap_or_default() & libc::O_ACCMODE;
    let mut options = OpenOptions::new();
    options.read(access != libc::O_WRONLY).write(access != libc::O_RDONLY);
    Ok(options.open(format!("/proc/self/fd/{fd}"))?.into())
}

/// Copies of our standard input and output that the next program inherits, in whose place we have nothing.
pub(crate) fn put_aside_streams() -> io::Result<[OwnedFd; 2]> {
    let aside = [dup(rustix::stdio::stdin())?, dup(rustix::stdio::stdout())?];
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(aside)
}

/// A pipe whose end for writing the next stage inherits, under its number.
pub(crate) fn inherited_pipe() -> io::Result<(File, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(write.as_fd(), FdFlags::empty())?;
    Ok((File::from(read), write))
}

/// What was written to a pipe that nobody writes to any more; bounded.
pub(crate) fn read_all(pipe: impl Read) -> String {
    let mut text = Vec::new();
    // A broken pipe says nothing, which is what an empty text means.
    let _ = pipe.take(MAX_REPORT as u64 + 1).read_to_end(&mut text);
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// The caller's pipe, by the caller's number for it. `None` if the caller has closed it.
pub(crate) fn open_report(parent: i32, pipe: ReportPipe) -> Option<File> {
    // Not blocking: opened for writing, a pipe without a reader would make us wait for one.
    let file = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(format!("/proc/{parent}/fd/{}", pipe.fd))
        .ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.file_type().is_fifo() && metadata.ino() == pipe.inode).then_some(file)
}

/// Gives up our copies of the program's descriptors: whoever is at their other ends must see when the program closes
/// them.
pub(crate) fn drop_standard_streams() -> io::Result<()> {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn an_end_of_a_pipe_that_is_opened_again_is_the_same_end() {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let (mut read_again, mut write_again) =
            (File::from(reopen(read.as_raw_fd()).unwrap()), File::from(reopen(write.as_raw_fd()).unwrap()));
        drop(write);
        write_again.write_all(b"hello").unwrap();
        drop(write_again);
        let mut text = String::new();
        // Comes back only if nobody has an end for writing.
        read_again.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn only_the_pipe_that_was_meant_is_written_to() {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let read = File::from(read);
        let (fd, inode) = (read.as_raw_fd(), read.metadata().unwrap().ino());
        let own = std::process::id().cast_signed();
        drop(write);
        assert!(open_report(own, ReportPipe { fd, inode }).is_some());
        assert!(
            open_report(own, ReportPipe { fd, inode: inode + 1 }).is_none(),
            "the number means something else now"
        );
        drop(read);
        assert!(open_report(own, ReportPipe { fd: 1 << 20, inode }).is_none());
    }
}

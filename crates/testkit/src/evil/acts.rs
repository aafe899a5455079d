//! What a process can do.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Write as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, getppid, kill_process};

use super::link::rest;
use super::{At, Bot, Mode, PIPE, mode};

/// Where nothing stops it, a mode stops by itself: processes, megabytes, files.
const MAX_CHILDREN: usize = 150;
const MAX_MEGABYTES: usize = 1024;
const MAX_DISK_MEGABYTES: usize = 64;
const MAX_FILES: usize = 2000;

pub(super) const MODES: &[Mode] = &[
    // Ends.
    mode("exit-0", PIPE, |_, _| exit(0)),
    mode("exit-1", PIPE, |_, _| {
        complain("out of ideas");
        exit(1);
    }),
    // As the supervisor of a sandbox ends when it has failed.
    Mode { name: "exit-125-at-once", ways: PIPE, at: At::Once, deed: |_, _| exit(125) },
    mode("abort", PIPE, |_, _| std::process::abort()),
    mode("segv", PIPE, |_, _| {
        // The first one is caught by the language, which then steps aside.
        loop {
            let _ = kill_process(getpid(), Signal::SEGV);
        }
    }),
    mode("kills-itself", PIPE, |_, _| {
        let _ = kill_process(getpid(), Signal::KILL);
        rest();
    }),
    mode("closes-stdout", PIPE, |_, _| {
        close(rustix::stdio::dup2_stdout);
        rest();
    }),
    mode("closes-stdin", PIPE, |bot, id| {
        close(rustix::stdio::dup2_stdin);
        bot.answer(id);
        rest();
    }),
    mode("ignores-term", PIPE, |_, _| {
        ignore_signals();
        rest();
    }),
    mode("stays-after-quit", PIPE, |bot, id| {
        ignore_signals();
        bot.answer(id);
        // It goes on playing, and does not end with its input.
        thread::spawn(|| rest());
        while let Some(told) = bot.link.hear() {
            let id = told.split("\"type\":\"turn\",\"id\":").nth(1).and_then(|rest| rest.split(',').next());
            if let Some(id) = id.and_then(|id| id.parse().ok()) {
                bot.answer(id);
            }
        }
        rest();
    }),
    // Others that it starts.
    mode("child-keeps-stdout", PIPE, |bot, _| {
        start(bot, "child-sleeps", false);
        exit(3);
    }),
    mode("setsid", PIPE, |bot, id| {
        start(bot, "child-leaves", true);
        bot.answer(id);
    }),
    mode("double-fork", PIPE, |bot, id| {
        start(bot, "child-forks", true);
        bot.answer(id);
    }),
    mode("double-fork-then-exit", PIPE, |bot, _| {
        start(bot, "child-forks", true);
        exit(4);
    }),
    mode("fork-bomb", PIPE, |bot, _| {
        for _ in 0..MAX_CHILDREN {
            if !start(bot, "child-sleeps", true) {
                complain("no more processes");
                exit(1);
            }
        }
        rest();
    }),
    // What there is to take.
    mode("eats-memory", PIPE, |bot, id| {
        let mut eaten = vec![];
        for megabyte in 0..MAX_MEGABYTES {
            eaten.push(vec![megabyte as u8 | 1; 1 << 20]);
        }
        black_box(&eaten);
        bot.answer(id);
    }),
    mode("fills-disk", PIPE, |bot, id| {
        let folder = std::env::var("TMPDIR").unwrap_or_default();
        let filled = File::create(format!("{folder}/evil"))
            .and_then(|mut file| (0..MAX_DISK_MEGABYTES).try_for_each(|_| file.write_all(&[7; 1 << 20])));
        if let Err(error) = filled {
            complain(&format!("cannot write: {error}"));
            exit(1);
        }
        bot.answer(id);
    }),
    mode("opens-files", PIPE, |bot, id| {
        let files: Vec<File> = (0..MAX_FILES).map_while(|_| File::open("/dev/null").ok()).collect();
        complain(&format!("opened {}", files.len()));
        bot.answer(id);
    }),
    mode("burns-cpu", PIPE, |_, _| {
        for _ in 0..4 {
            thread::spawn(|| {
                let mut n = 0_u64;
                loop {
                    n = black_box(n.wrapping_add(1));
                }
            });
        }
        rest();
    }),
    // What is not its own. It says what it got, and plays on.
    mode("reads-environment", PIPE, |bot, id| {
        let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
        complain(&format!("variables {}", names.join(" ")));
        bot.answer(id);
    }),
    mode("reads-files", PIPE, |bot, id| {
        for path in [&*bot.target, "/etc/shadow", "/proc/1/environ", "/proc/1/cmdline"] {
            complain(&match fs::read(path) {
                Ok(bytes) => format!("read {path}: {}", String::from_utf8_lossy(&bytes)),
                Err(error) => format!("cannot read {path}: {error}"),
            });
        }
        bot.answer(id);
    }),
    mode("writes-outside", PIPE, |bot, id| {
        for path in [&*bot.target, "/usr/evil", "/etc/evil"] {
            complain(&match fs::write(path, "evil") {
                Ok(()) => format!("wrote {path}"),
                Err(error) => format!("cannot write {path}: {error}"),
            });
        }
        bot.answer(id);
    }),
    mode("leaves-files", PIPE, |bot, id| {
        let left = format!("{}/left", std::env::var("TMPDIR").unwrap_or_default());
        complain(if fs::exists(&left).unwrap_or(true) { "it is still there" } else { "nothing is there" });
        complain(if fs::write(&left, "x").is_ok() { "left something" } else { "cannot leave anything" });
        bot.answer(id);
    }),
    mode("connects", PIPE, |bot, id| {
        complain(&match TcpStream::connect(&*bot.target) {
            Ok(_) => "connected".to_owned(),
            Err(error) => format!("cannot connect: {error}"),
        });
        bot.answer(id);
    }),
    mode("lists-descriptors", PIPE, |bot, id| {
        let open: Vec<String> = fs::read_dir("/proc/self/fd")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let target = fs::read_link(entry.path()).ok()?;
                Some(format!("{}={}", entry.file_name().display(), target.display()))
            })
            // That of the list itself is gone by now, and no link any more.
            .collect();
        complain(&format!("descriptors {}", open.join(" ")));
        bot.answer(id);
    }),
    mode("opens-terminal", PIPE, |bot, id| {
        complain(if File::open("/dev/tty").is_ok() { "has a terminal" } else { "has no terminal" });
        bot.answer(id);
    }),
    mode("mounts", PIPE, |bot, id| {
        // Where it is allowed, there is no such folder.
        let _ = rustix::mount::mount(
            "none",
            "/no-such-folder",
            "tmpfs",
            rustix::mount::MountFlags::empty(),
            None,
        );
        bot.answer(id);
    }),
    mode("kills-parent", PIPE, |bot, id| signals(bot, id, Signal::KILL)),
    mode("stops-parent", PIPE, |bot, id| signals(bot, id, Signal::STOP)),
];

/// Says something on the standard error.
fn complain(text: &str) {
    // The log may be gone.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Puts something else in the place of a standard stream.
fn close(replace: impl FnOnce(File) -> rustix::io::Result<()>) {
    let _ = File::options().read(true).write(true).open("/dev/null").map(replace);
}

fn ignore_signals() {
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        // A flag that nobody looks at.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

fn signals(bot: &mut Bot, id: u64, signal: Signal) {
    let sent = getppid().map(|parent| kill_process(parent, signal));
    complain(&format!("signalled: {sent:?}"));
    if let (Signal::KILL, Some(Ok(()))) = (signal, sent) {
        rest();
    }
    bot.answer(id);
}

/// Starts a process of its own, with or without its output. Says whether there is one.
fn start(bot: &Bot, what: &str, quiet: bool) -> bool {
    start_marked(&bot.mark, what, quiet)
}

fn start_marked(mark: &str, what: &str, quiet: bool) -> bool {
    let Ok(own) = std::env::current_exe() else { return false };
    let mut command = Command::new(own);
    command.args([what, "--mark", mark]);
    if quiet {
        let null = || File::options().read(true).write(true).open("/dev/null");
        let (Ok(input), Ok(output)) = (null(), null()) else { return false };
        command.stdin(input).stdout(output);
        command.process_group(0);
    }
    command.spawn().is_ok()
}

/// What a process that it has started does. Says whether it was one.
pub(super) fn child(what: &str, mark: &str) -> bool {
    match what {
        "child-sleeps" => {}
        "child-leaves" => {
            let _ = rustix::process::setsid();
            ignore_signals();
        }
        "child-forks" => {
            let _ = rustix::process::setsid();
            start_marked(mark, "child-leaves", true);
            return true;
        }
        _ => return false,
    }
    thread::sleep(Duration::from_hours(1));
    true
}

//! What a program can see and reach: faults C12, C13, C15, C16, C20.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;

use common::*;
use rookery_sandbox::{Cause, Ended, InForce, Level, Missing, Policy, Program, SandboxError};

#[test]
fn what_is_in_force_is_told_and_full_is_refused_without_it() {
    as_both_users("what_is_in_force_is_told_and_full_is_refused_without_it", || {
        assert_eq!(Mode::none().sandbox().in_force().to_string(), "none");
        let own = Mode::own().sandbox();
        assert!(
            own.in_force().to_string().starts_with("partial (no processes, network and files of its own")
        );
        let mut full = Mode::own().policy;
        full.level = Level::Full;
        let error = full.prepare().unwrap_err();
        assert!(
            matches!(&error, SandboxError::NotFull(missing) if missing.contains(&Missing::Disk)),
            "{error}"
        );
        match Policy::new(Level::Full, LAUNCHER).prepare() {
            Ok(sandbox) => assert_eq!(sandbox.in_force(), &InForce::Full),
            Err(error) if is_root() => skip(&format!("level full as root: {error}")),
            Err(error) => {
                assert!(error.to_string().contains("memory is limited for each process"), "{error}");
                assert!(error.to_string().contains("run as root"), "{error}");
            }
        }
    });
}

#[test]
fn what_cannot_be_prepared_is_refused() {
    let error = Policy::new(Level::None, "/no/such/launcher").prepare().unwrap_err();
    assert!(error.to_string().contains("/no/such/launcher"), "{error}");
    for path in ["/no/such/folder", "/", "/usr/.."] {
        let mut policy = Mode::own().policy;
        policy.read = vec![path.into()];
        assert!(matches!(policy.prepare(), Err(SandboxError::Read { .. })), "{path}");
    }
    let sandbox = Mode::none().sandbox();
    for program in [
        Program::default(),
        Program { argv: vec![String::new()], ..Program::default() },
        Program { argv: vec!["a\0".to_owned()], ..Program::default() },
        Program { argv: vec!["true".to_owned()], cwd: Some("/no/such".into()), ..Program::default() },
        Program {
            argv: vec!["true".to_owned()],
            env: vec![("A=B".to_owned(), String::new())],
            ..Program::default()
        },
    ] {
        assert!(matches!(sandbox.command(&program), Err(SandboxError::Program(_))), "{program:?}");
    }
}

#[test]
fn fault_s16_every_program_goes_before_us_where_memory_runs_out() {
    as_both_users("fault_s16_every_program_goes_before_us_where_memory_runs_out", || {
        for mode in Mode::all() {
            let outcome = run(&mode.sandbox(), &sh("cat /proc/self/oom_score_adj").0);
            assert_eq!(outcome.out.trim(), "1000", "{}", mode.name);
        }
        let ours = fs::read_to_string("/proc/self/oom_score_adj").unwrap();
        assert!(ours.trim().parse::<i32>().unwrap() < 1000, "{ours}");
    });
}

#[test]
fn fault_c12_the_environment_is_four_variables() {
    as_both_users("fault_c12_the_environment_is_four_variables", || {
        for mode in Mode::all() {
            let (program, _) = python("import os; print(*sorted(os.environ))");
            let mut policy = mode.policy.clone();
            let outcome = run(&policy.clone().prepare().unwrap(), &program);
            let names: Vec<&str> =
                outcome.out.split_whitespace().filter(|name| *name != "LC_CTYPE").collect();
            assert!(
                names.iter().all(|name| ["PATH", "HOME", "LANG", "TMPDIR", "MARK"].contains(name)),
                "{}: {names:?}",
                mode.name
            );
            assert!(names.contains(&"PATH") && names.contains(&"MARK"));
            policy.keep_env =
                vec!["CARGO_MANIFEST_DIR".to_owned(), "NO_SUCH_VARIABLE".to_owned(), "A=B".to_owned()];
            let outcome = run(&policy.prepare().unwrap(), &program);
            assert!(outcome.out.contains("CARGO_MANIFEST_DIR"), "{} {}", mode.name, outcome.out);
        }
    });
}

#[test]
fn fault_c12_files_of_others_cannot_be_read() {
    as_both_users("fault_c12_files_of_others_cannot_be_read", || {
        let own = Folder::new("own");
        let other = Folder::new("other");
        let extra = Folder::new("extra");
        fs::write(own.0.join("bot.py"), "import sys\nfor p in sys.argv[1:]:\n try: print(len(open(p).read())>0)\n except OSError as e: print(type(e).__name__)\n").unwrap();
        fs::write(own.0.join("data"), "x").unwrap();
        fs::write(other.0.join("secret"), "x").unwrap();
        fs::write(extra.0.join("book"), "x").unwrap();
        let parent = format!("/proc/{}/environ", std::process::id());
        for mode in Mode::confined() {
            let mut policy = mode.policy.clone();
            policy.read = vec![extra.0.clone()];
            let (mut program, _) = marked(&["python3", "-S"]);
            let path = |folder: &Folder, name: &str| folder.0.join(name).display().to_string();
            // The names are put together by the program, else the command line would show them.
            program.argv.push(path(&own, "bot.py"));
            program.argv.extend([
                path(&own, "data"),
                path(&extra, "book"),
                "/etc/passwd".to_owned(),
                parent.clone(),
            ]);
            program.argv.push(format!("{}/./secret", other.0.display()));
            policy.read_named = false;
            policy.read.push(own.0.clone());
            let outcome = run(&policy.prepare().unwrap(), &program);
            let lines: Vec<&str> = outcome.out.lines().collect();
            assert_eq!(lines[..2], ["True", "True"], "{}: {} {}", mode.name, outcome.out, outcome.err);
            assert!(lines[2..].iter().all(|line| line.contains("Error")), "{}: {lines:?}", mode.name);
            assert_eq!(lines.len(), 5);
        }
    });
}

#[test]
fn what_the_command_line_names_can_be_read_with_its_folder() {
    as_both_users("what_the_command_line_names_can_be_read_with_its_folder", || {
        let own = Folder::new("named");
        fs::write(own.0.join("bot.py"), "import helper, sys; print(helper.X, open(sys.argv[1]).read())")
            .unwrap();
        fs::write(own.0.join("helper.py"), "X = 7").unwrap();
        let elsewhere = Folder::new("elsewhere");
        fs::write(elsewhere.0.join("book"), "pages").unwrap();
        fs::write(elsewhere.0.join("diary"), "dear").unwrap();
        for mode in Mode::confined() {
            let (mut program, _) = marked(&["python3", "-S", "-B"]);
            program.argv.push(own.0.join("bot.py").display().to_string());
            program.argv.push(elsewhere.0.join("book").display().to_string());
            let outcome = run(&mode.sandbox(), &program);
            assert_eq!(outcome.out, "7 pages\n", "{} {} {:?}", mode.name, outcome.err, outcome.report);
        }
    });
}

#[test]
fn fault_c12_namespaces_show_only_own_processes_and_users() {
    as_both_users("fault_c12_namespaces_show_only_own_processes_and_users", || {
        let Some(mode) = Mode::bubblewrap() else { return };
        // Where the project itself lies below /tmp, the launcher's folder is there.
        let (program, _) = python(concat!(
            "import os\nprint(max(int(p) for p in os.listdir('/proc') if p.isdigit()) < 10, os.path.exists('/home'), \
             os.path.exists('/etc/shadow'), [name for name in os.listdir('/tmp') if not '",
            env!("CARGO_MANIFEST_DIR"),
            "'.startswith('/tmp/' + name + '/')])",
        ));
        let outcome = run(&mode.sandbox(), &program);
        assert_eq!(outcome.out, "True False False []\n", "{}", outcome.err);
    });
}

#[test]
fn fault_c13_there_is_no_network() {
    as_both_users("fault_c13_there_is_no_network", || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let code = format!(
            r#"
import socket, ctypes
def attempt(name, f):
    try: f(); print(name, "works")
    except OSError: pass
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", {port}), 1))
for family in (2, 10, 16, 17, 40, 38):
    attempt(f"family {{family}}", lambda: socket.socket(family, socket.SOCK_STREAM if family != 17 else socket.SOCK_RAW))
def abstract():
    s = socket.socket(socket.AF_UNIX); s.connect("\0/tmp/.X11-unix/X0")
attempt("abstract", abstract)
libc = ctypes.CDLL(None, use_errno=True)
def uring():
    if libc.syscall(425, 8, 0) < 0: raise OSError(ctypes.get_errno())
attempt("io_uring", uring)
print("done")
"#
        );
        for mode in Mode::confined() {
            let (program, _) = python(&code);
            let outcome = run(&mode.sandbox(), &program);
            assert_eq!(outcome.out, "done\n", "{} {} {:?}", mode.name, outcome.err, outcome.report);
        }
        let (program, _) = python(&code);
        assert!(
            run(&Mode::none().sandbox(), &program).out.contains("tcp works"),
            "the test would see nothing"
        );
    });
}

#[test]
fn fault_c13_forbidden_calls_are_a_violation() {
    as_both_users("fault_c13_forbidden_calls_are_a_violation", || {
        for mode in Mode::confined() {
            // ptrace, keyctl, mount, bpf, unshare, by their numbers on x86-64.
            for call in [101, 250, 165, 321, 272] {
                if std::env::consts::ARCH != "x86_64" {
                    skip("numbers of system calls are those of x86-64");
                    return;
                }
                let (program, _) =
                    python(&format!("import ctypes; ctypes.CDLL(None).syscall({call}, 0, 0, 0, 0, 0)"));
                let outcome = run(&mode.sandbox(), &program);
                assert_eq!(outcome.report.ended, Ended::Signal(31), "{} {call}", mode.name);
                assert_eq!(outcome.signal(), Some(31));
                assert_eq!(outcome.report.cause(), Some(Cause::SandboxViolation));
            }
        }
    });
}

#[test]
fn fault_c13_a_namespace_with_new_rights_cannot_be_made() {
    as_both_users("fault_c13_a_namespace_with_new_rights_cannot_be_made", || {
        for mode in Mode::confined() {
            let code = "import ctypes,os\nl=ctypes.CDLL(None,use_errno=True)\nr=l.syscall(56,0x10000000|17,0,0,0,0)\n\
                        if r==0: os._exit(0)\nprint(r, ctypes.get_errno(), l.syscall(435,0,0), ctypes.get_errno())";
            let (program, _) = python(code);
            let outcome = run(&mode.sandbox(), &program);
            assert_eq!(outcome.out, "-1 13 -1 38\n", "{} {}", mode.name, outcome.err);
        }
    });
}

#[test]
fn fault_c15_others_cannot_be_signalled_or_traced() {
    as_both_users("fault_c15_others_cannot_be_signalled_or_traced", || {
        // A bystander of the same user that programs get.
        let mut bystander = std::process::Command::new("setpriv");
        if is_root() {
            bystander.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        let mut bystander = bystander.args(["sleep", "20"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        for mode in Mode::confined() {
            let sandbox = mode.sandbox();
            if matches!(sandbox.in_force(), InForce::Partial(missing) if missing.contains(&Missing::Signals))
            {
                skip("Landlock does not keep signals in");
                continue;
            }
            let (program, _) = python(&format!(
                "import os\nfor pid in ({}, {}, os.getppid(), 1):\n try: os.kill(pid, 15); print('sent')\n except OSError as e: pass\nprint('done')",
                bystander.id(),
                std::process::id(),
            ));
            let outcome = run(&sandbox, &program);
            // In a namespace of its own the first process is its parent, who does not hear it.
            let out = outcome.out.replace("sent\n", "");
            assert_eq!(out, "done\n", "{} {}", mode.name, outcome.err);
            assert!(mode.name == "bubblewrap" || !outcome.out.contains("sent"), "{}", outcome.out);
            assert!(bystander.try_wait().unwrap().is_none(), "{}: the bystander was ended", mode.name);
        }
        bystander.kill().unwrap();
        bystander.wait().unwrap();
    });
}

#[test]
fn fault_c15_a_program_is_not_root_and_gains_no_rights() {
    as_both_users("fault_c15_a_program_is_not_root_and_gains_no_rights", || {
        for mode in Mode::all() {
            let (program, _) = sh("id -u; id -G; grep -E '^(NoNewPrivs|CapEff):' /proc/self/status");
            let outcome = run(&mode.sandbox(), &program);
            assert!(outcome.out.contains("NoNewPrivs:\t1"), "{} {}", mode.name, outcome.out);
            if mode.name != "none" {
                let ids: Vec<&str> = outcome.out.lines().take(2).collect();
                // Who is not root has no other user to become.
                let own = (!is_root()).then(own_id);
                let expected = own.as_deref().unwrap_or("65534");
                assert_eq!(ids, [expected, expected], "{} {}", mode.name, outcome.out);
                assert!(outcome.out.contains("CapEff:\t0000000000000000"), "{} {}", mode.name, outcome.out);
            }
        }
    });
}

#[test]
fn fault_c16_nothing_is_left_for_the_next_game() {
    as_both_users("fault_c16_nothing_is_left_for_the_next_game", || {
        let own = Folder::new("leaves");
        for mode in Mode::confined() {
            let (mut program, mark) = python(
                "import os\nh=os.environ['HOME']\nprint(h==os.environ['TMPDIR'], os.path.exists(h+'/f'))\nopen(h+'/f','w').write('x')\nos.makedirs(h+'/a/b')\nos.chmod(h+'/a',0)\n\
                 for p in ('f','/dev/shm/../f','/f','/usr/f'):\n try: open(p,'w'); print('wrote',p)\n except OSError: pass",
            );
            program.cwd = Some(own.0.clone());
            let sandbox = mode.sandbox();
            for _ in 0..2 {
                let outcome = run(&sandbox, &program);
                assert_eq!(outcome.out, "True False\n", "{} {}", mode.name, outcome.err);
                assert_nothing_left(&mark);
            }
            assert_eq!(fs::read_dir(&own.0).unwrap().count(), 0);
        }
    });
}

#[test]
fn fault_c20_arguments_arrive_as_they_are() {
    as_both_users("fault_c20_arguments_arrive_as_they_are", || {
        let words = ["a b", "$HOME", "`id`", "; rm -rf x", "--", "--stage=front", "", "\n", "é", "*", "'\""];
        for mode in Mode::all() {
            let (mut program, _) = python("import sys; print(ascii(sys.argv[1:]))");
            let (expected, _) = python(&format!("print(ascii({words:?}))"));
            program.argv.extend(words.map(str::to_owned));
            let outcome = run(&mode.sandbox(), &program);
            assert_eq!(
                outcome.out,
                run(&Mode::none().sandbox(), &expected).out,
                "{} {}",
                mode.name,
                outcome.err
            );
        }
    });
}

#[test]
fn usual_languages_run_in_every_mode() {
    as_both_users("usual_languages_run_in_every_mode", || {
        let own = Folder::new("languages");
        fs::write(
            own.0.join("Bot.java"),
            "public class Bot { public static void main(String[] a) { System.out.println(\"ok\"); } }",
        )
        .unwrap();
        let javac =
            std::process::Command::new("javac").arg("-d").arg(&own.0).arg(own.0.join("Bot.java")).status();
        let folder = own.0.display().to_string();
        let mut programs = vec![
            ("node", vec!["node", "-e", "setTimeout(() => console.log('ok'), 5)"]),
            (
                "python3",
                vec![
                    "python3",
                    "-c",
                    "import multiprocessing, threading; multiprocessing.Lock(); print('ok')",
                ],
            ),
            ("bash", vec!["bash", "-c", "echo ok | cat"]),
        ];
        if javac.is_ok_and(|status| status.success()) {
            programs.push(("java", vec!["java", "-cp", &folder, "Bot"]));
        }
        for (language, argv) in programs {
            if std::process::Command::new(language).arg("--version").output().is_err() {
                skip(&format!("{language} is not installed"));
                continue;
            }
            for mode in Mode::confined() {
                // Own shared memory needs namespaces.
                if language == "python3" && mode.name == "own" {
                    continue;
                }
                let (program, _) = marked(&argv);
                let outcome = run(&mode.sandbox(), &program);
                assert_eq!(
                    outcome.out, "ok\n",
                    "{language} {}: {} {:?}",
                    mode.name, outcome.err, outcome.report
                );
            }
        }
    });
}

#[test]
fn fault_c12_one_folder_may_be_changed_where_it_is_asked_for_and_nothing_beside_it() {
    as_both_users("fault_c12_one_folder_may_be_changed_where_it_is_asked_for_and_nothing_beside_it", || {
        for mode in Mode::all() {
            let (own, beside) = (Folder::new("build"), Folder::new("beside"));
            fs::create_dir(own.0.join("src")).unwrap();
            fs::write(own.0.join("src/main"), "old").unwrap();
            let code = "echo new > src/main; mkdir out && ln -s src/main out/link; echo x > \"$0/file\"";
            let (mut program, _) = marked(&["sh", "-c", code, beside.0.to_str().unwrap()]);
            program.cwd = Some(own.0.clone());
            let confined = mode.name != "none";
            if confined {
                // Without being asked for, it can only be read.
                run(&mode.sandbox(), &program);
                assert_eq!(fs::read_to_string(own.0.join("src/main")).unwrap(), "old", "{}", mode.name);
            }
            program.write = Some(own.0.clone());
            let outcome = run(&mode.sandbox(), &program);
            let says = format!("{}: {} {:?}", mode.name, outcome.err, outcome.report);
            assert_eq!(fs::read_to_string(own.0.join("src/main")).unwrap(), "new\n", "{says}");
            assert_eq!(beside.0.join("file").exists(), !confined, "{says}");
            // All of it is ours again, the link as well.
            let uid = |path: &str| own.0.join(path).symlink_metadata().unwrap().uid();
            assert_eq!([uid("src/main"), uid("out"), uid("out/link")], [uid("."); 3], "{says}");
            assert_eq!(own.0.metadata().unwrap().uid(), fs::metadata("/proc/self").unwrap().uid());
        }
    });
}

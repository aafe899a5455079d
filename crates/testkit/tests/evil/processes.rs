//! What a process does: section C of the faults.

use std::net::TcpListener;

use rookery_referee::Offence::{Crashed, DiskLimit, MemoryLimit, ProcessLimit, SandboxViolation, Timeout};
use rookery_testkit::TempFolder;

use crate::check::{CAGED, FREE, FULL, LONG, Over, PIPE, check, faults, lost, played};
use crate::run::{Case, run};

faults! {
    fn fault_c03_exits_with_0 = "exit-0", PIPE, lost(Crashed, "exit status: 0");
    fn fault_c03_exits_with_1 = "exit-1", PIPE, lost(Crashed, "exit status: 1; the last it said on its standard error was \"out of ideas\"");
    fn fault_c03_aborts = "abort", PIPE, lost(Crashed, "SIGABRT");
    fn fault_c03_reads_where_nothing_is = "segv", PIPE, lost(Crashed, "SIGSEGV");
    fn fault_c03_kills_itself = "kills-itself", PIPE, lost(Crashed, "SIGKILL");
    fn fault_c19_ends_as_a_broken_sandbox_does = "exit-125-at-once", PIPE, lost(Crashed, "exit status: 125");
    fn fault_t18_closes_its_output = "closes-stdout", PIPE, lost(Crashed, "it closed its output and went on");
    fn fault_t18_closes_its_input = "closes-stdin", PIPE, lost(Crashed, "it closed its input and went on");
    fn fault_c04_ignores_signals = "ignores-term", PIPE, lost(Timeout, "did not answer");
    fn fault_c04_stays_after_the_end = "stays-after-quit", PIPE, played("");
    fn fault_c05_a_child_keeps_its_output = "child-keeps-stdout", PIPE, lost(Crashed, "exit status: 3");
    fn fault_c05_a_child_in_a_session_of_its_own = "setsid", PIPE, played("");
    fn fault_c05_a_child_of_a_child = "double-fork", PIPE, played("");
    fn fault_c05_a_child_of_a_child_of_who_is_gone = "double-fork-then-exit", PIPE, lost(Crashed, "exit status: 4");
    fn fault_c06_many_children = "fork-bomb", FULL, lost(ProcessLimit, "no more processes");
    fn fault_c06_many_children_without_a_limit = "fork-bomb", FREE, lost(Timeout, "did not answer");
    fn fault_c07_eats_memory = "eats-memory", FULL, lost(MemoryLimit, "took too much memory");
    fn fault_c08_burns_processors = "burns-cpu", PIPE, lost(Timeout, "did not answer");
    fn fault_c11_fills_the_disk = "fills-disk", CAGED, lost(DiskLimit, "wrote too much to disk");
    fn opens_too_many_files = "opens-files", CAGED, played("opened 25");
    fn fault_c12_reads_the_environment = "reads-environment", PIPE, played("variables ").never("CARGO");
    fn fault_c13_mounts = "mounts", CAGED, lost(SandboxViolation, "SIGSYS");
    fn mounts_without_a_cage = "mounts", FREE, played("");
    fn fault_c14_has_three_descriptors = "lists-descriptors", PIPE, played("2=pipe:").never("4=");
    fn fault_c15_kills_its_parent = "kills-parent", CAGED, played("signalled: Some(Err(");
    fn fault_c15_kills_its_parent_and_goes_with_it = "kills-parent", FREE, lost(Crashed, "SIGKILL");
    fn fault_c15_stops_its_parent = "stops-parent", PIPE, played("signalled: ");
    fn fault_c16_leaves_files = "leaves-files", CAGED, played("left something").never("still there");
    fn fault_c17_has_no_terminal = "opens-terminal", PIPE, played("has no terminal");
    fn fault_c12_reads_files = "reads-files", CAGED, played("cannot read /etc/shadow").never("root:");
    fn fault_c11_writes_outside = "writes-outside", CAGED, played("cannot write /etc/evil").never("wrote");
    fn fault_c13_connects = "connects", CAGED, played("cannot connect").target("127.0.0.1:9");
}

/// Where everything is forbidden, and where only our own layers forbid it.
const BOTH: Over = CAGED;

#[test]
fn fault_c16_what_one_game_leaves_the_next_one_does_not_find() {
    for &(way, cage) in CAGED {
        let case = Case { mode: "leaves-files", way, cage, time: LONG, target: String::new(), games: 2 };
        let Some(outcome) = run(&case) else { continue };
        outcome.assert_played();
        for said in ["nothing is there", "left something"] {
            assert_eq!(outcome.stderr.matches(said).count(), 2, "{case:?}: {outcome:#?}");
        }
    }
}

#[test]
fn fault_c12_files_of_ours_are_neither_read_nor_written() {
    let folder = TempFolder::new("ours");
    let file = folder.join("secret");
    std::fs::write(&file, "the secret of the test").unwrap();
    check(
        "reads-files",
        BOTH,
        &played("cannot read /").never("the secret of").target(file.display().to_string()),
    );
    // What is tried is tried: without a cage it succeeds.
    check("reads-files", FREE, &played("the secret of the test").target(file.display().to_string()));
    let new = folder.join("new");
    check("writes-outside", BOTH, &played("cannot write /").never("wrote").target(new.display().to_string()));
    assert!(!new.exists());
}

#[test]
fn fault_c13_a_port_of_ours_is_not_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    listener.set_nonblocking(true).unwrap();
    check("connects", BOTH, &played("cannot connect").target(&address));
    assert!(listener.accept().is_err(), "nobody came");
    check("connects", FREE, &played("connected").target(&address));
    assert!(listener.accept().is_ok(), "without a cage it is reached");
}

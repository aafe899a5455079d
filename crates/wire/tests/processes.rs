//! Real programs at the other end of a pipe.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::path::Path;
use std::time::Duration;

use rookery_referee::Offence;
use rookery_wire::{Bounds, Connection, Framing, Process};
use tokio::time::timeout;

/// Longer than any of this takes on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

fn start(command: &str) -> Connection {
    Connection::process(Process::start(command).unwrap(), Framing::Lines, Bounds::default())
}

async fn receive(connection: &mut Connection) -> Result<String, rookery_referee::Fault> {
    let message = timeout(PATIENCE, connection.receive()).await.expect("something comes");
    message.map(|message| String::from_utf8(message).unwrap())
}

#[tokio::test]
async fn a_program_answers_line_by_line() {
    let mut cat = start("cat");
    for line in ["one", "two three"] {
        cat.send(format!("{line}\n").as_bytes()).await.unwrap();
        assert_eq!(receive(&mut cat).await.unwrap(), line);
    }
    cat.close().await;
}

#[tokio::test]
async fn fault_t03_what_was_said_before_the_end_counts_and_then_we_say_how_it_ended() {
    let mut program = start("sh -c 'echo last words; echo out of ideas >&2; exit 3'");
    assert_eq!(receive(&mut program).await.unwrap(), "last words");
    let fault = receive(&mut program).await.unwrap_err();
    assert_eq!(fault.offence, Offence::Crashed);
    assert!(fault.detail.contains("exit status: 3"), "{}", fault.detail);
    assert!(fault.detail.contains("out of ideas"), "{}", fault.detail);
}

#[tokio::test]
async fn fault_t18_a_program_that_closes_its_output_and_goes_on_has_crashed() {
    let mut program = start("sh -c 'exec >&-; sleep 1000'");
    let fault = receive(&mut program).await.unwrap_err();
    assert_eq!((fault.offence, &*fault.detail), (Offence::Crashed, "the program closed its output"));
}

#[tokio::test]
async fn a_program_ends_with_everything_it_started() {
    let mut program = start("sh -c 'sleep 1000 & echo $!; echo $$; wait'");
    let child = receive(&mut program).await.unwrap();
    let itself = receive(&mut program).await.unwrap();
    let alive = |pid: &str| {
        let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    assert!(alive(&child) && alive(&itself));
    drop(program);
    let gone = async {
        while alive(&child) || alive(&itself) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("both are gone");
}

#[tokio::test]
async fn fault_t09_a_program_that_floods_is_cut_off() {
    let mut program = start("sh -c 'while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done'");
    assert_eq!(receive(&mut program).await.unwrap_err().offence, Offence::OutputLimit);
    assert_eq!(receive(&mut program).await.unwrap_err().offence, Offence::OutputLimit, "it stays so");
}

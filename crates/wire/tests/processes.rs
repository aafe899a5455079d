//! Real programs at the other end of a pipe.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::time::Duration;

use common::{PATIENCE, all_gone, is_alive};
use rookery_referee::{Fault, Offence};
use rookery_wire::{Bounds, Connection, Framing, Lent, Process, Transport, TransportExt as _};
use tokio::time::{Instant, timeout};

fn start(command: &str) -> Connection {
    Connection::process(Process::start(command).unwrap(), Framing::Lines, Bounds::default())
}

async fn receive(link: &mut (impl Transport + ?Sized)) -> Result<String, Fault> {
    let message = timeout(PATIENCE, link.receive()).await.expect("something comes");
    message.map(|message| String::from_utf8(message).unwrap())
}

#[tokio::test]
async fn a_program_answers_line_by_line() {
    let mut cat = start("cat");
    for line in ["one", "two three"] {
        cat.send(format!("{line}\n").as_bytes()).await.unwrap();
        assert_eq!(receive(&mut cat).await.unwrap(), line);
    }
    Box::new(cat).close().await;
}

#[tokio::test]
async fn fault_t03_what_was_said_before_the_end_counts_and_then_we_say_how_it_ended() {
    let mut program = start("sh -c 'echo last words; printf \"out of\\033 ideas\\n\" >&2; exit 3'");
    assert_eq!(receive(&mut program).await.unwrap(), "last words");
    let fault = receive(&mut program).await.unwrap_err();
    assert_eq!((fault.offence, fault.evidence.note.as_str()), (Offence::Crashed, ""));
    assert_eq!(fault.evidence.exit.as_deref(), Some("exit status: 3"));
    assert_eq!(fault.evidence.stderr.as_deref(), Some("out of  ideas\n"), "a control character is a space");
    assert_eq!(receive(&mut program).await.unwrap_err(), fault, "it stays so");
}

#[tokio::test]
async fn fault_t03_a_program_has_crashed_when_it_ends_though_its_child_holds_the_output() {
    let mut quickest = Duration::MAX;
    for _ in 0..5 {
        let mut program = start("sh -c 'sleep 1000 & echo $!; echo e2; printf unfinished; exit 7'");
        let child = receive(&mut program).await.unwrap();
        assert_eq!(receive(&mut program).await.unwrap(), "e2", "what it wrote before its end counts");
        let start = Instant::now();
        assert_eq!(receive(&mut program).await.unwrap(), "unfinished", "nothing can follow it any more");
        let fault = receive(&mut program).await.unwrap_err();
        quickest = quickest.min(start.elapsed());
        assert_eq!(fault.offence, Offence::Crashed);
        assert_eq!(fault.evidence.exit.as_deref(), Some("exit status: 7"));
        // The connection is still there.
        all_gone(&[&child]).await;
    }
    assert!(quickest < Duration::from_millis(150), "{quickest:?}");
}

#[tokio::test]
async fn fault_t03_a_program_has_crashed_when_it_ends_though_its_child_holds_the_input() {
    // A shell gives its background jobs another input, unless it is told to keep it.
    let mut program = start("sh -c 'exec 3<&0; sleep 1000 <&3 & exit 7'");
    let sent = timeout(PATIENCE, program.send(&vec![b'a'; 1 << 20])).await.expect("the end is noticed");
    let fault = sent.unwrap_err();
    assert_eq!(fault.offence, Offence::Crashed);
    assert_eq!(fault.evidence.exit.as_deref(), Some("exit status: 7"));
}

#[tokio::test]
async fn fault_t03_a_signal_is_named() {
    let mut program = start("sh -c 'kill -SEGV $$'");
    let fault = receive(&mut program).await.unwrap_err();
    let exit = fault.evidence.exit.as_deref().unwrap();
    assert!(exit.starts_with("signal: 11"), "{exit}");
}

#[tokio::test]
async fn fault_t18_a_program_that_closes_its_output_and_goes_on_has_crashed() {
    let mut program = start("sh -c 'exec >&-; sleep 1000'");
    let fault = receive(&mut program).await.unwrap_err();
    assert_eq!(fault.offence, Offence::Crashed);
    assert_eq!(fault.evidence.note, "it closed its output and went on");
    assert_eq!(fault.evidence.exit, None, "we have ended it ourselves");
}

#[tokio::test]
async fn of_what_a_program_complains_about_only_the_end_is_kept() {
    let mut program = start("sh -c 'head -c 8000000 /dev/zero | tr \"\\0\" x >&2; echo the end >&2; exit 1'");
    let stderr = receive(&mut program).await.unwrap_err().evidence.stderr.unwrap();
    assert_eq!(stderr.len(), 4096);
    assert!(stderr.starts_with("xxx") && stderr.ends_with("xthe end\n"), "{stderr}");
}

/// A program that has started another one, and the ids of both.
async fn family() -> (Connection, [String; 2]) {
    let mut program = start("sh -c 'sleep 1000 & echo $!; echo $$; wait'");
    let pids = [receive(&mut program).await.unwrap(), receive(&mut program).await.unwrap()];
    assert!(pids.iter().all(|pid| is_alive(pid)));
    (program, pids)
}

#[tokio::test]
async fn a_program_ends_with_everything_it_started() {
    let (program, pids) = family().await;
    drop(program);
    all_gone(&[&pids[0], &pids[1]]).await;
}

#[tokio::test]
async fn a_program_that_nobody_takes_home_ends_with_its_match() {
    let (program, pids) = family().await;
    drop(Lent::owned(Box::new(program)));
    all_gone(&[&pids[0], &pids[1]]).await;

    let (program, pids) = family().await;
    let (lent, home) = Lent::new(Box::new(program));
    drop(home);
    drop(lent);
    all_gone(&[&pids[0], &pids[1]]).await;
}

#[tokio::test]
async fn a_link_comes_home_even_if_the_match_panics() {
    let (lent, home) = Lent::new(Box::new(start("cat")));
    let playing = tokio::spawn(async move {
        let mut lent = lent;
        lent.send(b"half of a ").await.unwrap();
        panic!("a fault of ours");
    });
    assert!(playing.await.unwrap_err().is_panic());
    let mut link = home.await.expect("it came home");
    link.send(b"line\n").await.unwrap();
    assert_eq!(receive(&mut *link).await.unwrap(), "half of a line");
    link.close().await;
}

#[tokio::test]
async fn fault_t09_a_program_that_floods_is_cut_off() {
    let mut program =
        start("sh -c 'echo $$; while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done'");
    let pid = receive(&mut program).await.unwrap();
    let fault = receive(&mut program).await.unwrap_err();
    assert_eq!(fault.offence, Offence::OutputLimit);
    assert_eq!(receive(&mut program).await.unwrap_err(), fault, "it stays so");
    // Though the connection is still there.
    all_gone(&[&pid]).await;
}

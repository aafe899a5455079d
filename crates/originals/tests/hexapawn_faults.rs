//! Programs that misbehave, at the end of real pipes and sockets: each loses, for the right reason, and the other is told.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod hexapawn_common;

use std::path::Path;
use std::time::{Duration, Instant};

use hexapawn_common::{PATIENCE, Script, builtin, linked, program, ready, sentence, verdict_of};
use rookery_live::{Guest, Terms};
use rookery_originals::hexapawn::Spoken;
use rookery_originals::hexapawn::records::Dialect;
use rookery_referee::Verdict;
use rookery_rules::Seat;
use rookery_testkit::TempFolder;
use rookery_wire::Connection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const MOVE: &str = "move(f(1 1) t(2 1))";

fn shell(script: &str) -> Guest {
    assert!(!script.contains('\''), "it is quoted by '");
    program(&format!("sh -c '{script}'"))
}

/// Somebody connected by TCP, and the other end.
async fn socket() -> (Guest, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let theirs = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let ours = listener.accept().await.unwrap().0;
    (linked(|protocol| Connection::tcp(ours, protocol.framing, protocol.bounds).unwrap()), theirs)
}

/// A match on 5 x 5 with so much time for a turn. The seats have a minute together, whatever they do.
async fn verdict(one: Guest, two: Guest, time: Duration) -> Verdict {
    let (ready, _) = ready(Spoken::Seed(Dialect::Readme), (5, 5), vec![one, two], time, None).await;
    verdict_of(ready.with_terms(Terms { startup: Duration::from_millis(500), ..Terms::default() })).await
}

/// The offender as player 1 against one of ours that waits: it loses with this cause, and the other hears of it.
async fn loses(offender: Guest, time: Duration, cause: &str) -> Verdict {
    let (other, talk) = Script::silent();
    let verdict = verdict(offender, other, time).await;
    assert_eq!(verdict.ending.cause.word(), cause, "{}", sentence(&verdict));
    assert_eq!(verdict.ending.seat, Some(Seat::new(0)));
    assert!(talk.finish().await.ends_with("< gameEnded(winner:p2)\n"));
    verdict
}

const SHORT: Duration = Duration::from_millis(100);
/// For faults that are noticed without waiting.
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn fault_t01_a_late_answer_loses_and_changes_nothing() {
    let (late, mut theirs) = socket().await;
    let sender = tokio::spawn(async move {
        let mut heard = vec![];
        while !String::from_utf8_lossy(&heard).contains("gameEnded(winner:p2)") {
            let mut chunk = [0; 1024];
            let n = theirs.read(&mut chunk).await.unwrap();
            assert!(n > 0, "it is told how the game ended");
            heard.extend_from_slice(&chunk[..n]);
        }
        // The referee may have gone already.
        let _ = theirs.write_all(format!("{MOVE}\n").as_bytes()).await;
    });
    let verdict = loses(late, SHORT, "timeout").await;
    assert_eq!(verdict.plies, 0);
    sender.await.unwrap();
    loses(program("sleep 1000"), SHORT, "timeout").await;
}

#[tokio::test]
async fn fault_t03_a_program_that_dies_has_crashed_and_its_last_words_count() {
    let verdict = loses(shell("read line; exit 7"), LONG, "crashed").await;
    assert!(sentence(&verdict).contains("exit status: 7"), "{}", sentence(&verdict));
    // The answer before its death is an answer.
    let offender = shell(&format!("read line; echo \"{MOVE}\""));
    let verdict = self::verdict(offender, builtin("first"), LONG).await;
    assert_eq!((verdict.ending.cause.word(), verdict.plies >= 1), ("crashed", true));
}

#[tokio::test]
async fn fault_t03_a_closed_socket_is_noticed_at_once() {
    let (gone, theirs) = socket().await;
    drop(theirs);
    let start = Instant::now();
    loses(gone, PATIENCE, "disconnected").await;
    assert!(start.elapsed() < PATIENCE / 2, "nobody waits for the end of its time");
}

#[tokio::test]
async fn fault_t05_a_program_that_answers_twice_is_out_of_turn() {
    loses(shell(&format!("read line; echo \"{MOVE}\"; echo \"{MOVE}\"; read line")), LONG, "out_of_turn")
        .await;
}

#[tokio::test]
async fn fault_t06_a_program_that_answers_before_it_is_asked_loses() {
    // Player 2 speaks while player 1 thinks.
    let (one, p1) = Script::silent();
    let verdict = verdict(one, shell("echo hurry up; read line"), LONG).await;
    assert_eq!((verdict.ending.cause.word(), verdict.ending.seat), ("out_of_turn", Some(Seat::new(1))));
    assert!(p1.finish().await.ends_with("< gameEnded(winner:p1)\n"));
}

#[tokio::test]
async fn fault_t07_garbage_is_an_illegal_move_with_one_more_chance() {
    let verdict = loses(shell("while read line; do echo \"@#!\"; done"), LONG, "malformed").await;
    assert!(sentence(&verdict).contains("after 1 refused before it"), "{}", sentence(&verdict));
    // The second chance is used.
    let better = shell(&format!("read a; echo garbage; read b; echo \"{MOVE}\"; read c; exit 0"));
    let verdict = self::verdict(better, builtin("first"), LONG).await;
    assert!(verdict.plies >= 1, "{}", sentence(&verdict));
}

#[tokio::test]
async fn fault_t08_bytes_that_are_no_text_are_malformed() {
    for bytes in [
        &b"\xff\xfe\n"[..],
        b"\xef\xbb\xbfmove(f(1 1) t(2 1))\n",
        b"move(f(1 1)\0 t(2 1))\n",
        b"'\xed\xa0\x80'\n",
    ] {
        let (offender, mut theirs) = socket().await;
        let sender = tokio::spawn(async move {
            let mut request = [0; 4096];
            for _ in 0..2 {
                assert!(theirs.read(&mut request).await.unwrap() > 0);
                theirs.write_all(bytes).await.unwrap();
            }
            // The end is heard before the connection closes.
            let _ = theirs.read(&mut request).await;
        });
        let verdict = loses(offender, LONG, "malformed").await;
        assert!(sentence(&verdict).is_ascii(), "{}", sentence(&verdict));
        sender.await.unwrap();
    }
}

#[tokio::test]
async fn fault_t09_a_flood_is_cut_off() {
    loses(
        shell("read line; while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done"),
        LONG,
        "output_limit",
    )
    .await;
    let (offender, mut theirs) = socket().await;
    let sender = tokio::spawn(async move {
        let mut sent = 0;
        while theirs.write_all(&[b'x'; 4096]).await.is_ok() {
            sent += 4096;
        }
        sent
    });
    // Whether the flood came before the question or after it, it is too much.
    loses(offender, LONG, "output_limit").await;
    assert!(sender.await.unwrap() < 100 << 20, "it was not read to its end");
}

#[tokio::test]
async fn fault_t10_a_deep_record_is_malformed() {
    let deep = "f(".repeat(2000);
    let script = format!("while read line; do echo \"{deep}\"; done");
    let verdict = loses(shell(&script), LONG, "malformed").await;
    assert!(sentence(&verdict).contains("at most 16 brackets"), "{}", sentence(&verdict));
}

#[tokio::test]
async fn fault_t14_two_illegal_moves_lose_and_the_board_stays() {
    let script = "while read line; do echo \"move(f(1 1) t(4 4))\"; done";
    let verdict = loses(shell(script), LONG, "illegal_move").await;
    assert_eq!(verdict.plies, 0);
    assert!(sentence(&verdict).contains("legal were e1-e2 d1-d2"), "{}", sentence(&verdict));
}

#[tokio::test]
async fn fault_t17_a_player_that_never_reads_loses_by_time() {
    // A pipe of 16 bytes, so that a request does not fit.
    let (ours, _theirs) = tokio::io::duplex(16);
    let (reader, writer) = tokio::io::split(ours);
    let wall =
        linked(|protocol| Connection::new(reader, writer, "a wall", protocol.framing, protocol.bounds));
    loses(wall, SHORT, "timeout").await;
}

#[tokio::test]
async fn fault_t18_a_program_that_closes_its_output_and_goes_on_has_crashed() {
    let folder = TempFolder::new("t18");
    let pid_file = folder.join("pid");
    let script = format!("echo $$ > \"{}\"; exec >&-; sleep 1000", pid_file.display());
    let verdict = verdict(shell(&script), builtin("first"), LONG).await;
    assert_eq!(verdict.ending.cause.word(), "crashed", "{}", sentence(&verdict));
    // Nothing of it is left.
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let alive = || {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    let start = Instant::now();
    while alive() {
        assert!(start.elapsed() < PATIENCE, "the program was killed");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn fault_t19_slow_bytes_do_not_stretch_the_time() {
    let (offender, mut theirs) = socket().await;
    let sender = tokio::spawn(async move {
        let mut request = [0; 64];
        assert!(theirs.read(&mut request).await.unwrap() > 0);
        // An answer that never comes to its end, and always goes on.
        while theirs.write_all(b"m").await.is_ok() {
            tokio::time::sleep(SHORT / 4).await;
        }
    });
    loses(offender, SHORT * 3, "timeout").await;
    sender.await.unwrap();
}

#[tokio::test]
async fn two_programs_play_over_pipes_and_over_tcp() {
    // A player in a few lines of shell would be long; one that answers by a list of moves is not.
    let moves = |moves: &[&str]| {
        let list: Vec<String> = moves.iter().map(|mv| format!("read line; echo \"{mv}\"")).collect();
        shell(&format!("{}; cat > /dev/null", list.join("; ")))
    };
    let one =
        moves(&["move(f(1 1) t(2 1))", "move(f(2 1) t(3 1))", "move(f(3 1) t(4 1))", "move(f(4 1) t(5 2))"]);
    let (two, mut theirs) = socket().await;
    let player = tokio::spawn(async move {
        let mut heard = vec![];
        let mut chunk = [0; 4096];
        for mv in ["move(f(5 5) t(4 5))", "move(f(4 5) t(3 5))", "move(f(3 5) t(2 5))"] {
            let n = theirs.read(&mut chunk).await.unwrap();
            heard.extend_from_slice(&chunk[..n]);
            theirs.write_all(format!("{mv}\r\n").as_bytes()).await.unwrap();
        }
        theirs.read_to_end(&mut heard).await.unwrap();
        String::from_utf8(heard).unwrap()
    });
    let verdict = verdict(one, two, LONG).await;
    assert_eq!((verdict.ending.cause.word(), verdict.plies), ("normal", 7), "{}", sentence(&verdict));
    let heard = player.await.unwrap();
    assert_eq!(heard.lines().filter(|line| line.starts_with("request(board:board(row(")).count(), 3);
    assert!(heard.ends_with("gameEnded(winner:p1)\n"));
}

//! Clients against servers with all kinds of manners.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;
mod peers;

use std::time::Duration;

use common::{Hosted, Manner, host};
use peers::{PATIENCE, config, good, serve};
use rookery_games::fish;
use rookery_originals::fish::{ClientError, Clients, Config, Notice, Report, Served, Spoken};
use rookery_rules::{Seat, Setup as _};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn clients(n: usize, port: u16, player: &str) -> Clients {
    Clients {
        n,
        host: "127.0.0.1".to_owned(),
        port,
        player: player.parse().unwrap(),
        name: "rook".parse().unwrap(),
        think: None,
        patience: Duration::from_secs(30),
    }
}

fn silent(_: &str, _: Spoken<'_>) {}

async fn play(n: usize, player: &str, manner: Manner) -> (Hosted, Vec<Report>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clients = clients(n, listener.local_addr().unwrap().port(), player);
    let (hosted, reports) = tokio::join!(host(&listener, n, manner), clients.serve(silent));
    (hosted, reports.unwrap())
}

#[tokio::test]
async fn they_play_with_servers_of_all_manners() {
    for manner in [Manner::Plain, Manner::Trickling, Manner::Strange, Manner::AskingStuck] {
        for (n, scores) in [(2, vec![18, 16]), (3, vec![12, 10, 10]), (4, vec![10, 6, 10, 8])] {
            let (hosted, reports) = play(n, "minimax:depth=2", manner).await;
            assert_eq!(hosted.outcome.scores.as_slice(), scores, "{manner:?}");
            assert_eq!(hosted.names, ["rookA", "rookB", "rookC", "rookD"][..n]);
            assert_eq!(hosted.stuck > 0, manner == Manner::AskingStuck && n == 4, "{manner:?}, {n} players");
            for (seat, (_, result)) in Seat::all(n).zip(reports) {
                let served = result.unwrap();
                assert_eq!((served.games, served.won), (1, Some(hosted.outcome.winners.contains(seat))));
            }
        }
    }
}

#[tokio::test]
async fn every_kind_of_player_is_served() {
    for player in ["random", "first", "greedy", "mcts:playouts=50", "alphabeta:depth=2"] {
        let (hosted, reports) = play(2, player, Manner::Plain).await;
        assert!(reports.iter().all(|(_, result)| result.is_ok()), "{player}: {reports:?}");
        assert!(!hosted.outcome.winners.is_empty());
    }
}

/// One client, and a server that says this after the name and closes.
async fn told(bytes: &[u8]) -> Result<Served, ClientError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clients = clients(1, listener.local_addr().unwrap().port(), "first");
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut name = [0; 6];
        stream.read_exact(&mut name).await.unwrap();
        assert_eq!(&name, b"\"rook\"");
        // The client may leave before it has heard everything.
        let _ = stream.write_all(bytes).await;
        let _ = stream.shutdown().await;
        // Until it leaves.
        let _ = stream.read_to_end(&mut vec![]).await;
    };
    let ((), reports) = tokio::join!(server, clients.serve(silent));
    let (name, result) = reports.unwrap().remove(0);
    assert_eq!(name, "rook");
    result
}

#[tokio::test]
async fn fault_t09_a_server_that_sends_nonsense_or_too_much_is_left() {
    let too_much = [b"[\"start\",[\"".as_slice(), &vec![b'x'; 70_000]].concat();
    for (bytes, problem) in [
        (b"".as_slice(), "lost the server before the end: it closed the connection"),
        (b"[\"start\",[true]]", "lost the server before the end: it closed the connection"),
        (b"[\"dance\",[true]]", "no such method"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "expected [METHOD,[ARGUMENT,..]]"),
        (b"\xff\xfe", "no JSON value begins so"),
        (&too_much, "more than 65536 bytes of one message"),
    ] {
        let error = told(bytes).await.unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    let end = told(b"[\"start\",[true]]\n[\"end\",[true]]\n\n").await;
    assert_eq!(end, Ok(Served { calls: 2, games: 0, won: Some(true) }));
}

#[tokio::test]
async fn a_server_that_is_not_there_yet_is_waited_for_and_one_that_never_comes_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut nobody = clients(2, port, "first");
    nobody.patience = Duration::from_millis(100);
    let reports = nobody.serve(silent).await.unwrap();
    assert_eq!(reports.len(), 2);
    for (_, result) in reports {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot connect to 127.0.0.1:{port}: ")), "{error}");
    }

    let clients = clients(2, port, "first");
    let late = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port is still free");
        host(&listener, 2, Manner::Plain).await
    };
    let (_, reports) = tokio::join!(late, clients.serve(silent));
    assert!(reports.unwrap().iter().all(|(_, result)| result.is_ok()));
}

/// The client that docs/fish-client.md shows; `None` where there is no Python, and then it says so.
fn documented_client() -> Option<&'static str> {
    let page = include_str!("../../../docs/fish-client.md");
    let code = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(code.lines().count() <= 40, "it is short");
    let Ok(version) = std::process::Command::new("python3").arg("--version").output() else {
        rookery_testkit::tell_skipped(
            "the Python client of docs/fish-client.md, because there is no python3",
        );
        return None;
    };
    assert!(version.status.success(), "python3 works");
    Some(code)
}

/// A program that does not outlive its test.
struct Program(std::process::Child);

impl Program {
    fn python(code: &str, port: u16) -> Self {
        let port = port.to_string();
        Self(std::process::Command::new("python3").args(["-c", code, &port]).spawn().unwrap())
    }

    /// Whether it ended well; to be asked when the server has closed all connections.
    fn succeeds(&mut self) -> bool {
        self.0.wait().unwrap().success()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_python_client_of_the_documentation_plays_with_servers_of_other_manners() {
    let Some(code) = documented_client() else { return };
    for manner in [Manner::Plain, Manner::Trickling, Manner::Strange] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut programs = [(); 3].map(|()| Program::python(code, port));
        let hosted = host(&listener, 3, manner).await;
        assert_eq!(hosted.names, ["heron"; 3]);
        assert!(programs.iter_mut().all(Program::succeeds), "{manner:?}");
    }
}

/// A tournament of our own server; gives back how often a heron moved.
async fn tournament_with_herons(code: &str, board: &str, herons: usize, others: usize) -> usize {
    let n = herons + others;
    // Nobody begins without a Python that is slow to start.
    let config = Config { wait: PATIENCE, name_timeout: PATIENCE, watch_moves: true, ..config(n) };
    let board = fish::Setup::parse(board).unwrap();
    let running = serve(Config { board, min_players: n, ..config }, 1);
    let mut programs: Vec<Program> =
        (0..herons).map(|_| Program::python(code, running.address.port())).collect();
    let mut tasks = vec![];
    for peer in good(others) {
        tasks.push(peer.connect(running.address).await);
    }
    let notices = std::sync::Arc::clone(&running.notices);
    let tally = running.tally().await;
    let notices = notices.lock().unwrap();
    assert_eq!(tally.failed, 0, "nobody is expelled: {notices:#?}");
    assert!(tally.winners > 0);
    assert!(programs.iter_mut().all(Program::succeeds), "each heard the end: {notices:#?}");
    let moved =
        |notice: &&Notice| matches!(notice, Notice::Moved { player, .. } if player.starts_with("heron"));
    notices.iter().filter(moved).count()
}

#[tokio::test]
async fn the_python_client_of_the_documentation_plays_tournaments_of_our_own_server_to_the_end() {
    let Some(code) = documented_client() else { return };
    let holes = "rows=6,cols=5,fish=random,holes=4,seed=7";
    for (board, herons, others) in [("fish=2", 5, 0), (holes, 5, 0), ("fish=2", 2, 3), (holes, 3, 3)] {
        let moves = tournament_with_herons(code, board, herons, others).await;
        // Each places two penguins at least and moves once.
        assert!(moves >= 3 * herons, "{moves} moves of {herons} herons on {board}");
    }
}

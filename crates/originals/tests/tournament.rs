//! Whole tournaments over TCP: who wins, what is called, what is counted.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod peers;

use std::fs::File;
use std::io::BufReader;
use std::time::Duration;

use peers::{Deed, Peer, SHORT, Seen, config, good, impatient, serve, tournament};
use rookery_games::fish;
use rookery_originals::fish::{Config, Manner, Notice, Tally};
use rookery_testkit::TempFolder;

/// Identical house players on the usual board: known from the original and from other servers.
#[tokio::test]
async fn house_players_win_as_in_the_original() {
    for (n, winners, turns) in [
        (5, &[0][..], Some(50)),
        (6, &[0], None),
        (7, &[0], None),
        (8, &[0, 7], Some(51)),
        (9, &[0, 7], None),
        (10, &[0], Some(101)),
    ] {
        let held = tournament(config(n), good(n)).await;
        assert_eq!(held.tally, Tally { winners: winners.len(), failed: 0 }, "{n} players");
        assert_eq!(held.winners(), winners, "{n} players");
        if let Some(turns) = turns {
            assert_eq!(held.n_turns(), turns, "turns of {n} players");
        }
    }
}

#[tokio::test]
async fn players_who_look_further_win_as_often() {
    for (n, n_winners) in [(5, 1), (6, 1), (7, 1), (8, 2), (9, 2), (10, 1)] {
        let peers = (0..n).map(|_| Peer::deep("deep", 2)).collect();
        let held = tournament(config(n), peers).await;
        assert_eq!(held.tally, Tally { winners: n_winners, failed: 0 }, "{n} players");
    }
}

#[tokio::test]
async fn calls_come_in_their_order() {
    let held = tournament(config(3), good(3)).await;
    let calls = &held.seen[1].calls;
    let expected = ["start", "playing-as", "playing-with", "setup", "setup", "setup", "take-turn"];
    assert_eq!(calls[..7], expected);
    assert_eq!(calls.last().map(String::as_str), Some("end"));
    assert_eq!(held.seen[1].others, [serde_json::json!(["red", "brown"])]);
    let turns = &held.seen[1].turns;
    assert_eq!(turns[0][1], serde_json::json!([]), "the first turn has no list");
    assert_eq!(turns[1][1].as_array().unwrap().len(), 2, "the moves of the two others");
    for turn in turns {
        assert_eq!(turn[0]["players"][0]["color"], "white", "the one who is asked comes first");
    }
    let raw = String::from_utf8(held.seen[1].raw.clone()).unwrap();
    assert!(raw.starts_with(
        r#"["start",[true]]["playing-as",["white"]]["playing-with",[["red","brown"]]]["setup",[{"#
    ));
}

/// Whoever is called takes this long to answer.
const PAUSE: Duration = Duration::from_millis(30);

#[tokio::test]
async fn start_and_end_are_told_one_after_the_other_in_the_order_of_sign_up() {
    for call in ["start", "end"] {
        let slow = (0..5).map(|_| Peer::bad("slow", call, 0, Deed::Late(PAUSE))).collect();
        let held = tournament(config(5), slow).await;
        assert_eq!((held.tally, held.winners()), (Tally { winners: 1, failed: 0 }, vec![0]));
        // The winner is the first, so the end is told in this order too.
        let told = |seen: &Seen| seen.times[seen.calls.iter().position(|name| name == call).unwrap()];
        let times: Vec<_> = held.seen.iter().map(told).collect();
        for pair in times.windows(2) {
            assert!(pair[0] + PAUSE <= pair[1], "{call}: who is next waits for the answer before: {times:?}");
        }
    }
}

#[tokio::test]
async fn winners_hear_of_the_end_before_all_others() {
    let held = tournament(config(8), good(8)).await;
    assert_eq!(held.winners(), [0, 7]);
    let mut order: Vec<usize> = (0..8).collect();
    order.sort_by_key(|&idx| *held.seen[idx].times.last().unwrap());
    assert_eq!(order, [0, 7, 1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn silence_at_the_start_costs_the_others_nothing_but_its_time() {
    let mut peers = good(5);
    for idx in [1, 3] {
        peers[idx] = Peer::bad("Bad", "start", 0, Deed::Silence);
    }
    let held = tournament(impatient(5), peers).await;
    assert_eq!((held.tally, held.winners()), (Tally { winners: 1, failed: 2 }, vec![0]));
    let times: Vec<_> = held.seen.iter().map(|seen| seen.times[0]).collect();
    assert!(times[1] + SHORT <= times[2] && times[3] + SHORT <= times[4], "each has its whole time");
}

#[tokio::test]
async fn messages_can_end_with_newlines_and_have_no_actions() {
    let manner = Manner { newline: true, actions: false, ..config(2).manner };
    let held = tournament(Config { manner, ..config(2) }, good(2)).await;
    assert!(held.seen[0].raw.starts_with(b"[\"start\",[true]]\n[\"playing-as\",[\"red\"]]\n"));
    assert!(held.seen[0].turns.iter().all(|turn| turn[1] == serde_json::json!([])));
}

#[tokio::test]
async fn the_result_does_not_depend_on_how_many_games_are_played_at_once() {
    let source =
        fish::Source::Made { rows: 6, cols: 5, fish: fish::Stock::Random, holes: 3, ones: 0, seed: 7 };
    let board = fish::Setup { players: 2, source };
    let peers = || (0..11).map(|idx| Peer::deep("mixed", 1 + idx % 2)).collect();
    let together = tournament(Config { board: board.clone(), ..config(11) }, peers()).await;
    let in_turn = tournament(Config { board, sequential: true, ..config(11) }, peers()).await;
    assert_eq!(together.tally, in_turn.tally);
    for (one, other) in together.seen.iter().zip(&in_turn.seen) {
        assert_eq!((&one.calls, &one.turns, one.won), (&other.calls, &other.turns, other.won));
    }
}

#[tokio::test]
async fn who_is_removed_before_the_first_penguin_leaves_more_to_the_others() {
    let bad = Peer::bad("Bad", "playing-with", 0, Deed::Send(b"\"no\"".to_vec()));
    let held = tournament(config(4), vec![Peer::new("Ann"), bad, Peer::new("Cid"), Peer::new("Dan")]).await;
    assert_eq!(held.tally.failed, 1);
    assert_eq!(held.offence("Bad").unwrap().0, "malformed");
    assert_eq!(held.seen[0].setups.len(), 3, "three players have three penguins each");
    assert_eq!(
        held.seen[0].others,
        [serde_json::json!(["white", "brown", "black"])],
        "all colours were told"
    );
    assert_eq!(held.seen[0].setups[0][0]["players"].as_array().unwrap().len(), 3);
    assert!(!held.seen[1].calls.contains(&"setup".to_owned()), "who is removed is not called again");
}

#[tokio::test]
async fn after_a_removal_the_list_of_actions_is_empty_once() {
    let bad = Peer::bad("Bad", "take-turn", 1, Deed::Send(b"[[0,0],[0,0]]".to_vec()));
    let held = tournament(config(3), vec![Peer::new("Ann"), bad, Peer::new("Cid")]).await;
    assert_eq!(held.offence("Bad").unwrap().0, "illegal_move");
    let lengths: Vec<usize> =
        held.seen[2].turns.iter().map(|turn| turn[1].as_array().unwrap().len()).collect();
    assert_eq!(lengths[..3], [0, 0, 1], "the first, after the removal, and the one other since");
    let players = held.seen[2].turns[1][0]["players"].as_array().unwrap();
    assert_eq!(players.len(), 2, "who was removed is not in the state");
}

#[tokio::test]
async fn a_winner_who_does_not_hear_of_it_has_not_won() {
    let mut peers = good(5);
    peers[0] = Peer::bad("first", "end", 0, Deed::Close);
    peers[4] = Peer::bad("last", "end", 0, Deed::Send(b"true".to_vec()));
    let held = tournament(config(5), peers).await;
    assert_eq!(held.tally, Tally { winners: 0, failed: 2 });
    assert_eq!(held.offence("first").unwrap().0, "disconnected");
    assert_eq!(held.offence("last").unwrap().0, "malformed");
}

#[tokio::test]
async fn all_may_be_bad() {
    for call in ["start", "playing-as", "setup", "take-turn"] {
        let peers = (0..6).map(|_| Peer::bad("Bad", call, 0, Deed::Close)).collect();
        let held = tournament(config(6), peers).await;
        assert_eq!(held.tally, Tally { winners: 0, failed: 6 }, "all fail at {call}");
    }
}

#[tokio::test]
async fn silence_before_a_game_costs_one_time_out() {
    let bad = Peer::bad("Bad", "playing-as", 0, Deed::Silence);
    let clock = std::time::Instant::now();
    let held = tournament(impatient(3), vec![Peer::new("Ann"), bad, Peer::new("Cid")]).await;
    assert_eq!(held.tally, Tally { winners: 1, failed: 1 });
    let (offence, reason) = held.offence("Bad").unwrap();
    assert_eq!(offence, "timeout");
    assert_eq!(
        reason,
        "did not answer in time: no reply within 600 ms; expected \"void\" with its quotes as the answer to playing-as"
    );
    assert!(clock.elapsed() >= SHORT);
}

#[tokio::test]
async fn the_first_turn_has_more_time() {
    let manner = Manner { first_timeout: Duration::from_secs(20), ..impatient(2).manner };
    let slow = Peer::bad("slow", "take-turn", 0, Deed::Late(SHORT + SHORT));
    let held = tournament(Config { manner, ..impatient(2) }, vec![slow, Peer::new("Ann")]).await;
    assert_eq!(held.tally.failed, 0);
    // A delay that is just too long might be taken for our own on a busy machine; silence is too long for sure.
    let silent = Peer::bad("silent", "take-turn", 1, Deed::Silence);
    let held = tournament(Config { manner, ..impatient(2) }, vec![silent, Peer::new("Ann")]).await;
    assert_eq!((held.tally.failed, held.offence("silent").unwrap().0), (1, "timeout"));
}

#[tokio::test]
async fn every_game_leaves_a_record_that_is_right() {
    let dir = TempFolder::new("fish-records");
    let bad = || Peer::bad("Bad", "take-turn", 2, Deed::Send(b"[[9,9],[0,0]]".to_vec()));
    let mut peers = good(6);
    peers[3] = bad();
    let record = Some(dir.to_path_buf());
    let held = tournament(Config { record: record.clone(), ..config(6) }, peers).await;
    assert_eq!(held.tally.failed, 1);
    tournament(Config { record, ..config(2) }, good(2)).await;
    let mut n_removed = 0;
    for file in
        ["tournament-1/round-1-table-1", "tournament-1/round-1-table-2", "tournament-2/round-1-table-1"]
    {
        let path = dir.join(format!("{file}.rookery.jsonl"));
        let summary = rookery_live::verify(BufReader::new(File::open(&path).unwrap())).unwrap();
        n_removed += summary.verdict.expect("the game is over").removed.len();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.lines().next().unwrap().contains("\"good#1\"") || file.ends_with('2'),
            "names stand in it"
        );
    }
    assert_eq!(n_removed, 1);
}

#[tokio::test]
async fn the_log_tells_players_rounds_games_and_the_end() {
    let held = tournament(Config { watch_moves: true, ..config(5) }, good(5)).await;
    let lines: Vec<String> = held.notices.iter().map(ToString::to_string).collect();
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has("a tournament of 5 begins: good#1, good#2, good#3, good#4, good#5"), "{lines:#?}");
    assert!(has("round 1: table 1 good#1, good#2, good#3; table 2 good#4, good#5"));
    assert!(has("round 1, table 1: good#1 won, 12:10:10"));
    assert!(has("round 2, table 1: good#1 won, 18:16"));
    assert!(has("good#1 won; nobody failed"));
    let n_moves = held.notices.iter().filter(|notice| matches!(notice, Notice::Moved { .. })).count();
    let n_setups: usize = held.seen.iter().map(|seen| seen.setups.len()).sum();
    assert_eq!(n_moves, held.n_turns() + n_setups);
}

/// The original's tests of servers: their clients trickle, and bad ones stop answering.
mod acceptance {
    use super::*;

    const LATE: Duration = Duration::from_millis(500);

    /// As the original waits: for at least five, the whole period, at once with ten.
    fn original() -> Config {
        Config { min_players: 5, wait: Duration::from_secs(2), tries: 2, ..impatient(10) }
    }

    /// Five come at once, the others later; all trickle.
    async fn accepted(config: Config, peers: Vec<Peer>, results: &[[usize; 2]]) {
        let running = serve(config, 1);
        let mut tasks = vec![];
        for (idx, peer) in peers.into_iter().enumerate() {
            if idx == 5 {
                tokio::time::sleep(LATE).await;
            }
            tasks.push(peer.trickling().connect(running.address).await);
        }
        let Tally { winners, failed } = running.tally().await;
        assert!(results.contains(&[winners, failed]), "[{winners},{failed}]");
    }

    fn with(n: usize, bad: &[(&'static str, Deed)]) -> Vec<Peer> {
        let bad = bad.iter().map(|(call, deed)| Peer::bad("bad", call, 0, deed.clone()));
        good(n).into_iter().chain(bad).collect()
    }

    const SILENT: [(&str, Deed); 5] = [
        ("start", Deed::Silence),
        ("playing-as", Deed::Silence),
        ("playing-with", Deed::Silence),
        ("take-turn", Deed::Silence),
        ("end", Deed::Silence),
    ];

    #[tokio::test]
    async fn a_silent_connection_and_five_good() {
        let running = serve(original(), 1);
        let _silent = tokio::net::TcpStream::connect(running.address).await.unwrap();
        let mut tasks = vec![];
        for peer in good(5) {
            tasks.push(peer.trickling().connect(running.address).await);
        }
        assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
    }

    #[tokio::test]
    async fn a_placement_of_three_numbers() {
        accepted(original(), with(5, &[("setup", Deed::Send(b"[0,1,2]".to_vec()))]), &[[1, 1]]).await;
    }

    #[tokio::test]
    async fn a_placement_that_is_no_json() {
        accepted(original(), with(5, &[("setup", Deed::Send(b"[0,".to_vec()))]), &[[1, 1]]).await;
        accepted(original(), with(5, &[("setup", Deed::Send(b"{]".to_vec()))]), &[[1, 1]]).await;
    }

    #[tokio::test]
    async fn five_good() {
        accepted(original(), good(5), &[[1, 0]]).await;
    }

    #[tokio::test]
    async fn ten_good() {
        accepted(original(), good(10), &[[1, 0]]).await;
    }

    #[tokio::test]
    async fn five_good_and_five_bad() {
        accepted(original(), with(5, &SILENT), &[[1, 5], [2, 4]]).await;
    }

    #[tokio::test]
    async fn only_the_five_bad() {
        accepted(original(), with(0, &SILENT), &[[0, 5], [0, 4]]).await;
    }

    #[tokio::test]
    async fn six_good_and_four_bad() {
        accepted(original(), with(6, &SILENT[1..]), &[[1, 4], [2, 3]]).await;
    }
}

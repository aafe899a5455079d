//! Many machines on one: whole programs, killed on the way, and the same records as one process.

#[cfg(all(feature = "cluster", target_os = "linux"))]
mod with {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::fs;
    use std::io::{BufRead as _, BufReader};
    use std::net::TcpListener;
    use std::process::{Command, Stdio};

    use rookery_testkit::TempFolder;
    use rookery_testkit::nats::Nats;
    use rookery_testkit::postgres::Postgres;
    use rookery_testkit::trial::{Kind, Order, run, watch_taken_over};

    /// Many, since what was played while one of the parts was away is stored at once when it is back.
    const GAMES: u64 = 300;

    #[test]
    fn fault_q02_and_q06_and_q10_a_worker_the_coordinator_and_the_broker_are_killed_and_every_record_is_there()
     {
        // Whether they are installed; what is missing is told, and a failure where it should be there.
        if Nats::start().is_none() || Postgres::start().is_none() {
            return;
        }
        let folder = TempFolder::new("cluster-killed");
        let kill = vec![Kind::Worker, Kind::Coordinator, Kind::Broker];
        let binary = env!("CARGO_BIN_EXE_rookery").into();
        let order = Order { binary, games: GAMES, kill, keep: folder.to_path_buf(), revive: false };
        assert_eq!(run(&order, &|_| {}), Ok(GAMES));
        let run: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
        let killed: Vec<&str> =
            run["killed"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
        assert_eq!(killed, ["worker", "coordinator", "broker"]);
        let workers = run["workers"].as_array().unwrap();
        let names: Vec<&str> = workers.iter().map(|worker| worker["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["worker-1", "worker-2", "worker-3", "worker-4"], "also who has played none");
        let games = workers.iter().map(|worker| worker["games"].as_u64().unwrap());
        assert_eq!(games.sum::<u64>(), GAMES);
        assert_eq!(fs::read_dir(folder.join("cluster")).unwrap().count() as u64, GAMES);
    }

    /// Every rule of deploy/alerts-cluster.yml asks for something that a coordinator counts.
    fn expect_alerts(metrics: &str) {
        let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/alerts-cluster.yml");
        let rules = fs::read_to_string(rules).unwrap();
        let mut n_names = 0;
        for rule in rules.lines().filter_map(|line| line.trim().strip_prefix("expr: ")) {
            let words = rule.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for name in words.filter(|word| word.starts_with("rookery_")) {
                let kind = metrics.lines().find_map(|line| line.strip_prefix(&format!("# TYPE {name} ")));
                let kind = kind.unwrap_or_else(|| panic!("{name} is not in /metrics: {metrics}"));
                // Rates and increases are of what only grows.
                let grows = ["rate", "increase"].iter().any(|word| rule.contains(&format!("{word}({name}")));
                assert_eq!(kind == "counter", grows, "{rule}");
                n_names += 1;
            }
        }
        assert!(n_names >= 8, "the rules are found");
    }

    #[test]
    fn a_game_of_a_worker_is_watched_on_another_server_and_taken_over_when_the_worker_is_killed() {
        if Nats::start().is_none() || Postgres::start().is_none() {
            return;
        }
        let folder = TempFolder::new("cluster-watched");
        let binary = env!("CARGO_BIN_EXE_rookery").into();
        let order = Order { binary, games: 2, kill: vec![], keep: folder.to_path_buf(), revive: false };
        let metrics = watch_taken_over(&order).unwrap();
        expect_alerts(&metrics);
    }

    #[test]
    fn fault_q02_q03_q06_q09_and_q10_every_part_is_killed_and_stands_still_in_turn_and_every_record_is_there()
    {
        if Nats::start().is_none() || Postgres::start().is_none() {
            return;
        }
        let folder = TempFolder::new("cluster-loops");
        let kill = Kind::ALL.to_vec();
        let binary = env!("CARGO_BIN_EXE_rookery").into();
        let games = 250;
        let order = Order { binary, games, kill: kill.clone(), keep: folder.to_path_buf(), revive: true };
        assert_eq!(run(&order, &|_| {}), Ok(games));
        let run: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
        assert_eq!(run["killed"].as_array().unwrap().len(), kill.len());
    }

    /// A server whose broker is away.
    fn serve(folder: &TempFolder, listen: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
        command
            .args([
                "serve",
                "--no-open",
                "--dispatch",
                "nats://127.0.0.1:1",
                "--listen",
                listen,
                "--bots",
                "127.0.0.1:0",
            ])
            .arg("--store")
            .arg(folder.join("many.db"))
            .env("XDG_DATA_HOME", folder.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    #[test]
    fn fault_q06_a_server_begins_without_its_broker_and_ends_where_a_port_is_taken() {
        let folder = TempFolder::new("cluster-no-broker");
        let mut server = serve(&folder, "127.0.0.1:0").spawn().unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let said: Vec<String> =
            lines.map_while(Result::ok).take_while(|line| !line.contains("role: coordinator")).collect();
        let is_running = server.try_wait().unwrap().is_none();
        server.kill().unwrap();
        server.wait().unwrap();
        assert!(is_running, "it serves its pages: {said:?}");

        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let ended = serve(&folder, &taken.local_addr().unwrap().to_string()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(98), "{said}");
        assert!(said.contains("error: "), "{said}");
    }
}

#[cfg(not(feature = "cluster"))]
mod without {
    use std::process::Command;

    #[test]
    fn a_program_without_cluster_support_says_so() {
        let commands: [&[&str]; 6] = [
            &["tournament", "run", "hexapawn", "easy", "easy", "--dispatch", "nats://127.0.0.1:1"],
            &["bench", "cluster", "--store", "unused.db", "--dispatch", "nats://127.0.0.1:1"],
            &["worker", "--dispatch", "nats://127.0.0.1:1"],
            &["cluster", "status", "--dispatch", "nats://127.0.0.1:1"],
            &["serve", "--dispatch", "nats://127.0.0.1:1"],
            &["doctor", "--dispatch", "nats://127.0.0.1:1"],
        ];
        for args in commands {
            let ran =
                Command::new(env!("CARGO_BIN_EXE_rookery")).args(args).output().expect("it can be started");
            let said = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(2), "{args:?}: {said}");
            assert!(said.contains("built without cluster support"), "{args:?}: {said}");
        }
    }
}

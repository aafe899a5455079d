//! Many machines on one: whole programs, killed on the way, and the same records as one process.

#[cfg(all(feature = "cluster", target_os = "linux"))]
mod with {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::fs;

    use rookery_testkit::TempFolder;
    use rookery_testkit::nats::Nats;
    use rookery_testkit::postgres::Postgres;
    use rookery_testkit::trial::{Kind, Order, run};

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
        let order = Order { binary, games: 80, kill, keep: folder.to_path_buf() };
        assert_eq!(run(&order, &|_| {}), Ok(80));
        let run: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
        let killed: Vec<&str> =
            run["killed"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
        assert_eq!(killed, ["worker", "coordinator", "broker"]);
        let games = run["workers"].as_array().unwrap().iter().map(|worker| worker["games"].as_u64().unwrap());
        assert_eq!(games.sum::<u64>(), 80);
        assert_eq!(fs::read_dir(folder.join("cluster")).unwrap().count(), 80);
    }
}

#[cfg(not(feature = "cluster"))]
mod without {
    use std::process::Command;

    #[test]
    fn a_program_without_other_machines_says_so() {
        let commands: [&[&str]; 4] = [
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
            assert!(said.contains("built without other machines"), "{args:?}: {said}");
        }
    }
}

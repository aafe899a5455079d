//! Keys for the broker: each worker may speak for itself alone, and nobody without one.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rookery_cluster::broker::Access;
use rookery_cluster::status::status;
use rookery_cluster::subjects::Subjects;
use rookery_cluster::users::{Role, enrol, revoke};
use rookery_cluster::{Remote, RemoteConfig};
use rookery_store::{Options, Store};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;

fn with_key(broker: &Nats, key: PathBuf) -> Access {
    Access { key: Some(key), ..Access::open(broker.url().parse().unwrap()) }
}

#[test]
fn users_are_enrolled_and_revoked_in_a_file_that_has_no_secret() {
    let folder = TempFolder::new("cluster-users");
    let (users, key) = (folder.join("users.conf"), folder.join("ann.key"));
    enrol(&users, "ann", Role::Worker, &key).unwrap();
    let seed = fs::read_to_string(&key).unwrap();
    let text = fs::read_to_string(&users).unwrap();
    assert!(seed.starts_with("SU") && !text.contains(seed.trim()), "only the public half: {text}");
    assert!(text.contains("rookery.*.ask.ann") && !text.contains(".ask.*"), "{text}");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let twice = enrol(&users, "ann", Role::Worker, &folder.join("other.key")).unwrap_err().to_string();
    assert!(twice.contains("enrolled already"), "{twice}");
    let taken = enrol(&users, "bob", Role::Worker, &key).unwrap_err().to_string();
    assert!(taken.contains("ann.key"), "no key is overwritten: {taken}");
    assert!(
        enrol(&users, "a.>", Role::Worker, &folder.join("bad.key")).is_err(),
        "a name is one word of a subject"
    );
    let reserved = enrol(&users, "operator", Role::Worker, &folder.join("bad.key")).unwrap_err().to_string();
    assert!(reserved.contains("operator-1"), "a worker must not hear what others are answered: {reserved}");
    revoke(&users, "ann").unwrap();
    assert!(!fs::read_to_string(&users).unwrap().contains("ann"));
    assert!(revoke(&users, "ann").is_err());
    fs::write(&users, "authorization { token: mine }").unwrap();
    assert!(
        enrol(&users, "eve", Role::Worker, &folder.join("eve.key")).is_err(),
        "a file of somebody else stays"
    );
}

#[test]
fn fault_q14_a_worker_can_speak_only_for_itself() {
    let folder = TempFolder::new("cluster-keys");
    let users = folder.join("users.conf");
    let key = |name: &str| folder.join(format!("{name}.key"));
    enrol(&users, "ann", Role::Worker, &key("ann")).unwrap();
    enrol(&users, "main", Role::Coordinator, &key("main")).unwrap();
    let Some(broker) = Nats::with(&fs::read_to_string(&users).unwrap()) else { return };
    let store = Store::open(folder.join("many.db").to_str().unwrap(), &Options::default()).unwrap();
    let main = with_key(&broker, key("main"));
    let _remote = Remote::start(RemoteConfig::new(main.clone(), store)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let nobody = Access::open(broker.url().parse().unwrap()).connect("nobody", false).await;
        assert!(nobody.is_err(), "without a key there is no way in");
        let ann = with_key(&broker, key("ann")).connect("ann", false).await.unwrap();
        let hello = r#"[{"hello":{"slots":1}}]"#;
        // First as another one, then as itself: when the second is heard, the first was not.
        ann.publish(Subjects::OWN.ask("bob"), hello.into()).await.unwrap();
        ann.publish(Subjects::OWN.ask("ann"), hello.into()).await.unwrap();
        ann.flush().await.unwrap();
        let begun = Instant::now();
        loop {
            let names: Vec<String> =
                status(&main).await.unwrap().workers.into_iter().map(|worker| worker.name).collect();
            assert!(!names.contains(&"bob".to_owned()), "nobody speaks for bob");
            if names == ["ann"] {
                break;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "ann is not heard: {names:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let asked = tokio::time::timeout(
            Duration::from_secs(5),
            ann.request(Subjects::OWN.operator("status"), "".into()),
        );
        assert!(!matches!(asked.await, Ok(Ok(_))), "a worker is no operator");
    });
}

#[test]
fn a_file_that_has_no_key_is_refused_by_its_name() {
    let folder = TempFolder::new("cluster-no-key");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refusal = |key: &str| {
        // Nobody listens there: whoever is patient would try for ever.
        let access =
            Access { key: Some(folder.join(key)), ..Access::open("nats://127.0.0.1:1".parse().unwrap()) };
        runtime.block_on(access.connect("ann", true)).unwrap_err().to_string()
    };
    fs::write(folder.join("garbage.key"), "not a key\n").unwrap();
    fs::write(folder.join("long.key"), "S".repeat(1 << 20)).unwrap();
    for key in ["garbage.key", "long.key"] {
        let said = refusal(key);
        assert!(said.contains(key) && said.contains("rookery worker enrol"), "{said}");
    }
    assert!(refusal("missing.key").contains("missing.key"));
    enrol(&folder.join("users.conf"), "ann", Role::Worker, &folder.join("ann.key")).unwrap();
    let access =
        Access { key: Some(folder.join("ann.key")), ..Access::open("nats://127.0.0.1:1".parse().unwrap()) };
    assert!(runtime.block_on(access.connect("ann", true)).is_ok(), "a key is taken");
}

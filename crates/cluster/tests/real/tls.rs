//! A broker that speaks only TLS, with certificates of an authority of our own.

use std::fs;
use std::path::Path;
use std::process::Command;

use rookery_arena::Tournament;
use rookery_cluster::broker::Access;
use rookery_cluster::{Remote, RemoteConfig};
use rookery_testkit::nats::Nats;
use rookery_testkit::{TempFolder, tell_skipped};

use crate::{Machine, TERMS, expected, hashes, hold, open, spec, stop_never};

fn openssl(folder: &Path, args: &[&str]) -> bool {
    let ran = Command::new("openssl").args(args).current_dir(folder).output();
    let ran = ran.expect("openssl can be started");
    assert!(ran.status.success(), "openssl {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    true
}

/// An authority, and a certificate of it for this machine.
fn authority(folder: &Path, name: &str) {
    let subject = format!("/CN={name}");
    let (ca, key) = (format!("{name}.pem"), format!("{name}-ca.key"));
    let begin = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let end = ["-days", "2", "-subj", &subject, "-keyout", &key, "-out", &ca];
    openssl(folder, &[&begin[..], &end[..], &["-addext", "basicConstraints=critical,CA:TRUE"]].concat());
}

fn certificate(folder: &Path, by: &str) {
    let begin = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl(
        folder,
        &[&begin[..], &["-subj", "/CN=broker", "-keyout", "broker.key", "-out", "broker.csr"]].concat(),
    );
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n").unwrap();
    let (ca, key) = (format!("{by}.pem"), format!("{by}-ca.key"));
    let sign = ["x509", "-req", "-in", "broker.csr", "-CA", &ca, "-CAkey", &key, "-CAcreateserial"];
    openssl(folder, &[&sign[..], &["-days", "2", "-extfile", "names", "-out", "broker.pem"]].concat());
}

#[test]
fn a_broker_with_tls_is_believed_only_with_its_authority() {
    if Command::new("openssl").arg("version").output().is_err() {
        assert!(std::env::var_os("ROOKERY_ALL_KITS").is_none(), "openssl comes with Debian's certificates");
        tell_skipped("a broker with TLS: openssl is not installed");
        return;
    }
    let folder = TempFolder::new("cluster-tls");
    authority(&folder, "ours");
    authority(&folder, "others");
    certificate(&folder, "ours");
    let place = folder.display();
    let tls =
        format!("tls {{ cert_file: \"{place}/broker.pem\", key_file: \"{place}/broker.key\", timeout: 10 }}");
    let Some(broker) = Nats::with(&tls) else { return };
    let url = broker.url().replace("nats://", "tls://");
    let access = |authority: Option<&str>| Access {
        certificates: authority.map(|name| folder.join(format!("{name}.pem"))),
        ..Access::open(url.parse().unwrap())
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for wrong in [access(None), access(Some("others"))] {
        let refused = runtime.block_on(wrong.connect("eve", false));
        assert!(refused.is_err(), "a broker whose authority nobody knows is not believed");
    }
    let store = open(&folder, "many.db");
    let config = RemoteConfig { terms: TERMS, ..RemoteConfig::new(access(Some("ours")), store.clone()) };
    let remote = Remote::start(config).unwrap();
    let worker = Machine::with(&broker, &folder, "ann", |config| config.access = access(Some("ours")));
    let tournament = Tournament::create(&store, spec(20)).unwrap();
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    assert_eq!(hashes(&store, tournament.id()), expected(&folder, 20));
    assert_eq!(worker.drain().stored, 20);
}

#[test]
fn whoever_wants_tls_refuses_a_broker_without_it() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-no-tls");
    let plain = Access::open(broker.url().parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert!(runtime.block_on(plain.connect("eve", false)).is_ok(), "it is there");
    let by_address = Access::open(broker.url().replace("nats://", "tls://").parse().unwrap());
    // Any certificates: whoever names some wants to know who answers.
    fs::write(folder.join("some.pem"), "").unwrap();
    let by_certificates = Access { certificates: Some(folder.join("some.pem")), ..plain };
    for wants in [by_address, by_certificates] {
        let refused = runtime.block_on(wants.connect("eve", false)).unwrap_err().to_string();
        assert!(refused.contains("the broker cannot be reached"), "{refused}");
    }
}

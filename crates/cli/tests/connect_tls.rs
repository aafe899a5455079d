//! `rookery connect` to a server behind TLS, and what it says of secrets that go without.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_testkit::{TempFolder, tell_skipped};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn openssl(folder: &TempFolder, words: &str) -> bool {
    let mut command = Command::new("openssl");
    command.args(words.split_whitespace()).current_dir(&**folder).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/// Makes an authority, and a certificate of it for these names. `false` if there is no openssl.
fn certify(folder: &TempFolder, names: &str) -> bool {
    fs::write(folder.join("names"), format!("subjectAltName={names}\n")).unwrap();
    let authority = "-addext basicConstraints=critical,CA:TRUE -days 2 -subj /CN=course";
    openssl(folder, &format!("req -x509 {KEY} -keyout ca.key -out ca.pem {authority}"))
        && openssl(folder, &format!("req {KEY} -keyout server.key -out server.csr -subj /CN=server"))
        && openssl(
            folder,
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
        )
}

/// Speaks TLS with whoever comes, and passes on what they say, as a proxy before a server does.
async fn proxy(folder: &TempFolder, to: SocketAddr) -> u16 {
    let certificates = CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap();
    let certificates = certificates.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut secured) = acceptor.accept(stream).await else { return };
                let mut plain = TcpStream::connect(to).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut secured, &mut plain).await;
            });
        }
    });
    port
}

/// A match that waits for `ann` by WebSocket, and where.
fn waiting(secret: Option<&str>) -> (Child, SocketAddr) {
    let mut command = Command::new(ROOKERY);
    command.args(["match", "hexapawn:rows=3,cols=3", "ann=ws:0", "first", "--games", "2", "--quiet"]);
    command.args(["--listen", "0.0.0.0"]);
    if let Some(file) = secret {
        command.args(["--secret-file", file]);
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let at = lines.find_map(|line| line.strip_prefix("waiting for ann on ").map(str::to_owned)).unwrap();
    // What else it writes has to go somewhere.
    std::thread::spawn(move || lines.for_each(drop));
    let port = at.parse::<SocketAddr>().unwrap().port();
    (child, ([127, 0, 0, 1], port).into())
}

/// Brings a bot there; what came of it, and what was written.
async fn connect(address: String, more: Vec<String>) -> (Output, String) {
    let output = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(ROOKERY);
        command.args(["connect", &address, "--name", "ann", "--wait", "30s"]).args(more);
        command.args(["--", ROOKERY, "echo-bot"]).stdin(Stdio::null()).output().unwrap()
    });
    let output = output.await.unwrap();
    let wrote = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, wrote)
}

fn ca(folder: &TempFolder) -> Vec<String> {
    vec!["--ca".to_owned(), folder.join("ca.pem").display().to_string()]
}

/// An address of this machine that is not only its own.
fn reachable() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent; the system only chooses an address.
    socket.connect("192.0.2.1:9").ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback()).then_some(ip)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_plays_at_a_server_behind_tls() {
    let folder = TempFolder::new("tls");
    if !certify(&folder, "DNS:localhost") {
        tell_skipped("`connect` with TLS: no certificate can be made here; expected openssl");
        return;
    }
    let (mut there, address) = waiting(None);
    let port = proxy(&folder, address).await;
    let (output, wrote) = connect(format!("wss://localhost:{port}/"), ca(&folder)).await;
    let played = there.wait().unwrap();
    assert!(output.status.success() && played.success(), "{wrote}");
}

/// Nobody tries again what cannot become better.
#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_prove_its_name_is_told_apart_at_once() {
    let [folder, stranger] = ["tls-names", "tls-stranger"].map(TempFolder::new);
    if !certify(&folder, "DNS:elsewhere.example") || !certify(&stranger, "DNS:elsewhere.example") {
        tell_skipped("`connect` with TLS: no certificate can be made here; expected openssl");
        return;
    }
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = plain.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = plain.accept().await {
            let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let port = proxy(&folder, at).await;
    for (address, ca, expected) in [
        (format!("wss://localhost:{port}"), ca(&folder), "shows a certificate for another name"),
        (format!("wss://localhost:{port}"), ca(&stranger), "a certificate of an unknown issuer"),
        (format!("wss://{at}"), ca(&folder), "speaks no TLS"),
    ] {
        let begin = Instant::now();
        let (output, wrote) = connect(address, ca).await;
        assert!(output.status.code() == Some(1) && wrote.contains(expected), "{wrote}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
    // A file without certificates, and one that is not needed.
    let key = vec!["--ca".to_owned(), folder.join("names").display().to_string()];
    let (output, wrote) = connect(format!("wss://localhost:{port}"), key).await;
    assert!(output.status.code() == Some(1) && wrote.contains("no certificate is in it"), "{wrote}");
    let (output, wrote) = connect(format!("ws://localhost:{port}"), ca(&folder)).await;
    assert!(output.status.code() == Some(2) && wrote.contains("--ca is for an address"), "{wrote}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_everybody_can_read_is_warned_of() {
    let folder = TempFolder::new("tls-secret");
    let Some(ip) = reachable() else {
        tell_skipped(
            "the warning of a secret that everybody can read: this machine has no address but its own",
        );
        return;
    };
    if !certify(&folder, &format!("IP:{ip}")) {
        tell_skipped("`connect` with TLS: no certificate can be made here; expected openssl");
        return;
    }
    let file = folder.join("secret");
    writeln!(fs::File::create(&file).unwrap(), "open sesame").unwrap();
    let secret = vec!["--secret-file".to_owned(), file.display().to_string()];
    for (host, is_secured, is_warned) in
        [(ip, false, true), (IpAddr::from([127, 0, 0, 1]), false, false), (ip, true, false)]
    {
        let (mut there, address) = waiting(Some(&secret[1]));
        let (way, port, mut more) = ("ws", address.port(), secret.clone());
        let (way, port) = if is_secured {
            more.extend(ca(&folder));
            ("wss", proxy(&folder, address).await)
        } else {
            (way, port)
        };
        let (output, wrote) = connect(format!("{way}://{host}:{port}"), more).await;
        assert!(there.wait().unwrap().success() && output.status.success(), "{wrote}");
        assert_eq!(wrote.contains("warning: the secret goes to"), is_warned, "{way}://{host}: {wrote}");
        assert!(!wrote.contains("open sesame"), "{wrote}");
    }
}

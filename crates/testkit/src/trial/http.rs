//! As much of HTTP as the trial needs.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server's page.
#[derive(Clone, Debug)]
pub struct Page {
    host: String,
    cookie: Option<String>,
}

impl Page {
    /// The one at this address, `http://HOST:PORT`.
    pub fn of(url: &str) -> Self {
        Self { host: url.trim_start_matches("http://").trim_end_matches('/').to_owned(), cookie: None }
    }

    /// The same person at another server of the same store.
    #[must_use]
    pub fn at(&self, url: &str) -> Self {
        Self { cookie: self.cookie.clone(), ..Self::of(url) }
    }

    /// Claims a name there.
    pub fn sign_in(&mut self) -> Result<(), String> {
        self.sign_in_by(None)
    }

    /// The same by the link that makes an operator.
    pub fn become_operator(&mut self, link: &str) -> Result<(), String> {
        self.sign_in_by(link.split_once("operator=").map(|(_, code)| code))
    }

    fn sign_in_by(&mut self, operator: Option<&str>) -> Result<(), String> {
        let mut wish = json!({ "name": "trial", "password": "a trial of many machines", "claim": true });
        if let Some(code) = operator {
            wish["operator"] = code.into();
        }
        let (head, body) = self.ask("POST", "/api/v1/login", Some(&wish))?;
        let cookie = head.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"));
        let cookie = cookie.and_then(|line| line.split_once(':')).map(|(_, cookie)| cookie.trim());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next());
        self.cookie = Some(cookie.ok_or_else(|| format!("nobody was signed in: {body}"))?.to_owned());
        Ok(())
    }

    /// What stands there.
    pub fn get(&self, path: &str) -> Result<Value, String> {
        self.json("GET", path, None)
    }

    /// A page as text.
    pub(super) fn text(&self, path: &str) -> Result<String, String> {
        self.ask("GET", path, None).map(|(_, body)| body)
    }

    /// What is answered to this.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.json("POST", path, Some(body))
    }

    fn json(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let (_, body) = self.ask(method, path, body)?;
        serde_json::from_str(&body).map_err(|error| format!("{path}: {error}: {body}"))
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(String, String), String> {
        let host = &self.host;
        let failed = |error: std::io::Error| format!("{host}{path}: {error}");
        let mut stream = TcpStream::connect(host).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let body = body.map(ToString::to_string).unwrap_or_default();
        let cookie = self.cookie.as_ref().map(|cookie| format!("Cookie: {cookie}\r\n")).unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nOrigin: http://{host}\r\n{cookie}Content-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).map_err(failed)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(failed)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        Ok((head.to_owned(), body.to_owned()))
    }
}

//! The socket of a page, from the other side.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::Client;

pub(crate) struct Socket(pub(crate) WebSocketStream<TcpStream>);

pub(crate) async fn connect(client: &Client, origin: Option<&str>) -> Result<Socket, u16> {
    connect_to(client, origin, "/api/v1/live").await
}

/// The same at the address that a page names.
pub(crate) async fn connect_to(client: &Client, origin: Option<&str>, path: &str) -> Result<Socket, u16> {
    let stream = TcpStream::connect(client.address).await.unwrap();
    let mut request = format!("ws://{}{path}", client.address).into_client_request().unwrap();
    let own = format!("http://{}", client.address);
    if let Some(origin) = origin {
        let origin = if origin == "own" { own.as_str() } else { origin };
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    if let Some(cookie) = &client.cookie {
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
    }
    match client_async(request, stream).await {
        Ok((socket, _)) => Ok(Socket(socket)),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl Socket {
    pub(crate) async fn say(&mut self, value: Value) {
        self.0.send(Message::Text(value.to_string().into())).await.unwrap();
    }

    /// The next message that fits.
    pub(crate) async fn until(&mut self, what: impl Fn(&Value) -> bool) -> Value {
        let waiting = async {
            loop {
                match self.0.next().await.expect("it goes on").expect("it can be read") {
                    Message::Text(text) => {
                        let value: Value = serde_json::from_str(&text).unwrap();
                        if what(&value) {
                            return value;
                        }
                    }
                    Message::Close(frame) => panic!("closed: {frame:?}"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("it comes")
    }
}

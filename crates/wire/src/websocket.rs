//! WebSocket: a text frame is a message.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::{Sink as _, Stream as _};
use rookery_referee::{BoxFuture, Fault, Offence};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async_with_config};

use crate::{Bounds, Transport, excerpt};

/// How long the last words may take.
const TIME_TO_CLOSE: Duration = Duration::from_millis(500);

/// A connection over WebSocket. Frames larger than the bounds are refused before they are read.
pub struct WebSocket {
    stream: WebSocketStream<Counted>,
    peer: String,
    outbox: VecDeque<Message>,
    ended: Option<Fault>,
    /// Frames since the last message that were none, in the window that began then.
    n_idle: u32,
    window: Instant,
    /// The most bytes that are read without a message.
    most_bytes: usize,
}

/// A stream that counts what is read of it: a message can be cut into any number of frames with nothing in them, which
/// nobody else notices.
struct Counted {
    stream: TcpStream,
    n_bytes: usize,
}

/// The most frames without a message, one after the other, in a window: pings, pongs. Who pings now and then may do so for ever.
const MAX_IDLE: u32 = 100;
/// How long a window is.
const WINDOW: Duration = Duration::from_secs(10);

impl fmt::Debug for WebSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebSocket({})", self.peer)
    }
}

fn config(bounds: Bounds) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(bounds.bytes))
        .max_frame_size(Some(bounds.bytes))
        .read_buffer_size(4 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(4 << 20)
}

impl WebSocket {
    fn new(stream: WebSocketStream<Counted>, peer: String, bounds: Bounds) -> Self {
        // The longest message in frames of one byte each has seven times as many, and pings may come in between.
        let most_bytes = 8 * bounds.bytes + (64 << 10);
        let window = Instant::now();
        Self { stream, peer, outbox: VecDeque::new(), ended: None, n_idle: 0, window, most_bytes }
    }

    /// Whether a frame that is no message is one too many.
    fn is_too_idle(&mut self) -> bool {
        if self.window.elapsed() > WINDOW {
            self.window = Instant::now();
            self.n_idle = 0;
            self.stream.get_mut().n_bytes = 0;
        }
        self.n_idle += 1;
        self.n_idle > MAX_IDLE
    }

    /// Takes somebody in who has connected. It may take for ever: whoever calls this has a deadline.
    pub async fn accept(stream: TcpStream, bounds: Bounds) -> io::Result<Self> {
        crate::connection::prepare_stream(&stream)?;
        let peer = stream.peer_addr()?.to_string();
        let stream = Counted { stream, n_bytes: 0 };
        let stream =
            accept_async_with_config(stream, Some(config(bounds))).await.map_err(io::Error::other)?;
        Ok(Self::new(stream, peer, bounds))
    }

    /// Takes somebody in who has asked a web server for it, and was answered. `read` has arrived since.
    pub async fn upgraded(stream: TcpStream, read: Vec<u8>, bounds: Bounds) -> io::Result<Self> {
        crate::connection::prepare_stream(&stream)?;
        let peer = stream.peer_addr()?.to_string();
        let stream = Counted { stream, n_bytes: 0 };
        let stream =
            WebSocketStream::from_partially_read(stream, read, Role::Server, Some(config(bounds))).await;
        Ok(Self::new(stream, peer, bounds))
    }

    /// What a web server answers to the key of whoever asks for a WebSocket.
    pub fn accept_key(key: &[u8]) -> String {
        derive_accept_key(key)
    }

    /// Connects to somebody who takes us in; `url` is `ws://HOST:PORT/PATH`.
    pub async fn connect(stream: TcpStream, url: &str, bounds: Bounds) -> io::Result<Self> {
        crate::connection::prepare_stream(&stream)?;
        let peer = stream.peer_addr()?.to_string();
        let stream = Counted { stream, n_bytes: 0 };
        let connected = client_async_with_config(url, stream, Some(config(bounds))).await;
        let (stream, _) = connected.map_err(io::Error::other)?;
        Ok(Self::new(stream, peer, bounds))
    }

    fn end(&mut self, fault: Fault) -> Fault {
        self.ended = Some(fault.clone());
        fault
    }

    fn failed(&mut self, error: &Error) -> Fault {
        let fault = match error {
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
                Fault::new(Offence::Disconnected, "it is gone without a word")
            }
            Error::Capacity(error) => Fault::new(Offence::OutputLimit, error.to_string()),
            Error::Utf8(_) | Error::Protocol(_) => Fault::new(Offence::Malformed, error.to_string()),
            _ => Fault::new(Offence::Disconnected, error.to_string()),
        };
        self.end(fault)
    }
}

impl Transport for WebSocket {
    fn peer(&self) -> &str {
        &self.peer
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        loop {
            if let Some(fault) = &self.ended {
                return Poll::Ready(Err(fault.clone()));
            }
            let next = Pin::new(&mut self.stream).poll_next(cx);
            if next.is_pending() && self.stream.get_ref().n_bytes > self.most_bytes {
                let note = format!("more than {} bytes without a message", self.most_bytes);
                return Poll::Ready(Err(self.end(Fault::new(Offence::OutputLimit, note))));
            }
            let fault = match ready!(next) {
                Some(Ok(Message::Text(text))) => {
                    self.n_idle = 0;
                    self.stream.get_mut().n_bytes = 0;
                    return Poll::Ready(Ok(text.trim().as_bytes().to_vec()));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                    if !self.is_too_idle() {
                        continue;
                    }
                    let note =
                        format!("more than {MAX_IDLE} frames without a message in {}s", WINDOW.as_secs());
                    Fault::new(Offence::OutputLimit, note)
                }
                Some(Ok(Message::Binary(bytes))) => Fault::new(Offence::Malformed, "a binary frame")
                    .sent(excerpt(&bytes))
                    .expected("text frames, one message each"),
                Some(Ok(Message::Close(_))) | None => {
                    Fault::new(Offence::Disconnected, "it closed the connection")
                }
                Some(Err(error)) => self.failed(&error),
            };
            return Poll::Ready(Err(self.end(fault)));
        }
    }

    fn queue(&mut self, message: &[u8]) {
        for line in message.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.outbox.push_back(Message::text(String::from_utf8_lossy(line).into_owned()));
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        if let Some(fault) = &self.ended {
            return Poll::Ready(Err(fault.clone()));
        }
        while !self.outbox.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_ready(cx));
            let message = self.outbox.pop_front().expect("it is not empty");
            if let Err(error) = sent.and_then(|()| Pin::new(&mut self.stream).start_send(message)) {
                return Poll::Ready(Err(self.failed(&error)));
            }
        }
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(cx));
        Poll::Ready(flushed.map_err(|error| self.failed(&error)))
    }

    /// A frame is there as a whole or not at all.
    fn unfinished(&mut self) -> &[u8] {
        &[]
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            // Whether the other end hears it does not matter any more.
            let _ = timeout(TIME_TO_CLOSE, self.stream.close(None)).await;
        })
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.n_bytes += buf.filled().len() - before;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

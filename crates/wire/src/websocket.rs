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
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async_with_config};

use crate::heartbeat::{Due, Heartbeat};
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
    /// What is said when it is closed: a code of WebSocket, and why.
    farewell: Option<(CloseCode, String)>,
    /// Whether the other end has closed it for another connection of ours.
    was_replaced: bool,
    /// Of whoever we took in.
    heartbeat: Option<Heartbeat>,
}

/// A stream that counts what is read of it: a message can be cut into any number of frames with nothing in them, which
/// nobody else notices.
struct Counted {
    stream: Line,
    n_bytes: usize,
    /// Whether anything was read since this was last asked.
    has_spoken: bool,
}

impl Counted {
    fn new(stream: TcpStream) -> Self {
        Self { stream: Line::Tcp(stream), n_bytes: 0, has_spoken: false }
    }
}

/// What frames travel over.
enum Line {
    Tcp(TcpStream),
    /// Whatever is around it: TLS.
    Wrapped(Box<dyn ReadWrite>),
}

trait ReadWrite: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ReadWrite for S {}

impl Line {
    fn inner(&mut self) -> Pin<&mut dyn ReadWrite> {
        match self {
            Self::Tcp(stream) => Pin::new(stream as &mut dyn ReadWrite),
            Self::Wrapped(stream) => Pin::new(&mut **stream),
        }
    }
}

/// The most frames without a message, one after the other, in a window: pings, pongs. Who pings now and then may do so for ever.
const MAX_IDLE: u32 = 100;
/// The code for whoever has connected a second time: this one is not listened to any more.
const REPLACED: u16 = 4010;
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
        Self {
            stream,
            peer,
            outbox: VecDeque::new(),
            ended: None,
            n_idle: 0,
            window,
            most_bytes,
            farewell: None,
            was_replaced: false,
            heartbeat: None,
        }
    }

    /// The same, and whoever is at the other end has to show that it is there.
    fn taken_in(self) -> Self {
        Self { heartbeat: Some(Heartbeat::default()), ..self }
    }

    /// Asks whoever has been silent for a while for a sign of life; ready if it has given none.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        let Some(heartbeat) = &mut self.heartbeat else { return Poll::Pending };
        if std::mem::take(&mut self.stream.get_mut().has_spoken) {
            heartbeat.heard();
        }
        while let Poll::Ready(due) = heartbeat.poll(cx) {
            if due == Due::Gone {
                let note = format!("it gave no sign of life for {} s", Heartbeat::SILENCE.as_secs());
                return Poll::Ready(Fault::new(Offence::Disconnected, note));
            }
            // Who does not even take what it was sent before has enough to answer.
            if let Poll::Ready(Ok(())) = Pin::new(&mut self.stream).poll_ready(cx) {
                // If the connection is gone, that is noticed by whoever reads it.
                let _ = Pin::new(&mut self.stream).start_send(Message::Ping(Bytes::new()));
                let _ = Pin::new(&mut self.stream).poll_flush(cx);
            }
        }
        Poll::Pending
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
        let stream = Counted::new(stream);
        let stream =
            accept_async_with_config(stream, Some(config(bounds))).await.map_err(io::Error::other)?;
        Ok(Self::new(stream, peer, bounds).taken_in())
    }

    /// Takes somebody in who has asked a web server for it, and was answered. `read` has arrived since.
    pub async fn upgraded(stream: TcpStream, read: Vec<u8>, bounds: Bounds) -> io::Result<Self> {
        crate::connection::prepare_stream(&stream)?;
        let peer = stream.peer_addr()?.to_string();
        let stream = Counted::new(stream);
        let stream =
            WebSocketStream::from_partially_read(stream, read, Role::Server, Some(config(bounds))).await;
        Ok(Self::new(stream, peer, bounds).taken_in())
    }

    /// What a web server answers to the key of whoever asks for a WebSocket.
    pub fn accept_key(key: &[u8]) -> String {
        derive_accept_key(key)
    }

    /// Connects to somebody who takes us in; `url` is `ws://HOST:PORT/PATH`.
    pub async fn connect(stream: TcpStream, url: &str, bounds: Bounds) -> io::Result<Self> {
        crate::connection::prepare_stream(&stream)?;
        let peer = stream.peer_addr()?.to_string();
        let stream = Counted::new(stream);
        Self::connect_counted(stream, peer, url, bounds).await
    }

    /// The same over whatever is around a stream, for example TLS with `peer`. That stream was
    /// [prepared](Self::prepare).
    pub async fn connect_over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        peer: String,
        url: &str,
        bounds: Bounds,
    ) -> io::Result<Self> {
        let stream = Counted { stream: Line::Wrapped(Box::new(stream)), n_bytes: 0, has_spoken: false };
        Self::connect_counted(stream, peer, url, bounds).await
    }

    /// Has each message leave a stream at once, and a peer that has vanished noticed.
    pub fn prepare(stream: &TcpStream) -> io::Result<()> {
        crate::connection::prepare_stream(stream)
    }

    async fn connect_counted(stream: Counted, peer: String, url: &str, bounds: Bounds) -> io::Result<Self> {
        match client_async_with_config(url, stream, Some(config(bounds))).await {
            Ok((stream, _)) => Ok(Self::new(stream, peer, bounds)),
            Err(Error::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Nothing more is read; who is still there is told this code.
    fn end(&mut self, fault: Fault, code: Option<CloseCode>) -> Fault {
        self.farewell = code.map(|code| (code, shortened(&fault.evidence.note)));
        self.ended = Some(fault.clone());
        fault
    }

    fn failed(&mut self, error: &Error) -> Fault {
        let fault = |offence| Fault::new(offence, error.to_string());
        match error {
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
                self.end(Fault::new(Offence::Disconnected, "it is gone without a word"), None)
            }
            Error::Capacity(error) => {
                self.end(Fault::new(Offence::OutputLimit, error.to_string()), Some(CloseCode::Size))
            }
            Error::Utf8(_) => self.end(fault(Offence::Malformed), Some(CloseCode::Invalid)),
            Error::Protocol(_) => self.end(fault(Offence::Malformed), Some(CloseCode::Protocol)),
            _ => self.end(fault(Offence::Disconnected), None),
        }
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
                let fault = Fault::new(Offence::OutputLimit, note);
                return Poll::Ready(Err(self.end(fault, Some(CloseCode::Policy))));
            }
            if next.is_pending()
                && let Poll::Ready(fault) = self.poll_silence(cx)
            {
                return Poll::Ready(Err(self.end(fault, Some(CloseCode::Policy))));
            }
            let (fault, code) = match ready!(next) {
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
                    (Fault::new(Offence::OutputLimit, note), Some(CloseCode::Policy))
                }
                Some(Ok(Message::Binary(bytes))) => {
                    let fault = Fault::new(Offence::Malformed, "a binary frame").sent(excerpt(&bytes));
                    (fault.expected("text frames, one message each"), Some(CloseCode::Unsupported))
                }
                Some(Ok(Message::Close(frame))) => {
                    let told = frame.filter(|frame| frame.code != CloseCode::Normal);
                    self.was_replaced =
                        told.as_ref().is_some_and(|told| told.code == CloseCode::Library(REPLACED));
                    let told = told.map(|CloseFrame { code, reason }| {
                        format!(" with the code {code}: {}", excerpt(reason.as_bytes()))
                    });
                    let note = format!("it closed the connection{}", told.unwrap_or_default());
                    (Fault::new(Offence::Disconnected, note), None)
                }
                None => (Fault::new(Offence::Disconnected, "it closed the connection"), None),
                Some(Err(error)) => return Poll::Ready(Err(self.failed(&error))),
            };
            return Poll::Ready(Err(self.end(fault, code)));
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

    fn set_idle(&mut self, idle: bool) {
        if let Some(heartbeat) = &mut self.heartbeat {
            heartbeat.set_idle(idle);
        }
    }

    /// A frame is there as a whole or not at all.
    fn unfinished(&mut self) -> &[u8] {
        &[]
    }

    fn replaced(&mut self) {
        self.farewell = Some((CloseCode::Library(REPLACED), "replaced".to_owned()));
    }

    fn was_replaced(&self) -> bool {
        self.was_replaced
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let farewell =
                self.farewell.take().map(|(code, reason)| CloseFrame { code, reason: reason.into() });
            // Whether the other end hears it does not matter any more.
            let _ = timeout(TIME_TO_CLOSE, self.stream.close(farewell)).await;
        })
    }
}

/// A reason as a close frame may have it, which is short.
fn shortened(reason: &str) -> String {
    const MOST_BYTES: usize = 120;
    let end = reason.floor_char_boundary(MOST_BYTES);
    reason[..end].to_owned()
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(self.stream.inner().poll_read(cx, buf))?;
        let n_bytes = buf.filled().len() - before;
        self.n_bytes += n_bytes;
        self.has_spoken |= n_bytes > 0;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.stream.inner().poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.inner().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.inner().poll_shutdown(cx)
    }
}

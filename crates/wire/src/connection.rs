//! A socket, a child process, or anything else that is read and written.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rookery_referee::{BoxFuture, Fault, Offence};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

use crate::inbox::{Bounds, Framing, Inbox, excerpt};
use crate::process::Process;

/// The other end of a player: reads messages within bounds, writes each message at once.
pub struct Connection {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    inbox: Inbox,
    /// What is to be sent and was not taken yet.
    outbox: Vec<u8>,
    /// Who is at the other end, for logs: an address, or the command of a process.
    peer: String,
    process: Option<Process>,
    /// What will be known of a process that is ending.
    obituary: Option<BoxFuture<'static, String>>,
    /// Why nothing more can be read.
    ended: Option<Fault>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.peer)
    }
}

impl Connection {
    /// A connection over anything that can be read and written.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        peer: impl Into<String>,
        framing: Framing,
        bounds: Bounds,
    ) -> Self {
        Self {
            reader: Box::new(reader),
            writer: Box::new(writer),
            inbox: Inbox::new(framing, bounds),
            outbox: vec![],
            peer: peer.into(),
            process: None,
            obituary: None,
            ended: None,
        }
    }

    /// A connection over TCP. Each message leaves at once.
    pub fn tcp(stream: TcpStream, framing: Framing, bounds: Bounds) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let peer = stream.peer_addr()?.to_string();
        let (reader, writer) = stream.into_split();
        Ok(Self::new(reader, writer, peer, framing, bounds))
    }

    /// A connection with the standard input and output of a process. The process ends with the connection.
    pub fn process(mut process: Process, framing: Framing, bounds: Bounds) -> Self {
        let (reader, writer) = process.take_pipes();
        let peer = process.command().to_owned();
        Self { process: Some(process), ..Self::new(reader, writer, peer, framing, bounds) }
    }

    /// Who is at the other end, for logs.
    pub fn peer(&self) -> &str {
        &self.peer
    }

    /// Sends a message with one write. If this is given up half-way, the rest leaves before the next message.
    pub async fn send(&mut self, message: &[u8]) -> Result<(), Fault> {
        self.queue(message);
        std::future::poll_fn(|cx| self.poll_flush(cx)).await
    }

    /// Puts a message behind what is still to be sent; [`poll_flush`](Self::poll_flush) sends it.
    pub fn queue(&mut self, message: &[u8]) {
        self.outbox.extend_from_slice(message);
    }

    /// Sends what is still to be sent; ready when nothing is left.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        match ready!(self.poll_write(cx)) {
            Ok(()) => Poll::Ready(Ok(())),
            Err(error) => self.poll_end(cx, &error.to_string()).map(Err),
        }
    }

    /// Waits for the next message. Nothing is lost if this is given up half-way.
    pub async fn receive(&mut self) -> Result<Vec<u8>, Fault> {
        std::future::poll_fn(|cx| self.poll_receive(cx)).await
    }

    /// The next message, if it is there.
    pub fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        loop {
            if let Some(fault) = &self.ended {
                return Poll::Ready(Err(fault.clone()));
            }
            if let Some(message) = self.inbox.next() {
                if let Err(fault) = &message {
                    self.ended = Some(fault.clone());
                }
                return Poll::Ready(message);
            }
            match self.poll_read(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0)) => {
                    // A last value that nothing follows is complete now.
                    if let Some(last) = self.inbox.take_unfinished() {
                        return Poll::Ready(Ok(last));
                    }
                    return self.poll_end(cx, "it closed the connection").map(Err);
                }
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return self.poll_end(cx, &error.to_string()).map(Err),
            }
        }
    }

    /// What has arrived although nobody was asked: a part of a message, which is not an answer to a later question.
    pub fn spoken_early(&mut self) -> Option<Fault> {
        if self.inbox.is_blank() {
            return None;
        }
        let sent = excerpt(self.inbox.unfinished());
        Some(Fault::new(Offence::OutOfTurn, format!("it was not asked yet, but sent {sent}")))
    }

    /// The messages that arrive, before they are complete: for a peer that does not end its words.
    pub fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    /// Says that nothing more will be sent, and lets a process end in peace for a moment.
    pub async fn close(mut self) {
        // Whether the other end hears it does not matter any more.
        let _ = self.writer.shutdown().await;
        drop(self.writer);
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outbox.is_empty() {
            let n_bytes = ready!(Pin::new(&mut self.writer).poll_write(cx, &self.outbox))?;
            if n_bytes == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.outbox.drain(..n_bytes);
        }
        // An idle connection keeps no memory.
        self.outbox = vec![];
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut chunk = [0; 2048];
        let mut read = ReadBuf::new(&mut chunk);
        match Pin::new(&mut self.reader).poll_read(cx, &mut read) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => {
                self.inbox.push(read.filled());
                Poll::Ready(Ok(read.filled().len()))
            }
        }
    }

    /// The connection is of no use any more. How a process ended is known a moment later.
    fn poll_end(&mut self, cx: &mut Context<'_>, reason: &str) -> Poll<Fault> {
        if let Some(process) = self.process.take() {
            self.obituary = Some(Box::pin(process.obituary()));
        }
        let fault = match &mut self.obituary {
            Some(obituary) => Fault::new(Offence::Crashed, ready!(obituary.as_mut().poll(cx))),
            None => Fault::new(Offence::Disconnected, reason),
        };
        self.obituary = None;
        Poll::Ready(self.ended.get_or_insert(fault).clone())
    }
}

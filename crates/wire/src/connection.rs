//! A socket, a child process, or anything else that is read and written.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rookery_referee::{BoxFuture, Fault, Offence};
use rustix::net::sockopt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::excerpt;
use crate::inbox::{Bounds, Framing, Inbox};
use crate::process::Process;
use crate::transport::Transport;

/// How long after the end of a program its output is still read, if somebody else holds it open. All that it wrote
/// itself is there already; the system only has to tell us.
const TIME_TO_DRAIN: Duration = Duration::from_millis(30);

/// The other end of a player: reads messages within bounds, writes each message at once.
pub struct Connection {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    inbox: Inbox,
    /// What is to be sent, and how much of it was taken already.
    outbox: Vec<u8>,
    n_taken: usize,
    peer: String,
    process: Option<Process>,
    /// Whether a line without its end is no message, even if nothing follows: a network that fails cuts it anywhere, while a
    /// program that has ended has written all that it meant to.
    needs_end: bool,
    /// Whether anything was ever read.
    has_spoken: bool,
    /// Running once a program has ended: how long its output is still read.
    draining: Option<Pin<Box<Sleep>>>,
    /// What will be known of a process that is ending.
    exit_report: Option<BoxFuture<'static, Fault>>,
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
            n_taken: 0,
            peer: peer.into(),
            process: None,
            needs_end: false,
            has_spoken: false,
            draining: None,
            exit_report: None,
            ended: None,
        }
    }

    /// A connection over TCP. Each message leaves at once, and a peer that has vanished without a word is noticed after
    /// half a minute, also while nobody speaks.
    pub fn tcp(stream: TcpStream, framing: Framing, bounds: Bounds) -> io::Result<Self> {
        prepare_stream(&stream)?;
        let peer = stream.peer_addr()?.to_string();
        let (reader, writer) = stream.into_split();
        let needs_end = framing == Framing::Lines;
        Ok(Self { needs_end, ..Self::new(reader, writer, peer, framing, bounds) })
    }

    /// A connection with the standard input and output of a process. The process ends with the connection.
    pub fn process(mut process: Process, framing: Framing, bounds: Bounds) -> Self {
        let (reader, writer) = process.take_pipes();
        let peer = process.command().to_owned();
        Self { process: Some(process), ..Self::new(reader, writer, peer, framing, bounds) }
    }

    /// The messages that arrive, before they are complete: for a peer that does not end its words.
    pub fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    /// Says that nothing more will be sent, and goes on reading.
    pub fn close_input(&mut self) {
        self.writer = Box::new(tokio::io::sink());
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.n_taken < self.outbox.len() {
            let rest = &self.outbox[self.n_taken..];
            let n_bytes = ready!(Pin::new(&mut self.writer).poll_write(cx, rest))?;
            if n_bytes == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.n_taken += n_bytes;
        }
        // An idle connection keeps no memory.
        self.outbox = vec![];
        self.n_taken = 0;
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
                self.has_spoken |= !read.filled().is_empty();
                self.inbox.push(read.filled());
                Poll::Ready(Ok(read.filled().len()))
            }
        }
    }

    /// Ready when a program has ended and nothing is left to be read of what it wrote. Something that it has started may
    /// hold its pipes open for ever; that does not make it any more alive.
    fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(process) = &mut self.process else {
            return if self.exit_report.is_some() { Poll::Ready(()) } else { Poll::Pending };
        };
        if self.draining.is_none() {
            ready!(process.poll_exit(cx));
        }
        self.draining.get_or_insert_with(|| Box::pin(sleep(TIME_TO_DRAIN))).as_mut().poll(cx)
    }

    /// Nothing more will come: the last message that nothing follows is complete now, unless it was cut off, and then it is
    /// over.
    fn poll_last(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        if !self.needs_end
            && let Some(last) = self.inbox.take_unfinished()
        {
            return Poll::Ready(Ok(last));
        }
        self.poll_end(cx, "output", "it closed the connection").map(Err)
    }

    /// The connection is of no use any more, because this stream of a process is closed. How it ended is known a moment
    /// later.
    fn poll_end(&mut self, cx: &mut Context<'_>, closed: &'static str, reason: &str) -> Poll<Fault> {
        if let Some(fault) = &self.ended {
            return Poll::Ready(fault.clone());
        }
        if let Some(process) = self.process.take() {
            self.exit_report = Some(Box::pin(process.exit_report(self.has_spoken, closed)));
        }
        let fault = if let Some(report) = &mut self.exit_report {
            ready!(report.as_mut().poll(cx))
        } else {
            let fault = Fault::new(Offence::Disconnected, reason);
            match self.inbox.unfinished() {
                cut @ [_, ..] if self.needs_end => fault.sent(excerpt(cut)),
                _ => fault,
            }
        };
        self.exit_report = None;
        self.ended = Some(fault.clone());
        Poll::Ready(fault)
    }
}

impl Transport for Connection {
    fn peer(&self) -> &str {
        &self.peer
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        loop {
            if let Some(fault) = &self.ended {
                return Poll::Ready(Err(fault.clone()));
            }
            match self.inbox.next() {
                None => {}
                Some(Ok(message)) => return Poll::Ready(Ok(message)),
                Some(Err(fault)) => {
                    // A program that cannot be read any more has nothing left to do.
                    if let Some(process) = &mut self.process {
                        process.stop();
                    }
                    self.ended = Some(fault.clone());
                    return Poll::Ready(Err(fault));
                }
            }
            match self.poll_read(cx) {
                Poll::Pending => {
                    ready!(self.poll_gone(cx));
                    return self.poll_last(cx);
                }
                Poll::Ready(Ok(0)) => return self.poll_last(cx),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return self.poll_end(cx, "output", &error.to_string()).map(Err),
            }
        }
    }

    fn queue(&mut self, message: &[u8]) {
        self.set_idle(false);
        self.outbox.extend_from_slice(message);
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        match self.poll_write(cx) {
            Poll::Ready(Ok(())) => Poll::Ready(Ok(())),
            Poll::Ready(Err(error)) => self.poll_end(cx, "input", &error.to_string()).map(Err),
            Poll::Pending => {
                ready!(self.poll_gone(cx));
                self.poll_end(cx, "input", "it is gone").map(Err)
            }
        }
    }

    fn set_idle(&mut self, idle: bool) {
        // Whoever has not read all that it was sent has something to do.
        if let Some(process) = self.process.as_mut().filter(|_| !idle || self.outbox.is_empty()) {
            process.set_frozen(idle);
        }
    }

    fn unfinished(&mut self) -> &[u8] {
        self.inbox.unfinished()
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.set_idle(false);
            // Whether the other end hears it does not matter any more.
            let _ = self.writer.shutdown().await;
            drop(self.writer);
            if let Some(process) = self.process.take() {
                process.end().await;
            }
        })
    }
}

/// How long a peer may be gone without a word until that is noticed.
const TIME_TO_NOTICE: Duration = Duration::from_secs(30);

/// Each message leaves at once, and a peer that has vanished is noticed.
pub(crate) fn prepare_stream(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    notice_absence(stream)?;
    notice_silence(stream)
}

/// Has the system ask a peer that was sent nothing whether it is there: after 10 s, then every 5 s, four times.
fn notice_absence(stream: &TcpStream) -> io::Result<()> {
    let (first, every, tries) = (Duration::from_secs(10), Duration::from_secs(5), 4);
    debug_assert_eq!(first + every * tries, TIME_TO_NOTICE, "both ways take equally long");
    sockopt::set_tcp_keepidle(stream, first)?;
    sockopt::set_tcp_keepintvl(stream, every)?;
    sockopt::set_tcp_keepcnt(stream, tries)?;
    Ok(sockopt::set_socket_keepalive(stream, true)?)
}

/// The same for a peer that was sent something and does not say that it has arrived: it is not asked, and without this the
/// system would send it again and again for a quarter of an hour.
#[cfg(target_os = "linux")]
fn notice_silence(stream: &TcpStream) -> io::Result<()> {
    let millis = u32::try_from(TIME_TO_NOTICE.as_millis()).unwrap_or(u32::MAX);
    Ok(sockopt::set_tcp_user_timeout(stream, millis)?)
}

/// Other systems give up when they think it right; a match ends by its clock.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it fails on Linux")]
fn notice_silence(_: &TcpStream) -> io::Result<()> {
    Ok(())
}

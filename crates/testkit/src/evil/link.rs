//! The way to the referee: written by hand, so that everything can be done wrong on it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What carries the messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The standard input and output.
    Pipe,
    /// A connection, a message a line.
    Tcp,
    /// A connection, a message a frame.
    Ws,
}

/// Every way.
pub const WAYS: &[Way] = &[Way::Pipe, Way::Tcp, Way::Ws];

/// The kinds of frames of a WebSocket.
pub(super) mod opcode {
    pub(in crate::evil) const GOES_ON: u8 = 0x0;
    pub(in crate::evil) const TEXT: u8 = 0x1;
    pub(in crate::evil) const BINARY: u8 = 0x2;
    pub(in crate::evil) const CLOSE: u8 = 0x8;
    pub(in crate::evil) const PING: u8 = 0x9;
    /// The bit of the last frame of a message.
    pub(in crate::evil) const LAST: u8 = 0x80;
}

/// The end of a bot.
pub(super) struct Link {
    pub(super) way: Way,
    pub(super) stream: Option<TcpStream>,
    reader: Box<dyn BufRead>,
    writer: Box<dyn Write>,
}

impl Link {
    /// The standard input and output.
    pub(super) fn standard() -> Self {
        Self {
            way: Way::Pipe,
            stream: None,
            reader: Box::new(BufReader::new(io::stdin())),
            writer: Box::new(io::stdout()),
        }
    }

    /// Connects to `HOST:PORT`.
    pub(super) fn connect(address: &str, way: Way) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut new = Self {
            way,
            reader: Box::new(BufReader::new(stream.try_clone()?)),
            writer: Box::new(stream.try_clone()?),
            stream: Some(stream),
        };
        if way == Way::Ws {
            new.raw(
                b"GET / HTTP/1.1\r\nHost: evil\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                  Sec-WebSocket-Key: ZXZpbCBib3QgZXZpbCBib3Q=\r\nSec-WebSocket-Version: 13\r\n\r\n",
            )?;
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                if new.reader.read_line(&mut line)? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        Ok(new)
    }

    /// The next message, or `None` at the end.
    pub(super) fn hear(&mut self) -> Option<String> {
        if self.way == Way::Ws {
            return self.frame_in().ok();
        }
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|&n| n > 0)?;
        Some(line)
    }

    fn frame_in(&mut self) -> io::Result<String> {
        loop {
            let mut head = [0; 2];
            self.reader.read_exact(&mut head)?;
            let length = match head[1] & 0x7f {
                126 => {
                    let mut length = [0; 2];
                    self.reader.read_exact(&mut length)?;
                    usize::from(u16::from_be_bytes(length))
                }
                127 => {
                    let mut length = [0; 8];
                    self.reader.read_exact(&mut length)?;
                    usize::try_from(u64::from_be_bytes(length)).map_err(io::Error::other)?
                }
                short => usize::from(short),
            };
            let mut payload = vec![0; length];
            self.reader.read_exact(&mut payload)?;
            if head[0] & 0xf == opcode::TEXT {
                return String::from_utf8(payload).map_err(io::Error::other);
            }
            if head[0] & 0xf == opcode::CLOSE {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
    }

    /// Sends messages in one piece, each as it should be sent, whatever is in it.
    pub(super) fn send(&mut self, messages: &[&[u8]]) -> io::Result<()> {
        let mut bytes = vec![];
        for message in messages {
            if self.way == Way::Ws {
                bytes.extend(frame(opcode::LAST | opcode::TEXT, message));
            } else {
                bytes.extend_from_slice(message);
                bytes.push(b'\n');
            }
        }
        self.raw(&bytes)
    }

    /// Sends bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)?;
        self.writer.flush()
    }
}

/// A frame as a client sends it.
pub(super) fn frame(head: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![head];
    match u16::try_from(payload.len()) {
        Ok(short @ 0..126) => frame.push(0x80 | short as u8),
        Ok(length) => {
            frame.push(0x80 | 0x7e);
            frame.extend(length.to_be_bytes());
        }
        Err(_) => {
            frame.push(0x80 | 0x7f);
            frame.extend((payload.len() as u64).to_be_bytes());
        }
    }
    // A mask of zeros is one, too.
    frame.extend([0; 4]);
    frame.extend_from_slice(payload);
    frame
}

/// Does nothing for ever, whatever comes.
pub(super) fn rest() -> ! {
    loop {
        std::thread::sleep(Duration::from_hours(1));
    }
}

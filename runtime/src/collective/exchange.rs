//! The id of a communicator on its way from rank 0 to the other ranks, by TCP.
//!
//! Rank 0 listens, and each other rank connects and introduces itself with a [`Hello`]. The answer
//! is the id. A connection that sends anything else is ignored. The id is no secret: knowing it
//! lets a program disturb the communicator, as reaching NCCL's own ports does.
use crate::{Error, Result};
use std::{
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    thread,
    time::{Duration, Instant},
};

/// `NCCL_UNIQUE_ID_BYTES`
const ID_BYTES: usize = 128;

/// The id of a communicator: an `ncclUniqueId`.
pub(crate) type UniqueId = [u8; ID_BYTES];

/// The time that ranks wait for each other: processes of a program may start minutes apart.
#[cfg(feature = "nccl")]
pub(super) const TIMEOUT: Duration = Duration::from_secs(180);

/// The time that rank 0 waits for the [`Hello`] of a connection.
const HELLO_TIMEOUT: Duration = Duration::from_secs(1);

/// The pause between two attempts.
const RETRY: Duration = Duration::from_millis(20);

/// The first bytes of both sides.
const MAGIC: &[u8; 16] = b"warpwise nccl 1\n";

/// The introduction of a rank: [`MAGIC`], its rank, and the number of ranks.
type Hello = [u8; 24];

/// The answer of rank 0: [`MAGIC`], the number of ranks, and the id.
type Answer = [u8; 16 + 4 + ID_BYTES];

/// Sends the id to all other ranks, which connect to `listener`.
pub(super) fn send_id(
    listener: &TcpListener,
    id: &UniqueId,
    size: usize,
    timeout: Duration,
) -> Result<()> {
    let end = Instant::now() + timeout;
    let mut is_served = vec![false; size];
    is_served[0] = true;
    listener.set_nonblocking(true).map_err(|error| io_error("listen", &error))?;
    while is_served.contains(&false) {
        if Instant::now() > end {
            let missing = is_served.iter().filter(|served| !**served).count();
            let waited = timeout.as_secs_f32();
            return Err(launcher_error(format!(
                "{missing} of {size} ranks have not asked rank 0 for the id of the communicator in \
                 {waited} s"
            )));
        }
        match listener.accept() {
            // On an error the connection is not a rank's, or the rank tries again.
            Ok((stream, _)) => {
                if let Ok(Some(rank)) = answer_connection(stream, id, size) {
                    is_served[rank] = true;
                }
            }
            // There is no connection, or it was closed before it was accepted.
            Err(_) => thread::sleep(RETRY),
        }
    }
    Ok(())
}

/// Answers a connection. Returns the rank, if it is one of this program's.
fn answer_connection(
    mut stream: TcpStream,
    id: &UniqueId,
    size: usize,
) -> io::Result<Option<usize>> {
    // On some systems an accepted connection inherits the listener's non-blocking mode.
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(HELLO_TIMEOUT))?;
    stream.set_write_timeout(Some(HELLO_TIMEOUT))?;
    let mut hello: Hello = [0; 24];
    stream.read_exact(&mut hello)?;
    if !hello.starts_with(MAGIC) {
        return Ok(None);
    }
    let (rank, theirs) = (decode(&hello[16..]), decode(&hello[20..]));
    // A rank of another program gets no id. It sees from the number of ranks that it is wrong here.
    let is_ours = theirs == size && (1..size).contains(&rank);
    let mut answer: Answer = [0; 16 + 4 + ID_BYTES];
    answer[..16].copy_from_slice(MAGIC);
    answer[16..20].copy_from_slice(&encode(size));
    if is_ours {
        answer[20..].copy_from_slice(id);
    }
    stream.write_all(&answer)?;
    Ok(is_ours.then_some(rank))
}

/// Opens the port at which rank 0 listens.
pub(super) fn open_port(host: &str, port: u16) -> Result<TcpListener> {
    // A loopback address is listened at alone. Any other name may resolve to another address on
    // this machine than elsewhere, so that all interfaces are listened at.
    let named: Option<IpAddr> = match host {
        "localhost" => Some(Ipv4Addr::LOCALHOST.into()),
        _ => host.parse().ok().filter(IpAddr::is_loopback),
    };
    let opened = match named {
        Some(address) => TcpListener::bind((address, port)),
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))),
    };
    opened.map_err(|error| io_error(&format!("listen at port {port}"), &error))
}

/// Asks rank 0 for the id, until it answers or the time is over.
pub(super) fn request_id(
    (host, port): (&str, u16),
    rank: usize,
    size: usize,
    timeout: Duration,
) -> Result<UniqueId> {
    let end = Instant::now() + timeout;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let problem = match try_request_id((host, port), rank, size, left) {
            Ok((id, theirs)) if theirs == size => return Ok(id),
            Ok((_, theirs)) => {
                return Err(launcher_error(format!(
                    "{host}:{port} belongs to a program of {theirs} ranks, and this one has {size}"
                )));
            }
            Err(problem) => problem,
        };
        if left.is_zero() {
            return Err(io_error(
                &format!("get the id of the communicator from rank 0 at {host}:{port}"),
                &problem,
            ));
        }
        thread::sleep(RETRY.min(left));
    }
}

/// Asks once; returns the id and rank 0's number of ranks.
fn try_request_id(
    address: (&str, u16),
    rank: usize,
    size: usize,
    left: Duration,
) -> io::Result<(UniqueId, usize)> {
    let left = left.max(RETRY);
    let mut stream = connect(address, left)?;
    stream.set_read_timeout(Some(left))?;
    let mut hello: Hello = [0; 24];
    hello[..16].copy_from_slice(MAGIC);
    hello[16..20].copy_from_slice(&encode(rank));
    hello[20..].copy_from_slice(&encode(size));
    stream.write_all(&hello)?;
    let mut answer: Answer = [0; 16 + 4 + ID_BYTES];
    stream.read_exact(&mut answer)?;
    if !answer.starts_with(MAGIC) {
        return Err(io::Error::other("another program answers there"));
    }
    let mut id = [0; ID_BYTES];
    id.copy_from_slice(&answer[20..]);
    Ok((id, decode(&answer[16..])))
}

fn connect(address: (&str, u16), timeout: Duration) -> io::Result<TcpStream> {
    let addresses: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
    let mut last = io::Error::other("the name has no address");
    for address in &addresses {
        match TcpStream::connect_timeout(address, timeout / addresses.len() as u32) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Encodes a number as a little-endian `u32`.
fn encode(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

fn decode(bytes: &[u8]) -> usize {
    bytes[..4].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

fn io_error(action: &str, error: &io::Error) -> Error {
    launcher_error(format!("cannot {action}: {error}"))
}

fn launcher_error(problem: String) -> Error {
    Error::Launcher { problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_secs(60);
    const ID: UniqueId = [42; ID_BYTES];

    fn local() -> (TcpListener, u16) {
        let listener = open_port("127.0.0.1", 0).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[test]
    fn every_rank_gets_the_id() {
        for host in ["127.0.0.1", "localhost"] {
            let listener = open_port(host, 0).unwrap();
            let port = listener.local_addr().unwrap().port();
            thread::scope(|scope| {
                let ranks: Vec<_> = (1..5)
                    .map(|rank| {
                        scope.spawn(move || request_id((host, port), rank, 5, LONG).unwrap())
                    })
                    .collect();
                send_id(&listener, &ID, 5, LONG).unwrap();
                assert!(ranks.into_iter().all(|rank| rank.join().unwrap() == ID));
            });
        }
    }

    #[test]
    fn other_connections_do_not_get_the_id_and_do_not_disturb() {
        let (listener, port) = local();
        thread::scope(|scope| {
            let server = scope.spawn(|| send_id(&listener, &ID, 2, LONG));
            let mut garbage = TcpStream::connect(("127.0.0.1", port)).unwrap();
            garbage.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            // Rank 0 closes the connection, which is an error here if it has not read all bytes.
            let _ = garbage.read_to_end(&mut answer);
            assert_eq!(answer, b"");
            let silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let wrong = request_id(("127.0.0.1", port), 1, 3, LONG).unwrap_err().to_string();
            assert!(
                wrong.contains("belongs to a program of 2 ranks, and this one has 3"),
                "{wrong}"
            );
            assert_eq!(request_id(("127.0.0.1", port), 1, 2, LONG).unwrap(), ID);
            drop(silent);
            server.join().unwrap().unwrap();
        });
    }

    #[test]
    fn missing_ranks_are_an_error() {
        let (listener, _) = local();
        let error = send_id(&listener, &ID, 3, SHORT).unwrap_err().to_string();
        let expected = "2 of 3 ranks have not asked rank 0 for the id of the communicator in 0.2 s";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_rank_0_that_does_not_answer_is_an_error() {
        let (listener, port) = local();
        // Nobody accepts.
        let started = Instant::now();
        let error = request_id(("127.0.0.1", port), 1, 2, SHORT).unwrap_err().to_string();
        assert!(error.contains("from rank 0 at 127.0.0.1:"), "{error}");
        drop(listener);
        let error = request_id(("127.0.0.1", port), 1, 2, SHORT).unwrap_err().to_string();
        assert!(error.contains("refused"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn another_program_at_the_port_is_an_error() {
        let (listener, port) = local();
        thread::scope(|scope| {
            let asks = scope.spawn(move || request_id(("127.0.0.1", port), 1, 2, SHORT));
            while !asks.is_finished() {
                listener.set_nonblocking(true).unwrap();
                if let Ok((mut stream, _)) = listener.accept() {
                    let _ = stream.write_all(&[b'x'; 200]);
                }
                thread::sleep(Duration::from_millis(1));
            }
            let error = asks.join().unwrap().unwrap_err().to_string();
            assert!(error.contains("from rank 0 at"), "{error}");
        });
        let taken = open_port("127.0.0.1", port).unwrap_err().to_string();
        assert!(taken.contains(&format!("cannot listen at port {port}: ")), "{taken}");
    }
}

//! The id of a communicator on its way from rank 0 to the other ranks, by TCP.
//!
//! Rank 0 listens, and each other rank connects and introduces itself with a [`Hello`]. The answer
//! is the id. Whoever else connects, and says something else or nothing, is left alone. Nothing in
//! the id is a secret: it lets others disturb the communicator, as reaching NCCL's own ports does.
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

/// How long ranks wait for each other: processes of a program may start minutes apart.
#[cfg(feature = "nccl")]
pub(super) const TIMEOUT: Duration = Duration::from_secs(180);

/// How long rank 0 waits for the words of one who has connected.
const HELLO_TIMEOUT: Duration = Duration::from_secs(1);

/// The pause between two attempts.
const RETRY: Duration = Duration::from_millis(20);

/// The first bytes of both sides.
const MAGIC: &[u8; 16] = b"warpwise nccl 1\n";

/// What a rank says first: [`MAGIC`], its rank, and the number of ranks.
type Hello = [u8; 24];

/// What rank 0 answers: [`MAGIC`], the number of ranks, and the id.
type Answer = [u8; 16 + 4 + ID_BYTES];

/// Sends the id to all other ranks; `listener` is where they connect.
pub(super) fn serve(
    listener: &TcpListener,
    id: &UniqueId,
    size: usize,
    timeout: Duration,
) -> Result<()> {
    let end = Instant::now() + timeout;
    let mut is_served = vec![false; size];
    is_served[0] = true;
    listener.set_nonblocking(true).map_err(|error| failed("listen", &error))?;
    while is_served.contains(&false) {
        if Instant::now() > end {
            let missing = is_served.iter().filter(|served| !**served).count();
            let waited = timeout.as_secs_f32();
            return Err(problem(format!(
                "{missing} of {size} ranks have not asked rank 0 for the id of the communicator in \
                 {waited} s"
            )));
        }
        match listener.accept() {
            // An error is that of a stranger, or of a rank that tries again.
            Ok((stream, _)) => {
                if let Ok(Some(rank)) = answer(stream, id, size) {
                    is_served[rank] = true;
                }
            }
            // There is no connection, or one that was given up before it was accepted.
            Err(_) => thread::sleep(RETRY),
        }
    }
    Ok(())
}

/// Answers one who has connected. Returns the rank, if it is one of ours.
fn answer(mut stream: TcpStream, id: &UniqueId, size: usize) -> io::Result<Option<usize>> {
    // Some systems let it inherit this from the listener.
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(HELLO_TIMEOUT))?;
    stream.set_write_timeout(Some(HELLO_TIMEOUT))?;
    let mut hello: Hello = [0; 24];
    stream.read_exact(&mut hello)?;
    if !hello.starts_with(MAGIC) {
        return Ok(None);
    }
    let (rank, theirs) = (number(&hello[16..]), number(&hello[20..]));
    // A rank of another program gets the number of ranks, from which it sees that, and no id.
    let is_ours = theirs == size && (1..size).contains(&rank);
    let mut answer: Answer = [0; 16 + 4 + ID_BYTES];
    answer[..16].copy_from_slice(MAGIC);
    answer[16..20].copy_from_slice(&bytes(size));
    if is_ours {
        answer[20..].copy_from_slice(id);
    }
    stream.write_all(&answer)?;
    Ok(is_ours.then_some(rank))
}

/// Opens the port at which rank 0 listens.
pub(super) fn listen(host: &str, port: u16) -> Result<TcpListener> {
    // A name that only this machine uses for itself; otherwise all interfaces, because the name of
    // a machine may mean another address on the machine itself than elsewhere.
    let named: Option<IpAddr> = match host {
        "localhost" => Some(Ipv4Addr::LOCALHOST.into()),
        _ => host.parse().ok().filter(IpAddr::is_loopback),
    };
    let opened = match named {
        Some(address) => TcpListener::bind((address, port)),
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))),
    };
    opened.map_err(|error| failed(&format!("listen at port {port}"), &error))
}

/// Asks rank 0 for the id, again and again while there is no answer.
pub(super) fn ask(
    (host, port): (&str, u16),
    rank: usize,
    size: usize,
    timeout: Duration,
) -> Result<UniqueId> {
    let end = Instant::now() + timeout;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let problem = match try_ask((host, port), rank, size, left) {
            Ok((id, theirs)) if theirs == size => return Ok(id),
            Ok((_, theirs)) => {
                return Err(self::problem(format!(
                    "{host}:{port} belongs to a program of {theirs} ranks, and this one has {size}"
                )));
            }
            Err(problem) => problem,
        };
        if left.is_zero() {
            return Err(failed(
                &format!("get the id of the communicator from rank 0 at {host}:{port}"),
                &problem,
            ));
        }
        thread::sleep(RETRY.min(left));
    }
}

/// Asks once; returns the id and the number of ranks that rank 0 has.
fn try_ask(
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
    hello[16..20].copy_from_slice(&bytes(rank));
    hello[20..].copy_from_slice(&bytes(size));
    stream.write_all(&hello)?;
    let mut answer: Answer = [0; 16 + 4 + ID_BYTES];
    stream.read_exact(&mut answer)?;
    if !answer.starts_with(MAGIC) {
        return Err(io::Error::other("another program answers there"));
    }
    let mut id = [0; ID_BYTES];
    id.copy_from_slice(&answer[20..]);
    Ok((id, number(&answer[16..])))
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

fn bytes(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

fn number(bytes: &[u8]) -> usize {
    bytes[..4].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

fn failed(what: &str, error: &io::Error) -> Error {
    problem(format!("cannot {what}: {error}"))
}

fn problem(problem: String) -> Error {
    Error::Launcher { problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_secs(60);
    const ID: UniqueId = [42; ID_BYTES];

    fn local() -> (TcpListener, u16) {
        let listener = listen("127.0.0.1", 0).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[test]
    fn every_rank_gets_the_id() {
        for host in ["127.0.0.1", "localhost"] {
            let listener = listen(host, 0).unwrap();
            let port = listener.local_addr().unwrap().port();
            thread::scope(|scope| {
                let ranks: Vec<_> = (1..5)
                    .map(|rank| scope.spawn(move || ask((host, port), rank, 5, LONG).unwrap()))
                    .collect();
                serve(&listener, &ID, 5, LONG).unwrap();
                assert!(ranks.into_iter().all(|rank| rank.join().unwrap() == ID));
            });
        }
    }

    #[test]
    fn strangers_do_not_get_it_and_do_not_disturb() {
        let (listener, port) = local();
        thread::scope(|scope| {
            let server = scope.spawn(|| serve(&listener, &ID, 2, LONG));
            let mut garbage = TcpStream::connect(("127.0.0.1", port)).unwrap();
            garbage.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            // It is hung up on, which is an error where what it said was not read.
            let _ = garbage.read_to_end(&mut answer);
            assert_eq!(answer, b"");
            let silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let wrong = ask(("127.0.0.1", port), 1, 3, LONG).unwrap_err().to_string();
            assert!(
                wrong.contains("belongs to a program of 2 ranks, and this one has 3"),
                "{wrong}"
            );
            assert_eq!(ask(("127.0.0.1", port), 1, 2, LONG).unwrap(), ID);
            drop(silent);
            server.join().unwrap().unwrap();
        });
    }

    #[test]
    fn ranks_that_do_not_come_are_an_error() {
        let (listener, _) = local();
        let error = serve(&listener, &ID, 3, SHORT).unwrap_err().to_string();
        let expected = "2 of 3 ranks have not asked rank 0 for the id of the communicator in 0.2 s";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_rank_0_that_does_not_answer_is_an_error() {
        let (listener, port) = local();
        // Nobody accepts.
        let started = Instant::now();
        let error = ask(("127.0.0.1", port), 1, 2, SHORT).unwrap_err().to_string();
        assert!(error.contains("from rank 0 at 127.0.0.1:"), "{error}");
        drop(listener);
        let error = ask(("127.0.0.1", port), 1, 2, SHORT).unwrap_err().to_string();
        assert!(error.contains("refused"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn another_program_at_the_port_is_an_error() {
        let (listener, port) = local();
        thread::scope(|scope| {
            let asks = scope.spawn(move || ask(("127.0.0.1", port), 1, 2, SHORT));
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
        let taken = listen("127.0.0.1", port).unwrap_err().to_string();
        assert!(taken.contains(&format!("cannot listen at port {port}: ")), "{taken}");
    }
}

//! Tasks that wait for a GPU by `.await`: each searches for a number with a rare hash, batch by
//! batch, on a stream of its own. One thread runs all of them, with the standard library as the
//! only runtime.
use std::sync::atomic::Ordering;
use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Instant,
};
use warpwise::prelude::*;
use warpwise_examples::{report, verify};

const BATCH: u32 = 1 << 14;
/// Bits of a hash that are to be 0.
const ZEROS: u32 = 15;
const SEEDS: [u32; 4] = [1, 22, 333, 4444];

/// The finalizer of MurmurHash3.
#[device]
fn hash(seed: u32, number: u32) -> u32 {
    let mut h = seed.wrapping_mul(0x9e37_79b9) ^ number;
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Lowers `found` to the smallest number of the batch with a rare hash.
#[kernel(open(ZEROS))]
fn search(seed: u32, first: u32, found: &[AtomicU32]) {
    let number = first + global_idx_x() as u32;
    if hash(seed, number).leading_zeros() >= ZEROS {
        #[allow(gpu_contended_atomics)] // Hardly any lane comes here.
        found[0].fetch_min(number, Ordering::Relaxed);
    }
}

/// Searches until there is a number. While it waits, other tasks run.
async fn find(device: &Device, seed: u32) -> warpwise::Result<u32> {
    let stream = device.stream()?;
    let mut found = stream.uninit::<u32>(1)?.fill(u32::MAX)?;
    let mut host = stream.pinned::<u32>(1)?;
    for first in (0..u32::MAX).step_by(BATCH as usize) {
        search::launch(&stream, LaunchConfig::cover(BATCH as usize), seed, first, &mut found)?;
        found.copy_to_pinned(&mut host)?;
        stream.finished()?.await?;
        // The copy is done, so this does not wait.
        if host.as_slice()?[0] != u32::MAX {
            break;
        }
    }
    Ok(host.as_slice()?[0])
}

/// Runs futures side by side and returns their results in order.
async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        for (future, result) in running.iter_mut().filter(|(_, result)| result.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                *result = Some(value);
            }
        }
        let is_done = running.iter().all(|(_, result)| result.is_some());
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, result)| result).collect()
}

/// Runs a future on this thread, which sleeps until it is woken.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

pub(crate) fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    let start = Instant::now();
    let tasks = SEEDS.map(|seed| find(&device, seed));
    let found = block_on(join_all(tasks)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let took = start.elapsed();

    let is_rare = |seed, number: &u32| hash(seed, *number).leading_zeros() >= ZEROS;
    verify(&found, SEEDS.iter().filter_map(|&seed| (0..).find(|number| is_rare(seed, number))));
    report("async_launch", format_args!("{} tasks on one thread", SEEDS.len()), &device, took);
    println!("found {found:?}");
    Ok(())
}

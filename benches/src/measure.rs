//! How long things take: medians of repeated runs.
use std::time::{Duration, Instant};
use warpwise::{Device, Result};

/// How large the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// For the interpreter: everything is verified, and plain Rust is timed.
    Small,
    /// For a GPU: what plain Rust would take minutes for is verified in part.
    Large,
    /// The same for launches with one in so many of the threads, of workloads that take their sizes
    /// from [`Self::side`]; the others are large.
    Part(u32),
}

impl Scale {
    /// Returns `small` or `large`.
    pub fn pick<T>(self, small: T, large: T) -> T {
        match self {
            Self::Small => small,
            Self::Large | Self::Part(_) => large,
        }
    }

    /// Returns the length of each side of a grid with so many dimensions.
    pub fn side(self, small: usize, large: usize, dimensions: u32) -> usize {
        match self {
            Self::Small => small,
            Self::Large => large,
            Self::Part(part) => {
                let side = large as f64 / f64::from(part).powf(1.0 / f64::from(dimensions));
                side.round() as usize
            }
        }
    }
}

/// What a workload took.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name, which the CUDA C++ version has, too.
    pub name: &'static str,
    /// Its size, for people.
    pub size: String,
    /// A launch, from one to the next with many in a row: the median.
    pub launch: Duration,
    /// Plain Rust on one core, where all of it was computed.
    pub plain: Option<Duration>,
}

/// The middle one of the given durations.
///
/// # Panics
/// If there are none.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The median over several rows of launches; as many in a row as take 50 ms.
pub fn launches(device: &Device, mut launch: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut row = |count: u32| device.time(|| (0..count).try_for_each(|_| launch()));
    row(1)?;
    let once = row(1)?.max(Duration::from_nanos(100));
    let count = (0.05 / once.as_secs_f64()).ceil().clamp(1.0, 1000.0) as u32;
    let times = (0..11).map(|_| Ok(row(count)? / count)).collect::<Result<_>>()?;
    Ok(median(times))
}

/// What `compute` yields, and how long it took.
pub(crate) fn timed<T>(compute: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = compute();
    (value, start.elapsed())
}

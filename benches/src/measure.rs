//! Measurement of times: medians of repeated runs.
use std::time::{Duration, Instant};
use warpwise::{Device, Result};

/// The size of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// For the interpreter: everything is verified, and plain Rust is timed.
    Small,
    /// For a GPU: results that would take plain Rust minutes are verified in part.
    Large,
    /// The same for launches with one in this many of the threads, of workloads that take their
    /// sizes from [`Self::side`]; the others are large.
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

    /// Returns the length of each side of a grid with this many dimensions.
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

/// The times of a workload.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name, which the CUDA C++ version has, too.
    pub name: &'static str,
    /// Its size, as text.
    pub size: String,
    /// The median time of a launch, many of which run in a row.
    pub launch: Duration,
    /// The time of plain Rust on one core, if it computed all of the results.
    pub plain: Option<Duration>,
}

/// Returns the median of the given durations.
///
/// # Panics
/// Panics if there are none.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the median of the given numbers: of an even count, the upper one in the middle.
///
/// # Panics
/// Panics if there are none.
pub fn median_number(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Returns the median time of a launch over several rows, each of which has enough launches for 50
/// ms.
pub fn launches(device: &Device, mut launch: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut row = |count: u32| device.time(|| (0..count).try_for_each(|_| launch()));
    row(1)?;
    let once = row(1)?.max(Duration::from_nanos(100));
    let count = (0.05 / once.as_secs_f64()).ceil().clamp(1.0, 1000.0) as u32;
    let times = (0..11).map(|_| Ok(row(count)? / count)).collect::<Result<_>>()?;
    Ok(median(times))
}

/// Returns the result of `compute`, and its time.
pub(crate) fn timed<T>(compute: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = compute();
    (value, start.elapsed())
}

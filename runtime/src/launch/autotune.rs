//! The choice of the fastest of several ways to do the same work: [`Autotuner`].
use crate::{
    Device, Error,
    disk::entry::{Entry, Kind, folder_from_env},
};
use std::{
    collections::BTreeMap,
    fmt::{Debug, Write as _},
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

const KIND: Kind =
    Kind { format: "warpwise-autotune 1", extension: "choice", subject: "the choice for" };
/// The target of log records.
const LOG: &str = "warpwise::autotune";
/// Measurements of a candidate, of which the median counts.
const SAMPLES: usize = 5;
/// The minimum time of a measurement. Short work runs several times to reach it, since events have
/// a resolution of half a microsecond.
const MIN_SAMPLE_SECONDS: f64 = 1e-3;
/// The maximum number of runs in a measurement.
const MAX_SAMPLE_RUNS: usize = 100;

/// A tuner that measures candidates, such as tile sizes, and remembers the fastest one.
///
/// ```
/// use warpwise::{Autotuner, prelude::*};
///
/// /// Doubles `ITEMS` elements by each thread.
/// #[kernel(block = 256)]
/// fn double<const ITEMS: usize>(x: &[f32], y: &mut [f32]) {
///     let first = block_idx_x() * (256 * ITEMS) + thread_idx_x();
///     for k in 0..ITEMS {
///         let i = first + k * 256;
///         if i < y.len() {
///             y[i] = 2.0 * x[i];
///         }
///     }
/// }
///
/// # fn main() -> warpwise::Result<()> {
/// let device = Device::auto()?;
/// let n = 10_000;
/// let x = device.upload(&vec![1.0f32; n])?;
/// let mut y = device.zeros::<f32>(n)?;
/// let mut run = |items: usize| {
///     let config = LaunchConfig::grid(n.div_ceil(256 * items));
///     match items {
///         1 => double::<1>::launch(&device, config, &x, &mut y),
///         _ => double::<4>::launch(&device, config, &x, &mut y),
///     }
/// };
///
/// let tuner = Autotuner::new();
/// let task = format!("double 1, {} elements", n.next_power_of_two());
/// let items = *tuner.choose(&device, &task, &[1, 4], |items| run(*items))?;
/// run(items)?;
/// assert_eq!(y.to_vec()?, vec![2.0; n]);
/// # Ok(())
/// # }
/// ```
///
/// # The task
///
/// A choice is remembered for the text of a task, the candidates (their `Debug` texts, in their
/// order), the version of this crate and the device: its name, compute capability, multiprocessors
/// and driver. The text should name the kernel, its version (perhaps that of your crate,
/// `env!("CARGO_PKG_VERSION")`), and the sizes. A class of sizes, such as their next power of two,
/// takes fewer measurements.
///
/// # Folders
///
/// [`Self::in_folder`] and [`Self::from_env`] keep choices in files for later processes, which may
/// share the folder at the same time. Their files may be deleted at any time. A damaged file is
/// logged (target `warpwise::cache`), and its choice made again; a folder that cannot be written
/// costs time only.
///
/// # The interpreter
///
/// The time that the interpreter takes says nothing about a GPU. [`Self::choose`] takes the first
/// candidate that runs there, so that results do not depend on timing. [`Self::choose_by`] compares
/// the candidates by other costs, such as the times that [`model`](crate::model) predicts for a
/// GPU:
///
/// ```
/// use warpwise::{Autotuner, Result, Simulator, model::Gpu, prelude::*};
///
/// /// Adds up elements a grid apart.
/// #[kernel(block = 256)]
/// fn sums(x: &[f32], out: &mut [f32]) {
///     let mut sum = 0.0;
///     for i in (global_idx_x()..x.len()).step_by(block_dim_x() * grid_dim_x()) {
///         sum += x[i];
///     }
///     out[global_idx_x()] = sum;
/// }
///
/// # fn main() -> warpwise::Result<()> {
/// let simulator = Simulator::new().counters();
/// let device = simulator.device();
/// let x = device.upload(&vec![1.0f32; 1 << 18])?;
/// let h200 = Gpu::named("H200").expect("it is known");
///
/// let blocks = *Autotuner::new().choose_by("sums on an H200", &[1, 132], |blocks| -> Result<f64> {
///     let mut out = device.zeros::<f32>(blocks * 256)?;
///     sums::launch(&device, LaunchConfig::grid(*blocks), &x, &mut out)?;
///     let counters = simulator.take_counters();
///     let prediction = counters[0].predict(h200, Some(32)).expect("a block fits");
///     Ok(prediction.seconds)
/// })?;
/// assert_eq!(blocks, 132);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Autotuner {
    folder: Option<PathBuf>,
    /// For each key the number of the candidate.
    choices: Mutex<BTreeMap<String, usize>>,
}

impl Autotuner {
    /// Creates a tuner that remembers choices as long as it exists. It can be a `static`.
    ///
    /// ```
    /// use warpwise::Autotuner;
    ///
    /// static TUNER: Autotuner = Autotuner::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { folder: None, choices: Mutex::new(BTreeMap::new()) }
    }

    /// Creates a tuner that also keeps choices in a folder, which is created when it is needed.
    ///
    /// ```
    /// use warpwise::Autotuner;
    ///
    /// let tuner = Autotuner::in_folder("target/choices");
    /// ```
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..Self::new() }
    }

    /// Creates a tuner that keeps choices in the folder that the variable `WARPWISE_CACHE_DIR`
    /// names, if it is set.
    ///
    /// ```
    /// use warpwise::Autotuner;
    ///
    /// let tuner = Autotuner::from_env();
    /// ```
    #[must_use]
    pub fn from_env() -> Self {
        Self { folder: folder_from_env(), ..Self::new() }
    }

    /// Returns the candidate for which `run` takes the device the least time, measured now or
    /// earlier; on the interpreter the first one that runs.
    ///
    /// `run` gives the work of a candidate to `device`, at least seven times: twice to load the
    /// kernels and to estimate the time, and for five measurements, of which the median counts. The
    /// work must be the same each time, so a kernel that changes its input needs a copy. A
    /// candidate that fails is left out, and logged (target `warpwise::autotune`).
    ///
    /// ```
    /// # use warpwise::{Autotuner, Device, LaunchConfig, kernel, global_idx_x};
    /// #[kernel]
    /// fn double(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = 2.0 * x[i];
    ///     }
    /// }
    /// # fn main() -> warpwise::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32; 1000])?;
    /// let mut y = device.zeros::<f32>(1000)?;
    /// let mut run = |threads: usize| {
    ///     double::launch(&device, LaunchConfig::cover(1000).block(threads), &x, &mut y)
    /// };
    /// // No block has 2048 threads.
    /// let block = Autotuner::new().choose(&device, "double 1", &[2048, 256], |block| run(*block))?;
    /// assert_eq!(*block, 256);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoCandidates`]; the error of the last candidate, if all fail; a fault of earlier
    /// work.
    pub fn choose<'c, C: Debug, E: From<Error> + Debug>(
        &self,
        device: &Device,
        task: &str,
        candidates: &'c [C],
        mut run: impl FnMut(&C) -> Result<(), E>,
    ) -> Result<&'c C, E> {
        self.find_or_choose(task, &describe_device(device), candidates, || {
            // A fault of earlier work is not that of a candidate.
            device.synchronize_stream()?;
            if !device.is_gpu() {
                return find_first_that_runs(task, candidates, |candidate| {
                    run(candidate)?;
                    Ok(device.synchronize_stream()?)
                });
            }
            find_cheapest(task, candidates, |candidate| {
                median_seconds(|runs| {
                    let start = device.record_event()?;
                    let submitted = (0..runs).try_for_each(|_| run(candidate));
                    let end = device.record_event()?;
                    // After an error, too: a fault of this candidate is not that of the next one.
                    device.synchronize_stream()?;
                    submitted?;
                    Ok(end.elapsed_since(&start)?)
                })
            })
        })
    }

    /// Returns the candidate with the least cost, found now or earlier; of several the first. A
    /// candidate whose cost is an error is left out, and a cost that is not a number counts as
    /// infinite.
    ///
    /// The task names the device, too, if the cost depends on it.
    ///
    /// ```
    /// use warpwise::{Autotuner, Result};
    ///
    /// let tuner = Autotuner::new();
    /// let cost = |name: &&str| -> Result<f64> { Ok(name.len() as f64) };
    /// assert_eq!(*tuner.choose_by("names", &["four", "six", "two"], cost)?, "six");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoCandidates`]; the error of the last candidate, if all fail.
    pub fn choose_by<'c, C: Debug, E: From<Error> + Debug>(
        &self,
        task: &str,
        candidates: &'c [C],
        cost: impl FnMut(&C) -> Result<f64, E>,
    ) -> Result<&'c C, E> {
        self.find_or_choose(task, "by other costs", candidates, || {
            find_cheapest(task, candidates, cost)
        })
    }

    /// Returns the candidate that is remembered for the task, or the one that `choose` returns.
    fn find_or_choose<'c, C: Debug, E: From<Error>>(
        &self,
        task: &str,
        environment: &str,
        candidates: &'c [C],
        choose: impl FnOnce() -> Result<usize, E>,
    ) -> Result<&'c C, E> {
        let version = env!("CARGO_PKG_VERSION");
        // Quotes keep the texts apart, so that different lists have different keys.
        let mut key = format!("{version}\n{task:?}\n{environment:?}\n");
        for candidate in candidates {
            // Writing to a `String` cannot fail.
            let _ = writeln!(key, "{:?}", format!("{candidate:?}"));
        }
        // The lock is not held while candidates run, since they may use the tuner.
        let lock = || self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chosen) = lock().get(&key) {
            return Ok(&candidates[*chosen]);
        }
        let entry = self.folder.as_ref().map(|folder| Entry::new(KIND, folder, task, &key));
        let kept = entry.as_ref().and_then(Entry::read).and_then(|text| text.parse().ok());
        let chosen = match kept.filter(|chosen| *chosen < candidates.len()) {
            Some(chosen) => chosen,
            None => {
                let chosen = choose()?;
                if let Some(entry) = &entry {
                    entry.write(&chosen.to_string());
                }
                chosen
            }
        };
        // Threads that measured at the same time use the same candidate from now on.
        Ok(&candidates[*lock().entry(key).or_insert(chosen)])
    }
}

/// Returns the properties of a device that times depend on, as text.
fn describe_device(device: &Device) -> String {
    let info = device.info();
    let (name, sm, cuda) = (&info.name, info.sm, info.cuda);
    match sm {
        Some(sm) => {
            let multiprocessors = info.multiprocessors;
            let cuda = cuda.unwrap_or_default();
            format!("{name}, sm_{sm}, {multiprocessors} multiprocessors, CUDA {cuda}")
        }
        // The choice does not depend on the number of cores.
        None => name.clone(),
    }
}

/// Returns the number of the candidate with the least cost.
fn find_cheapest<C: Debug, E: From<Error> + Debug>(
    task: &str,
    candidates: &[C],
    mut cost: impl FnMut(&C) -> Result<f64, E>,
) -> Result<usize, E> {
    let mut best = Err(no_candidates(task));
    for (number, candidate) in candidates.iter().enumerate() {
        match cost(candidate) {
            Ok(cost) => {
                log::debug!(target: LOG, "`{task}`: {candidate:?} costs {cost:e}");
                let cost = if cost.is_nan() { f64::INFINITY } else { cost };
                if !matches!(best, Ok((_, least)) if least <= cost) {
                    best = Ok((number, cost));
                }
            }
            Err(error) => {
                log_failure(task, candidate, &error);
                best = best.or(Err(error));
            }
        }
    }
    best.map(|(number, _)| number)
}

/// Returns the number of the first candidate that does not fail.
fn find_first_that_runs<C: Debug, E: From<Error> + Debug>(
    task: &str,
    candidates: &[C],
    mut run: impl FnMut(&C) -> Result<(), E>,
) -> Result<usize, E> {
    let mut last = no_candidates(task);
    for (number, candidate) in candidates.iter().enumerate() {
        match run(candidate) {
            Ok(()) => return Ok(number),
            Err(error) => {
                log_failure(task, candidate, &error);
                last = error;
            }
        }
    }
    Err(last)
}

fn no_candidates<E: From<Error>>(task: &str) -> E {
    Error::NoCandidates { task: task.to_owned() }.into()
}

fn log_failure(task: &str, candidate: &impl Debug, error: &impl Debug) {
    log::debug!(target: LOG, "`{task}`: {candidate:?} is left out: {error:?}");
}

/// Returns the median time of a run. `sample` runs the work that many times, and returns the time
/// of all of them.
fn median_seconds<E>(mut sample: impl FnMut(usize) -> Result<Duration, E>) -> Result<f64, E> {
    // The first run compiles and loads kernels.
    sample(1)?;
    let estimate = sample(1)?.as_secs_f64();
    // A time of zero is below the resolution, and gives the maximum number of runs.
    let runs = (MIN_SAMPLE_SECONDS / estimate).ceil().min(MAX_SAMPLE_RUNS as f64) as usize;
    let runs = runs.max(1);
    let mut seconds = [0.0; SAMPLES];
    for seconds in &mut seconds {
        *seconds = sample(runs)?.as_secs_f64() / runs as f64;
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[SAMPLES / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn long_work_runs_once_a_sample_and_its_median_counts() {
        let mut times = [900, 5, 4, 90, 6, 3, 5].into_iter();
        let seconds = median_seconds(|runs| {
            assert_eq!(runs, 1);
            Ok::<_, Error>(times.next().expect("seven samples") * MILLISECOND)
        });
        assert_eq!((seconds, times.next()), (Ok(5e-3), None));
    }

    #[test]
    fn short_work_runs_several_times_a_sample() {
        for (micros, runs) in [(300, 4), (1, 100), (0, 100)] {
            let mut counts = Vec::new();
            let seconds = median_seconds(|runs| {
                counts.push(runs);
                Ok::<_, Error>(Duration::from_micros(micros) * runs as u32)
            });
            assert_eq!(counts, [1, 1, runs, runs, runs, runs, runs]);
            assert!((seconds.unwrap() * 1e6 - micros as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn an_error_ends_the_samples_of_a_candidate() {
        let mut count = 0;
        let result = median_seconds(|_| {
            count += 1;
            if count == 3 { Err("fault") } else { Ok(MILLISECOND) }
        });
        assert_eq!((result, count), (Err("fault"), 3));
    }
}

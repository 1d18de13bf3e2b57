//! The verdict on a kernel: its predicted time, the resource that bounds it, and the remedy.
//!
//! Predictions come from the [time model](warpwise::model); every text says that it is one.
use super::report::KernelProfile;
use warpwise::model::{BoundBy, Gpu, Grid, Pipe, Prediction, Step, Work, predict};

/// Predicts one launch of a kernel; `None` without an estimate of its work, or if no block runs.
pub(crate) fn predict_launch(kernel: &KernelProfile, gpu: &Gpu) -> Option<Prediction> {
    let launches = &kernel.launches;
    predict_work(kernel, &launches.work?.per_launch(launches.count), gpu)
}

/// Predicts a launch of a kernel that does `work`; `None` if no block runs.
pub(crate) fn predict_work(kernel: &KernelProfile, work: &Work, gpu: &Gpu) -> Option<Prediction> {
    predict(work, Grid { blocks: kernel.blocks(), block: kernel.block_resources() }, gpu).ok()
}

/// Returns the lines of the verdict.
pub(crate) fn describe(kernel: &KernelProfile, gpu: &Gpu) -> Vec<String> {
    let Some(prediction) = predict_launch(kernel, gpu) else { return Vec::new() };
    let mut lines = vec![summary(&prediction, gpu), describe_placement(&prediction, gpu)];
    lines.extend(describe_caches(kernel));
    lines.push(format!("= help: {}", find_remedy(kernel, &prediction, gpu)));
    lines
}

/// Formats `predicted on an H200: 1.37 ms (0.91 to 2.06 ms), bound by latency: 27x longer than ..`.
fn summary(prediction: &Prediction, gpu: &Gpu) -> String {
    let Prediction { seconds, uncertainty, bound_by, slowdown, .. } = *prediction;
    let range =
        format!("{} to {}", format_time(seconds / uncertainty), format_time(seconds * uncertainty));
    let mut text = format!(
        "predicted on {}: {} a launch ({range}), bound by {bound_by}",
        gpu.name,
        format_time(seconds)
    );
    if bound_by == BoundBy::Latency {
        text += &format!(" of {}", name_step(prediction.longest_step));
    }
    if slowdown >= MIN_SLOWDOWN {
        text += &format!(
            ": {slowdown:.1}x longer than the same work spread over all multiprocessors with latencies hidden"
        );
    }
    text
}

/// Returns the name of a class of instructions whose latency is the bound.
const fn name_step(step: Step) -> &'static str {
    match step {
        Step::Arithmetic => "arithmetic",
        Step::Double => "arithmetic on 64-bit floats",
        Step::Special => "special functions and conversions",
        Step::Shuffle => "shuffles",
        Step::Shared => "loads from shared memory",
        Step::Global => "loads from global memory",
        Step::Atomic => "atomics whose result is used",
        Step::Barrier => "barriers",
    }
}

/// The least slowdown that is worth a remark.
pub(crate) const MIN_SLOWDOWN: f64 = 1.2;

/// Describes warps and waves.
fn describe_placement(prediction: &Prediction, gpu: &Gpu) -> String {
    let Prediction { resident_warps, achieved_occupancy, eligible_warps, waves, .. } = *prediction;
    let Prediction { busy_multiprocessors, hiding_warps, idle_share, .. } = *prediction;
    let most = prediction.occupancy.most_warps;
    format!(
        "{busy_multiprocessors} of {} multiprocessors have blocks, with {resident_warps:.1} of {most} warps resident \
         (achieved occupancy {:.1} %); {hiding_warps:.0} warps would hide all latencies; \
         {eligible_warps:.2} warps of a scheduler are eligible; {waves:.2} waves, {:.0} % of the device idle",
        gpu.multiprocessors,
        100.0 * achieved_occupancy,
        100.0 * idle_share,
    )
}

/// Describes the hit rates, if caches were simulated.
fn describe_caches(kernel: &KernelProfile) -> Option<String> {
    let caches = kernel.launches.work?.caches?;
    let percent = |rate: Option<f64>| match rate {
        Some(rate) => format!("{:.1} %", 100.0 * rate),
        None => "no requests".to_owned(),
    };
    let (l1, l2) = (percent(caches.l1_hit_rate()), percent(caches.l2_hit_rate()));
    Some(format!("cache model: L1 hit rate {l1}, L2 hit rate {l2}, from empty caches"))
}

/// Returns the change that gains the most.
pub(crate) fn find_remedy(kernel: &KernelProfile, prediction: &Prediction, gpu: &Gpu) -> String {
    let total = &kernel.launches.total;
    let (global, shared) = (total.global(), total.shared());
    match prediction.bound_by {
        BoundBy::Launch => {
            "the launch itself takes most of the time: launch more work at once".to_owned()
        }
        BoundBy::Latency if prediction.busy_multiprocessors < gpu.multiprocessors => format!(
            "launch at least {} blocks: {} multiprocessors have none",
            gpu.multiprocessors,
            gpu.multiprocessors - prediction.busy_multiprocessors
        ),
        BoundBy::Latency if prediction.achieved_occupancy < MIN_OCCUPANCY => format!(
            "keep more warps resident ({} limit them), or give each thread several independent loads",
            prediction.occupancy.limited_by()
        ),
        BoundBy::Latency => {
            "give each thread several independent loads, or shorten the chain of dependent instructions"
                .to_owned()
        }
        BoundBy::Memory | BoundBy::L2 if 2 * global.ideal < global.sectors => format!(
            "make the lanes of a warp access neighbouring elements: {} sectors move for {}",
            global.sectors, global.ideal
        ),
        BoundBy::Memory => {
            "the memory bandwidth is reached: move fewer bytes, or use them more often".to_owned()
        }
        BoundBy::L2 => "keep data that is used again in shared memory or registers".to_owned(),
        BoundBy::Pipe(Pipe::Memory) if 4 * shared.ideal < 3 * shared.wavefronts => format!(
            "remove bank conflicts: {} wavefronts of shared memory for {}",
            shared.wavefronts, shared.ideal
        ),
        BoundBy::Pipe(Pipe::Memory) if 2 * global.ideal < global.sectors => format!(
            "make the lanes of a warp access neighbouring elements: {} sectors move for {}",
            global.sectors, global.ideal
        ),
        BoundBy::Pipe(Pipe::Memory) => {
            "use wider accesses, and keep values in registers".to_owned()
        }
        BoundBy::Pipe(Pipe::Double) => {
            "compute with 32-bit floats where their precision is sufficient".to_owned()
        }
        BoundBy::Pipe(Pipe::Special) => {
            "compute fewer special functions and conversions".to_owned()
        }
        BoundBy::Issue | BoundBy::Pipe(Pipe::Integer | Pipe::Control) => {
            "execute fewer instructions: compute indices outside of loops, in 32 bits".to_owned()
        }
        BoundBy::Pipe(Pipe::Single | Pipe::Tensor) => {
            "the arithmetic throughput is reached: compute less, or in a smaller type".to_owned()
        }
        BoundBy::Atomics => {
            "combine updates within a warp or a block before the atomic one".to_owned()
        }
    }
}

/// The achieved occupancy from which more warps gain little.
const MIN_OCCUPANCY: f64 = 0.5;

/// Formats a time as `3.1 us` or `1.37 ms`.
pub(crate) fn format_time(seconds: f64) -> String {
    let micros = seconds * 1e6;
    if micros < 100.0 {
        format!("{micros:.1} us")
    } else if micros < 1000.0 {
        format!("{micros:.0} us")
    } else if micros < 1e6 {
        format!("{:.2} ms", micros / 1e3)
    } else {
        format!("{:.2} s", micros / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::format_time;

    #[test]
    fn times_have_three_digits() {
        let texts = [3.1e-6, 0.000_133, 0.001_374, 2.0].map(format_time);
        assert_eq!(texts, ["3.1 us", "133 us", "1.37 ms", "2.00 s"]);
    }
}

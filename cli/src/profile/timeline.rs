//! Timeline of a program's launches: their order and times.
//!
//! A time is measured, if the program also ran on a GPU, or else predicted by the time model from
//! the work of that launch. Gaps between launches, in which the host works or data moves, are
//! unknown.
use super::{
    read::{GpuLaunch, Recording},
    report::KernelProfile,
    verdict,
};
use std::collections::{HashMap, VecDeque};
use warpwise::model::Gpu;

/// Launch of a timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimelineLaunch {
    /// Index of the kernel in the report.
    pub(crate) kernel: usize,
    /// Its time, if it is known.
    pub(crate) seconds: Option<f64>,
    pub(crate) is_measured: bool,
}

/// Orders the launches of `recorded`. `kernels` has the index of each group beside its profile, in
/// the order of the report.
pub(crate) fn order_launches(
    recorded: &Recording,
    kernels: &[(usize, KernelProfile)],
    gpu: Option<&Gpu>,
) -> Vec<TimelineLaunch> {
    let mut positions = vec![0; kernels.len()];
    for (position, (group, _)) in kernels.iter().enumerate() {
        positions[*group] = position;
    }
    let mut measured = measured_by_shape(&recorded.gpu_launches);
    let mut predicted = HashMap::new();
    let times = recorded.sequence.iter().map(|launch| {
        let position = positions[launch.group];
        let kernel = &kernels[position].1;
        let seconds = measured.get_mut(&shape_of(kernel)).and_then(VecDeque::pop_front);
        let predicted = *predicted.entry((launch.group, launch.work)).or_insert_with(|| {
            let work = recorded.works[launch.work]?;
            Some(verdict::predict_work(kernel, &work, gpu?)?.seconds)
        });
        TimelineLaunch {
            kernel: position,
            seconds: seconds.or(predicted),
            is_measured: seconds.is_some(),
        }
    });
    times.collect()
}

/// Kernel, generics, grid and block.
type Shape = (String, String, [u32; 3], [u32; 3]);

fn shape_of(kernel: &KernelProfile) -> Shape {
    let launches = &kernel.launches;
    (launches.kernel.clone(), launches.generics.clone(), launches.grid, launches.block)
}

/// Groups measured times by shape, each in the order of the launches.
fn measured_by_shape(launches: &[GpuLaunch]) -> HashMap<Shape, VecDeque<f64>> {
    let mut times: HashMap<Shape, VecDeque<f64>> = HashMap::new();
    for launch in launches {
        let shape = (launch.kernel.clone(), launch.generics.clone(), launch.grid, launch.block);
        times.entry(shape).or_default().extend(launch.seconds());
    }
    times
}

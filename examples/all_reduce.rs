//! Logistic regression on several devices: each has a part of the samples, and an all-reduce adds
//! up the gradients, so that all devices take the same steps.
//!
//! Runs on all GPUs (with `--features nccl`) or on four CPU devices, as threads of one process; and
//! as one of several processes, if `torchrun` or `mpirun` starts it.
use std::{ops::Range, thread, time::Instant};
use warpwise::{
    collective::{Communicator, ReduceOp, nccl_version},
    prelude::*,
};
use warpwise_examples::{report, verify_close};

const SAMPLES: usize = 1 << 14;
const FEATURES: usize = 8;
const STEPS: usize = 30;
const RATE: f32 = 2.0;

/// Differences of the predictions from the labels. Feature `j` of sample `i` is
/// `x[j * labels.len() + i]`.
#[kernel(requires(x.len() == weights.len() * labels.len(), errors.len() == labels.len()))]
fn predict(x: &[f32], labels: &[f32], weights: &[f32], errors: &mut [f32]) {
    let i = global_idx_x();
    if i < labels.len() {
        let mut sum = 0.0;
        for j in 0..weights.len() {
            sum += weights[j] * x[j * labels.len() + i];
        }
        errors[i] = 1.0 / (1.0 + (-sum).exp()) - labels[i];
    }
}

/// The gradient of the loss, summed over the samples: a block for each feature.
#[kernel(block = 256)]
fn differentiate(x: &[f32], errors: &[f32], gradient: &mut [f32]) {
    let feature = block_idx_x();
    let mut sum = 0.0;
    let mut i = thread_idx_x();
    while i < errors.len() {
        sum += x[feature * errors.len() + i] * errors[i];
        i += block_dim_x();
    }
    let total = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        gradient[feature] = total;
    }
}

/// A step against the gradient.
#[kernel(requires(gradient.len() == weights.len()))]
fn descend(rate: f32, gradient: &[f32], weights: &mut [f32]) {
    let j = global_idx_x();
    if j < weights.len() {
        weights[j] -= rate * gradient[j];
    }
}

/// Features and labels of some samples, the features of all samples one after the other.
fn samples(part: Range<usize>) -> (Vec<f32>, Vec<f32>) {
    let feature = |i: usize, j: usize| {
        let random = (i * FEATURES + j).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        random as f32 / (1 << 23) as f32 - 1.0
    };
    let x = (0..FEATURES).flat_map(|j| part.clone().map(move |i| feature(i, j))).collect();
    let label = |i| {
        let sum: f32 = (0..FEATURES).map(|j| (j as f32 - 3.0) * feature(i, j)).sum();
        if sum > 0.0 { 1.0 } else { 0.0 }
    };
    (x, part.clone().map(label).collect())
}

/// Fits the weights to the samples of all ranks; this one has its share of them.
fn train(communicator: &Communicator) -> warpwise::Result<Vec<f32>> {
    let (rank, size, device) = (communicator.rank(), communicator.size(), communicator.device());
    let (x, labels) = samples(rank * SAMPLES / size..(rank + 1) * SAMPLES / size);
    let (x, labels) = (device.upload(&x)?, device.upload(&labels)?);
    let mut weights = device.zeros::<f32>(FEATURES)?;
    let mut errors = device.zeros::<f32>(labels.len())?;
    let mut gradient = device.zeros::<f32>(FEATURES)?;
    let rate = RATE / SAMPLES as f32;
    for _ in 0..STEPS {
        let cover = LaunchConfig::cover(labels.len());
        predict::launch(device, cover, &x, &labels, &weights, &mut errors)?;
        let blocks = LaunchConfig::grid(FEATURES);
        differentiate::launch(device, blocks, &x, &errors, &mut gradient)?;
        communicator.all_reduce_in_place(&mut gradient, ReduceOp::Sum)?;
        descend::launch(device, LaunchConfig::cover(FEATURES), rate, &gradient, &mut weights)?;
    }
    weights.to_vec()
}

/// All GPUs, if there are several and NCCL, or else four CPU devices.
fn devices(is_gpu: bool) -> Vec<Device> {
    let gpus = match is_gpu && nccl_version().is_ok() {
        true => Device::all().unwrap_or_default(),
        false => Vec::new(),
    };
    if gpus.len() > 1 { gpus } else { (0..4).map(|_| Device::cpu()).collect() }
}

/// Trains on several devices, each with a thread. Returns the weights that each of them has.
fn train_in_threads(devices: &[Device]) -> warpwise::Result<Vec<Vec<f32>>> {
    let communicators = Communicator::all(devices)?;
    thread::scope(|scope| {
        let start = |communicator| scope.spawn(move || train(&communicator));
        let threads: Vec<_> = communicators.into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    })
}

pub(crate) fn main() -> warpwise::Result<()> {
    let world = Communicator::from_env()?;
    let start = Instant::now();
    let (weights, ranks, device) = match world.size() {
        1 => {
            let devices = devices(world.device().is_gpu());
            (train_in_threads(&devices)?, devices.len(), devices[0].clone())
        }
        ranks => (vec![train(&world)?], ranks, world.device().clone()),
    };
    let took = start.elapsed();

    // Sums of floats differ by the order of the additions, and nothing else does.
    let alone = Communicator::all(std::slice::from_ref(&device))?;
    let expected = train(&alone[0])?;
    for of_rank in &weights {
        assert_eq!(of_rank, &weights[0], "all ranks have the same weights");
        verify_close(of_rank, expected.iter().map(|&x| f64::from(x)), |x| 1e-4 * (1.0 + x.abs()));
    }
    if world.rank() == 0 {
        let size = format!("{SAMPLES} samples, {STEPS} steps, {ranks} ranks");
        report("all_reduce", size, &device, took);
    }
    Ok(())
}

//! `y = a * x` with quantized numbers, as in language models: 8-bit weights and inputs, exact
//! 32-bit sums over groups of 32, and an `f32` scale for each group of weights. A warp for each
//! row.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// Weights of a group, which are `scale` times these.
#[device]
#[derive(Clone, Copy)]
struct Group {
    scale: f32,
    weights: [i8; 32],
}

#[device]
impl Group {
    /// The product with a group of inputs, of which the first is number `start`.
    fn dot(&self, x: &[i8], start: usize) -> f32 {
        let mut sum = 0i32;
        for k in 0..32 {
            sum += self.weights[k] as i32 * x[start + k] as i32;
        }
        sum as f32 * self.scale
    }
}

/// Every lane gets the sum over the warp.
#[device]
fn warp_sum(value: f32) -> f32 {
    let mut sum = value;
    for step in 0..5 {
        sum += warp::shfl_xor(sum, 16 >> step);
    }
    sum
}

/// `x_scale` times `x` are the inputs; a row of weights is `x.len() / 32` groups.
#[kernel(block = 128)]
fn multiply(weights: &[Group], x_scale: f32, x: &[i8], y: &mut [f32]) {
    let row = global_idx_x() / 32;
    if row >= y.len() {
        return;
    }
    let groups = x.len() / 32;
    let mut sum = 0.0;
    for group in (warp::lane_id()..groups).step_by(32) {
        sum += weights[row * groups + group].dot(x, group * 32);
    }
    sum = warp_sum(sum);
    if warp::lane_id() == 0 {
        y[row] = sum * x_scale;
    }
}

/// The greatest magnitude becomes 127: the scale, and the numbers.
fn quantize(values: impl Iterator<Item = f32> + Clone) -> (f32, impl Iterator<Item = i8>) {
    let largest = values.clone().fold(0.0, |largest: f32, value| largest.max(value.abs()));
    let scale = largest / 127.0;
    (scale, values.map(move |value| (value / scale).round() as i8))
}

/// The product, with additions in the order of the kernel's.
fn reference(weights: &[Group], x_scale: f32, x: &[i8]) -> Vec<f32> {
    let row = |row: &[Group]| {
        let mut sums = [0.0f32; 32];
        for (k, (group, x)) in row.iter().zip(x.chunks_exact(32)).enumerate() {
            let products = group.weights.iter().zip(x).map(|(w, x)| i32::from(*w) * i32::from(*x));
            sums[k % 32] += products.sum::<i32>() as f32 * group.scale;
        }
        for distance in [16, 8, 4, 2, 1] {
            sums = std::array::from_fn(|lane| sums[lane] + sums[lane ^ distance]);
        }
        sums[0] * x_scale
    };
    weights.chunks_exact(x.len() / 32).map(row).collect()
}

fn main() -> warpwise::Result<()> {
    let (rows, columns) = (4096, 4096);
    let group = |first: usize| {
        let (scale, weights) =
            quantize((first..first + 32).map(|i| (i * 7919 % 4099) as f32 / 4099.0 - 0.5));
        let mut group = Group { scale, weights: [0; 32] };
        group.weights.iter_mut().zip(weights).for_each(|(to, weight)| *to = weight);
        group
    };
    let host_weights: Vec<Group> = (0..rows * columns / 32).map(|i| group(32 * i)).collect();
    let (x_scale, host_x) = quantize((0..columns).map(|i| (i * 104_729 % 997) as f32 / 997.0));
    let host_x: Vec<i8> = host_x.collect();

    let device = Device::auto()?;
    let weights = device.upload(&host_weights)?;
    let x = device.upload(&host_x)?;
    let mut y = device.zeros::<f32>(rows)?;
    let config = LaunchConfig::cover(32 * rows);
    let took = time(&device, || multiply::launch(&device, config, &weights, x_scale, &x, &mut y))?;

    verify(&y.to_vec()?, reference(&host_weights, x_scale, &host_x));
    report("quantized_matvec", format_args!("{rows} x {columns} by {columns}"), &device, took);
    Ok(())
}

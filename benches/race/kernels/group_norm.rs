//! Normalization of groups of channels of images, with mean and variance by Welford's method: a
//! block for each group.
use super::prelude::*;

/// The number of values, their mean, and the sum of the squares of their distances from it.
#[device]
#[derive(Clone, Copy)]
struct Moments {
    count: f32,
    mean: f32,
    squares: f32,
}

#[device]
impl Moments {
    const NONE: Self = Self { count: 0.0, mean: 0.0, squares: 0.0 };

    fn push(&mut self, x: f32) {
        self.count += 1.0;
        let away = x - self.mean;
        self.mean += away / self.count;
        self.squares += away * (x - self.mean);
    }

    fn merged(self, other: Self) -> Self {
        if other.count == 0.0 {
            return self;
        }
        let count = self.count + other.count;
        let away = other.mean - self.mean;
        let share = other.count / count;
        Self {
            count,
            mean: self.mean + away * share,
            squares: self.squares + other.squares + away * away * self.count * share,
        }
    }
}

#[kernel(block = 256)]
fn group_norm(
    area: usize,
    channels: usize,
    groups: usize,
    x: &[f32],
    weights: &[f32],
    biases: &[f32],
    y: &mut [f32],
) {
    let of_threads = shared!([Moments; 256]);
    let t = thread_idx_x();
    let group = block_idx_x() % groups;
    let size = channels / groups * area;
    let start = block_idx_x() * size;
    let mut own = Moments::NONE;
    for x in x[start..start + size].iter().skip(t).step_by(256) {
        own.push(*x);
    }
    of_threads[t] = own;
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if t < half {
            of_threads[t] = of_threads[t].merged(of_threads[t + half]);
        }
        sync_threads();
        half /= 2;
    }
    let Moments { count, mean, squares } = of_threads[0];
    let scale = 1.0 / (squares / count + 1e-5).sqrt();
    for i in (t..size).step_by(256) {
        let channel = group * (channels / groups) + i / area;
        y[start + i] = (x[start + i] - mean) * scale * weights[channel] + biases[channel];
    }
}

fn problem(scale: Scale) -> Problem {
    let (images, side) = scale.pick((2, 9), (128, 64usize));
    let (channels, groups) = (64usize, 8usize);
    let area = side * side;
    let n = images * channels * area;
    let x = inputs::floats(-1.0, 3.0, 1, n);
    let weights = inputs::floats(0.5, 1.5, 2, channels);
    let biases = inputs::floats(-0.5, 0.5, 3, channels);
    let expected = || {
        let size = channels / groups * area;
        let normalized = |(block, x): (usize, &[f32])| -> Vec<f32> {
            let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / size as f64;
            let squares = x.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>();
            let scale = 1.0 / (squares / size as f64 + 1e-5).sqrt();
            let one = |(i, x): (usize, &f32)| {
                let channel = block % groups * (channels / groups) + i / area;
                let unit = (f64::from(*x) - mean) * scale;
                (unit * f64::from(weights[channel]) + f64::from(biases[channel])) as f32
            };
            x.iter().enumerate().map(one).collect()
        };
        x.chunks(size).enumerate().flat_map(normalized).collect()
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let (weights_id, biases_id) = (buffers.input(&weights), buffers.input(&biases));
    let y_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [(images * groups) as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![area, channels, groups, x_id, weights_id, biases_id, y_id],
        cuda: args![
            area as i32,
            channels as i32,
            groups as i32,
            x_id,
            weights_id,
            biases_id,
            y_id
        ],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(group_norm, "LDG");

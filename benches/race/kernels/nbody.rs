//! All-pairs n-body: the acceleration of each body by all others, whose tiles a block shares.
use super::prelude::*;

#[kernel(block = 256)]
fn nbody(softening: f32, bodies: &[F32x4], out: &mut [F32x4]) {
    let tile = shared!([F32x4; 256]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    let me = bodies[i];
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    for first in (0..bodies.len()).step_by(256) {
        tile[t] = bodies[first + t];
        sync_threads();
        for k in 0..256 {
            let other = tile[k];
            let (x, y, z) = (other.x - me.x, other.y - me.y, other.z - me.z);
            let inverse = 1.0 / (x * x + y * y + z * z + softening).sqrt();
            let pull = other.w * inverse * inverse * inverse;
            ax += x * pull;
            ay += y * pull;
            az += z * pull;
        }
        sync_threads();
    }
    out[i] = F32x4::new(ax, ay, az, 0.0);
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(512, 1 << 16);
    let softening = 1e-3f32;
    let numbers = inputs::floats(0.1, 1.0, 1, 4 * n);
    let bodies: Vec<[f32; 4]> = numbers.as_chunks().0.to_vec();
    let expected = || bodies.iter().map(|body| acceleration(softening, *body, &bodies)).collect();
    let mut buffers = Buffers::new(scale);
    let bodies_id = buffers.input(&bodies);
    let out_id = buffers.output(&vec![[0.0; 4]; n], Agreement::Within(1e-3), expected);
    Problem {
        grid: [(n / 256) as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![softening, bodies_id, out_id],
        cuda: args![n as i32, softening, bodies_id, out_id],
        buffers,
        work: Work::Flops(20 * n * n),
    }
}

fn acceleration(softening: f32, me: [f32; 4], bodies: &[[f32; 4]]) -> [f32; 4] {
    let mut sums = [0.0f64; 3];
    for other in bodies {
        let away: [f64; 3] = std::array::from_fn(|k| f64::from(other[k]) - f64::from(me[k]));
        let square = away.iter().map(|x| x * x).sum::<f64>() + f64::from(softening);
        let pull = f64::from(other[3]) / (square * square.sqrt());
        for (sum, x) in sums.iter_mut().zip(away) {
            *sum += x * pull;
        }
    }
    let [x, y, z] = sums.map(|sum| sum as f32);
    [x, y, z, 0.0]
}

benchmark!(nbody, "LDS");

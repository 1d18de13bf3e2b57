//! A step of particles in a box, as an array of structs.
use super::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
}

#[kernel(block = 256)]
fn particles(seconds: f32, gravity: f32, particles: &mut [Particle]) {
    let i = global_idx_x();
    if i < particles.len() {
        let particle = &mut particles[i];
        particle.velocity[1] -= gravity * particle.mass * seconds;
        for k in 0..3 {
            particle.position[k] += particle.velocity[k] * seconds;
            if particle.position[k] < 0.0 || particle.position[k] > 1.0 {
                particle.velocity[k] = -particle.velocity[k];
            }
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 24);
    let (seconds, gravity) = (0.01f32, 9.81f32);
    let numbers = inputs::floats(0.0, 1.0, 1, 7 * n);
    let before: Vec<[f32; 7]> = numbers.as_chunks().0.to_vec();
    let expected = || before.iter().map(|particle| advance(seconds, gravity, *particle)).collect();
    let mut buffers = Buffers::new(scale);
    let particles_id = buffers.output(&before, Agreement::Within(1e-5), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![seconds, gravity, particles_id],
        cuda: args![n as i32, seconds, gravity, particles_id],
        buffers,
        work: Work::Bytes(2 * 28 * n),
    }
}

fn advance(seconds: f32, gravity: f32, mut particle: [f32; 7]) -> [f32; 7] {
    particle[4] -= gravity * particle[6] * seconds;
    for k in 0..3 {
        particle[k] += particle[3 + k] * seconds;
        if !(0.0..=1.0).contains(&particle[k]) {
            particle[3 + k] = -particle[3 + k];
        }
    }
    particle
}

benchmark!(particles, "LDG");

//! The first full voxel on each ray of a camera through a cube of bits (Amanatides and Woo), and the
//! number of steps to it.
use super::prelude::*;

#[kernel(block = (8, 8))]
fn voxel_dda(
    size: usize,
    width: usize,
    height: usize,
    voxels: &[u32],
    found: &mut [u32],
    steps: &mut [u32],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x >= width || y >= height {
        return;
    }
    let extent = size as f32;
    let origin = [0.5 * extent + 0.3, 0.5 * extent + 0.1, 0.05];
    let direction =
        [(x as f32 + 0.5) / width as f32 - 0.5, (y as f32 + 0.5) / height as f32 - 0.5, 0.8f32];
    let mut cell: [i32; 3] = origin.map(|part: f32| part.floor() as i32);
    let step = direction.map(|part| if part < 0.0 { -1 } else { 1 });
    let delta = direction.map(|part| (1.0 / part).abs());
    // The distances at which the ray leaves the cell along each axis.
    let mut next = [0.0f32; 3];
    for k in 0..3 {
        let border = if step[k] > 0 { cell[k] as f32 + 1.0 } else { cell[k] as f32 };
        next[k] = (border - origin[k]) / direction[k];
    }
    let (mut place, mut count) = (u32::MAX, 0);
    while cell.iter().all(|part| (0..size as i32).contains(part)) {
        let [column, row, layer] = cell.map(|part| part as usize);
        let at = (layer * size + row) * size + column;
        if (voxels[at / 32] >> (at % 32)) & 1 == 1 {
            place = at as u32;
            break;
        }
        let axis = if next[0] < next[1] {
            if next[0] < next[2] { 0 } else { 2 }
        } else if next[1] < next[2] {
            1
        } else {
            2
        };
        cell[axis] += step[axis];
        next[axis] += delta[axis];
        count += 1;
    }
    found[y * width + x] = place;
    steps[y * width + x] = count;
}

fn problem(scale: Scale) -> Problem {
    let (size, side) = scale.pick((32, 30), (512usize, 1024usize));
    let voxel_count = size.pow(3);
    let rarity = scale.pick(60, 800);
    let mut voxels = vec![0u32; voxel_count / 32];
    for (at, number) in inputs::below(rarity, 1, voxel_count).into_iter().enumerate() {
        if number == 0 {
            voxels[at / 32] |= 1 << (at % 32);
        }
    }
    let expected = || -> Vec<(u32, u32)> {
        let extent = size as f32;
        let origin = [0.5 * extent + 0.3, 0.5 * extent + 0.1, 0.05f32].map(f64::from);
        let ray = |i: usize| {
            let part = |at: usize| f64::from((at as f32 + 0.5) / side as f32 - 0.5);
            let direction = [part(i % side), part(i / side), f64::from(0.8f32)];
            let mut cell = origin.map(|part| part.floor() as i64);
            for count in 0.. {
                if cell.iter().any(|part| !(0..size as i64).contains(part)) {
                    return (u32::MAX, count);
                }
                let at = (cell[2] as usize * size + cell[1] as usize) * size + cell[0] as usize;
                if voxels[at / 32] >> (at % 32) & 1 == 1 {
                    return (at as u32, count);
                }
                let leaves = |k: &usize| {
                    let border = cell[*k] as f64 + if direction[*k] < 0.0 { 0.0 } else { 1.0 };
                    (border - origin[*k]) / direction[*k]
                };
                let axis = (0..3usize).min_by(|a, b| leaves(a).total_cmp(&leaves(b)));
                let axis = axis.expect("there are axes");
                cell[axis] += if direction[axis] < 0.0 { -1 } else { 1 };
            }
            unreachable!("a ray leaves the cube")
        };
        (0..side * side).map(ray).collect()
    };
    let n = side * side;
    let mut buffers = Buffers::new(scale);
    let voxels_id = buffers.input(&voxels);
    let found_id = buffers.output(&vec![0u32; n], Agreement::Mostly(0.01), || {
        expected().into_iter().map(|(place, _)| place).collect()
    });
    let steps_id = buffers.output(&vec![0u32; n], Agreement::Mostly(0.01), || {
        expected().into_iter().map(|(_, count)| count).collect()
    });
    Problem {
        grid: [side.div_ceil(8) as u32, side.div_ceil(8) as u32, 1],
        block: [8, 8, 1],
        rust: args![size, side, side, voxels_id, found_id, steps_id],
        cuda: args![size as i32, side as i32, side as i32, voxels_id, found_id, steps_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(voxel_dda, "LDG");

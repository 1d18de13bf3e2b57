//! Buffers that are exactly as long as a kernel takes for granted, longer and shorter. A GPU runs
//! code without checks only where none would fail.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::prelude::*;

cases![images: FAULTS, tiles: THREADS_MEET, rows: FAULTS, tables: FAULTS, empty];

/// Checks that a launch ends without a fault, or else with the fault of an index and a length.
fn check_fault(result: warpwise::Result<()>, expected: Option<(u64, u64)>) -> Check {
    match expected {
        None => Ok(result?),
        Some((index, len)) => {
            let panic = fault(result)?;
            match (panic.index, panic.len) == (Some(index), Some(len)) {
                true => Ok(()),
                false => Err(format!("expected {index} of {len}: {panic}").into()),
            }
        }
    }
}

#[kernel(block = (8, 4))]
fn shifted(width: usize, height: usize, image: &[u32], out: &mut [u32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let right = (x + 1).min(width - 1);
        out[y * width + x] = image[y * width + right];
    }
}

fn images(on: &Engine) -> Check {
    let (width, height) = (19_usize, 7);
    let all = width * height;
    for (from, to) in [(0, 0), (5, 0), (0, 5), (-1, 0), (0, -1)] {
        let lengths = [from, to].map(|more: isize| all.strict_add_signed(more));
        let image: Vec<u32> = (0..lengths[0] as u32).collect();
        let mut out = vec![0; lengths[1]];
        let config = LaunchConfig::cover((width, height));
        let result = launch!(
            on,
            shifted(value width, value height, read image, write out),
            config
        );
        let shorter = lengths.into_iter().find(|len| *len < all);
        check_fault(result, shorter.map(|len| ((all - 1) as u64, len as u64)))?;
        let expected = |i: usize| {
            let right = i - i % width + (i % width + 1).min(width - 1);
            if i < all { image.get(right).copied().unwrap_or(0) } else { 0 }
        };
        same("out", &out, &(0..lengths[1]).map(expected).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[kernel(block = (8, 8))]
fn tiled(n: usize, a: &[i32], out: &mut [i32]) {
    let tile = shared!([[i32; 8]; 8]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let row = global_idx_y();
    let mut sum = 0;
    for first in (0..n).step_by(8) {
        tile[ty][tx] = a[row * n + first + tx];
        sync_threads();
        for k in 0..8 {
            sum += tile[ty][k] * (k as i32 + tx as i32);
        }
        sync_threads();
    }
    out[row * n + global_idx_x()] = sum;
}

/// Sizes that are no multiple of the tile read beyond their row, and in the last row beyond the
/// matrix, unless that is longer.
fn tiles(on: &Engine) -> Check {
    for (n, more) in [(8, 0), (16, 0), (16, 9), (12, 64)] {
        let rows = n / 8 * 8;
        let a: Vec<i32> = (0..(n * rows + more) as i32).collect();
        let mut out = vec![0; n * rows + more];
        let config = LaunchConfig::grid((n / 8, n / 8));
        launch!(on, tiled(value n, read a, write out), config)?;
        let element = |row: usize, column: usize| -> i32 {
            let depth = n.div_ceil(8) * 8;
            let term = |k: usize| a[row * n + k] * (k % 8 + column % 8) as i32;
            (0..depth).map(term).sum()
        };
        let mut expected = vec![0; out.len()];
        for row in 0..rows {
            for column in 0..n / 8 * 8 {
                expected[row * n + column] = element(row, column);
            }
        }
        same("out", &out, &expected)?;
    }
    Ok(())
}

#[kernel(block = 32)]
fn row_sums(columns: usize, x: &[u64], sums: &mut [u64]) {
    let row = global_idx_x();
    if row < sums.len() {
        let mut sum = 0;
        for c in 0..columns {
            sum += x[row * columns + c];
        }
        sums[row] = sum;
    }
}

fn rows(on: &Engine) -> Check {
    for (len, columns, failed) in [
        (60, 6, None),
        (75, 6, None),
        (59, 6, Some((59, 59))),
        (3, 6, Some((3, 3))),
        (0, 0, None),
        // The products are beyond 32 bits, and beyond 64.
        (60, 1 << 31, Some((60, 60))),
        (60, 1 << 62, Some((60, 60))),
    ] {
        let x: Vec<u64> = (0..len).collect();
        let mut sums = vec![7; 10];
        let result = launch!(
            on,
            row_sums(value columns, read x, write sums),
            LaunchConfig::cover(10)
        );
        check_fault(result, failed)?;
        let expected = |row: usize| {
            let own = row * columns..(row + 1) * columns;
            x.get(own).map_or(7, |own| own.iter().sum())
        };
        if columns < 1 << 31 {
            same("sums", &sums, &(0..10).map(expected).collect::<Vec<u64>>())?;
        }
    }
    Ok(())
}

#[kernel]
fn substituted(table: &[u16], text: &[u8], out: &mut [u16]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = table[text[i] as usize];
    }
}

/// Tables may be shorter than the numbers of their index's type, if the text has only small ones.
fn tables(on: &Engine) -> Check {
    for (len, largest) in [(256, 255), (300, 255), (10, 9), (10, 10)] {
        let table: Vec<u16> = (0..len).map(|i| i * 3).collect();
        let mut text = vec![1_u8; 40];
        text[17] = largest;
        let mut out = vec![0; 40];
        let result =
            launch!(on, substituted(read table, read text, write out), LaunchConfig::cover(40));
        check_fault(result, (len <= u16::from(largest)).then(|| (largest.into(), len.into())))?;
        let of = |i: u8| table.get(usize::from(i)).copied().unwrap_or(0);
        same("out", &out, &text.iter().map(|i| of(*i)).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// A width of 0 makes `width - 1` the largest number there is.
fn empty(on: &Engine) -> Check {
    let image = vec![1_u32, 2];
    for (width, height) in [(0, 5), (5, 0), (0, 0)] {
        let mut out = vec![9; 2];
        let config = LaunchConfig::cover((8, 8));
        launch!(on, shifted(value width, value height, read image, write out), config)?;
        same("out", &out, &[9; 2])?;
    }
    Ok(())
}

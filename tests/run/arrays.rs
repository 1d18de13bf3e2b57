//! Arrays in slices: slices converted to arrays, and slices of arrays.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    byte_strings,
    nothing_to_refer_to,
    made,
    first_and_last,
    in_arrays,
    set_in_arrays,
    flattened,
    remainders,
    taken_from_both_ends,
    words,
    into_other_forms
];

/// Runs code as a kernel of one thread and as plain Rust, on slices of several lengths.
macro_rules! like_rust {
    ($on:ident, |$x:ident, $out:ident| $body:block) => {{
        #[kernel]
        fn code($x: &[i32], $out: &mut [i32]) {
            if global_idx_x() == 0 $body
        }
        fn plain($x: &[i32], $out: &mut [i32]) $body
        for len in [0, 1, 3, 4, 5, 8, 13] {
            let x: Vec<i32> = (0..len).map(|i| i * 37 % 11 - 4).collect();
            let (mut out, mut want) = (vec![-1; 24], vec![-1; 24]);
            launch!($on, code(read x, write out), LaunchConfig::grid(1))?;
            plain(&x, &mut want);
            same(concat!("line ", line!()), &out, &want)?;
        }
    }};
}

fn made(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let n = x.len().min(4);
        if n == 4 {
            let a: [i32; 4] = x[..4].try_into().unwrap();
            let b: &[i32; 4] = x[n - 4..n].try_into().expect("four of them");
            out[0] = a.iter().sum::<i32>() + b[3];
        }
        let whole: Result<[i32; 5], _> = x.try_into();
        out[1] = whole.is_ok() as i32;
        out[2] = match <[i32; 3]>::try_from(x) {
            Ok([a, b, c]) => a * b + c,
            Err(_) => 7,
        };
        let of_one: Option<[i32; 1]> = x.try_into().ok();
        out[3] = of_one.map_or(50, |[a]| a);
        let or: [i32; 2] = x[n / 2..].try_into().unwrap_or([8, 9]);
        out[4] = or[0] - or[1];
        if let Ok(places) = <&mut [i32; 2]>::try_from(&mut out[5..7]) {
            *places = [n as i32, 3];
        }
        if let Ok(a) = TryInto::<[i32; 8]>::try_into(x) {
            out[7] = a[7];
        }
    });
    Ok(())
}

fn first_and_last(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        if let Some([a, b]) = x.first_chunk() {
            out[0] = a - b;
        }
        if let Some(last) = x.last_chunk::<3>() {
            out[1] = last[0] + 10 * last[2];
        }
        if let Some((first, rest)) = x.split_first_chunk::<4>() {
            out[2] = first[3] + rest.len() as i32;
        }
        if let Some((rest, last)) = x.split_last_chunk::<4>() {
            out[3] = last[0] + rest.len() as i32;
        }
        if let Some(first) = out[8..].first_chunk_mut::<3>() {
            first[2] = x.len() as i32;
            first[0] += 5;
        }
        if let Some((last, [a, b])) = out.split_last_chunk_mut() {
            (*a, *b) = (last.len() as i32, last[0]);
        }
        out[4] = x.as_array::<5>().is_some() as i32;
        for (i, [a, b, c]) in x.array_windows::<3>().enumerate() {
            out[12 + i % 4] += a * b - c;
        }
    });
    Ok(())
}

fn in_arrays(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let (fours, rest) = x.as_chunks::<4>();
        for (four, out) in fours.iter().zip(out.iter_mut()) {
            *out = four[0] + 10 * four[3];
        }
        for [a, b] in x.as_chunks().0 {
            out[4] += a * b;
        }
        out[5] = rest.iter().sum::<i32>() + fours.len() as i32;
        let (first, threes) = x.as_rchunks::<3>();
        out[6] = first.len() as i32;
        out[7] = threes.iter().map(|three| three[1]).sum();
        if let [.., last] = threes {
            out[8] = last[2];
        }
        let row = [1, 2, 3, 4, 5, 6, x.len() as i32];
        let (pairs, odd) = row.as_chunks::<2>();
        out[9] = pairs[x.len() % 3][1] + odd[0];
    });
    Ok(())
}

fn set_in_arrays(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let (fives, rest) = out.as_chunks_mut::<5>();
        for (five, x) in fives.iter_mut().zip(x) {
            five[4] = *x;
            five.swap(0, 4);
        }
        rest[1] = fives.len() as i32;
        let mut own = [0; 9];
        let (one, pairs) = own.as_rchunks_mut::<2>();
        one[0] = 3;
        pairs[x.len() % 4] = [x.len() as i32, 8];
        out[20] = own.iter().rev().fold(0, |sum, v| sum * 3 + v);
    });
    Ok(())
}

#[kernel]
fn flat(rows: &[[i32; 3]], out: &mut [[i32; 2]]) {
    let i = global_idx_x();
    let all = rows.as_flattened();
    if i < out.len() {
        out[i] = [all[2 * i + 1], all.len() as i32];
        let grid = [[i as i32; 4]; 2];
        out.as_flattened_mut()[2 * i + 1] += grid.as_flattened().len() as i32;
    }
}

fn flattened(on: &Engine) -> Check {
    let rows: Vec<[i32; 3]> = (0..6).map(|i| [i, 10 * i, -i]).collect();
    let mut out = vec![[0; 2]; 8];
    launch!(on, flat(read rows, write out), LaunchConfig::grid(1).block(32))?;
    let all = rows.concat();
    let want: Vec<[i32; 2]> = (0..8).map(|i| [all[2 * i + 1], 26]).collect();
    same("out", out.as_flattened(), want.as_flattened())
}

fn remainders(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let mut fours = x.chunks_exact(4);
        out[0] = fours.remainder().iter().sum();
        if let Some(last) = fours.next_back() {
            out[1] = last[0];
        }
        out[2] = fours.remainder().len() as i32;
        for four in fours.by_ref() {
            out[3] += four[3];
        }
        out[4] = fours.remainder().iter().rev().fold(1, |sum, v| 3 * sum + v);
        let mut places = out[8..].chunks_exact_mut(5);
        for place in places.by_ref() {
            place[0] = 2;
        }
        places.into_remainder()[0] = 4;
    });
    Ok(())
}

fn taken_from_both_ends(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let n = x.len() as i32;
        let mut values = [n, n + 1, n + 2, 5, 6].into_iter();
        out[0] = values.next_back().unwrap_or(9);
        out[1] = values.next().unwrap_or(9);
        let mut halves = values.clone().map(|v| v / 2);
        out[2] = halves.next_back().unwrap_or(9);
        for v in values.by_ref().rev().take(x.len() % 3) {
            out[3] = 2 * out[3] + v;
        }
        out[4] = values.sum();
    });
    Ok(())
}

#[kernel]
fn words_of(bytes: &[u8], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        let word = &bytes[4 * i..4 * i + 4];
        out[i] = u32::from_be_bytes(word.try_into().unwrap());
    }
}

fn words(on: &Engine) -> Check {
    let bytes: Vec<u8> = (0..64).map(|i| i * 7).collect();
    let mut out = vec![0u32; 16];
    launch!(on, words_of(read bytes, write out), LaunchConfig::grid(1).block(32))?;
    let want = bytes.as_chunks().0.iter().map(|word| u32::from_be_bytes(*word));
    same("out", &out, &want.collect::<Vec<_>>())
}

#[kernel]
fn told(texts: &[[u8; 4]], out: &mut [u32]) {
    let i = global_idx_x();
    let (text, letters) = (&texts[i], *b"abc");
    let method = match &text[..] {
        b"GET " => 1,
        [b'P', ..] => 2,
        b"" | b"\n\x00\xff " => 3,
        _ => 4,
    };
    let ends = text.ends_with(b"T ") as u32;
    let same = (text == b"PUT ") as u32;
    let letter = letters[i % 3] as u32;
    out[i] = method + 10 * ends + 100 * same + 1000 * letter + b"warp".len() as u32;
}

fn byte_strings(on: &Engine) -> Check {
    let texts = vec![*b"GET ", *b"PUT ", *b"\n\x00\xff ", *b"HEAD"];
    let mut out = vec![0; 4];
    launch!(on, told(read texts, write out), LaunchConfig::grid(1).block(4))?;
    same("out", &out, &[97_015, 98_116, 99_007, 97_008])
}

fn nothing_to_refer_to(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let n = x.len();
        for v in x.get(2..n / 2 + 2).unwrap_or(&[]) {
            out[0] += v;
        }
        let tail = if n > 3 { &x[3..] } else { &[] };
        out[1] = tail.len() as i32 + tail.iter().sum::<i32>();
        out[2] = x.get(4..).unwrap_or_default().len() as i32;
    });
    Ok(())
}

#[device]
fn sum_of_bytes(bytes: impl AsRef<[u8]>) -> i32 {
    bytes.as_ref().iter().map(|&byte| i32::from(byte)).sum()
}

/// Arrays and tuples are converted into each other, and referred to as slices.
fn into_other_forms(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let n = x.len() as i32;
        let array: [i32; 3] = (n, n + 1, n + 2).into();
        let (a, b): (i32, i32) = [n, 2 * n].into();
        let same: [i32; 2] = [7, n].into();
        (out[0], out[1], out[2], out[3]) = (array[2], a, b, same[1]);
        out[4] = sum_of_bytes([n as u8, 3]) + sum_of_bytes(b"ab");
    });
    Ok(())
}

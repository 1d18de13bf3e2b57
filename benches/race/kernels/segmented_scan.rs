//! Running sums within segments, of the elements of each block: a segment begins where there is a
//! mark.
use super::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Part {
    begins: bool,
    sum: u32,
}

#[device]
impl Part {
    fn then(self, next: Part) -> Part {
        if next.begins {
            next
        } else {
            Part { begins: self.begins, sum: self.sum + next.sum }
        }
    }
}

#[kernel(block = 256)]
fn segmented_scan(values: &[u32], marks: &[u8], sums: &mut [u32]) {
    let i = global_idx_x();
    let own = if i < values.len() {
        Part { begins: marks[i] != 0, sum: values[i] }
    } else {
        Part { begins: false, sum: 0 }
    };
    let scanned = block::inclusive_scan(own, |a, b| a.then(b));
    if i < sums.len() {
        sums[i] = scanned.sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let n: usize = scale.pick(2000, 1 << 25);
    let values = inputs::words(1, n);
    let marks: Vec<u8> =
        inputs::below(20, 2, n).into_iter().map(|number| u8::from(number == 0)).collect();
    let expected = || {
        let mut sum = 0u32;
        let mut sums = Vec::with_capacity(n);
        for i in 0..n {
            if i % 256 == 0 || marks[i] != 0 {
                sum = 0;
            }
            sum = sum.wrapping_add(values[i]);
            sums.push(sum);
        }
        sums
    };
    let mut buffers = Buffers::new(scale);
    let (values_id, marks_id) = (buffers.input(&values), buffers.input(&marks));
    let sums_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![values_id, marks_id, sums_id],
        cuda: args![n as i32, values_id, marks_id, sums_id],
        buffers,
        work: Work::Bytes(9 * n),
    }
}

benchmark!(segmented_scan, "LDG");

//! Agreement of results: exact where the computation is, and within a tolerance where the order of
//! additions or the accuracy of a function is the compiler's choice.
use crate::problem::{Kind, Problem};
use warpwise::{bf16, f16};

/// The agreement that two results must have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Agreement {
    /// Bit by bit.
    Exact,
    /// Floats whose difference is at most this share of their magnitude, or of the mean magnitude
    /// if that is larger.
    Within(f64),
    /// Numbers of which at most this share differs, since rounding may select either of two.
    Mostly(f64),
    /// The same numbers in any order.
    AnyOrder,
}

/// Compares `found`, the contents of all outputs after a launch, with `wanted`, if given, or with
/// the results of plain Rust. Both have an entry for each buffer.
///
/// # Errors
/// Returns the first difference.
pub(crate) fn outputs(
    problem: &Problem,
    found: &[Vec<u8>],
    wanted: Option<&Vec<Vec<u8>>>,
) -> Result<(), String> {
    for (place, buffer) in problem.buffers.iter().enumerate() {
        let Some(output) = &buffer.output else { continue };
        let expected = output.expected.as_deref();
        let wanted = wanted.map(|wanted| wanted[place].as_slice()).or(expected);
        let wanted = wanted.ok_or("there is nothing to compare the result with")?;
        agree(output.agreement, buffer.kind, &found[place], wanted)
            .map_err(|difference| format!("argument {place}: {difference}"))?;
    }
    Ok(())
}

fn agree(agreement: Agreement, kind: Kind, found: &[u8], wanted: &[u8]) -> Result<(), String> {
    if found.len() != wanted.len() {
        return Err(format!("{} bytes, expected {}", found.len(), wanted.len()));
    }
    match agreement {
        Agreement::Exact => compare_bits(kind, found, wanted, 0.0),
        Agreement::Mostly(share) => compare_bits(kind, found, wanted, share),
        Agreement::Within(tolerance) => compare_floats(kind, found, wanted, tolerance),
        Agreement::AnyOrder => {
            let sorted = |bytes: &[u8]| -> Vec<u8> {
                let mut numbers: Vec<u64> = bytes.chunks_exact(kind.bytes()).map(bits).collect();
                numbers.sort_unstable();
                let bytes = |number: u64| number.to_le_bytes().into_iter().take(kind.bytes());
                numbers.into_iter().flat_map(bytes).collect()
            };
            compare_bits(kind, &sorted(found), &sorted(wanted), 0.0)
        }
    }
}

fn compare_bits(kind: Kind, found: &[u8], wanted: &[u8], share: f64) -> Result<(), String> {
    let pairs = found.chunks_exact(kind.bytes()).zip(wanted.chunks_exact(kind.bytes()));
    let mut different = pairs.enumerate().filter(|(_, (found, wanted))| found != wanted);
    let Some((place, (first, expected))) = different.next() else { return Ok(()) };
    let count = 1 + different.count();
    let numbers = found.len() / kind.bytes();
    if count as f64 <= share * numbers as f64 {
        return Ok(());
    }
    let (first, expected) = (number(kind, first), number(kind, expected));
    Err(format!("{count} of {numbers} differ; number {place} is {first}, expected {expected}"))
}

fn compare_floats(kind: Kind, found: &[u8], wanted: &[u8], tolerance: f64) -> Result<(), String> {
    let numbers =
        |bytes: &[u8]| bytes.chunks_exact(kind.bytes()).map(|bytes| number(kind, bytes)).collect();
    let (found, wanted): (Vec<f64>, Vec<f64>) = (numbers(found), numbers(wanted));
    let finite = wanted.iter().filter(|wanted| wanted.is_finite());
    let mean = finite.map(|wanted| wanted.abs()).sum::<f64>() / wanted.len() as f64;
    for (place, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        // Infinities are close to themselves, too; a NaN is close to NaNs only.
        let is_same = found == wanted || (found.is_nan() && wanted.is_nan());
        let is_close = (found - wanted).abs() <= tolerance * wanted.abs().max(mean);
        if !is_same && !is_close {
            return Err(format!("number {place} is {found}, expected {wanted}"));
        }
    }
    Ok(())
}

/// Returns a number's bits, zero-extended.
fn bits(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Returns the value of a number, given its bytes.
fn number(kind: Kind, bytes: &[u8]) -> f64 {
    let bits = bits(bytes);
    match kind {
        Kind::F64 => f64::from_bits(bits),
        Kind::F32 => f32::from_bits(bits as u32).into(),
        Kind::F16 => f16::from_bits(bits as u16).into(),
        Kind::BF16 => bf16::from_bits(bits as u16).into(),
        Kind::Integer(_) => bits as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::{Agreement, agree};
    use crate::problem::Kind;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn tolerances_are_relative_to_the_larger_of_magnitude_and_mean() {
        let wanted = floats(&[0.0, 2.0, f32::INFINITY]);
        let close =
            |found: &[f32]| agree(Agreement::Within(0.1), Kind::F32, &floats(found), &wanted);
        assert!(close(&[0.05, 2.1, f32::INFINITY]).is_ok());
        assert!(close(&[0.1, 2.0, f32::INFINITY]).is_err());
        assert!(close(&[0.0, f32::NAN, f32::INFINITY]).is_err());
    }

    #[test]
    fn a_share_may_differ() {
        let differ =
            |share| agree(Agreement::Mostly(share), Kind::Integer(1), &[1, 2, 3], &[1, 2, 4]);
        assert!(differ(0.5).is_ok());
        assert!(differ(0.1).is_err_and(|text| text.contains("number 2 is 3, expected 4")));
    }

    #[test]
    fn order_may_not_matter() {
        let agrees =
            |found: &[u8]| agree(Agreement::AnyOrder, Kind::Integer(2), found, &[1, 0, 2, 0]);
        assert!(agrees(&[2, 0, 1, 0]).is_ok());
        assert!(agrees(&[2, 0, 2, 0]).is_err());
    }
}

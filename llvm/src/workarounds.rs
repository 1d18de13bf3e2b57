//! Workarounds for forms that `ptxas` miscompiles, or compiles badly, in the text that LLVM emits.
//!
//! LLVM makes these forms itself, so no earlier stage can avoid them: `abs` of a select between `x`
//! and `-x`, arithmetic of 16 bits, one factor of two. `docs/testing.md` lists the releases that
//! miscompile them.
use std::fmt::Write;
use warpwise_compiler::back::ptx::may_lose_factor;

/// The array of constant memory that holds factors.
const FACTORS: &str = "$factors";

/// Rewrites the lines of `ptx` that `ptxas` would not compile as they mean.
pub(crate) fn apply(ptx: &str) -> String {
    let scale = widest_scale(ptx);
    let mut factors: Vec<u64> = Vec::new();
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        let replaced = Instruction::parse(line).and_then(|instruction| {
            magnitude(&instruction)
                .or_else(|| short_negative(&instruction))
                .or_else(|| short_extreme(&instruction))
                .or_else(|| hidden_factor(&instruction, scale, &mut factors))
        });
        text += replaced.as_deref().unwrap_or(line);
        text.push('\n');
    }
    if !factors.is_empty() {
        let at = text.find("\n.visible .entry").unwrap_or(0);
        text.insert_str(at, &declaration(&factors));
    }
    text
}

/// An instruction without a guard and in a line of its own, as LLVM writes them.
struct Instruction<'t> {
    name: &'t str,
    operands: Vec<&'t str>,
}

impl<'t> Instruction<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let (name, operands) = line.trim().strip_suffix(';')?.split_once(char::is_whitespace)?;
        Some(Self { name, operands: operands.split(',').map(str::trim).collect() })
    }
}

/// `abs`, whose result `ptxas` takes for at least 0, as a comparison and a choice.
fn magnitude(instruction: &Instruction<'_>) -> Option<String> {
    let bits = instruction.name.strip_prefix("abs.s")?;
    let [result, value] = instruction.operands[..] else { return None };
    Some(format!(
        "\t{{\n\t.reg .pred w_is_negative;\n\t.reg .b{bits} w_negative;\n\
         \tsetp.lt.s{bits} w_is_negative, {value}, 0;\n\
         \tnot.b{bits} w_negative, {value};\n\
         \tadd.s{bits} w_negative, w_negative, 1;\n\
         \tselp.b{bits} {result}, w_negative, {value}, w_is_negative;\n\t}}"
    ))
}

/// `neg` of 16 bits, which `ptxas` 12.0 to 13.0 takes for a number of 16 bits also where it is
/// 32768.
fn short_negative(instruction: &Instruction<'_>) -> Option<String> {
    let [result, value] = instruction.operands[..] else { return None };
    let text = || format!("\tnot.b16 {result}, {value};\n\tadd.s16 {result}, {result}, 1;");
    (instruction.name == "neg.s16").then(text)
}

/// The smaller or larger of two numbers of 16 bits, by an instruction of 32 bits. LLVM narrows those
/// of bytes, and `ptxas` then keeps each number in the lower half of a register of its own pair: the
/// largest of 7x7 bytes in shared memory takes 46 registers instead of 32, and 1.3 times as long on
/// an H200.
fn short_extreme(instruction: &Instruction<'_>) -> Option<String> {
    let (extreme @ ("min" | "max"), ty @ ("u16" | "s16")) = instruction.name.split_once('.')?
    else {
        return None;
    };
    let [result, lhs, rhs] = instruction.operands[..] else { return None };
    let sign = &ty[..1];
    let widened = |name: &str, value: &str| {
        if value.starts_with('%') {
            return Some(format!("\tcvt.{sign}32.{ty} {name}, {value};\n"));
        }
        // LLVM writes unsigned constants with a sign, too.
        let number: i32 = value.parse().ok()?;
        let number = if sign == "u" { number & 0xffff } else { number };
        Some(format!("\tmov.b32 {name}, {number};\n"))
    };
    let (lhs, rhs) = (widened("w_lhs", lhs)?, widened("w_rhs", rhs)?);
    Some(format!(
        "\t{{\n\t.reg .b32 w_lhs, w_rhs;\n{lhs}{rhs}\t{extreme}.{sign}32 w_lhs, w_lhs, w_rhs;\n\
         \tcvt.u16.u32 {result}, w_lhs;\n\t}}"
    ))
}

/// A product by a factor that `ptxas` may lose, by one that it does not see.
fn hidden_factor(
    instruction: &Instruction<'_>,
    scale: u32,
    factors: &mut Vec<u64>,
) -> Option<String> {
    let bits = factor(instruction)?;
    if !may_lose_factor(bits, scale) {
        return None;
    }
    let index = factors.iter().position(|&known| known == bits).unwrap_or_else(|| {
        factors.push(bits);
        factors.len() - 1
    });
    let (name, offset) = (instruction.name, index * size_of::<u64>());
    let [result, value, _, addend @ ..] = &instruction.operands[..] else { return None };
    let addend: String = addend.iter().map(|addend| format!(", {addend}")).collect();
    Some(format!(
        "\t{{\n\t.reg .b64 w_factor;\n\tld.const.b64 w_factor, [{FACTORS}+{offset}];\n\
         \t{name} {result}, {value}, w_factor{addend};\n\t}}"
    ))
}

/// The constant factor of a product of 64-bit integers.
fn factor(instruction: &Instruction<'_>) -> Option<u64> {
    let is_product = matches!(instruction.name, "mul.lo.s64" | "mad.lo.s64");
    let factor = instruction.operands.get(2).filter(|_| is_product)?;
    factor.parse::<i64>().map(|factor| factor as u64).or_else(|_| factor.parse()).ok()
}

/// The largest power of two that constants scale 64-bit integers by, two at a time.
fn widest_scale(ptx: &str) -> u32 {
    let shift = |line| {
        let instruction = Instruction::parse(line)?;
        match instruction.name {
            "shl.b64" => instruction.operands.get(2)?.parse().ok(),
            _ => factor(&instruction).map(u64::trailing_zeros),
        }
    };
    let mut shifts: Vec<u32> = ptx.lines().filter_map(shift).collect();
    shifts.sort_unstable_by(|a, b| b.cmp(a));
    shifts.iter().take(2).sum()
}

fn declaration(factors: &[u64]) -> String {
    let mut text = format!("\n.const .align 8 .b64 {FACTORS}[{}] = {{", factors.len());
    for (index, factor) in factors.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}0x{factor:016X}");
    }
    text + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_magnitude_is_a_choice() {
        let text = apply("\tabs.s32 \t%r2, %r1;\n\tabs.f32 \t%f2, %f1;\n");
        assert!(!text.contains("abs.s32"), "{text}");
        assert!(text.contains("selp.b32 %r2, w_negative, %r1, w_is_negative;"), "{text}");
        assert!(text.contains("\tabs.f32 \t%f2, %f1;\n"), "{text}");
    }

    #[test]
    fn a_short_negative_is_a_complement_and_one_more() {
        let text = apply("\tneg.s16 \t%rs2, %rs1;\n\tneg.s32 \t%r2, %r1;\n");
        let expected = "\tnot.b16 %rs2, %rs1;\n\tadd.s16 %rs2, %rs2, 1;\n\tneg.s32 \t%r2, %r1;\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn extremes_of_16_bits_are_found_in_32() {
        let text = apply("\tmax.u16 \t%rs3, %rs1, %rs2;\n\tmin.s16 \t%rs4, %rs3, -7;\n");
        let expected = "\t{\n\t.reg .b32 w_lhs, w_rhs;\n\tcvt.u32.u16 w_lhs, %rs1;\n\
                        \tcvt.u32.u16 w_rhs, %rs2;\n\tmax.u32 w_lhs, w_lhs, w_rhs;\n\
                        \tcvt.u16.u32 %rs3, w_lhs;\n\t}\n\
                        \t{\n\t.reg .b32 w_lhs, w_rhs;\n\tcvt.s32.s16 w_lhs, %rs3;\n\
                        \tmov.b32 w_rhs, -7;\n\tmin.s32 w_lhs, w_lhs, w_rhs;\n\
                        \tcvt.u16.u32 %rs4, w_lhs;\n\t}\n";
        assert_eq!(text, expected);
        let constant = apply("\tmin.u16 \t%rs2, %rs1, -25536;\n");
        assert!(constant.contains("\tmov.b32 w_rhs, 40000;\n"), "{constant}");
        let packed = "\tmax.u16x2 \t%r3, %r1, %r2;\n";
        assert_eq!(apply(packed), packed);
    }

    #[test]
    fn factors_that_may_be_lost_are_hidden_and_no_others() {
        let lines = "\tshl.b64 \t%rd2, %rd1, 16;\n\tmul.lo.s64 \t%rd3, %rd2, 65537;\n\
                     \tmad.lo.s64 \t%rd4, %rd2, 65537, 1;\n";
        let text = apply(&format!("\n.visible .entry k()\n{lines}"));
        assert!(
            text.contains("\n.const .align 8 .b64 $factors[1] = {0x0000000000010001};\n"),
            "{text}"
        );
        assert!(text.contains("mul.lo.s64 %rd3, %rd2, w_factor;"), "{text}");
        assert!(text.contains("mad.lo.s64 %rd4, %rd2, w_factor, 1;"), "{text}");
        let harmless = "\tshl.b64 \t%rd2, %rd1, 2;\n\tmul.lo.s64 \t%rd3, %rd2, 5;\n";
        assert_eq!(apply(harmless), harmless);
    }
}

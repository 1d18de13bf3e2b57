//! Launch requirements: `#[kernel(requires(x.len() >= y.len()))]`.
//!
//! A [`Requirement`] is a condition over the arguments and dimensions of a launch. The launcher
//! computes it before anything runs, with every sum, difference and product checked, and refuses
//! the launch where it is false. So it holds wherever the kernel runs, and is a fact for the
//! analyses: of exact numbers, because nothing in it wrapped.
use super::evaluate;
use super::{Kernel, Passed, Scalar, Size, SizeError, Span};
use std::fmt;

/// A condition that every launch fulfils.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The text in the source.
    pub text: String,
    /// The condition, a `bool` that is known at launch.
    pub cond: Size,
    /// The place in the source.
    pub span: Span,
}

/// The reason for which a launch violates a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The condition is false.
    False {
        /// The compared expressions with their values in the launch: `x.len()` and `10`.
        values: Vec<(String, String)>,
    },
    /// The condition has no value.
    Undefined(SizeError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::False { values } => {
                for (index, (name, value)) in values.iter().enumerate() {
                    write!(f, "{}{name} is {value}", if index == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::Undefined(error) => write!(f, "it {error}"),
        }
    }
}

impl Requirement {
    /// Checks a launch of `kernel`, which is specialized, against the requirement.
    ///
    /// # Errors
    /// The reason for which the launch violates it.
    pub fn check(&self, kernel: &Kernel, passed: &Passed<'_>) -> Result<(), Refusal> {
        match self.cond.evaluate(passed) {
            Ok(0) => {
                let mut values = Vec::new();
                add_compared_values(&self.cond, false, kernel, passed, &mut values);
                Err(Refusal::False { values })
            }
            Ok(_) => Ok(()),
            Err(error) => Err(Refusal::Undefined(error)),
        }
    }
}

type Values = Vec<(String, String)>;

/// Adds the expressions whose comparison makes `cond` equal to `truth`.
fn add_compared_values(
    cond: &Size,
    truth: bool,
    kernel: &Kernel,
    passed: &Passed<'_>,
    values: &mut Values,
) {
    match cond {
        Size::Compare(_, sides) => {
            let is_whole = |side: &Size| side.parts().is_empty();
            sides.iter().for_each(|side| add_value(side, kernel, passed, values));
            for side in sides.iter().filter(|side| !is_whole(side)) {
                add_leaf_values(side, kernel, passed, values);
            }
        }
        Size::Unary(_, value) => add_compared_values(value, !truth, kernel, passed, values),
        Size::Binary(_, parts) => parts.iter().for_each(|part| {
            if has_value(part, truth, passed) {
                add_compared_values(part, truth, kernel, passed, values);
            }
        }),
        // Only the condition and the chosen side decide.
        Size::Select(parts) => {
            let [cond, then, other] = &**parts;
            let is_true = has_value(cond, true, passed);
            add_compared_values(cond, is_true, kernel, passed, values);
            let chosen = if is_true { then } else { other };
            add_compared_values(chosen, truth, kernel, passed, values);
        }
        Size::Const(..) | Size::Extent(_) | Size::Generic(_) => {}
        Size::Param(_) | Size::Len(_) | Size::Builtin(_) | Size::Cast(..) => {
            add_value(cond, kernel, passed, values);
        }
    }
}

fn has_value(cond: &Size, truth: bool, passed: &Passed<'_>) -> bool {
    cond.evaluate(passed) == Ok(truth.into())
}

/// Adds the value of `size`, unless it is a constant or was added before.
fn add_value(size: &Size, kernel: &Kernel, passed: &Passed<'_>, values: &mut Values) {
    if matches!(size, Size::Const(..) | Size::Extent(_)) {
        return;
    }
    let Ok((ty, bits)) = size.evaluate_typed(passed) else { return };
    let name = size.spell(kernel);
    if !values.iter().any(|(known, _)| *known == name) {
        values.push((name, format_number(ty, bits)));
    }
}

/// Adds the values of the parameters, lengths and dimensions in `size`.
fn add_leaf_values(size: &Size, kernel: &Kernel, passed: &Passed<'_>, values: &mut Values) {
    for part in size.parts() {
        if part.parts().is_empty() {
            add_value(part, kernel, passed, values);
        } else {
            add_leaf_values(part, kernel, passed, values);
        }
    }
}

pub(super) fn format_number(ty: Scalar, bits: u64) -> String {
    match evaluate::integer(ty, bits) {
        Some(value) if ty == Scalar::Bool => (value != 0).to_string(),
        Some(value) => value.to_string(),
        None => format!("{bits:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cond: &str) -> Result<(), String> {
        let text = format!(
            "kernel k {{ param arg0 = x: read [f32] param arg1 = y: write [f32] param arg2 = n: i32
             requires \"as written\" {cond} !0 }}"
        );
        let kernel: Kernel = text.parse().unwrap();
        crate::verify::verify(&kernel).unwrap();
        let passed = Passed {
            params: &[(Scalar::U64, 10), (Scalar::U64, 12), (Scalar::I32, u32::MAX.into())],
            block: [32, 1, 1],
            grid: [4, 1, 1],
        };
        kernel.requires[0].check(&kernel, &passed).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn a_refusal_has_the_values_of_both_sides() {
        for (cond, expected) in [
            ("le(len arg0, len arg1)", None),
            ("ge(len arg0, len arg1)", Some("x.len() is 10, y.len() is 12")),
            (
                "le(mul(len arg0, len arg1), const 100 : u64)",
                Some("x.len() * y.len() is 120, x.len() is 10, y.len() is 12"),
            ),
            ("gt(arg2, const 0 : i32)", Some("n is -1")),
            (
                "eq(rem(builtin block_dim.x, const 5 : u64), const 0 : u64)",
                Some("block_dim_x() % 5 is 2, block_dim_x() is 32"),
            ),
            (
                "select(le(len arg0, len arg1), gt(arg2, const 0 : i32), const false : bool)",
                Some("x.len() is 10, y.len() is 12, n is -1"),
            ),
            (
                "select(lt(arg2, const 0 : i32), const true : bool, eq(len arg0, const 0 : u64))",
                None,
            ),
            ("eq(sub(len arg0, len arg1), const 0 : u64)", Some("it overflows")),
            ("eq(div(len arg0, const 0 : u64), const 0 : u64)", Some("it divides by zero")),
        ] {
            assert_eq!(check(cond).err().as_deref(), expected, "{cond}");
        }
    }
}

//! [`Size`] as the Rust that one would write for it, for messages.
//!
//! ```text
//! ge(len arg0, add(len arg1, const 1 : u64))   x.len() >= y.len() + 1
//! select(%a, %b, const false : bool)           a && b
//! ```
use super::{BinaryOp, Builtin, CompareOp, Kernel, Scalar, Size, UnaryOp};

/// Operator precedence, as in Rust; an operand of lower precedence is parenthesized.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Cast,
    Unary,
    Whole,
}

impl Size {
    /// Returns the size in Rust, with the names of `kernel`.
    pub fn spell(&self, kernel: &Kernel) -> String {
        spell_with_level(self, kernel).0
    }
}

impl Builtin {
    /// Returns the call that yields it, such as `block_dim_x()`.
    pub fn spell(self) -> String {
        let (name, axis) = self.name();
        match axis {
            Some(axis) => format!("{name}_{}()", axis.name()),
            None => format!("warp::{name}()"),
        }
    }
}

impl Scalar {
    /// Returns the name of a type of lengths and indices: `usize` and `isize` for 64 bits.
    fn spell(self) -> String {
        match self {
            Self::U64 => "usize".into(),
            Self::I64 => "isize".into(),
            Self::Bool
            | Self::I8
            | Self::I16
            | Self::I32
            | Self::U8
            | Self::U16
            | Self::U32
            | Self::F16
            | Self::BF16
            | Self::F32
            | Self::F64
            | Self::Generic(_) => self.to_string(),
        }
    }
}

/// Returns a size in Rust, and the precedence of its outermost operator.
fn spell_with_level(size: &Size, kernel: &Kernel) -> (String, Level) {
    let whole = |text: String| (text, Level::Whole);
    let name = |id| kernel.params.get(id).map_or("_", |param| param.name.as_str());
    match size {
        Size::Const(scalar, bits) => whole(super::requirement::format_number(*scalar, *bits)),
        Size::Extent(extent) => whole(extent.to_string()),
        Size::Generic(id) => {
            whole(kernel.generics.get(*id).map_or("_", |generic| generic.name.as_str()).to_owned())
        }
        Size::Param(id) => whole(name(*id).to_owned()),
        Size::Len(id) => whole(format!("{}.len()", name(*id))),
        Size::Builtin(builtin) => whole(builtin.spell()),
        Size::Unary(UnaryOp::Neg, value) => {
            (format!("-{}", spell_in_level(value, Level::Unary, kernel)), Level::Unary)
        }
        Size::Unary(UnaryOp::Not, value) => {
            (format!("!{}", spell_in_level(value, Level::Unary, kernel)), Level::Unary)
        }
        Size::Unary(op, value) => {
            whole(format!("{}.{}()", spell_in_level(value, Level::Whole, kernel), op.name()))
        }
        Size::Binary(op, parts) => match binary_sign(*op) {
            Some((sign, level)) => (spell_infix(&parts[0], sign, &parts[1], level, kernel), level),
            None => {
                let (this, other) = (
                    spell_in_level(&parts[0], Level::Whole, kernel),
                    spell_with_level(&parts[1], kernel).0,
                );
                whole(format!("{this}.{}({other})", op.name()))
            }
        },
        Size::Compare(op, parts) => {
            let [lhs, rhs] =
                [&parts[0], &parts[1]].map(|part| spell_in_level(part, Level::BitOr, kernel));
            (format!("{lhs} {} {rhs}", comparison_sign(*op)), Level::Compare)
        }
        Size::Select(parts) => match &**parts {
            [lhs, rhs, Size::Const(Scalar::Bool, 0)] => {
                (spell_infix(lhs, "&&", rhs, Level::And, kernel), Level::And)
            }
            [lhs, Size::Const(Scalar::Bool, 1), rhs] => {
                (spell_infix(lhs, "||", rhs, Level::Or, kernel), Level::Or)
            }
            parts => {
                let [cond, then, other] =
                    parts.each_ref().map(|part| spell_with_level(part, kernel).0);
                whole(format!("(if {cond} {{ {then} }} else {{ {other} }})"))
            }
        },
        Size::Cast(to, value) => (
            format!("{} as {}", spell_in_level(value, Level::Cast, kernel), to.spell()),
            Level::Cast,
        ),
    }
}

/// Returns a size in Rust, in parentheses if its precedence is lower than `level`.
fn spell_in_level(size: &Size, level: Level, kernel: &Kernel) -> String {
    let (text, own) = spell_with_level(size, kernel);
    if own < level { format!("({text})") } else { text }
}

/// Returns `lhs sign rhs`. Operators are left-associative, so on the right an operator of the same
/// level needs parentheses.
fn spell_infix(lhs: &Size, sign: &str, rhs: &Size, level: Level, kernel: &Kernel) -> String {
    let lhs = spell_in_level(lhs, level, kernel);
    let (text, own) = spell_with_level(rhs, kernel);
    let rhs = if own <= level { format!("({text})") } else { text };
    format!("{lhs} {sign} {rhs}")
}

const fn binary_sign(op: BinaryOp) -> Option<(&'static str, Level)> {
    Some(match op {
        BinaryOp::Add => ("+", Level::Sum),
        BinaryOp::Sub => ("-", Level::Sum),
        BinaryOp::Mul => ("*", Level::Product),
        BinaryOp::Div => ("/", Level::Product),
        BinaryOp::Rem => ("%", Level::Product),
        BinaryOp::And => ("&", Level::BitAnd),
        BinaryOp::Or => ("|", Level::BitOr),
        BinaryOp::Xor => ("^", Level::BitXor),
        BinaryOp::Shl => ("<<", Level::Shift),
        BinaryOp::Shr => (">>", Level::Shift),
        BinaryOp::Min | BinaryOp::Max | BinaryOp::MulHigh | BinaryOp::RotateLeft => return None,
    })
}

/// Returns the sign of a comparison in Rust.
pub(crate) const fn comparison_sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(cond: &str) -> String {
        let text = format!(
            "kernel k {{ param arg0 = x: read [f32] param arg1 = n: u32 requires \"\" {cond} !0 }}"
        );
        let kernel: Kernel = text.parse().unwrap();
        kernel.requires[0].cond.spell(&kernel)
    }

    #[test]
    fn parentheses_stand_where_rust_needs_them() {
        for (cond, expected) in [
            (
                "ge(len arg0, mul(add(cast u64(arg1), const 1 : u64), const 2 : u64))",
                "x.len() >= (n as usize + 1) * 2",
            ),
            (
                "eq(sub(len arg0, sub(len arg0, const 1 : u64)), const 1 : u64)",
                "x.len() - (x.len() - 1) == 1",
            ),
            (
                "select(lt(arg1, const 3 : u32), const true : bool, select(eq(arg1, const 7 : u32), ge(len arg0, const 1 : u64), const false : bool))",
                "n < 3 || n == 7 && x.len() >= 1",
            ),
            ("not(lt(arg1, const 3 : u32))", "!(n < 3)"),
            ("lt(min(arg1, const 3 : u32), const 3 : u32)", "n.min(3) < 3"),
            (
                "le(mul(builtin grid_dim.x, builtin block_dim.x), len arg0)",
                "grid_dim_x() * block_dim_x() <= x.len()",
            ),
        ] {
            assert_eq!(spelled(cond), expected, "{cond}");
        }
    }
}

//! Mistakes in numbers: `T::from(2.0)`, bits of floats, and methods of atomics on plain numbers.
use crate::{mistakes::Finder, types::Prim};
use syn::{
    BinOp, Expr, ExprBinary, ExprCall, ExprIndex, ExprLit, ExprMethodCall, ExprUnary, Lit, Path,
    UnOp,
};

impl Finder {
    /// Returns the message for `T::from(2.0)`, or CubeCL's `T::new(2.0)`, with a type parameter `T`
    /// of numbers.
    pub(super) fn conversion_of_literal(
        &self,
        path: &Path,
        call: &ExprCall,
    ) -> Option<(String, String)> {
        let [of, from] = path.segments.iter().collect::<Vec<_>>()[..] else { return None };
        let is_conversion = ["from", "new", "cast_from"].iter().any(|known| from.ident == known);
        if !is_conversion || !self.number_params.contains(&of.ident.to_string()) {
            return None;
        }
        let Expr::Lit(ExprLit { lit, .. }) = call.args.first()? else {
            let fact = format!("`{}` has no function `cast_from`", of.ident);
            let help = format!(
                "write `{0}::from_usize(n)`, `{0}::from_i32(n)` or `{0}::from_f64(x)`",
                of.ident
            );
            return (from.ident == "cast_from").then_some((fact, help));
        };
        let (function, shown) = match lit {
            Lit::Float(number) => ("from_f64", number.base10_digits()),
            Lit::Int(number) => ("from_i32", number.base10_digits()),
            _ => return None,
        };
        let of = &of.ident;
        let fact = match from.ident.to_string().as_str() {
            "from" => format!("`{of}` may be a type that `From` does not make of this number"),
            name => format!("`{of}` has no function `{name}`"),
        };
        Some((fact, format!("write `{of}::{function}({shown})`")))
    }

    /// Returns the message for `x << 1` and the like, where the type of `x` may be a float.
    pub(super) fn bits_of_float(
        &self,
        ExprBinary { left, op, .. }: &ExprBinary,
    ) -> Option<(String, String)> {
        let what = match op {
            BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_) => "shifts",
            BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => "operators on bits",
            _ => return None,
        };
        let value = match &**left {
            Expr::Index(ExprIndex { expr, .. }) => expr,
            Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => expr,
            other => other,
        };
        let Expr::Path(value) = value else { return None };
        let ty = self.float_values.get(&value.path.get_ident()?.to_string())?;
        let bound = self.float_bounds.get(ty)?;
        let fact = match bound.as_str() {
            "Num" => format!("{what} are for integers, and `{ty}: Num` may be a float"),
            _ => format!("{what} are for integers, and `{ty}` is a float"),
        };
        Some((fact, format!("bound `{ty}` by `Int`: `{ty}: Int`")))
    }

    /// Returns the message for a method of atomics on a parameter of plain numbers.
    pub(super) fn atomic_call(&self, call: &ExprMethodCall) -> Option<(String, String)> {
        const METHODS: [&str; 11] = [
            "compare_exchange",
            "compare_exchange_weak",
            "fetch_add",
            "fetch_and",
            "fetch_max",
            "fetch_min",
            "fetch_or",
            "fetch_sub",
            "fetch_update",
            "fetch_xor",
            "store",
        ];
        let method = call.method.to_string();
        if !METHODS.contains(&method.as_str()) {
            return None;
        }
        let receiver = match &*call.receiver {
            Expr::Index(ExprIndex { expr, .. }) => expr,
            other => other,
        };
        let Expr::Path(path) = receiver else { return None };
        let name = path.path.get_ident()?.to_string();
        let (atomic, help) = if let Some(number) = self.numbers.get(&name) {
            let atomic = atomic_of(*number);
            let help = format!(
                "take atomics, `{name}: &[{atomic}]`: a launch passes a `&mut Buffer<{}>` or a `&Buffer<{atomic}>`",
                number.name()
            );
            (atomic, help)
        } else {
            let (number, len) = self.shared_numbers.get(&name)?;
            let atomic = atomic_of(*number);
            let help = format!("share atomics: `let {name} = shared!([{atomic}; {len}]);`");
            (atomic, help)
        };
        Some((format!("`{name}` has no atomics: `{method}` is a method of `{atomic}`"), help))
    }
}

/// Returns the name of the atomic of a number.
fn atomic_of(number: Prim) -> String {
    match number.name() {
        "i32" | "i64" | "u64" | "f32" | "f64" | "usize" | "isize" | "bool" => {
            let (first, rest) = number.name().split_at(1);
            format!("Atomic{}{rest}", first.to_uppercase())
        }
        _ => "AtomicU32".to_owned(),
    }
}

//! Display of types in messages.
use crate::types::{Class, GenericArg, List, Ty, Type, Types, atomic_name, vector::Vector};
use warpwise_compiler::{
    id::Id as _,
    ir::{Extent, GenericId},
};

impl Types {
    /// Returns the vector type that an item defines; no other item has the name of one.
    pub(crate) fn vector(&self, item: usize) -> Option<Vector> {
        Vector::from_name(self.adts.get(item)?)
    }

    /// Formats a type in Rust's syntax, with `_` and `{integer}` for unknown types.
    pub(crate) fn show(&self, ty: Ty) -> String {
        match self.get(ty) {
            Type::Unknown(Class::Any) | Type::Same(_) | Type::Reported(_) => "_".into(),
            Type::Unknown(Class::Int) => "{integer}".into(),
            Type::Unknown(Class::Float) => "{float}".into(),
            Type::Unit => "()".into(),
            Type::Never => "!".into(),
            Type::Prim(prim) => prim.name().into(),
            Type::Generic(id) => self.generic_name(id),
            Type::Ref { mutable: false, to } => format!("&{}", self.show(to)),
            Type::Ref { mutable: true, to } => format!("&mut {}", self.show(to)),
            Type::Slice(elem) => format!("[{}]", self.show(elem)),
            Type::Array(elem, len) => match self.extent(len) {
                Some(extent) => format!("[{}; {}]", self.show(elem), self.show_extent(extent)),
                None => format!("[{}; _]", self.show(elem)),
            },
            Type::Atomic(prim) => atomic_name(prim).into(),
            Type::Tuple(list) => match self.show_list(list).as_slice() {
                [one] => format!("({one},)"),
                parts => format!("({})", parts.join(", ")),
            },
            Type::Adt(item, list) => {
                let name = self.adts.get(item).map_or("_", String::as_str);
                match self.show_list(list).as_slice() {
                    [] => name.into(),
                    args => format!("{name}<{}>", args.join(", ")),
                }
            }
            Type::Closure(_) => "{closure}".into(),
            Type::Pointer(list) => match self.show_list(list).as_slice() {
                [params @ .., ret] if ret == "()" => format!("fn({})", params.join(", ")),
                [params @ .., ret] => format!("fn({}) -> {ret}", params.join(", ")),
                [] => "fn()".into(),
            },
            Type::Iter(chain, list) => match self.parts(list).first() {
                Some(item) => format!("{}<Item = {}>", chain.name(), self.show(*item)),
                None => chain.name().into(),
            },
        }
    }

    fn show_list(&self, list: List) -> Vec<String> {
        let args = self.lists[list].iter();
        args.map(|arg| match arg {
            GenericArg::Type(ty) => self.show(*ty),
            GenericArg::Const(len) => {
                self.extent(*len).map_or_else(|| "_".into(), |extent| self.show_extent(extent))
            }
        })
        .collect()
    }

    /// Formats a length in Rust's syntax.
    pub(crate) fn show_extent(&self, extent: &Extent) -> String {
        let binary = |op: &str, a: &Extent, b: &Extent| {
            format!("({} {op} {})", self.show_extent(a), self.show_extent(b))
        };
        match extent {
            Extent::Const(value) => value.to_string(),
            Extent::Generic(id) => self.generic_name(*id),
            Extent::SizeOf(_) => "_".into(),
            Extent::Add(a, b) => binary("+", a, b),
            Extent::Sub(a, b) => binary("-", a, b),
            Extent::Mul(a, b) => binary("*", a, b),
            Extent::Div(a, b) => binary("/", a, b),
            Extent::Max(a, b) => format!("max({}, {})", self.show_extent(a), self.show_extent(b)),
        }
    }

    fn generic_name(&self, id: GenericId) -> String {
        self.generics.get(id.index()).cloned().unwrap_or_else(|| "_".into())
    }
}

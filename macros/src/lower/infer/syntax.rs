//! Types as they are written.
use super::{
    super::{
        error::Reported,
        span::SpanRange,
        tree::GenericArg,
        types::{Prim, Ty, Type, atomic_named},
    },
    Infer, scope,
};
use syn::GenericArgument;

impl Infer<'_> {
    /// The type that is written in the function itself.
    pub(super) fn ty(&mut self, ty: &syn::Type) -> Ty {
        let args = std::mem::take(&mut self.names.args);
        let ty = self.type_among(ty, &args);
        self.names.args = args;
        ty
    }

    /// The type that is written where the generic parameters are `args`.
    pub(super) fn type_among(&mut self, ty: &syn::Type, args: &[(String, GenericArg)]) -> Ty {
        match ty {
            syn::Type::Array(array) => {
                let elem = self.type_among(&array.elem, args);
                let len = self.len_among(&array.len, args);
                self.types.add(Type::Array(elem, len))
            }
            syn::Type::Slice(slice) => {
                let elem = self.type_among(&slice.elem, args);
                self.types.add(Type::Slice(elem))
            }
            syn::Type::Reference(reference) => {
                let to = self.type_among(&reference.elem, args);
                self.types.reference(reference.mutability.is_some(), to)
            }
            syn::Type::Paren(paren) => self.type_among(&paren.elem, args),
            syn::Type::Group(group) => self.type_among(&group.elem, args),
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => self.types.unit(),
            syn::Type::Never(_) => self.types.never(),
            syn::Type::Infer(_) => self.unknown(),
            syn::Type::Path(path) if path.qself.is_none() => self.path_type(&path.path, args),
            other => {
                let reported = self.no_type(other);
                self.types.add(Type::Reported(reported))
            }
        }
    }

    fn path_type(&mut self, path: &syn::Path, args: &[(String, GenericArg)]) -> Ty {
        let at = SpanRange::path(path);
        let Some(last) = path.segments.last() else { return self.unknown() };
        let name = last.ident.to_string();
        if path.segments.len() == 1
            && let Some((_, GenericArg::Type(ty))) = scope::generic(args, &name)
        {
            return ty;
        }
        if last.arguments.is_none() {
            if let Some(prim) = Prim::named(&name) {
                return self.prim(prim);
            }
            if let Some(prim) = atomic_named(&name) {
                return self.types.add(Type::Atomic(prim));
            }
        }
        let reported = self.no_path_type(at, &name);
        self.types.add(Type::Reported(reported))
    }

    fn no_path_type(&mut self, at: SpanRange, name: &str) -> Reported {
        let fact = format!("kernel code cannot use the type `{name}`");
        let help = match name {
            "i128" | "u128" => "use integers of at most 64 bits",
            "char" => "use `u8` or `u32`",
            "str" | "String" => "pass bytes as `&[u8]`",
            "Vec" | "Box" | "Rc" | "Arc" | "HashMap" => {
                "a kernel cannot allocate: pass a buffer as `&[T]` or `&mut [T]`"
            }
            "AtomicUsize" => "use `AtomicU64` or `AtomicU32`",
            "AtomicIsize" => "use `AtomicI64` or `AtomicI32`",
            "AtomicBool" | "AtomicU8" | "AtomicI8" | "AtomicU16" | "AtomicI16" => {
                "use `AtomicU32`: atomics have 32 or 64 bits"
            }
            "Option" | "Result" => "use a number and a `bool`",
            "Self" => "name the type",
            _ => "types are numbers, `bool`, atomics, arrays and slices of them, and references",
        };
        self.errors.advise(at, fact, help)
    }

    fn no_type(&mut self, ty: &syn::Type) -> Reported {
        let (what, help) = match ty {
            syn::Type::Ptr(_) => ("raw pointers", "use slices: `&[T]`, `&mut [T]`"),
            syn::Type::TraitObject(_) | syn::Type::ImplTrait(_) => {
                ("trait objects or `impl` types", "use a type parameter")
            }
            syn::Type::FnPtr(_) => ("function pointers", "call the function by its name"),
            syn::Type::Tuple(_) => ("tuples", "use one variable for each part"),
            syn::Type::Macro(_) => ("macros as types", "write the type out"),
            syn::Type::Path(_) => ("qualified types", "name the type"),
            _ => ("this type", "use numbers, `bool`, atomics, arrays, slices and references"),
        };
        let at = SpanRange::tokens(ty);
        self.errors.advise(at, format_args!("kernel code cannot use {what}"), help)
    }

    /// A generic argument as it is written, for a parameter that is `slot`.
    pub(super) fn generic_arg(&mut self, written: &GenericArgument, slot: GenericArg, prim: Prim) {
        let at = SpanRange::tokens(written);
        match (written, slot) {
            (GenericArgument::Type(syn::Type::Infer(_)), _) => {}
            (GenericArgument::Type(ty), GenericArg::Type(slot)) => {
                let ty = self.ty(ty);
                self.unify(at, ty, slot);
            }
            (GenericArgument::Const(expr), GenericArg::Const(slot)) => {
                let len = self.const_arg(expr, prim);
                self.unify_len(at, len, slot);
            }
            // `f::<N>` reads as a type until one knows what `N` is.
            (GenericArgument::Type(syn::Type::Path(path)), GenericArg::Const(slot)) => {
                let path = syn::ExprPath { attrs: vec![], qself: None, path: path.path.clone() };
                let len = self.const_arg(&syn::Expr::Path(path), prim);
                self.unify_len(at, len, slot);
            }
            _ => {
                self.errors.mistyped(at, "this generic argument does not fit its parameter");
            }
        }
    }

    fn unify_len(
        &mut self,
        at: SpanRange,
        found: super::super::types::Len,
        expected: super::super::types::Len,
    ) {
        if self.types.unify_len(found, expected).is_err() {
            self.errors.mistyped(at, "this constant does not fit the other arguments");
        }
    }
}

//! Iterator types of std by name: `std::slice::Iter<'a, f32>`,
//! `std::iter::Rev<std::ops::Range<usize>>`.
use crate::{
    hir::GenericArg,
    infer::{
        Infer,
        items::{scope::Env, written_type::non_lifetime_args},
    },
    syntax::span::SpanRange,
    types::{
        Len, Prim, Ty, Type,
        iterator::{Adapter, IterKind},
    },
};
use std::cell::Cell;
use syn::GenericArgument;

impl Infer<'_> {
    /// Resolves a path to an iterator type of std; `None` if kernel code does not have it.
    pub(crate) fn resolve_std_iterator(
        &mut self,
        path: &syn::Path,
        names: &[String],
        env: &Env,
    ) -> Option<Ty> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ["std" | "core", module, name] = names.as_slice() else { return None };
        let written = non_lifetime_args(&path.segments.last()?.arguments);
        let are_too_few = Cell::new(false);
        let end = std::iter::from_fn(|| {
            are_too_few.set(true);
            None
        });
        let mut args = written.iter().copied().chain(end);
        match self.std_iterator_parts(module, name, &mut args, env) {
            Some((chain, types)) => Some(self.iterator_type(chain, types)),
            None if are_too_few.get() => {
                let (at, count) = (SpanRange::path(path), written.len());
                let reported = self.report_generic_count(count + 1, count, at);
                Some(self.types.add(Type::Reported(reported)))
            }
            None => None,
        }
    }

    /// Returns the iterator with its item type and part types; `None` if it is unknown or `args` do
    /// not fit.
    fn std_iterator_parts(
        &mut self,
        module: &str,
        name: &str,
        args: &mut dyn Iterator<Item = &GenericArgument>,
        env: &Env,
    ) -> Option<(IterKind, Vec<Ty>)> {
        let mut ty = |this: &mut Self| match args.next()? {
            GenericArgument::Type(ty) => Some(this.resolve_type_in(ty, env)),
            _ => None,
        };
        let usize = self.prim(Prim::Usize);
        Some(match (module, name) {
            ("array", "IntoIter") => {
                let elem = ty(self)?;
                let len = self.resolve_len_arg(args.next()?, env);
                let array = self.types.add(Type::Array(elem, len));
                (IterKind::Array, vec![elem, array, usize, usize])
            }
            ("slice", "Iter" | "IterMut") => {
                let elem = ty(self)?;
                let mutable = name == "IterMut";
                let slice = self.slice_reference_type(elem, mutable);
                (IterKind::Slice, vec![self.types.reference(mutable, elem), slice])
            }
            ("slice", "Chunks" | "ChunksMut") => {
                let elem = ty(self)?;
                let slice = self.slice_reference_type(elem, name == "ChunksMut");
                (IterKind::Chunks, vec![slice, slice, usize])
            }
            ("slice", "ChunksExact" | "ChunksExactMut") => {
                let elem = ty(self)?;
                let slice = self.slice_reference_type(elem, name == "ChunksExactMut");
                (IterKind::ChunksExact, vec![slice, slice, usize, usize])
            }
            ("slice", "Windows") => {
                let elem = ty(self)?;
                let slice = self.slice_reference_type(elem, false);
                (IterKind::Windows, vec![slice, slice, usize])
            }
            ("iter", name) => {
                let inner = ty(self)?;
                let (_, item) = self.as_iterator(inner)?;
                let (adapter, types) = match name {
                    "Rev" => (Adapter::Rev, vec![item, inner]),
                    "Copied" | "Cloned" => match self.types.get(item) {
                        Type::Ref { to, .. } => (Adapter::Copied, vec![to, inner]),
                        _ => return None,
                    },
                    "Enumerate" => {
                        let numbered = self.types.tuple(vec![usize, item]);
                        (Adapter::Enumerate, vec![numbered, inner, usize])
                    }
                    "Peekable" => {
                        let seen = self.option_type(item);
                        (Adapter::Peekable, vec![item, inner, seen, usize])
                    }
                    "Skip" => (Adapter::Skip, vec![item, inner, usize]),
                    "Take" => (Adapter::Take, vec![item, inner, usize]),
                    "StepBy" => (Adapter::StepBy, vec![item, inner, usize, usize]),
                    "Zip" => {
                        let second = ty(self)?;
                        let (_, theirs) = self.as_iterator(second)?;
                        let both = self.types.tuple(vec![item, theirs]);
                        (Adapter::Zip, vec![both, inner, second])
                    }
                    "Chain" => (Adapter::Chain, vec![item, inner, ty(self)?, usize]),
                    _ => return None,
                };
                (IterKind::Adapter(adapter), types)
            }
            _ => return None,
        })
    }

    fn slice_reference_type(&mut self, elem: Ty, mutable: bool) -> Ty {
        let slice = self.types.add(Type::Slice(elem));
        self.types.reference(mutable, slice)
    }

    /// Evaluates a length written as a generic argument.
    fn resolve_len_arg(&mut self, written: &GenericArgument, env: &Env) -> Len {
        let len = self.types.unknown_len();
        self.unify_generic_arg(written, GenericArg::Const(len), Prim::Usize, env);
        len
    }
}

//! Results of inference as notes about the function's syntax, for its witness.
use crate::{
    hir::measure::Measure,
    resolve::std_paths::StdItem,
    types::{
        Ty,
        builtin::{
            Async, Builtin, BuiltinPart, BulkStoreFn, ClusterFn, MBarrierFn, ResolvedBuiltin,
        },
        collective::{Collective, CollectiveArgs},
    },
};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    ptr,
};
use syn::{AngleBracketedGenericArguments, Lit, Local, Path, PathArguments, parse_quote};

/// Results of inference for one function's syntax. Syntax nodes are identified by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) types: HashMap<usize, Ty, BuildHasherDefault<AddressHasher>>,
    /// Paths of functions, each with the absolute path that it resolved to.
    pub(crate) builtins: Vec<(Path, String)>,
    pub(crate) orders: Vec<(Path, &'static str)>,
    pub(crate) constants: Vec<(Path, StdItem)>,
}

/// A hasher for addresses, which are distinct already: it takes fewer steps than the default, which
/// resists chosen keys.
#[derive(Debug, Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write_usize(&mut self, address: usize) {
        // An odd multiplier with many set bits, from the golden ratio. The rotation moves the high
        // bits down, because the low bits of all addresses are equal.
        self.0 = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(self.0 as usize ^ usize::from(*byte)));
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

impl Notes {
    /// Records the type of an unsuffixed literal.
    pub(crate) fn record_literal(&mut self, lit: &Lit, ty: Ty) {
        self.types.insert(ptr::from_ref(lit).addr(), ty);
    }

    /// Records the type of a `let` without a type annotation.
    pub(crate) fn record_let(&mut self, local: &Local, ty: Ty) {
        self.types.insert(ptr::from_ref(local).addr(), ty);
    }

    /// Records a path that resolved to a built-in function.
    pub(crate) fn record_builtin(&mut self, path: &Path, found: &ResolvedBuiltin) {
        let absolute = || format!("warpwise::{}", found.path);
        match found.builtin {
            Builtin::Async(Async::Copy)
            | Builtin::Texture(_)
            | Builtin::Cluster(ClusterFn::MapShared)
            | Builtin::MBarrier(MBarrierFn::BulkCopy)
            | Builtin::BulkStore(BulkStoreFn::Store)
            | Builtin::Cache(_) => {
                return self.record_numeric_generic(path, absolute());
            }
            Builtin::NamedBarrier { .. } => {
                return self.record_generic(path, parse_quote!(::<1, 32>), absolute());
            }
            Builtin::Wgmma { .. } => {
                return self.record_generic(path, parse_quote!(::<8, 1, u32>), absolute());
            }
            Builtin::MBarrier(MBarrierFn::TensorCopy | MBarrierFn::Multicast)
            | Builtin::BulkStore(BulkStoreFn::Tensor) => {
                return self.record_generic(path, parse_quote!(::<f32, f32, f32>), absolute());
            }
            // The number itself may be a parameter of the kernel.
            Builtin::Async(Async::Wait { .. })
            | Builtin::WgmmaWait { .. }
            | Builtin::BulkStore(BulkStoreFn::Wait { .. }) => {
                return self.record_generic(path, parse_quote!(::<0>), absolute());
            }
            _ => {}
        }
        let generic = found.takes_width || found.params.contains(&BuiltinPart::Value);
        if !generic && !self.builtins.iter().any(|(known, _)| known == path) {
            self.builtins.push((path.clone(), absolute()));
        }
    }

    /// Records a path that resolved to a function of the modules `warp` and `block`.
    pub(crate) fn record_collective(&mut self, path: &Path, found: Collective) {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.arguments = match found.takes {
                CollectiveArgs::Nothing => PathArguments::None,
                CollectiveArgs::Compared
                | CollectiveArgs::Sum
                | CollectiveArgs::Number
                | CollectiveArgs::Copied => PathArguments::AngleBracketed(parse_quote!(::<i32>)),
                CollectiveArgs::Closure => {
                    PathArguments::AngleBracketed(parse_quote!(::<i32, fn(i32, i32) -> i32>))
                }
            };
        }
        if !self.builtins.iter().any(|(known, _)| *known == path) {
            self.builtins.push((path, format!("warpwise::{}::{}", found.module, found.name)));
        }
    }

    /// Records a path that resolved to the ordering with this name.
    pub(crate) fn record_ordering(&mut self, path: &Path, name: &'static str) {
        if !self.orders.iter().any(|(known, _)| known == path) {
            self.orders.push((path.clone(), name));
        }
    }

    /// Records a path that resolved to a function or constant of the standard library.
    pub(crate) fn record_std_path(&mut self, path: &Path, name: &StdItem) {
        match name.generic_arguments() {
            Some(arguments) => {
                let mut path = path.clone();
                if let Some(last) = path.segments.last_mut()
                    && let Ok(arguments) = syn::parse_str(arguments)
                {
                    last.arguments = PathArguments::AngleBracketed(arguments);
                }
                if !self.builtins.iter().any(|(known, _)| *known == path) {
                    self.builtins.push((path, name.path.clone()));
                }
            }
            None if !self.constants.iter().any(|(known, _)| known == path) => {
                self.constants.push((path.clone(), name.clone()));
            }
            None => {}
        }
    }

    /// Records a path that resolved to a function of the module `math`.
    pub(crate) fn record_math(&mut self, path: &Path, name: &str) {
        self.record_numeric_generic(path, format!("warpwise::math::{name}"));
    }

    /// Records a path that resolved to `size_of` or `align_of`.
    pub(crate) fn record_measure(&mut self, path: &Path, measure: Measure) {
        self.record_numeric_generic(path, format!("core::mem::{}", measure.name()));
    }

    /// Records a path that resolved to a function that is generic over one type, with `f32` as its
    /// argument.
    fn record_numeric_generic(&mut self, path: &Path, absolute: String) {
        self.record_generic(path, parse_quote!(::<f32>), absolute);
    }

    /// Records a path that resolved to a generic function, with these arguments.
    fn record_generic(
        &mut self,
        path: &Path,
        arguments: AngleBracketedGenericArguments,
        absolute: String,
    ) {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.arguments = PathArguments::AngleBracketed(arguments);
        }
        if !self.builtins.iter().any(|(known, _)| *known == path) {
            self.builtins.push((path, absolute));
        }
    }
}

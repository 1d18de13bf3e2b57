//! Conversions between the known types of a function and function-independent types.
use crate::types::{
    ClosureType, GenericArg, List, Ty, Type, Types,
    mono::{ClosureMono, Mono, MonoArg},
};
use std::rc::Rc;

impl Types {
    /// Returns the type if it is completely known.
    pub(crate) fn to_mono(&self, ty: Ty) -> Option<Mono> {
        Some(match self.get(ty) {
            Type::Unknown(_) | Type::Same(_) | Type::Reported(_) => return None,
            Type::Unit => Mono::Unit,
            Type::Never => Mono::Never,
            Type::Prim(prim) => Mono::Prim(prim),
            Type::Generic(id) => Mono::Generic(id),
            Type::Ref { mutable, to } => Mono::Ref { mutable, to: Box::new(self.to_mono(to)?) },
            Type::Slice(elem) => Mono::Slice(Box::new(self.to_mono(elem)?)),
            Type::Array(elem, len) => {
                Mono::Array(Box::new(self.to_mono(elem)?), self.extent(len)?.clone())
            }
            Type::Atomic(prim) => Mono::Atomic(prim),
            Type::Tuple(list) => Mono::Tuple(self.list_to_mono(list)?),
            Type::Adt(item, list) => Mono::Adt(item, self.list_to_mono(list)?),
            Type::Pointer(list) => Mono::Pointer(self.list_to_mono(list)?),
            Type::Iter(chain, list) => {
                let types = self.parts(list).into_iter().map(|part| self.to_mono(part));
                Mono::Iter(chain, types.collect::<Option<_>>()?)
            }
            Type::Closure(id) => {
                let ClosureType { number: which, params, ret } = &self.closures[id];
                let params =
                    params.iter().map(|param| self.to_mono(*param)).collect::<Option<_>>()?;
                Mono::Closure(Rc::new(ClosureMono {
                    number: *which,
                    params,
                    ret: self.to_mono(*ret)?,
                }))
            }
        })
    }

    fn list_to_mono(&self, list: List) -> Option<Vec<MonoArg>> {
        self.lists[list].iter().map(|arg| self.arg_to_mono(*arg)).collect()
    }

    /// Returns a generic argument if it is completely known.
    pub(crate) fn arg_to_mono(&self, arg: GenericArg) -> Option<MonoArg> {
        Some(match arg {
            GenericArg::Type(ty) => MonoArg::Type(self.to_mono(ty)?),
            GenericArg::Const(len) => MonoArg::Const(self.extent(len)?.clone()),
        })
    }

    /// Adds a known type.
    pub(crate) fn add_mono(&mut self, mono: &Mono) -> Ty {
        match mono {
            Mono::Unit => self.unit(),
            Mono::Never => self.never(),
            Mono::Prim(prim) => self.prim(*prim),
            Mono::Generic(id) => self.add(Type::Generic(*id)),
            Mono::Ref { mutable, to } => {
                let to = self.add_mono(to);
                self.reference(*mutable, to)
            }
            Mono::Slice(elem) => {
                let elem = self.add_mono(elem);
                self.add(Type::Slice(elem))
            }
            Mono::Array(elem, len) => {
                let (elem, len) = (self.add_mono(elem), self.len(len.clone()));
                self.add(Type::Array(elem, len))
            }
            Mono::Atomic(prim) => self.add(Type::Atomic(*prim)),
            Mono::Tuple(args) => {
                let list = self.add_mono_list(args);
                self.add(Type::Tuple(list))
            }
            Mono::Adt(item, args) => {
                let list = self.add_mono_list(args);
                self.add(Type::Adt(*item, list))
            }
            Mono::Pointer(args) => {
                let list = self.add_mono_list(args);
                self.add(Type::Pointer(list))
            }
            Mono::Iter(chain, types) => {
                let args = types.iter().map(|ty| GenericArg::Type(self.add_mono(ty))).collect();
                let list = self.list(args);
                self.add(Type::Iter(*chain, list))
            }
            Mono::Closure(closure) => {
                let params = closure.params.iter().map(|param| self.add_mono(param)).collect();
                let ret = self.add_mono(&closure.ret);
                self.closure(ClosureType { number: closure.number, params, ret })
            }
        }
    }

    fn add_mono_list(&mut self, args: &[MonoArg]) -> List {
        let args = args.iter().map(|arg| self.add_mono_arg(arg)).collect();
        self.list(args)
    }

    /// Adds a known generic argument.
    pub(crate) fn add_mono_arg(&mut self, arg: &MonoArg) -> GenericArg {
        match arg {
            MonoArg::Type(mono) => GenericArg::Type(self.add_mono(mono)),
            MonoArg::Const(extent) => GenericArg::Const(self.len(extent.clone())),
        }
    }
}

//! Conversions between the known types of a function and function-independent types.
use crate::types::{
    ClosureType, GenericArg, List, Ty, Type, Types,
    mono::{ClosureMono, Mono, MonoArg},
};
use std::rc::Rc;

impl Types {
    /// Returns the type if it is completely known.
    pub(crate) fn mono(&self, ty: Ty) -> Option<Mono> {
        Some(match self.get(ty) {
            Type::Unknown(_) | Type::Same(_) | Type::Reported(_) => return None,
            Type::Unit => Mono::Unit,
            Type::Never => Mono::Never,
            Type::Prim(prim) => Mono::Prim(prim),
            Type::Generic(id) => Mono::Generic(id),
            Type::Ref { mutable, to } => Mono::Ref { mutable, to: Box::new(self.mono(to)?) },
            Type::Slice(elem) => Mono::Slice(Box::new(self.mono(elem)?)),
            Type::Array(elem, len) => {
                Mono::Array(Box::new(self.mono(elem)?), self.extent(len)?.clone())
            }
            Type::Atomic(prim) => Mono::Atomic(prim),
            Type::Tuple(list) => Mono::Tuple(self.mono_list(list)?),
            Type::Adt(item, list) => Mono::Adt(item, self.mono_list(list)?),
            Type::Pointer(list) => Mono::Pointer(self.mono_list(list)?),
            Type::Iter(chain, list) => {
                let types = self.parts(list).into_iter().map(|part| self.mono(part));
                Mono::Iter(chain, types.collect::<Option<_>>()?)
            }
            Type::Closure(id) => {
                let ClosureType { which, params, ret } = &self.closures[id];
                let params = params.iter().map(|param| self.mono(*param)).collect::<Option<_>>()?;
                Mono::Closure(Rc::new(ClosureMono { which: *which, params, ret: self.mono(*ret)? }))
            }
        })
    }

    fn mono_list(&self, list: List) -> Option<Vec<MonoArg>> {
        self.lists[list].iter().map(|arg| self.mono_arg(*arg)).collect()
    }

    /// Returns a generic argument if it is completely known.
    pub(crate) fn mono_arg(&self, arg: GenericArg) -> Option<MonoArg> {
        Some(match arg {
            GenericArg::Type(ty) => MonoArg::Type(self.mono(ty)?),
            GenericArg::Const(len) => MonoArg::Const(self.extent(len)?.clone()),
        })
    }

    /// Adds a known type.
    pub(crate) fn of_mono(&mut self, mono: &Mono) -> Ty {
        match mono {
            Mono::Unit => self.unit(),
            Mono::Never => self.never(),
            Mono::Prim(prim) => self.prim(*prim),
            Mono::Generic(id) => self.add(Type::Generic(*id)),
            Mono::Ref { mutable, to } => {
                let to = self.of_mono(to);
                self.reference(*mutable, to)
            }
            Mono::Slice(elem) => {
                let elem = self.of_mono(elem);
                self.add(Type::Slice(elem))
            }
            Mono::Array(elem, len) => {
                let (elem, len) = (self.of_mono(elem), self.len(len.clone()));
                self.add(Type::Array(elem, len))
            }
            Mono::Atomic(prim) => self.add(Type::Atomic(*prim)),
            Mono::Tuple(args) => {
                let list = self.list_of(args);
                self.add(Type::Tuple(list))
            }
            Mono::Adt(item, args) => {
                let list = self.list_of(args);
                self.add(Type::Adt(*item, list))
            }
            Mono::Pointer(args) => {
                let list = self.list_of(args);
                self.add(Type::Pointer(list))
            }
            Mono::Iter(chain, types) => {
                let args = types.iter().map(|ty| GenericArg::Type(self.of_mono(ty))).collect();
                let list = self.list(args);
                self.add(Type::Iter(*chain, list))
            }
            Mono::Closure(closure) => {
                let params = closure.params.iter().map(|param| self.of_mono(param)).collect();
                let ret = self.of_mono(&closure.ret);
                self.closure(ClosureType { which: closure.which, params, ret })
            }
        }
    }

    fn list_of(&mut self, args: &[MonoArg]) -> List {
        let args = args.iter().map(|arg| self.of_mono_arg(arg)).collect();
        self.list(args)
    }

    /// Adds a known generic argument.
    pub(crate) fn of_mono_arg(&mut self, arg: &MonoArg) -> GenericArg {
        match arg {
            MonoArg::Type(mono) => GenericArg::Type(self.of_mono(mono)),
            MonoArg::Const(extent) => GenericArg::Const(self.len(extent.clone())),
        }
    }
}

//! Lowering of loads and stores with a cache operator, and of prefetches.
use crate::{
    hir::{Expr, SpanId},
    lower::{Flow, Lowerer, Memory, Place, Value},
    types::{Type, builtin::Cache, mono::Mono},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, CacheLevel, Op, Space},
};

/// The message for a reference that is not to global memory.
const NOT_GLOBAL: &str =
    "cache operators and prefetches are for buffers of the device, and this is not in one";
/// The help for it.
const NOT_GLOBAL_HELP: &str = "refer to an element of a slice that the kernel takes, `&x[i]` or \
                               `&mut y[i]`, and access other memory as usual";

impl Lowerer<'_> {
    /// Lowers a function of the module `cache`.
    pub(crate) fn lower_cache_call(
        &mut self,
        which: Cache,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let Some((reference, rest)) = args.split_first() else { return Err(self.report_bug(at)) };
        let Type::Ref { to, .. } = self.type_of(reference.ty) else {
            return Err(self.report_bug(at));
        };
        let mono = self.mono_type(to, at)?;
        let place = self.lower_cached_place(reference)?;
        match (which, rest) {
            (Cache::Load(op), []) => match place {
                Place::Memory(memory) => {
                    self.load(&Memory { cache: Some(op), ..memory }, &mono, at)
                }
                other => self.read_place(&other, &mono, at),
            },
            (Cache::Store(op), [value]) => {
                let value = self.lower_value(value)?;
                let place = match place {
                    Place::Memory(memory) => Place::Memory(Memory { cache: Some(op), ..memory }),
                    other => other,
                };
                self.write_place(&place, value, &mono, at)?;
                Ok(Value::Unit)
            }
            (Cache::Prefetch(level), []) => self.lower_prefetch(&place, level, &mono, at),
            _ => Err(self.report_bug(at)),
        }
    }

    fn lower_prefetch(
        &mut self,
        place: &Place,
        level: CacheLevel,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        if let (Place::Memory(memory), false) = (place, self.is_zero_sized(mono, at)?) {
            let ptr = self.pointer_inst(memory.ptr, at);
            self.push_inst(at, Op::Prefetch { ptr, level }, ir::Ty::Unit);
        }
        Ok(Value::Unit)
    }

    fn is_zero_sized(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        Ok(self.layout_of(mono, at)?.size.known() == Some(0))
    }

    /// Returns the place to which a reference refers; reports a value in registers.
    fn lower_cached_place(&mut self, reference: &Expr) -> Flow<Place> {
        let Value::Ref(place) = self.lower_value(reference)? else {
            return Err(self.report_bug(reference.at));
        };
        if !matches!(*place, Place::Memory(_)) {
            self.errors.advise(self.source_range(reference.at), NOT_GLOBAL, NOT_GLOBAL_HELP);
        }
        Ok(*place)
    }

    /// Reports cache operators and prefetches for other memories than the global one, once the
    /// memory of every address is known.
    pub(crate) fn check_cached_accesses(&mut self) {
        let kernel = &self.build.kernel;
        let mut wrong = Vec::new();
        for (_, inst) in kernel.insts.iter() {
            let ptr = match inst.op {
                Op::Load { ptr, cache: Some(_) }
                | Op::Store { ptr, cache: Some(_), .. }
                | Op::Prefetch { ptr, .. } => ptr,
                _ => continue,
            };
            if kernel.insts[ptr].ty != ir::Ty::Ptr(Space::Global) && !wrong.contains(&inst.span) {
                wrong.push(inst.span);
            }
        }
        for span in wrong {
            self.errors.advise(self.spans[span.index()], NOT_GLOBAL, NOT_GLOBAL_HELP);
        }
    }
}

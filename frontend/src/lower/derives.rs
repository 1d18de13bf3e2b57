//! Operations that std derives for a type: comparisons, `clone` and `default`.
//!
//! Kernel code has no code of a derive. It does to the parts what the derive would, and calls the
//! `impl`s of the user's that are kernel code. A type that has another `impl`, which only the host
//! can run, is an error: its parts would give another result.
use crate::{
    hir::{Expr, SpanId},
    infer::{self, program::InstanceArgs},
    lower::{Diverged, EnumValue, Flow, Lowerer, Place, Value, memory::storage::place_of_value},
    resolve::device_set::Callee,
    syntax::span::SpanRange,
    types::mono::{Mono, MonoArg},
};
use std::rc::Rc;
use syn::Item;
use warpwise_compiler::ir::{self, Body, CompareOp, Op};

/// A function of a user's `impl`, its generic arguments, and the type of its result.
pub(crate) type UserFunction = (Callee, InstanceArgs, Mono);

impl Lowerer<'_> {
    /// Returns the function of the user's `impl` of a trait of std for this type.
    pub(crate) fn find_user_function(
        &mut self,
        of_trait: &str,
        function: &str,
        mono: &Mono,
    ) -> Option<UserFunction> {
        let Mono::Adt(item, _) = mono else { return None };
        if !self.program.has_impl(of_trait, *item) {
            return None;
        }
        let generics = self.frame.function.types.generics.clone();
        infer::find_std_impl(self.program, [of_trait, function], mono, &generics, self.errors)
    }

    /// Returns true if a type or a part of it has an `impl` of this trait.
    pub(crate) fn has_user_impl(&mut self, of_trait: &str, mono: &Mono, at: SpanId) -> Flow<bool> {
        let parts = match mono {
            Mono::Ref { to, .. } => return self.has_user_impl(of_trait, to, at),
            Mono::Adt(item, _) if self.program.has_impl(of_trait, *item) => return Ok(true),
            _ => self.contained_types(mono, at)?,
        };
        self.any_has_user_impl(of_trait, &parts, at)
    }

    /// Returns true if any of these types or a part of one has an `impl` of this trait.
    pub(crate) fn any_has_user_impl(
        &mut self,
        of_trait: &str,
        types: &[Mono],
        at: SpanId,
    ) -> Flow<bool> {
        for ty in types {
            if self.has_user_impl(of_trait, ty, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reports the type, or a part of it, that neither derives this trait of comparisons nor
    /// implements it in kernel code.
    pub(crate) fn require_comparison(
        &mut self,
        of_trait: &str,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        if let Mono::Ref { to, .. } = mono {
            return self.require_comparison(of_trait, to, at);
        }
        if self.find_user_function(of_trait, required_function(of_trait), mono).is_some() {
            return Ok(());
        }
        self.require_derive(of_trait, mono, at)?;
        for part in self.contained_types(mono, at)? {
            self.require_comparison(of_trait, &part, at)?;
        }
        Ok(())
    }

    /// Reports a type without an `impl` of this trait in kernel code that does not derive it. Its
    /// parts are another question: the default variant of an enum needs none.
    pub(crate) fn require_derive(&mut self, of_trait: &str, mono: &Mono, at: SpanId) -> Flow<()> {
        match mono {
            Mono::Adt(item, _)
                if !self.program.is_in_std_lib(*item)
                    && !self.program.derives_trait(*item, of_trait) =>
            {
                Err(self.report_underived(of_trait, *item, at))
            }
            _ => Ok(()),
        }
    }

    fn report_underived(&mut self, of_trait: &str, item: usize, at: SpanId) -> Diverged {
        let name = self.program.names[item].clone();
        let fact = format!("kernel code has no `{of_trait}` of `{name}`");
        let function = required_function(of_trait);
        let at = self.source_range(at);
        let of_type = match self.program.item(item) {
            Some(Item::Struct(of)) => of.ident.span(),
            Some(Item::Enum(of)) => of.ident.span(),
            _ => at.first,
        };
        let help = [at, SpanRange::token(of_type)]
            .into_iter()
            .find_map(|place| infer::host_blocks(place, function, &name));
        match help {
            Some(help) => self.errors.advise(at, fact, help),
            // Most likely there is none at all, as rustc reports.
            None => self.errors.advise_unless_rustc(
                at,
                fact,
                format_args!(
                    "write `#[derive({of_trait})]` on `{name}`, or `#[device]` above its `impl \
                     {of_trait}`"
                ),
            ),
        };
        Diverged
    }

    /// Lowers `value.clone()`.
    pub(crate) fn lower_clone(&mut self, of: &Expr, at: SpanId) -> Flow<Value> {
        let mono = self.mono_type(of.ty, at)?;
        let value = self.lower_value(of)?;
        self.clone_value(value, &mono, at)
    }

    /// Clones a value that nothing else refers to, by the `impl` of its type, or part by part. What
    /// references refer to is not cloned.
    fn clone_value(&mut self, value: Value, mono: &Mono, at: SpanId) -> Flow<Value> {
        if let Some((callee, given, ret)) = self.find_user_function("Clone", "clone", mono) {
            let this = Value::Ref(Box::new(place_of_value(value)));
            return self.call_instance(callee, given, &ret, at, |_| Ok(vec![this]));
        }
        if self.derived_clone_copies(mono) {
            return Ok(value);
        }
        let parts = self.contained_types(mono, at)?;
        if !self.any_has_user_impl("Clone", &parts, at)? {
            self.require_copying_clone(mono, at)?;
            return Ok(value);
        }
        self.require_derive("Clone", mono, at)?;
        match (value, mono) {
            (Value::Array(memory), Mono::Array(elem, len)) => {
                let len = self.simplify_extent(len, at)?;
                self.for_each_index(&len, at, |this, index| {
                    let place = Place::Memory(this.element_at(&memory, index, elem, at)?);
                    let value = this.read_place(&place, elem, at)?;
                    let cloned = this.clone_value(value, elem, at)?;
                    this.write_place(&place, cloned, elem, at)
                })?;
                Ok(Value::Array(memory))
            }
            (Value::Parts(values), _) => {
                let Some(types) = self.part_types(mono, at)? else {
                    return Err(self.report_bug(at));
                };
                let parts = values.iter().zip(&types);
                let cloned = parts.map(|(value, ty)| self.clone_value(value.clone(), ty, at));
                Ok(Value::Parts(cloned.collect::<Flow<_>>()?))
            }
            (Value::Variants(values), _) => self.clone_variant(values, mono, at),
            (value, _) => Ok(value),
        }
    }

    /// Returns true if the clone that a type derives is a copy, which calls no `clone` of the parts:
    /// the type derives `Copy` as well, and has no type parameters.
    fn derived_clone_copies(&self, mono: &Mono) -> bool {
        let Mono::Adt(item, args) = mono else { return false };
        ["Clone", "Copy"].iter().all(|of_trait| self.program.derives_trait(*item, of_trait))
            && !args.iter().any(|arg| matches!(arg, MonoArg::Type(_)))
    }

    /// Clones the fields of an enum's actual variant; those of the others are no values.
    fn clone_variant(&mut self, values: Rc<EnumValue>, mono: &Mono, at: SpanId) -> Flow<Value> {
        let adt = self.adt_of(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.report_bug(at)) };
        let place = self.allocate(mono, "", at)?;
        let Place::Variants(places) = &place else { return Err(self.report_bug(at)) };
        self.write_place(&place, Value::Variants(values.clone()), mono, at)?;
        for (index, types) in adt.variants.iter().enumerate() {
            if !self.any_has_user_impl("Clone", types, at)? {
                continue;
            }
            let Some(Some(parts)) = values.parts.get(index) else { continue };
            let variant = self.push_int(adt.discriminants[index], tag, at);
            let cond = self.push_compare(CompareOp::Eq, values.tag, variant, at);
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin_body(at, op, ir::Ty::Unit)?;
            let fields = places.parts[index].iter().zip(parts).zip(types);
            let mut cloned = fields.map(|((place, value), ty)| {
                let value = self.clone_value(value.clone(), ty, at)?;
                self.write_place(place, value, ty, at)
            });
            let done = cloned.try_for_each(|field| field);
            self.build.end();
            done?;
        }
        self.read_place(&place, mono, at)
    }

    /// Reports the type, or a part of it, that does not derive its clone.
    fn require_copying_clone(&mut self, mono: &Mono, at: SpanId) -> Flow<()> {
        self.require_derive("Clone", mono, at)?;
        if self.derived_clone_copies(mono) {
            return Ok(());
        }
        for part in self.contained_types(mono, at)? {
            self.require_copying_clone(&part, at)?;
        }
        Ok(())
    }
}

/// Returns the function that every `impl` of the trait has.
fn required_function(of_trait: &str) -> &'static str {
    match of_trait {
        "Clone" => "clone",
        "Default" => "default",
        "Ord" => "cmp",
        "PartialEq" => "eq",
        _ => "partial_cmp",
    }
}

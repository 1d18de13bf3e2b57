//! Conversions: `from`, `into`, `try_from` and `try_into`, of numbers and through `impl`s of `From`
//! and `TryFrom`.
//!
//! The target of `into` and `try_into` may be decided after the call, so an obligation checks it at
//! the end.
use crate::{
    hir::{Block, Expr, GenericArg, Kind},
    infer::{
        Infer, Obligation,
        traits::member::{Member, MemberKind, Told},
    },
    syntax::span::SpanRange,
    types::{Prim, Ty, Type},
};
use syn::{ExprCall, ExprMethodCall};
use warpwise_compiler::ir::CompareOp;

impl<'a> Infer<'a> {
    /// Infers `u64::from(x)`, which is a lossless cast, or `u8::try_from(x)`. `from` is the source
    /// type, if a bound names it.
    pub(crate) fn converted_from(
        &mut self,
        this: Ty,
        from: Option<Ty>,
        name: &str,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        if !self.count(1, &call.args, at) {
            return self.make(Kind::Reported, this, at);
        }
        let value = self.expr(&call.args[0], from);
        if name == "try_from"
            && let Type::Array(..) | Type::Ref { .. } = self.types.get(this)
        {
            let slice = self.autoderef(value);
            return self.slice_to_array(slice, Some(this), at);
        }
        if name == "from" { self.lossless(value, this, at) } else { self.checked(value, this, at) }
    }

    /// Infers `x.into()` and `x.try_into()`, or returns the receiver. `hint` is the expected type.
    pub(crate) fn converted(
        &mut self,
        value: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let tries = match call.method.to_string().as_str() {
            "into" => false,
            "try_into" => true,
            _ => return Err(value),
        };
        if !call.args.is_empty() {
            return Err(value);
        }
        let hint = match hint {
            None if !tries => self.made_by_bound(value.ty, "Into"),
            hint => hint,
        };
        let is_number = matches!(self.types.get(value.ty), Type::Prim(_) | Type::Generic(_));
        let told = Told { args: &[&*call.receiver], ..Told::default() };
        // `try_into` of a user's `impl` goes first, then slices to arrays, then numbers.
        if tries {
            let target = hint.and_then(|hint| self.types.first_arg(hint));
            if let Some(to) = target
                && let Some(member) = self.member_told(to, "try_from", Some("TryFrom"), told)
            {
                return Ok(self.operator_call(member, value, None, at));
            }
            if let Type::Slice(_) | Type::Array(..) = self.types.get(value.ty) {
                return Ok(self.slice_to_array(value, target, at));
            }
            if !is_number {
                return Err(value);
            }
            let to = target.unwrap_or_else(|| self.unknown());
            return Ok(self.checked(value, to, at));
        }
        // The identity conversion, `impl From<T> for T`.
        if let Some(to) = hint.and_then(|to| self.types.mono(to))
            && self.types.mono(value.ty) == Some(to)
        {
            return Ok(value);
        }
        if let Some(to) = hint
            && let Some(member) = self.member_told(to, "from", Some("From"), told)
        {
            return Ok(self.operator_call(member, value, None, at));
        }
        if let (Some(Type::Tuple(list)), Type::Array(elem, _)) =
            (hint.map(|hint| self.types.get(hint)), self.types.get(value.ty))
        {
            let count = self.types.parts(list).len();
            return Ok(self.array_as_tuple(value, elem, count, at));
        }
        if !is_number {
            return Err(value);
        }
        let to = hint.unwrap_or_else(|| self.unknown());
        Ok(self.lossless(value, to, at))
    }

    /// Makes a tuple of an array's elements; rustc checks that the counts agree.
    fn array_as_tuple(&mut self, array: Expr, elem: Ty, count: usize, at: SpanRange) -> Expr {
        let (usize, mut stmts) = (self.prim(Prim::Usize), Vec::new());
        let array = self.named(array, &mut stmts);
        let mut fields = Vec::with_capacity(count);
        for index in 0..count {
            let base = Box::new(self.variable(array, at));
            let number = Box::new(self.make(Kind::Int(index as u128), usize, at));
            fields.push((index, self.make(Kind::Index { base, index: number }, elem, at)));
        }
        let ty = self.types.tuple(vec![elem; count]);
        let tuple = self.make(Kind::Aggregate { variant: None, fields, base: None }, ty, at);
        let block = Block { stmts, tail: Some(Box::new(tuple)) };
        self.make(Kind::Block { label: None, block }, ty, at)
    }

    /// Decides the types of unsuffixed numbers that have only one conversion into the type of an
    /// `Into` bound: `impl Into<Seconds>`.
    pub(crate) fn settle_conversions(&mut self) {
        for (from, into) in std::mem::take(&mut self.conversions) {
            if self.types.mono(from).is_some() {
                continue;
            }
            if let Some(source) = self.only_source(from, into) {
                // rustc reports a mismatch.
                let _ = self.types.unify(from, source);
            }
        }
    }

    /// Returns the only type that a partly known value can have, given that it converts into
    /// `into`.
    pub(crate) fn only_source(&mut self, from: Ty, into: Ty) -> Option<Ty> {
        let itself = self.types.could_unify(into, from);
        let mut sources: Vec<Ty> = itself.then_some(into).into_iter().collect();
        let found = self.impls_of_from(into, from);
        sources.extend(found.into_iter().map(|(_, [_, source])| source));
        match sources.as_slice() {
            [source] => Some(*source),
            _ => None,
        }
    }

    /// Returns the function of the `impl` of `From` that converts `from` to `to`.
    pub(crate) fn impl_of_from(&mut self, to: Ty, from: Ty) -> Option<Member<'a>> {
        let (member, [this, param]) = self.impls_of_from(to, from).into_iter().next()?;
        self.types.unify(this, to).ok()?;
        self.types.unify(param, from).ok()?;
        Some(member)
    }

    /// Returns the functions of all `impl`s of `From` that may convert `from` to `to`, each with
    /// its target and source types.
    fn impls_of_from(&mut self, to: Ty, from: Ty) -> Vec<(Member<'a>, [Ty; 2])> {
        let mut found = Vec::new();
        for item in self.program().impls_with("from") {
            let Some(syn::Item::Impl(of)) = self.program().item(item) else { continue };
            let named = of.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            if named.is_none_or(|named| named.ident != "From") {
                continue;
            }
            let Some((callee, sig)) = self.program().method_of(item, "from") else { continue };
            let Some((env, this)) = self.implementation(item) else { continue };
            let Some(syn::FnArg::Typed(param)) = sig.inputs.first() else { continue };
            let param = self.type_in(&param.ty, &env);
            if self.types.could_unify(this, to) && self.types.could_unify(param, from) {
                let member = Member { callee, env, kind: MemberKind::Fn(sig) };
                found.push((member, [this, param]));
            }
        }
        found
    }

    /// Makes a lossless cast; rustc checks that it is one.
    fn lossless(&mut self, value: Expr, to: Ty, at: SpanRange) -> Expr {
        self.oblige(at, Obligation::From(value.ty, to));
        self.make(Kind::Cast(Box::new(value)), to, at)
    }

    /// Makes a checked cast to a `Result`: `Ok` if the value survives the round trip with its sign.
    fn checked(&mut self, value: Expr, to: Ty, at: SpanRange) -> Expr {
        self.oblige(at, Obligation::TryFrom(value.ty, to));
        let program = self.program();
        let library = |name| program.library(name).expect("the prelude has it");
        let (result, error) = (library("Result"), library("TryFromIntError"));
        let nothing = self.types.list(Vec::new());
        let error = self.types.add(Type::Adt(error, nothing));
        let both = self.types.list(vec![GenericArg::Type(to), GenericArg::Type(error)]);
        let result = self.types.add(Type::Adt(result, both));

        // `{ let value = ..; let cast = value as To; if cast as From == value && (value < 0) ==
        // (cast < 0) { Ok(cast) } else { Err(error) } }`
        let from = value.ty;
        let mut stmts = Vec::new();
        let value = self.named(value, &mut stmts);
        let variable = self.variable(value, at);
        let cast = self.make(Kind::Cast(Box::new(variable)), to, at);
        let cast = self.named(cast, &mut stmts);
        let fits = {
            let back = self.variable(cast, at);
            let back = self.make(Kind::Cast(Box::new(back)), from, at);
            let value = self.variable(value, at);
            self.related(CompareOp::Eq, back, value, at)
        };
        let same_sign = {
            let [value, cast] = [value, cast].map(|var| {
                let value = self.variable(var, at);
                let zero = self.make(Kind::Int(0), value.ty, at);
                self.related(CompareOp::Lt, value, zero, at)
            });
            self.related(CompareOp::Eq, value, cast, at)
        };
        let bool = self.prim(Prim::Bool);
        let (lhs, rhs) = (Box::new(fits), Box::new(same_sign));
        let cond = Box::new(self.make(Kind::Lazy { and: true, lhs, rhs }, bool, at));
        let cast = self.variable(cast, at);
        let then =
            Block { stmts: Vec::new(), tail: Some(Box::new(self.variant(0, cast, result, at))) };
        let unit = self.types.unit();
        let unit = self.make(Kind::Unit, unit, at);
        let error = self.variant(0, unit, error, at);
        let other = Some(Box::new(self.variant(1, error, result, at)));
        let choice = self.make(Kind::If { cond, then, other }, result, at);
        let block = Block { stmts, tail: Some(Box::new(choice)) };
        self.make(Kind::Block { label: None, block }, result, at)
    }

    fn related(&mut self, op: CompareOp, lhs: Expr, rhs: Expr, at: SpanRange) -> Expr {
        let bool = self.prim(Prim::Bool);
        self.make(Kind::Compare { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, bool, at)
    }

    /// Makes a variant with one field.
    fn variant(&mut self, variant: usize, part: Expr, ty: Ty, at: SpanRange) -> Expr {
        let fields = vec![(0, part)];
        self.make(Kind::Aggregate { variant: Some(variant), fields, base: None }, ty, at)
    }
}

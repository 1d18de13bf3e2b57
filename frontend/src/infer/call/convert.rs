//! Conversions: `from`, `into`, `try_from` and `try_into`, of numbers and through `impl`s of `From`
//! and `TryFrom`.
//!
//! The target of `into` and `try_into` may be decided after the call, so an obligation checks it at
//! the end.
use crate::{
    hir::{Block, Expr, ExprKind, GenericArg},
    infer::{
        Infer, Obligation,
        traits::member::{CallFacts, Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{Prim, Ty, Type},
};
use syn::{ExprCall, ExprMethodCall};
use warpwise_compiler::ir::CompareOp;

impl<'a> Infer<'a> {
    /// Infers `u64::from(x)`, which is a lossless cast, or `u8::try_from(x)`. `from` is the source
    /// type, if a bound names it.
    pub(crate) fn infer_from(
        &mut self,
        this: Ty,
        from: Option<Ty>,
        name: &str,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        if !self.check_arg_count(1, &call.args, at) {
            return self.make_expr(ExprKind::Reported, this, at);
        }
        let value = self.infer_expr(&call.args[0], from);
        if name == "try_from"
            && let Type::Array(..) | Type::Ref { .. } = self.types.get(this)
        {
            let slice = self.autoderef(value);
            return self.slice_to_array(slice, Some(this), at);
        }
        if name == "from" {
            self.make_lossless_cast(value, this, at)
        } else {
            self.make_checked_cast(value, this, at)
        }
    }

    /// Infers `x.into()` and `x.try_into()`, or returns the receiver. `hint` is the expected type.
    pub(crate) fn try_conversion_method(
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
            None if !tries => self.conversion_bound(value.ty, "Into"),
            hint => hint,
        };
        let is_number = matches!(self.types.get(value.ty), Type::Prim(_) | Type::Generic(_));
        let call_facts = CallFacts { args: &[&*call.receiver], ..CallFacts::default() };
        // `try_into` of a user's `impl` goes first, then slices to arrays, then numbers.
        if tries {
            let target = hint.and_then(|hint| self.types.first_arg(hint));
            if let Some(to) = target
                && let Some(member) =
                    self.find_member_for_call(to, "try_from", Some("TryFrom"), call_facts)
            {
                return Ok(self.make_operator_call(member, value, None, at));
            }
            if let Type::Slice(_) | Type::Array(..) = self.types.get(value.ty) {
                return Ok(self.slice_to_array(value, target, at));
            }
            if !is_number {
                return Err(value);
            }
            let to = target.unwrap_or_else(|| self.unknown());
            return Ok(self.make_checked_cast(value, to, at));
        }
        // The identity conversion, `impl From<T> for T`.
        if let Some(to) = hint.and_then(|to| self.types.to_mono(to))
            && self.types.to_mono(value.ty) == Some(to)
        {
            return Ok(value);
        }
        if let Some(to) = hint
            && let Some(member) = self.find_member_for_call(to, "from", Some("From"), call_facts)
        {
            return Ok(self.make_operator_call(member, value, None, at));
        }
        match (hint.map(|hint| (hint, self.types.get(hint))), self.types.get(value.ty)) {
            (Some((_, Type::Tuple(list))), Type::Array(elem, _)) => {
                let count = self.types.parts(list).len();
                return Ok(self.array_to_tuple(value, elem, count, at));
            }
            (Some((to, Type::Array(elem, _))), Type::Tuple(list)) => {
                let parts = self.types.parts(list).to_vec();
                return Ok(self.tuple_to_array(value, &parts, (to, elem), at));
            }
            // Of arrays, there is no other conversion than the identity.
            (Some((to, Type::Array(..))), Type::Array(..)) => {
                self.unify(at, value.ty, to);
                return Ok(value);
            }
            _ => {}
        }
        if !is_number {
            return Err(value);
        }
        let to = hint.unwrap_or_else(|| self.unknown());
        Ok(self.make_lossless_cast(value, to, at))
    }

    /// Makes a tuple of an array's elements; rustc checks that the counts agree.
    fn array_to_tuple(&mut self, array: Expr, elem: Ty, count: usize, at: SpanRange) -> Expr {
        let (usize, mut stmts) = (self.prim(Prim::Usize), Vec::new());
        let array = self.bind_value(array, &mut stmts);
        let mut fields = Vec::with_capacity(count);
        for index in 0..count {
            let base = Box::new(self.make_variable(array, at));
            let number = Box::new(self.make_expr(ExprKind::Int(index as u128), usize, at));
            fields.push((index, self.make_expr(ExprKind::Index { base, index: number }, elem, at)));
        }
        let ty = self.types.tuple(vec![elem; count]);
        let tuple =
            self.make_expr(ExprKind::Aggregate { variant: None, fields, base: None }, ty, at);
        let block = Block { stmts, tail: Some(Box::new(tuple)) };
        self.make_expr(ExprKind::Block { label: None, block }, ty, at)
    }

    /// Makes an array of a tuple's parts; rustc checks that the counts agree.
    fn tuple_to_array(
        &mut self,
        tuple: Expr,
        parts: &[Ty],
        (to, elem): (Ty, Ty),
        at: SpanRange,
    ) -> Expr {
        let mut stmts = Vec::new();
        let tuple = self.bind_value(tuple, &mut stmts);
        let mut elements = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            self.unify(at, *part, elem);
            let base = Box::new(self.make_variable(tuple, at));
            elements.push(self.make_expr(ExprKind::Field { base, index }, elem, at));
        }
        let array = self.make_expr(ExprKind::Array(elements), to, at);
        let block = Block { stmts, tail: Some(Box::new(array)) };
        self.make_expr(ExprKind::Block { label: None, block }, to, at)
    }

    /// Decides the types of unsuffixed numbers that have only one conversion into the type of an
    /// `Into` bound: `impl Into<Seconds>`.
    pub(crate) fn settle_conversions(&mut self) {
        for (from, into) in std::mem::take(&mut self.conversions) {
            if self.types.to_mono(from).is_some() {
                continue;
            }
            if let Some(source) = self.only_conversion_source(from, into) {
                // rustc reports a mismatch.
                let _ = self.types.unify(from, source);
            }
        }
    }

    /// Returns the only type that a partly known value can have, given that it converts into
    /// `into`.
    pub(crate) fn only_conversion_source(&mut self, from: Ty, into: Ty) -> Option<Ty> {
        let itself = self.types.could_unify(into, from);
        let mut sources: Vec<Ty> = itself.then_some(into).into_iter().collect();
        let found = self.matching_from_impls(into, from);
        sources.extend(found.into_iter().map(|(_, [_, source])| source));
        match sources.as_slice() {
            [source] => Some(*source),
            _ => None,
        }
    }

    /// Returns the function of the `impl` of `From` that converts `from` to `to`.
    pub(crate) fn find_from_impl(&mut self, to: Ty, from: Ty) -> Option<Member<'a>> {
        let (member, [this, param]) = self.matching_from_impls(to, from).into_iter().next()?;
        self.types.unify(this, to).ok()?;
        self.types.unify(param, from).ok()?;
        Some(member)
    }

    /// Returns the functions of all `impl`s of `From` that may convert `from` to `to`, each with
    /// its target and source types.
    fn matching_from_impls(&mut self, to: Ty, from: Ty) -> Vec<(Member<'a>, [Ty; 2])> {
        let mut found = Vec::new();
        for item in self.program().impls_with_member("from") {
            let Some(syn::Item::Impl(defined)) = self.program().item(item) else { continue };
            let named = defined.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            if named.is_none_or(|named| named.ident != "From") {
                continue;
            }
            let Some((callee, sig)) = self.program().impl_method(item, "from") else { continue };
            let Some((env, this)) = self.instantiate_impl(item) else { continue };
            let Some(syn::FnArg::Typed(param)) = sig.inputs.first() else { continue };
            let param = self.resolve_type_in(&param.ty, &env);
            if self.types.could_unify(this, to) && self.types.could_unify(param, from) {
                let member = Member { callee, env, kind: MemberKind::Fn(sig) };
                found.push((member, [this, param]));
            }
        }
        found
    }

    /// Makes a lossless cast; rustc checks that it is one.
    fn make_lossless_cast(&mut self, value: Expr, to: Ty, at: SpanRange) -> Expr {
        self.oblige(at, Obligation::From(value.ty, to));
        self.make_expr(ExprKind::Cast(Box::new(value)), to, at)
    }

    /// Makes a checked cast to a `Result`: `Ok` if the value survives the round trip with its sign.
    fn make_checked_cast(&mut self, value: Expr, to: Ty, at: SpanRange) -> Expr {
        self.oblige(at, Obligation::TryFrom(value.ty, to));
        let program = self.program();
        let library = |name| program.std_item(name).expect("the prelude has it");
        let (result, error) = (library("Result"), library("TryFromIntError"));
        let nothing = self.types.list(Vec::new());
        let error = self.types.add(Type::Adt(error, nothing));
        let both = self.types.list(vec![GenericArg::Type(to), GenericArg::Type(error)]);
        let result = self.types.add(Type::Adt(result, both));

        // `{ let value = ..; let cast = value as To; if cast as From == value && (value < 0) ==
        // (cast < 0) { Ok(cast) } else { Err(error) } }`
        let from = value.ty;
        let mut stmts = Vec::new();
        let value = self.bind_value(value, &mut stmts);
        let variable = self.make_variable(value, at);
        let cast = self.make_expr(ExprKind::Cast(Box::new(variable)), to, at);
        let cast = self.bind_value(cast, &mut stmts);
        let fits = {
            let back = self.make_variable(cast, at);
            let back = self.make_expr(ExprKind::Cast(Box::new(back)), from, at);
            let value = self.make_variable(value, at);
            self.make_compare(CompareOp::Eq, back, value, at)
        };
        let same_sign = {
            let [value, cast] = [value, cast].map(|var| {
                let value = self.make_variable(var, at);
                let zero = self.make_expr(ExprKind::Int(0), value.ty, at);
                self.make_compare(CompareOp::Lt, value, zero, at)
            });
            self.make_compare(CompareOp::Eq, value, cast, at)
        };
        let bool = self.prim(Prim::Bool);
        let (lhs, rhs) = (Box::new(fits), Box::new(same_sign));
        let cond = Box::new(self.make_expr(ExprKind::Lazy { is_and: true, lhs, rhs }, bool, at));
        let cast = self.make_variable(cast, at);
        let then = Block {
            stmts: Vec::new(),
            tail: Some(Box::new(self.make_variant(0, cast, result, at))),
        };
        let unit = self.types.unit();
        let unit = self.make_expr(ExprKind::Unit, unit, at);
        let error = self.make_variant(0, unit, error, at);
        let else_branch = Some(Box::new(self.make_variant(1, error, result, at)));
        let choice = self.make_expr(ExprKind::If { cond, then, else_branch }, result, at);
        let block = Block { stmts, tail: Some(Box::new(choice)) };
        self.make_expr(ExprKind::Block { label: None, block }, result, at)
    }

    fn make_compare(&mut self, op: CompareOp, lhs: Expr, rhs: Expr, at: SpanRange) -> Expr {
        let bool = self.prim(Prim::Bool);
        self.make_expr(ExprKind::Compare { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, bool, at)
    }

    /// Makes a variant with one field.
    fn make_variant(&mut self, variant: usize, part: Expr, ty: Ty, at: SpanRange) -> Expr {
        let fields = vec![(0, part)];
        self.make_expr(ExprKind::Aggregate { variant: Some(variant), fields, base: None }, ty, at)
    }
}

//! Evaluation of constant expressions: array lengths, and arguments of constant parameters.
//!
//! Inference needs a length before anything is lowered, so that this interprets the syntax: numbers,
//! `bool`s, and arrays, tuples and structs of them, with the statements that a `const fn` may have.
//! rustc evaluates the same expression for its own copy of the kernel and reports its mistakes, such
//! as an overflow. What is not covered here has no value, which the caller reports: above all a
//! parameter whose value is known at launch, of which [`super::extent`] makes an expression.
mod arithmetic;

use crate::{
    hir::{GenericArg, GenericKind},
    infer::{
        Infer,
        items::{
            ResolvedPrefix,
            cycles::Definition,
            path::{callee_path, plain_path},
            scope::{self, Env},
            signature::{GenericParameter, generic_parameters},
        },
        traits::member::{Member, MemberKind},
    },
    resolve::{device_set::Callee, paths::path_key},
    syntax::{error::Reported, span::SpanRange, ungroup},
    types::{Prim, Type, constant::Constant},
};
use arithmetic::{Number, wrap};
use std::rc::Rc;
use syn::{BinOp, Expr, Lit, Pat, Stmt, UnOp};

/// Limit on the expressions that one constant evaluates.
const MAX_STEPS: usize = 1 << 16;

/// Limit on calls inside of each other, which bounds the stack.
const MAX_CALL_DEPTH: usize = 24;

/// A value during evaluation.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Unit,
    Number(Number),
    Array(Rc<[Value]>),
    /// Fields by name; those of tuples have numbers.
    Fields(Rc<[(String, Value)]>),
}

/// The end of an evaluation before its value.
enum Stop {
    /// There is no value, or none that this evaluation finds.
    NoValue,
    Reported(Reported),
    Break(Option<String>, Value),
    Continue(Option<String>),
    Return(Value),
}

type Flow<T> = Result<T, Stop>;

/// State of one evaluation.
#[derive(Default)]
struct Evaluation {
    /// Variables of the current call, innermost last, after those of its callers.
    variables: Vec<(String, Value)>,
    /// The first variable of the current call.
    first_variable: usize,
    steps: usize,
    call_depth: usize,
}

impl Evaluation {
    fn find(&mut self, name: &str) -> Option<&mut Value> {
        let own = self.variables[self.first_variable..].iter_mut().rev();
        own.map(|(known, value)| (&*known, value)).find(|(known, _)| *known == name).map(|it| it.1)
    }
}

impl<'a> Infer<'a> {
    /// Evaluates a constant expression of type `prim`; `None` if it has no value here.
    pub(crate) fn eval_const(
        &mut self,
        expr: &Expr,
        prim: Prim,
        env: &Env,
    ) -> Result<Option<i128>, Reported> {
        let mut evaluation = Evaluation::default();
        match self.eval_in(expr, Some(prim), env, &mut evaluation) {
            Ok(Value::Number(number)) => {
                Ok(Number::new(number.value, Some(prim)).map(|number| number.value))
            }
            Err(Stop::Reported(reported)) => Err(reported),
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Evaluates an expression in another environment, where it sees none of the variables.
    fn eval_in(
        &mut self,
        expr: &Expr,
        expected: Option<Prim>,
        env: &Env,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let home = std::mem::replace(&mut self.env, env.clone());
        let outer = evaluation.first_variable;
        evaluation.first_variable = evaluation.variables.len();
        let value = self.eval_expr(expr, expected, evaluation);
        evaluation.variables.truncate(evaluation.first_variable);
        evaluation.first_variable = outer;
        self.env = home;
        value
    }

    fn eval_expr(
        &mut self,
        expr: &Expr,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        evaluation.steps += 1;
        if evaluation.steps > MAX_STEPS {
            return Err(Stop::NoValue);
        }
        match expr {
            Expr::Paren(inner) => self.eval_expr(&inner.expr, expected, evaluation),
            Expr::Group(inner) => self.eval_expr(&inner.expr, expected, evaluation),
            Expr::Reference(inner) if inner.mutability.is_none() => {
                self.eval_expr(&inner.expr, expected, evaluation)
            }
            Expr::Lit(lit) => literal(&lit.lit, expected).map(Value::Number).ok_or(Stop::NoValue),
            Expr::Path(path) => self.eval_path_value(path, evaluation),
            Expr::Unary(unary) => {
                let value = self.eval_expr(&unary.expr, expected, evaluation)?;
                match (&unary.op, value) {
                    (UnOp::Deref(_), value) => Ok(value),
                    (UnOp::Neg(_), Value::Number(number)) => numeric(number.negate()),
                    (UnOp::Not(_), Value::Number(number)) => Ok(Value::Number(number.complement())),
                    _ => Err(Stop::NoValue),
                }
            }
            Expr::Binary(binary) => self.eval_operator(binary, expected, evaluation),
            Expr::Cast(cast) => {
                let number = match self.eval_variant(&cast.expr, evaluation)? {
                    Some(number) => number,
                    None => self.eval_number(&cast.expr, None, evaluation)?,
                };
                let ty = self.resolve_type(&cast.ty);
                numeric(self.types.as_prim(ty).and_then(|prim| number.cast(prim)))
            }
            Expr::Block(block) => {
                let value = self.eval_block(&block.block, expected, evaluation);
                match (value, label_of(block.label.as_ref())) {
                    (Err(Stop::Break(Some(target), value)), Some(label)) if target == label => {
                        Ok(value)
                    }
                    (value, _) => value,
                }
            }
            Expr::Const(block) => self.eval_block(&block.block, expected, evaluation),
            Expr::If(of) => {
                if self.eval_condition(&of.cond, evaluation)? {
                    return self.eval_block(&of.then_branch, expected, evaluation);
                }
                match &of.else_branch {
                    Some((_, other)) => self.eval_expr(other, expected, evaluation),
                    None => Ok(Value::Unit),
                }
            }
            Expr::Match(of) => self.eval_match(of, expected, evaluation),
            Expr::While(of) => {
                let label = label_of(of.label.as_ref());
                while self.eval_condition(&of.cond, evaluation)? {
                    if let Some(value) = self.eval_loop_body(&of.body, &label, evaluation)? {
                        return Ok(value);
                    }
                }
                Ok(Value::Unit)
            }
            Expr::Loop(of) => {
                let label = label_of(of.label.as_ref());
                loop {
                    if let Some(value) = self.eval_loop_body(&of.body, &label, evaluation)? {
                        return Ok(value);
                    }
                }
            }
            Expr::Break(of) => {
                let value = match &of.expr {
                    Some(value) => self.eval_expr(value, expected, evaluation)?,
                    None => Value::Unit,
                };
                Err(Stop::Break(of.label.as_ref().map(|label| label.ident.to_string()), value))
            }
            Expr::Continue(of) => {
                Err(Stop::Continue(of.label.as_ref().map(|label| label.ident.to_string())))
            }
            Expr::Return(of) => {
                let value = match &of.expr {
                    Some(value) => self.eval_expr(value, expected, evaluation)?,
                    None => Value::Unit,
                };
                Err(Stop::Return(value))
            }
            Expr::Assign(of) => {
                let value = self.eval_expr(&of.right, None, evaluation)?;
                self.assign(&of.left, value, evaluation)?;
                Ok(Value::Unit)
            }
            Expr::Call(call) => self.eval_call(call, evaluation),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let receiver = self.eval_expr(&call.receiver, expected, evaluation)?;
                match receiver {
                    Value::Array(all) if name == "len" => {
                        numeric(Number::new(all.len() as i128, Some(Prim::Usize)))
                    }
                    Value::Number(number) => {
                        let args = call.args.iter();
                        let args = args.map(|arg| self.eval_number(arg, None, evaluation));
                        let args = args.collect::<Flow<Vec<_>>>()?;
                        numeric(number.call(&name, &args))
                    }
                    _ => Err(Stop::NoValue),
                }
            }
            Expr::Array(array) => {
                let all = array.elems.iter().map(|elem| self.eval_expr(elem, expected, evaluation));
                Ok(Value::Array(all.collect::<Flow<_>>()?))
            }
            Expr::Repeat(repeat) => {
                let value = self.eval_expr(&repeat.expr, expected, evaluation)?;
                let len = self.eval_number(&repeat.len, Some(Prim::Usize), evaluation)?.value;
                match usize::try_from(len) {
                    Ok(len @ ..=MAX_STEPS) => Ok(Value::Array(vec![value; len].into())),
                    _ => Err(Stop::NoValue),
                }
            }
            Expr::Tuple(tuple) if tuple.elems.is_empty() => Ok(Value::Unit),
            Expr::Tuple(tuple) => {
                let all = tuple.elems.iter().enumerate().map(|(index, elem)| {
                    Ok((index.to_string(), self.eval_expr(elem, None, evaluation)?))
                });
                Ok(Value::Fields(all.collect::<Flow<_>>()?))
            }
            Expr::Struct(of) if of.rest.is_none() => {
                let all = of.fields.iter().map(|field| {
                    Ok((member_name(&field.member), self.eval_expr(&field.expr, None, evaluation)?))
                });
                Ok(Value::Fields(all.collect::<Flow<_>>()?))
            }
            Expr::Index(of) => {
                let base = self.eval_expr(&of.expr, expected, evaluation)?;
                let index = self.eval_number(&of.index, Some(Prim::Usize), evaluation)?.value;
                match (base, usize::try_from(index)) {
                    (Value::Array(all), Ok(index)) => all.get(index).cloned().ok_or(Stop::NoValue),
                    _ => Err(Stop::NoValue),
                }
            }
            Expr::Field(of) => {
                let Value::Fields(all) = self.eval_expr(&of.base, None, evaluation)? else {
                    return Err(Stop::NoValue);
                };
                let name = member_name(&of.member);
                let found = all.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.clone()).ok_or(Stop::NoValue)
            }
            _ => Err(Stop::NoValue),
        }
    }

    fn eval_number(
        &mut self,
        expr: &Expr,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Number> {
        match self.eval_expr(expr, expected, evaluation)? {
            Value::Number(number) => Ok(number),
            Value::Unit | Value::Array(_) | Value::Fields(_) => Err(Stop::NoValue),
        }
    }

    fn eval_condition(&mut self, expr: &Expr, evaluation: &mut Evaluation) -> Flow<bool> {
        Ok(self.eval_number(expr, Some(Prim::Bool), evaluation)?.value != 0)
    }

    /// Evaluates an operator. A long chain nests deeply on the left, so a loop replaces recursion.
    fn eval_operator(
        &mut self,
        binary: &syn::ExprBinary,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let mut chain = vec![binary];
        let mut first = &*binary.left;
        while let Expr::Binary(left) = first {
            chain.push(left);
            first = &left.left;
        }
        // The operands of a comparison have another type than its result.
        let compares = |op: &BinOp| {
            use BinOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
            matches!(op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) | And(_) | Or(_))
        };
        let expected = expected.filter(|_| !chain.iter().any(|binary| compares(&binary.op)));
        let mut left = self.eval_expr(first, expected, evaluation)?;
        for binary in chain.into_iter().rev() {
            let Value::Number(number) = left else { return Err(Stop::NoValue) };
            left = match &binary.op {
                BinOp::And(_) if number.value == 0 => left,
                BinOp::Or(_) if number.value != 0 => left,
                BinOp::And(_) | BinOp::Or(_) => {
                    self.eval_expr(&binary.right, Some(Prim::Bool), evaluation)?
                }
                op => {
                    let shifts = matches!(
                        op,
                        BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_)
                    );
                    let hint = number.prim.or(expected).filter(|_| !shifts);
                    let right = self.eval_number(&binary.right, hint, evaluation)?;
                    let result = Number::apply(op, number, right).ok_or(Stop::NoValue)?;
                    if is_assignment(op) {
                        self.assign(&binary.left, Value::Number(result), evaluation)?;
                        Value::Unit
                    } else {
                        Value::Number(result)
                    }
                }
            };
        }
        Ok(left)
    }

    fn eval_block(
        &mut self,
        block: &syn::Block,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let outer = evaluation.variables.len();
        let value = self.eval_statements(&block.stmts, expected, evaluation);
        evaluation.variables.truncate(outer);
        value
    }

    fn eval_statements(
        &mut self,
        stmts: &[Stmt],
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let mut last = Value::Unit;
        for stmt in stmts {
            last = match stmt {
                Stmt::Local(local) => {
                    let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none())
                    else {
                        return Err(Stop::NoValue);
                    };
                    let (pat, ty) = match &local.pat {
                        Pat::Type(typed) => (&*typed.pat, self.element_prim(&typed.ty)),
                        pat => (pat, None),
                    };
                    let value = self.eval_expr(&init.expr, ty, evaluation)?;
                    if !self.bind(pat, &value, evaluation)? {
                        return Err(Stop::NoValue);
                    }
                    Value::Unit
                }
                Stmt::Item(syn::Item::Const(item)) => {
                    let ty = self.element_prim(&item.ty);
                    let value = self.eval_expr(&item.expr, ty, evaluation)?;
                    evaluation.variables.push((item.ident.to_string(), value));
                    Value::Unit
                }
                Stmt::Expr(expr, None) => self.eval_expr(expr, expected, evaluation)?,
                Stmt::Expr(expr, Some(_)) => {
                    self.eval_expr(expr, None, evaluation)?;
                    Value::Unit
                }
                // An assertion that fails is an error of rustc.
                Stmt::Macro(of) if asserts(&of.mac) => Value::Unit,
                Stmt::Item(_) | Stmt::Macro(_) => return Err(Stop::NoValue),
            };
        }
        Ok(last)
    }

    /// Evaluates the body of a loop once; returns the value of the loop if that ends.
    fn eval_loop_body(
        &mut self,
        body: &syn::Block,
        label: &Option<String>,
        evaluation: &mut Evaluation,
    ) -> Flow<Option<Value>> {
        match self.eval_block(body, None, evaluation) {
            Ok(_) => Ok(None),
            Err(Stop::Break(target, value)) if target.is_none() || target == *label => {
                Ok(Some(value))
            }
            Err(Stop::Continue(target)) if target.is_none() || target == *label => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn eval_match(
        &mut self,
        of: &syn::ExprMatch,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let value = self.eval_expr(&of.expr, None, evaluation)?;
        let outer = evaluation.variables.len();
        for arm in &of.arms {
            let fits = self.bind(&arm.pat, &value, evaluation)?;
            if fits {
                let result = self.eval_expr(&arm.body, expected, evaluation);
                evaluation.variables.truncate(outer);
                return result;
            }
            evaluation.variables.truncate(outer);
        }
        Err(Stop::NoValue)
    }

    /// Tests if a pattern fits a value, and declares its variables.
    fn bind(&mut self, pat: &Pat, value: &Value, evaluation: &mut Evaluation) -> Flow<bool> {
        match (pat, value) {
            (Pat::Wild(_), _) => Ok(true),
            (Pat::Paren(inner), _) => self.bind(&inner.pat, value, evaluation),
            (Pat::Guard(guarded), _) => Ok(self.bind(&guarded.pat, value, evaluation)?
                && self.eval_condition(&guarded.guard, evaluation)?),
            (Pat::Or(or), _) => {
                for case in &or.cases {
                    if self.bind(case, value, evaluation)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Pat::Ident(ident), _) if ident.subpat.is_none() && ident.by_ref.is_none() => {
                let path = syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: ident.ident.clone().into(),
                };
                let is_constant = ident.mutability.is_none()
                    && evaluation.find(&ident.ident.to_string()).is_none();
                if is_constant && let Ok(constant) = self.eval_path_value(&path, evaluation) {
                    return Ok(is_equal(&constant, value));
                }
                evaluation.variables.push((ident.ident.to_string(), value.clone()));
                Ok(true)
            }
            (Pat::Lit(lit), Value::Number(number)) => {
                let literal = literal(&lit.lit, number.prim).ok_or(Stop::NoValue)?;
                Ok(literal.value == number.value)
            }
            (Pat::Range(range), Value::Number(number)) => {
                let [start, end] = [&range.start, &range.end].map(|end| match end {
                    Some(end) => self.eval_number(end, number.prim, evaluation).map(Some),
                    None => Ok(None),
                });
                let (start, end) = (start?, end?);
                let before_end = |end: Number| match range.limits {
                    syn::RangeLimits::HalfOpen(_) => number.value < end.value,
                    syn::RangeLimits::Closed(_) => number.value <= end.value,
                };
                Ok(start.is_none_or(|start| start.value <= number.value)
                    && end.is_none_or(before_end))
            }
            (Pat::Path(path), _) => {
                let constant = self.eval_path_value(path, evaluation)?;
                Ok(is_equal(&constant, value))
            }
            (Pat::Tuple(tuple), Value::Fields(all)) if tuple.elems.len() == all.len() => {
                for (pat, (_, value)) in tuple.elems.iter().zip(all.iter()) {
                    if !self.bind(pat, value, evaluation)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Err(Stop::NoValue),
        }
    }

    /// Assigns to a variable, or to a part of one.
    fn assign(&mut self, to: &Expr, value: Value, evaluation: &mut Evaluation) -> Flow<()> {
        match to {
            Expr::Paren(inner) => self.assign(&inner.expr, value, evaluation),
            Expr::Path(path) if let Some(name) = path.path.get_ident() => {
                let variable = evaluation.find(&name.to_string()).ok_or(Stop::NoValue)?;
                *variable = value;
                Ok(())
            }
            Expr::Index(of) => {
                let index = self.eval_number(&of.index, Some(Prim::Usize), evaluation)?.value;
                let base = self.eval_expr(&of.expr, None, evaluation)?;
                let (Value::Array(all), Ok(index)) = (base, usize::try_from(index)) else {
                    return Err(Stop::NoValue);
                };
                let mut all = all.to_vec();
                *all.get_mut(index).ok_or(Stop::NoValue)? = value;
                // A copy of the array is as much work as its elements are.
                evaluation.steps += all.len();
                self.assign(&of.expr, Value::Array(all.into()), evaluation)
            }
            Expr::Field(of) => {
                let Value::Fields(all) = self.eval_expr(&of.base, None, evaluation)? else {
                    return Err(Stop::NoValue);
                };
                let (mut all, name) = (all.to_vec(), member_name(&of.member));
                let field = all.iter_mut().find(|(known, _)| *known == name);
                field.ok_or(Stop::NoValue)?.1 = value;
                self.assign(&of.base, Value::Fields(all.into()), evaluation)
            }
            Expr::Tuple(tuple) => {
                let Value::Fields(all) = value else { return Err(Stop::NoValue) };
                for (to, (_, value)) in tuple.elems.iter().zip(all.iter()) {
                    self.assign(to, value.clone(), evaluation)?;
                }
                Ok(())
            }
            _ => Err(Stop::NoValue),
        }
    }

    /// Evaluates a variable, a constant parameter or a constant.
    fn eval_path_value(
        &mut self,
        expr: &syn::ExprPath,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let Some(path) = plain_path(expr) else {
            let member = self.find_qualified_member(expr).ok_or(Stop::NoValue)?;
            let MemberKind::Const(value, ty) = member.kind else { return Err(Stop::NoValue) };
            return self.eval_definition((value, Some(ty), member.env, 0), expr, evaluation);
        };
        if let Some(name) = path.get_ident()
            && let Some(value) = evaluation.find(&name.to_string())
        {
            return Ok(value.clone());
        }
        let (env, name) = (self.env.clone(), path_key(&path));
        if let Some((index, GenericArg::Const(len))) = scope::find_generic(&env.args, &name) {
            let known = self.types.extent(len).and_then(|extent| extent.simplified()?.known());
            let kind = self.generic_kind(index, &name, &env);
            let (Some(bits), Some(GenericKind::Const(prim))) = (known, kind) else {
                return Err(Stop::NoValue);
            };
            return Ok(Value::Number(Number { value: wrap(bits.into(), prim), prim: Some(prim) }));
        }
        if let Some(constant) = self.find_local_constant(&path, &env) {
            let found = (&constant.value, Some(&constant.ty), env, constant.scope);
            return self.eval_definition(found, expr, evaluation);
        }
        if let Some((value, ty, own)) = self.find_constant(&path, &env) {
            return self.eval_definition((value, ty, own, 0), expr, evaluation);
        }
        match self.find_std_constant(&path, &env) {
            Some((Constant::Int(value), prim)) => numeric(Number::new(value, Some(prim))),
            Some((Constant::Zero, prim)) => numeric(Number::new(0, Some(prim))),
            Some((Constant::One, prim)) => numeric(Number::new(1, Some(prim))),
            _ => Err(Stop::NoValue),
        }
    }

    fn eval_definition(
        &mut self,
        (value, ty, env, constants): (&Expr, Option<&syn::Type>, Env, usize),
        of: &syn::ExprPath,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let at = SpanRange::path(&of.path);
        let definition = Definition { value, env: &env, constants, at };
        self.resolve_definition(&definition, |this| {
            let home = std::mem::replace(&mut this.env, env.clone());
            let prim = ty.and_then(|ty| this.element_prim(ty));
            this.env = home;
            this.eval_in(value, prim, &env, evaluation)
        })
        .map_err(Stop::Reported)?
    }

    /// Returns the discriminant of a variant that an expression names; `None` if it names none.
    fn eval_variant(&mut self, expr: &Expr, evaluation: &mut Evaluation) -> Flow<Option<Number>> {
        let Expr::Path(path) = expr else { return Ok(None) };
        let Some(path) = plain_path(path) else { return Ok(None) };
        let Some((ty, shape)) = self.resolve_unit_shape(&path) else { return Ok(None) };
        let Type::Adt(item, _) = self.types.get(ty) else { return Ok(None) };
        let (Some(syn::Item::Enum(defined)), Some(variant)) =
            (self.program().item(item), shape.variant)
        else {
            return Ok(None);
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let mut discriminant = 0;
        for (index, variant) in defined.variants.iter().take(variant + 1).enumerate() {
            if let Some((_, written)) = &variant.discriminant {
                match self.eval_in(written, None, &own, evaluation)? {
                    Value::Number(number) => discriminant = number.value,
                    _ => return Err(Stop::NoValue),
                }
            } else if index > 0 {
                discriminant += 1;
            }
        }
        Ok(Some(Number { value: discriminant, prim: None }))
    }

    /// Evaluates a call of a `const fn`.
    fn eval_call(&mut self, call: &syn::ExprCall, evaluation: &mut Evaluation) -> Flow<Value> {
        let path = callee_path(&call.func).ok_or(Stop::NoValue)?;
        let env = self.env.clone();
        let (callee, own) = match self.resolve_prefix(&path, &env) {
            Some(ResolvedPrefix { item, rest, .. })
                if rest.is_empty()
                    && matches!(self.program().item(item), Some(syn::Item::Fn(_))) =>
            {
                let own = Env { args: [].into(), home: Some(item), self_ty: None };
                (Callee { item, member: None }, own)
            }
            _ => {
                if let Some(extent) = self.extent_of_measure(call, &env) {
                    let known = extent.simplified().and_then(|extent| extent.known());
                    return numeric(Number::new(
                        known.ok_or(Stop::NoValue)?.into(),
                        Some(Prim::Usize),
                    ));
                }
                if let Some((prim, name)) = self.inherent_number_owner(&path, &env) {
                    let args = call.args.iter().enumerate();
                    let args = args.map(|(index, arg)| {
                        self.eval_number(arg, (index == 0).then_some(prim), evaluation)
                    });
                    let args = args.collect::<Flow<Vec<_>>>()?;
                    let (this, others) = args.split_first().ok_or(Stop::NoValue)?;
                    return numeric(this.call(&name, others));
                }
                let (owner, name) = self.path_owner(&path, &env).ok_or(Stop::NoValue)?;
                match self.find_member(owner, &name, None) {
                    Some(Member { callee, env, kind: MemberKind::Fn(_) }) => (callee, env),
                    _ => return Err(Stop::NoValue),
                }
            }
        };
        self.eval_function(callee, own, &path, call, evaluation)
    }

    fn eval_function(
        &mut self,
        callee: Callee,
        own: Env,
        path: &syn::Path,
        call: &syn::ExprCall,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let function = self.program().function_syntax(callee).ok_or(Stop::NoValue)?;
        if function.sig.constness.is_none() || function.sig.inputs.len() != call.args.len() {
            return Err(Stop::NoValue);
        }
        let (own, constants) = self.eval_generic_args(own, function.sig, path, evaluation)?;
        let home = std::mem::replace(&mut self.env, own.clone());
        let inputs = function.sig.inputs.iter().map(|input| match input {
            syn::FnArg::Typed(input) => (Some(&*input.pat), self.element_prim(&input.ty)),
            syn::FnArg::Receiver(_) => (None, None),
        });
        let inputs: Vec<(Option<&Pat>, Option<Prim>)> = inputs.collect();
        let returned = match &function.sig.output {
            syn::ReturnType::Type(_, ty) => self.element_prim(ty),
            syn::ReturnType::Default => None,
        };
        self.env = home;
        let values = inputs.iter().zip(&call.args);
        let values = values.map(|((_, prim), arg)| self.eval_expr(arg, *prim, evaluation));
        let values = values.collect::<Flow<Vec<_>>>()?;
        if evaluation.call_depth >= MAX_CALL_DEPTH {
            return Err(Stop::NoValue);
        }
        let home = std::mem::replace(&mut self.env, own);
        let (outer, first) = (evaluation.variables.len(), evaluation.first_variable);
        evaluation.first_variable = outer;
        evaluation.variables.extend(constants);
        evaluation.call_depth += 1;
        let mut result = Ok(Value::Unit);
        for ((pat, _), value) in inputs.iter().zip(&values) {
            match pat {
                Some(pat) => result = self.bind(pat, value, evaluation).map(|_| Value::Unit),
                None => evaluation.variables.push(("self".to_owned(), value.clone())),
            }
            if result.is_err() {
                break;
            }
        }
        if result.is_ok() {
            result = self.eval_block(function.block, returned, evaluation);
        }
        evaluation.variables.truncate(outer);
        (evaluation.first_variable, evaluation.call_depth) = (first, evaluation.call_depth - 1);
        self.env = home;
        match result {
            Err(Stop::Return(value)) => Ok(value),
            result => result,
        }
    }

    /// Returns the environment of a function with the type arguments that its call writes, and the
    /// constant arguments.
    fn eval_generic_args(
        &mut self,
        own: Env,
        sig: &syn::Signature,
        path: &syn::Path,
        evaluation: &mut Evaluation,
    ) -> Flow<(Env, Vec<(String, Value)>)> {
        let params = generic_parameters(None, sig);
        let (mut types, mut constants) = (own.args.to_vec(), Vec::new());
        let written = Self::turbofish(path).into_iter().flat_map(|written| &written.args);
        let written: Vec<&syn::GenericArgument> = written.collect();
        if written.len() != params.len() {
            return Err(Stop::NoValue);
        }
        for (param, written) in params.iter().zip(written) {
            match (param, written) {
                (GenericParameter::Type(_), syn::GenericArgument::Type(ty)) => {
                    types.push((param.name(), GenericArg::Type(self.resolve_type(ty))));
                }
                (GenericParameter::Const(of), syn::GenericArgument::Const(value)) => {
                    let prim = self.element_prim(&of.ty);
                    constants.push((param.name(), self.eval_expr(value, prim, evaluation)?));
                }
                // `f::<N>` parses as a type.
                (GenericParameter::Const(_), syn::GenericArgument::Type(syn::Type::Path(path))) => {
                    let path =
                        syn::ExprPath { attrs: Vec::new(), qself: None, path: path.path.clone() };
                    constants.push((param.name(), self.eval_path_value(&path, evaluation)?));
                }
                _ => return Err(Stop::NoValue),
            }
        }
        Ok((Env { args: types.into(), ..own }, constants))
    }

    /// Returns the number type that a type consists of: `u32` for `u32` and `&[u32; 4]`.
    fn element_prim(&mut self, ty: &syn::Type) -> Option<Prim> {
        match ungroup::peel(ty) {
            syn::Type::Array(array) => self.element_prim(&array.elem),
            syn::Type::Slice(slice) => self.element_prim(&slice.elem),
            syn::Type::Reference(reference) => self.element_prim(&reference.elem),
            syn::Type::Path(path) if path.qself.is_none() => {
                let named =
                    path.path.get_ident().and_then(|name| Prim::from_name(&name.to_string()));
                if named.is_some() {
                    return named;
                }
                // A type that resolves to no item is an error elsewhere.
                let env = self.env.clone();
                let is_known = self.resolve_prefix(&path.path, &env).is_some()
                    || scope::find_generic(&env.args, &path_key(&path.path)).is_some();
                if !is_known {
                    return None;
                }
                let ty = self.resolve_type_in(ty, &env);
                self.types.as_prim(ty)
            }
            _ => None,
        }
    }
}

/// Evaluates an expression of integer literals, as in the discriminant of a variant.
pub(crate) fn eval_literal_integer(expr: &Expr) -> Option<i128> {
    fn eval(expr: &Expr) -> Option<Number> {
        match expr {
            Expr::Paren(inner) => eval(&inner.expr),
            Expr::Group(inner) => eval(&inner.expr),
            Expr::Lit(lit) => literal(&lit.lit, None),
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => eval(&unary.expr)?.negate(),
                UnOp::Not(_) => Some(eval(&unary.expr)?.complement()),
                _ => None,
            },
            Expr::Binary(binary) => {
                Number::apply(&binary.op, eval(&binary.left)?, eval(&binary.right)?)
            }
            _ => None,
        }
    }
    Some(eval(expr)?.value)
}

fn numeric(number: Option<Number>) -> Flow<Value> {
    number.map(Value::Number).ok_or(Stop::NoValue)
}

fn literal(lit: &Lit, expected: Option<Prim>) -> Option<Number> {
    match lit {
        Lit::Bool(bool) => Some(Number::bool(bool.value)),
        Lit::Byte(byte) => Number::new(byte.value().into(), Some(Prim::U8)),
        Lit::Int(int) => {
            let prim = Prim::from_name(int.suffix()).or(expected);
            // That of the least integer fits only with its sign.
            Some(Number {
                value: int.base10_parse().ok()?,
                prim: prim.filter(|prim| prim.is_int()),
            })
        }
        _ => None,
    }
}

/// Returns true if two values are equal, whether their types are known or not.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.value == b.value,
        _ => a == b,
    }
}

fn label_of(label: Option<&syn::Label>) -> Option<String> {
    label.map(|label| label.name.ident.to_string())
}

fn member_name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | BitXorAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Returns true for `assert!` and its relatives.
fn asserts(mac: &syn::Macro) -> bool {
    let names = ["assert", "debug_assert"];
    names.iter().any(|name| mac.path.is_ident(name))
}

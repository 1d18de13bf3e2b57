//! Evaluation of constant expressions: array lengths, and arguments of constant parameters.
//!
//! Inference needs a length before anything is lowered, so that this interprets the syntax:
//! numbers, `bool`s, and arrays, tuples and structs of them, with the statements that a `const fn`
//! may have. rustc evaluates the same expression for its own copy of the kernel and reports its
//! mistakes, such as an overflow. What is not covered here has no value, which the caller reports:
//! above all a parameter whose value is known at launch, of which [`super::extent`] makes an
//! expression.
mod arithmetic;
mod names;
mod statements;

use crate::{
    infer::{Infer, items::scope::Env},
    syntax::error::Reported,
    types::Prim,
};
use arithmetic::Number;
use statements::variable_prim;
use std::rc::Rc;
use syn::{BinOp, Expr, Lit, UnOp};

/// Limit on the expressions that one constant evaluates.
const MAX_STEPS: usize = 1 << 16;

/// Limit on expressions inside of each other, with those of calls, which bounds the stack.
const MAX_DEPTH: usize = 256;

/// A value during evaluation.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Unit,
    Number(Number),
    Array(Rc<[Value]>),
    /// Fields by name, in the order of the names; those of tuples have numbers.
    Fields(Rc<[(String, Value)]>),
}

impl Value {
    /// Gives numbers without a type, in arrays as well, this one.
    fn typed(self, prim: Option<Prim>) -> Flow<Self> {
        match self {
            Self::Number(number) => numeric(number.typed(prim)),
            Self::Array(all) if prim.is_some() => {
                let all = all.iter().map(|value| value.clone().typed(prim));
                Ok(Self::Array(all.collect::<Flow<_>>()?))
            }
            Self::Unit | Self::Array(_) | Self::Fields(_) => Ok(self),
        }
    }
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
    /// The type that the current call returns, if that is a number.
    returned: Option<Prim>,
    steps: usize,
    depth: usize,
}

impl Evaluation {
    /// Returns the index of a variable of the current call.
    fn find(&self, name: &str) -> Option<usize> {
        let own = self.variables[self.first_variable..].iter();
        let index = own.rev().position(|(known, _)| known == name)?;
        Some(self.variables.len() - 1 - index)
    }

    /// Counts work of this many steps.
    fn count_steps(&mut self, steps: usize) -> Flow<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS { Err(Stop::NoValue) } else { Ok(()) }
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
        evaluation.count_steps(1)?;
        if evaluation.depth >= MAX_DEPTH {
            return Err(Stop::NoValue);
        }
        evaluation.depth += 1;
        let value = self.eval_by_kind(expr, expected, evaluation);
        evaluation.depth -= 1;
        value
    }

    fn eval_by_kind(
        &mut self,
        expr: &Expr,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
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
                    (UnOp::Not(_), Value::Number(number)) => numeric(number.complement()),
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
                    Some(value) => self.eval_expr(value, None, evaluation)?,
                    None => Value::Unit,
                };
                Err(Stop::Break(of.label.as_ref().map(|label| label.ident.to_string()), value))
            }
            Expr::Continue(of) => {
                Err(Stop::Continue(of.label.as_ref().map(|label| label.ident.to_string())))
            }
            Expr::Return(of) => {
                let value = match &of.expr {
                    Some(value) => self.eval_expr(value, evaluation.returned, evaluation)?,
                    None => Value::Unit,
                };
                Err(Stop::Return(value))
            }
            Expr::Assign(of) => {
                let prim = variable_prim(&of.left, evaluation);
                let value = self.eval_expr(&of.right, prim, evaluation)?;
                self.assign(&of.left, value, evaluation)?;
                Ok(Value::Unit)
            }
            Expr::Call(call) => self.eval_call(call, evaluation),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if name == "len"
                    && let Some(len) = self.constant_len(&call.receiver, evaluation)?
                {
                    return numeric(Number::new(len.into(), Some(Prim::Usize)));
                }
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
                    Ok(len) => {
                        evaluation.count_steps(len)?;
                        Ok(Value::Array(vec![value; len].into()))
                    }
                    Err(_) => Err(Stop::NoValue),
                }
            }
            Expr::Tuple(tuple) if tuple.elems.is_empty() => Ok(Value::Unit),
            Expr::Tuple(tuple) => {
                let all = tuple.elems.iter().enumerate().map(|(index, elem)| {
                    Ok((index.to_string(), self.eval_expr(elem, None, evaluation)?))
                });
                Ok(Value::Fields(all.collect::<Flow<_>>()?))
            }
            Expr::Struct(of) if of.rest.is_none() => self.eval_struct(of, evaluation),
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
        // Only the first operator of a chain can be an assignment.
        if let [binary] = &*chain
            && is_assignment(&binary.op)
        {
            return self.eval_compound_assignment(binary, evaluation);
        }
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
                    let shifts = matches!(op, BinOp::Shl(_) | BinOp::Shr(_));
                    let hint = number.prim.or(expected).filter(|_| !shifts);
                    let right = self.eval_number(&binary.right, hint, evaluation)?;
                    // A literal has the type of the other side.
                    let number = if shifts { Some(number) } else { number.typed(right.prim) };
                    let number = number.ok_or(Stop::NoValue)?;
                    numeric(Number::apply(op, number, right))?
                }
            };
        }
        Ok(left)
    }
}

/// Evaluates an expression of integer literals, as in the discriminant of a variant.
pub(crate) fn eval_literal_integer(expr: &Expr) -> Option<i128> {
    fn eval(expr: &Expr) -> Option<Number> {
        match expr {
            Expr::Paren(inner) => eval(&inner.expr),
            Expr::Group(inner) => eval(&inner.expr),
            Expr::Lit(lit) => literal(&lit.lit, Some(Prim::Isize)),
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => eval(&unary.expr)?.negate(),
                UnOp::Not(_) => eval(&unary.expr)?.complement(),
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

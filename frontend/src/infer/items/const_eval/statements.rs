//! Statements in constant expressions: blocks, loops, patterns and assignments.
use super::{Evaluation, Flow, Stop, Value, arithmetic::Number, literal, member_name};
use crate::{infer::Infer, types::Prim};
use syn::{Expr, Pat, Stmt};

impl Infer<'_> {
    pub(super) fn eval_block(
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

    pub(super) fn eval_statements(
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
    pub(super) fn eval_loop_body(
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

    pub(super) fn eval_match(
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
    pub(super) fn bind(
        &mut self,
        pat: &Pat,
        value: &Value,
        evaluation: &mut Evaluation,
    ) -> Flow<bool> {
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
    pub(super) fn assign(
        &mut self,
        to: &Expr,
        value: Value,
        evaluation: &mut Evaluation,
    ) -> Flow<()> {
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
}

/// Returns true if two values are equal, whether their types are known or not.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.value == b.value,
        _ => a == b,
    }
}

/// Returns true for `assert!` and its relatives.
fn asserts(mac: &syn::Macro) -> bool {
    let names = ["assert", "debug_assert"];
    names.iter().any(|name| mac.path.is_ident(name))
}

//! Statements in constant expressions: blocks, loops, patterns and assignments.
use super::{Evaluation, Flow, Stop, Value, arithmetic::Number, literal, member_name};
use crate::{infer::Infer, types::Prim};
use std::rc::Rc;
use syn::{BinOp, Expr, Pat, Stmt};

/// A place that is assigned to: a variable, or a part of one.
struct Place {
    /// The index of the variable.
    variable: usize,
    /// The way to the part, from the outside in.
    steps: Vec<Step>,
}

enum Step {
    Element(usize),
    Field(String),
}

impl Infer<'_> {
    /// Evaluates a block, with its constants in scope from its beginning.
    pub(super) fn eval_block(
        &mut self,
        block: &syn::Block,
        expected: Option<Prim>,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let outer = evaluation.variables.len();
        let value = self
            .declare_block_constants(&block.stmts, evaluation)
            .and_then(|()| self.eval_statements(&block.stmts, expected, evaluation));
        evaluation.variables.truncate(outer);
        value
    }

    /// Evaluates the constants of a block. One that is used before its value is known is a unit until
    /// then, from which nothing can be computed.
    fn declare_block_constants(&mut self, stmts: &[Stmt], evaluation: &mut Evaluation) -> Flow<()> {
        let constants = stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Item(syn::Item::Const(item)) if item.ident != "_" => Some(item),
            _ => None,
        });
        let constants: Vec<&syn::ItemConst> = constants.collect();
        let first = evaluation.variables.len();
        let names = constants.iter().map(|item| (item.ident.to_string(), Value::Unit));
        evaluation.variables.extend(names);
        for (index, item) in constants.into_iter().enumerate() {
            let prim = self.element_prim(&item.ty);
            let value = self.eval_expr(&item.expr, prim, evaluation)?.typed(prim)?;
            evaluation.variables[first + index].1 = value;
        }
        Ok(())
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
                    let value = self.eval_expr(&init.expr, ty, evaluation)?.typed(ty)?;
                    if !self.bind(pat, &value, evaluation)? {
                        return Err(Stop::NoValue);
                    }
                    Value::Unit
                }
                Stmt::Item(syn::Item::Const(_)) => Value::Unit,
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
        evaluation.count_steps(1)?;
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
                    return Ok(constant == *value);
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
                Ok(constant == *value)
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

    /// Assigns to a place, or to the places of a tuple.
    pub(super) fn assign(
        &mut self,
        to: &Expr,
        value: Value,
        evaluation: &mut Evaluation,
    ) -> Flow<()> {
        if let Expr::Tuple(tuple) = to {
            let Value::Fields(all) = value else { return Err(Stop::NoValue) };
            for (to, (_, value)) in tuple.elems.iter().zip(all.iter()) {
                self.assign(to, value.clone(), evaluation)?;
            }
            return Ok(());
        }
        let place = self.eval_place(to, evaluation)?;
        let part = part_of(&place, evaluation)?;
        *part = match part {
            Value::Number(old) => value.typed(old.prim)?,
            Value::Unit | Value::Array(_) | Value::Fields(_) => value,
        };
        Ok(())
    }

    /// Evaluates `a += b` and the like: the right side first, and the place once.
    pub(super) fn eval_compound_assignment(
        &mut self,
        binary: &syn::ExprBinary,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let shifts = matches!(binary.op, BinOp::ShlAssign(_) | BinOp::ShrAssign(_));
        let prim = variable_prim(&binary.left, evaluation).filter(|_| !shifts);
        let right = self.eval_number(&binary.right, prim, evaluation)?;
        let place = self.eval_place(&binary.left, evaluation)?;
        let part = part_of(&place, evaluation)?;
        let Value::Number(left) = part else { return Err(Stop::NoValue) };
        let result = Number::apply(&binary.op, *left, right).ok_or(Stop::NoValue)?;
        *part = Value::Number(result);
        Ok(Value::Unit)
    }

    fn eval_place(&mut self, expr: &Expr, evaluation: &mut Evaluation) -> Flow<Place> {
        match expr {
            Expr::Paren(inner) => self.eval_place(&inner.expr, evaluation),
            Expr::Path(path) => {
                let name = path.path.get_ident().ok_or(Stop::NoValue)?;
                let variable = evaluation.find(&name.to_string()).ok_or(Stop::NoValue)?;
                Ok(Place { variable, steps: Vec::new() })
            }
            Expr::Index(of) => {
                let mut place = self.eval_place(&of.expr, evaluation)?;
                let index = self.eval_number(&of.index, Some(Prim::Usize), evaluation)?.value;
                let index = usize::try_from(index).map_err(|_| Stop::NoValue)?;
                place.steps.push(Step::Element(index));
                Ok(place)
            }
            Expr::Field(of) => {
                let mut place = self.eval_place(&of.base, evaluation)?;
                place.steps.push(Step::Field(member_name(&of.member)));
                Ok(place)
            }
            _ => Err(Stop::NoValue),
        }
    }
}

/// Returns the value in a place. An array that other variables share is copied first.
fn part_of<'e>(place: &Place, evaluation: &'e mut Evaluation) -> Flow<&'e mut Value> {
    let Evaluation { variables, steps, .. } = evaluation;
    let mut part = &mut variables[place.variable].1;
    for step in &place.steps {
        part = match (step, part) {
            (Step::Element(index), Value::Array(all)) => {
                if Rc::get_mut(all).is_none() {
                    *steps = steps.saturating_add(all.len());
                }
                Rc::make_mut(all).get_mut(*index).ok_or(Stop::NoValue)?
            }
            (Step::Field(name), Value::Fields(all)) => {
                let field = Rc::make_mut(all).iter_mut().find(|(known, _)| known == name);
                &mut field.ok_or(Stop::NoValue)?.1
            }
            _ => return Err(Stop::NoValue),
        };
    }
    Ok(part)
}

/// Returns the type of the number in a variable that is assigned to.
pub(super) fn variable_prim(to: &Expr, evaluation: &Evaluation) -> Option<Prim> {
    let Expr::Path(path) = to else { return None };
    let index = evaluation.find(&path.path.get_ident()?.to_string())?;
    match &evaluation.variables[index].1 {
        Value::Number(number) => number.prim,
        Value::Unit | Value::Array(_) | Value::Fields(_) => None,
    }
}

/// Returns true for `assert!` and its relatives.
fn asserts(mac: &syn::Macro) -> bool {
    let names = ["assert", "debug_assert"];
    names.iter().any(|name| mac.path.is_ident(name))
}

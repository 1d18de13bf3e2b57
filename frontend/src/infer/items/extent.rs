//! Array lengths and constant arguments.
use crate::{
    hir::{GenericArg, GenericKind},
    infer::{
        Infer,
        items::{
            cycles::Definition,
            scope::{self, Env, Scope},
        },
    },
    resolve::paths::path_key,
    syntax::{error::Reported, span::SpanRange},
    types::{Len, Prim},
};
use syn::{
    BinOp, Expr,
    visit::{self, Visit},
};
use warpwise_compiler::ir::{Extent, evaluate};

impl Infer<'_> {
    /// Evaluates the length of an array in an environment.
    pub(crate) fn eval_len(&mut self, expr: &Expr, env: &Env) -> Len {
        if let Expr::Path(path) = peel(expr)
            && let Some((_, GenericArg::Const(len))) =
                scope::find_generic(&env.args, &path_key(&path.path))
        {
            self.unify_open_length(&path.path);
            return len;
        }
        if let Expr::Infer(_) = expr {
            return self.types.unknown_len();
        }
        match self.eval_extent_in(expr, env) {
            Ok(extent) => self.check_len(expr, extent),
            Err(reported) => self.types.reported_len(reported),
        }
    }

    fn check_len(&mut self, expr: &Expr, extent: Extent) -> Len {
        if extent.simplified().is_some() {
            return self.types.len(extent);
        }
        let at = SpanRange::expr(expr);
        let reported = self.errors.report(at, "this length overflows or divides by zero");
        self.types.reported_len(reported)
    }

    /// Evaluates the block dimensions of a kernel; `None` if one is wrong.
    pub(crate) fn eval_block_dims(&mut self, dims: &[Expr; 3]) -> Option<[Extent; 3]> {
        let [x, y, z] = dims.each_ref().map(|dim| self.eval_extent(dim).ok());
        Some([x?, y?, z?])
    }

    /// Evaluates a `usize` that is known at launch.
    pub(crate) fn eval_extent(&mut self, expr: &Expr) -> Result<Extent, Reported> {
        let env = self.env.clone();
        self.eval_extent_in(expr, &env)
    }

    fn eval_extent_in(&mut self, expr: &Expr, env: &Env) -> Result<Extent, Reported> {
        if let Some(value) = self.eval_const(expr, Prim::Usize, env)?
            && let Ok(value) = u64::try_from(value)
        {
            return Ok(Extent::Const(value));
        }
        self.eval_symbolic(expr, env)
    }

    /// Evaluates a `usize` over numbers that a launch binds, which has fewer operators.
    fn eval_symbolic(&mut self, expr: &Expr, env: &Env) -> Result<Extent, Reported> {
        let expr = peel(expr);
        match expr {
            Expr::Path(path) => return self.eval_path(&path.path, env),
            Expr::Cast(cast) => return self.eval_extent_in(&cast.expr, env),
            Expr::Binary(binary) => return self.eval_binary(binary, env),
            Expr::Call(call) => {
                if let Some(extent) = self.extent_of_measure(call, env) {
                    return Ok(extent);
                }
            }
            Expr::MethodCall(call) => {
                if let Some(extent) = self.eval_method(call, env)? {
                    return Ok(extent);
                }
            }
            _ => {}
        }
        Err(self.report_no_extent(expr))
    }

    /// Evaluates binary operators. A long chain nests deeply on the left, so a loop replaces
    /// recursion.
    fn eval_binary(&mut self, binary: &syn::ExprBinary, env: &Env) -> Result<Extent, Reported> {
        let mut chain = vec![binary];
        let mut first = &*binary.left;
        while let Expr::Binary(left) = first {
            chain.push(left);
            first = &left.left;
        }
        let mut value = self.eval_extent_in(first, env);
        for binary in chain.into_iter().rev() {
            let (lhs, rhs) = (value?, self.eval_extent_in(&binary.right, env)?);
            let computed = match (lhs.known(), rhs.known()) {
                (Some(_), Some(_)) => apply_operator(&binary.op, lhs, rhs)
                    .map(|extent| extent.simplified().unwrap_or(extent)),
                _ => apply_operator(&binary.op, lhs, rhs),
            };
            value = match computed {
                Some(extent) => Ok(extent),
                None => Err(self.report_no_extent(&Expr::Binary(binary.clone()))),
            };
        }
        value
    }

    /// Evaluates `TABLE.len()` and methods of numbers.
    fn eval_method(
        &mut self,
        call: &syn::ExprMethodCall,
        env: &Env,
    ) -> Result<Option<Extent>, Reported> {
        let name = call.method.to_string();
        if let (Expr::Path(path), "len", true) =
            (peel(&call.receiver), &*name, call.args.is_empty())
        {
            return self.eval_array_len(&path.path, env);
        }
        if call.args.len() != 1 {
            return Ok(None);
        }
        let (this, other) =
            (self.eval_extent_in(&call.receiver, env)?, self.eval_extent_in(&call.args[0], env)?);
        Ok(apply_extent_method(&name, this, other))
    }

    /// Returns the length of a constant array.
    pub(super) fn eval_array_len(
        &mut self,
        path: &syn::Path,
        env: &Env,
    ) -> Result<Option<Extent>, Reported> {
        let local = self.find_local_constant(path, env);
        let (ty, own, constants) = match (&local, self.find_constant(path, env)) {
            (Some(constant), _) => (&constant.ty, env.clone(), constant.scope),
            (None, Some((_, Some(ty), own))) => (ty, own, 0),
            (None, _) => return Err(self.report_no_constant(path)),
        };
        match ty {
            syn::Type::Array(array) => {
                let at = SpanRange::path(path);
                let definition = Definition { value: &array.len, env: &own, constants, at };
                let len = self.resolve_definition(&definition, |this| {
                    this.eval_extent_in(&array.len, &own)
                })?;
                len.map(Some)
            }
            _ => Ok(None),
        }
    }

    fn eval_path(&mut self, path: &syn::Path, env: &Env) -> Result<Extent, Reported> {
        if let Some((index, GenericArg::Const(len))) =
            scope::find_generic(&env.args, &path_key(path))
            && let Some(extent) = self.types.extent(len).cloned()
        {
            let kind = self.generic_kind(index, &path_key(path), env);
            if let Some(GenericKind::Const(prim)) = kind
                && prim != Prim::Usize
            {
                return Err(self.errors.report(
                    SpanRange::path(path),
                    format_args!("this must be a `usize`, and is `{}`", prim.name()),
                ));
            }
            self.unify_open_length(path);
            return Ok(extent);
        }
        self.eval_constant(path, env)
    }

    /// Evaluates a `#[device]` constant.
    fn eval_constant(&mut self, path: &syn::Path, env: &Env) -> Result<Extent, Reported> {
        let at = SpanRange::path(path);
        if let Some(constant) = self.find_local_constant(path, env) {
            let definition =
                Definition { value: &constant.value, env, constants: constant.scope, at };
            return self.resolve_definition(&definition, |this| {
                this.eval_extent_in(&constant.value, env)
            })?;
        }
        match self.find_constant(path, env) {
            Some((expr, _, own)) => {
                let definition = Definition { value: expr, env: &own, constants: 0, at };
                self.resolve_definition(&definition, |this| this.eval_extent_in(expr, &own))?
            }
            None => Err(self.report_no_constant(path)),
        }
    }

    fn report_no_extent(&mut self, expr: &Expr) -> Reported {
        let mut variable = FirstVariable { scope: &self.scope, found: None };
        variable.visit_expr(expr);
        if let Some(name) = variable.found {
            return self.report_variable_in_constant(&name, SpanRange::expr(expr));
        }
        self.errors.advise(
            SpanRange::expr(expr),
            "kernel code cannot compute this constant",
            "use integers, `bool`s, `#[device] const fn`s and the `size_of` of numbers, and with numbers that the launch decides only `+ - * / % << >>`; or make this a plain `const`, and name it in `#[kernel(open(..))]`",
        )
    }

    fn report_no_constant(&mut self, path: &syn::Path) -> Reported {
        let name = path_key(path);
        if path.get_ident().is_some_and(|name| self.scope.find(name).is_some()) {
            return self.report_variable_in_constant(&name, SpanRange::path(path));
        }
        self.errors.advise(
            SpanRange::path(path),
            format_args!("kernel code does not know the constant `{name}`"),
            format_args!("name it in `#[kernel(open({name}))]`, or make it a constant parameter"),
        )
    }

    /// Reports a variable in a constant, which is no constant for rustc, either.
    fn report_variable_in_constant(&mut self, name: &str, at: SpanRange) -> Reported {
        self.errors.mistyped(at, format_args!("attempt to use the variable `{name}` in a constant"))
    }

    /// Unifies the type of an open constant with `usize`, because it is a length here.
    fn unify_open_length(&mut self, path: &syn::Path) {
        let name = path_key(path);
        let open = self.names.generics.iter().find(|generic| generic.name == name);
        if let Some(GenericKind::Open(ty)) = open.map(|generic| generic.kind) {
            let usize = self.prim(Prim::Usize);
            self.unify(SpanRange::path(path), usize, ty);
        }
    }

    /// Evaluates a constant argument of type `prim` to an extent: its bits, or a constant
    /// parameter.
    pub(crate) fn eval_const_arg(&mut self, expr: &Expr, prim: Prim, env: &Env) -> Len {
        if prim == Prim::Usize {
            return self.eval_len(expr, env);
        }
        if let Expr::Path(path) = peel(expr)
            && let Some((_, GenericArg::Const(len))) =
                scope::find_generic(&env.args, &path_key(&path.path))
        {
            return len;
        }
        match self.eval_const(expr, prim, env) {
            Ok(Some(value)) => self.types.len(Extent::Const(evaluate::wrap(prim.scalar(), value))),
            Ok(None) => {
                let reported = self.report_no_extent(expr);
                self.types.reported_len(reported)
            }
            Err(reported) => self.types.reported_len(reported),
        }
    }
}

/// The first variable in an expression.
struct FirstVariable<'s> {
    scope: &'s Scope,
    found: Option<String>,
}

impl<'ast> Visit<'ast> for FirstVariable<'_> {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let variable = path.path.get_ident().filter(|name| self.scope.find(name).is_some());
        self.found = self.found.take().or(variable.map(ToString::to_string));
        visit::visit_expr_path(self, path);
    }
}

/// Applies an operator to two extents; `None` if the result is no extent.
fn apply_operator(op: &BinOp, lhs: Extent, rhs: Extent) -> Option<Extent> {
    let both = |rebuild: fn(Box<Extent>, Box<Extent>) -> Extent, a: Extent, b: Extent| {
        rebuild(Box::new(a), Box::new(b))
    };
    let power = |by: &Extent| {
        by.simplified()?.known().and_then(|by| 1_u64.checked_shl(by.try_into().ok()?))
    };
    Some(match op {
        BinOp::Add(_) => both(Extent::Add, lhs, rhs),
        BinOp::Sub(_) => both(Extent::Sub, lhs, rhs),
        BinOp::Mul(_) => both(Extent::Mul, lhs, rhs),
        BinOp::Div(_) => both(Extent::Div, lhs, rhs),
        BinOp::Rem(_) => {
            let whole = both(Extent::Div, lhs.clone(), rhs.clone());
            both(Extent::Sub, lhs, both(Extent::Mul, whole, rhs))
        }
        BinOp::Shl(_) => both(Extent::Mul, lhs, Extent::Const(power(&rhs)?)),
        BinOp::Shr(_) => both(Extent::Div, lhs, Extent::Const(power(&rhs)?)),
        _ => return None,
    })
}

/// Applies a method to two extents; `None` if the result is no extent.
fn apply_extent_method(name: &str, this: Extent, other: Extent) -> Option<Extent> {
    let sum = |a, b| Extent::Add(Box::new(a), Box::new(b));
    let difference = |a, b| Extent::Sub(Box::new(a), Box::new(b));
    Some(match name {
        "div_ceil" => {
            let past = difference(sum(this, other.clone()), Extent::Const(1));
            Extent::Div(Box::new(past), Box::new(other))
        }
        _ => return None,
    })
}

/// Returns `expr` without parentheses and without the braces that constant arguments need.
fn peel(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Paren(paren) => &paren.expr,
            Expr::Group(group) => &group.expr,
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(inner, None)] => inner,
                _ => return expr,
            },
            _ => return expr,
        };
    }
}

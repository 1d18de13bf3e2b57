//! Late constants: constants of types that are decided after their use, such as `Pair::EMPTY`, with
//! `const EMPTY: Self = Pair(A::EMPTY, B::EMPTY)`.
//!
//! The type `A` in `A::EMPTY` is only known at the end of the function. Until then a variable
//! stands for the constant, and the function begins with the variable's declaration.
use crate::{
    hir::{Expr, ExprKind, Pattern, PatternKind, Stmt, StmtKind, Var, Variable},
    infer::{Infer, items::scope::Env, traits::bounds::MemberCandidates},
    syntax::{error::Reported, span::SpanRange},
    types::{Class, Ty, Type},
};

/// A constant with a variable in its place.
pub(crate) struct LateConstant {
    var: Var,
    path: syn::ExprPath,
    env: Env,
    /// The use of the outermost constant whose value contains this one.
    use_span: SpanRange,
}

impl Infer<'_> {
    /// Returns true if a path is a constant of a type parameter's bound, and the type that selects
    /// it is unknown.
    pub(crate) fn is_late_constant(&mut self, path: &syn::Path, env: &Env) -> bool {
        if path.segments.len() != 2 {
            return false;
        }
        let Some((owner, name)) = self.path_owner(path, env) else { return false };
        matches!(self.types.get(owner), Type::Unknown(Class::Any))
            && matches!(self.member_candidates(owner, &name, env), MemberCandidates::OfTrait(..))
    }

    /// Makes the variable for such a constant.
    pub(crate) fn make_late_constant(
        &mut self,
        path: &syn::ExprPath,
        env: Env,
        at: SpanRange,
    ) -> Expr {
        let (ty, place) = (self.unknown(), self.record_span(at));
        let variable =
            Variable { name: String::new(), ty, mutable: false, settable: false, at: place };
        let var = self.vars.push(variable);
        let use_span = self.constant_use.unwrap_or(at);
        self.late_constants.push(LateConstant { var, path: path.clone(), env, use_span });
        self.make_expr(ExprKind::Var(var), ty, at)
    }

    /// Returns the declarations of the variables for late constants.
    pub(crate) fn declare_late_constants(&mut self) -> Vec<Stmt> {
        self.settle_projections(false);
        let (mut declared, mut reported) = (Vec::new(), None);
        for LateConstant { var, path, env, use_span } in std::mem::take(&mut self.late_constants) {
            let home = std::mem::replace(&mut self.env, env);
            let env = self.env.clone();
            let ty = self.vars[var].ty;
            if self.is_late_constant(&path.path, &env) {
                let proof = *reported.get_or_insert_with(|| self.report_unknown_constant(use_span));
                let unknown = self.types.add(Type::Reported(proof));
                self.types.decide(ty, unknown);
            } else {
                declared.push(self.declare_late_constant(var, ty, &path));
            }
            self.env = home;
        }
        declared
    }

    fn declare_late_constant(&mut self, var: Var, ty: Ty, path: &syn::ExprPath) -> Stmt {
        let value = self.infer_path(path, Some(ty));
        let value = self.coerce(value, ty);
        let at = value.at;
        let pattern =
            Pattern { kind: PatternKind::Bind { var, by_ref: false, subpattern: None }, ty, at };
        let kind = StmtKind::Let { pattern, init: Some(value), else_block: None };
        Stmt { kind, levels: Vec::new() }
    }

    fn report_unknown_constant(&mut self, named: SpanRange) -> Reported {
        let fact = "what this constant is depends on types that are not known";
        let help = "write them, as in `Name::<f32>::CONSTANT`, or give the variable its type";
        self.errors.advise(named, fact, help)
    }
}

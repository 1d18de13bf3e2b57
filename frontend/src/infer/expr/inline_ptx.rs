//! The expansion of `ptx!`, and `unsafe` blocks, which are for it.
use crate::{
    hir::{Expr, ExprKind},
    infer::Infer,
    resolve::inline_ptx::{self, Expanded},
    syntax::span::SpanRange,
    types::{Prim, Ty},
};
use quote::ToTokens as _;
use syn::{Expr as Syntax, ExprUnsafe, Macro, Path};

impl Infer<'_> {
    /// Infers an `unsafe` block. Only inline PTX needs one.
    pub(crate) fn infer_unsafe(&mut self, expr: &ExprUnsafe, hint: Option<Ty>) -> Expr {
        if !inline_ptx::is_named(expr.block.to_token_stream()) {
            return self.report_unsupported(&Syntax::Unsafe(expr.clone()));
        }
        let at = SpanRange::token(expr.unsafe_token.span)
            .to(SpanRange::token(expr.block.brace_token.span.close()));
        self.unsafe_blocks += 1;
        let (block, ty) = self.infer_block(&expr.block, hint);
        self.unsafe_blocks -= 1;
        self.make_expr(ExprKind::Block { label: None, block }, ty, at)
    }

    /// Infers a macro of the expansion of `ptx!`; `None` for other macros.
    pub(crate) fn infer_inline_ptx(&mut self, mac: &Macro, at: SpanRange) -> Option<Expr> {
        if inline_ptx::is_call(mac) {
            return Some(self.infer_unexpanded_ptx(mac, at));
        }
        match inline_ptx::private_macro(&mac.path)?.as_str() {
            "interpreted" => {
                let bool = self.prim(Prim::Bool);
                Some(self.make_expr(ExprKind::Interpreted, bool, at))
            }
            inline_ptx::EXPANDED => Some(self.infer_expanded_ptx(mac, at)),
            _ => None,
        }
    }

    fn infer_expanded_ptx(&mut self, mac: &Macro, at: SpanRange) -> Expr {
        if self.unsafe_blocks == 0 {
            let fact = "`ptx!` is `unsafe`";
            let help = "write it in a block: `unsafe { ptx!(..) }`";
            self.errors.advise_unless_rustc(at, fact, help);
        }
        let Ok(Expanded { is_pure, ptx, outputs, inputs }) = mac.parse_body() else {
            let reported = self.errors.report(at, "this is no expansion of `ptx!`");
            return self.make_reported(reported, at);
        };
        let args = inputs.into_iter().map(|input| {
            let variable =
                syn::ExprPath { attrs: Vec::new(), qself: None, path: Path::from(input) };
            self.infer_expr(&Syntax::Path(variable), None)
        });
        let args = args.collect();
        let outputs: Vec<Ty> = outputs.into_iter().map(|output| self.prim(output)).collect();
        let ty = match outputs[..] {
            [one] => one,
            _ => self.types.tuple(outputs),
        };
        self.make_expr(ExprKind::InlinePtx { is_pure, ptx: ptx.into(), args }, ty, at)
    }

    /// Infers a call that is not expanded yet: of a kernel that is lowered without rustc, or a
    /// wrong one. The macro reports a mistake to rustc, too.
    fn infer_unexpanded_ptx(&mut self, mac: &Macro, at: SpanRange) -> Expr {
        let expanded = inline_ptx::expand(mac.tokens.clone(), at.first);
        match expanded.and_then(syn::parse2::<Syntax>) {
            Ok(expanded) => self.infer_expr(&expanded, None),
            Err(error) => {
                let reported = self.errors.mistyped(SpanRange::token(error.span()), error);
                self.make_reported(reported, at)
            }
        }
    }
}

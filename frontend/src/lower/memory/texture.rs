//! Lowering of textures: parameters, and reads.
//!
//! A texture is a slice with extents, as the arrays of several dimensions are, and only the reads
//! of `texture::words` use the slice. A read names a parameter of the kernel, so that the texture
//! that a thread reads must be known.
use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Lowerer, Place, Pointer, Value},
};
use warpwise_compiler::ir::{Access, Op, ParamId, ParamKind, TextureOp};

impl Lowerer<'_> {
    /// Makes a texture of the slice parameter that was declared for its texels.
    pub(crate) fn make_texture(&mut self, texels: ParamId) {
        if let ParamKind::Slice { access, .. } = &mut self.build.kernel.params[texels].kind {
            *access = Access::Texture;
        }
    }

    /// Returns true for a parameter that is a texture.
    pub(crate) fn is_texture(&self, param: ParamId) -> bool {
        let kind = &self.build.kernel.params[param].kind;
        matches!(kind, ParamKind::Slice { access: Access::Texture, .. })
    }

    /// Lowers a read to an array of its words.
    pub(crate) fn lower_texture_read(
        &mut self,
        op: TextureOp,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let Some((texels, coords)) = args.split_first() else { return Err(self.report_bug(at)) };
        let texels = self.lower_value(texels)?;
        let coords =
            coords.iter().map(|coord| self.lower_scalar(coord)).collect::<Flow<Vec<_>>>()?;
        let Some(texture) = self.texture_param(&texels) else {
            // Usually, the branch that makes the choice is reported already.
            if self.errors.is_empty() {
                self.report_unknown_texture(at);
            }
            return Err(Diverged);
        };
        let words = (0..TextureOp::WORDS).map(|word| {
            let read = Op::Texture { op, texture, args: coords.clone(), word };
            self.push_inst(at, read, op.word.scalar())
        });
        let words = words.collect();
        self.lower_array_of_words(words, expr)
    }

    /// Returns the parameter that a texture is, if it is known.
    fn texture_param(&self, texels: &Value) -> Option<ParamId> {
        let Value::Ref(place) = texels else { return None };
        let Place::Memory(memory) = &**place else { return None };
        let Pointer::Param(param) = memory.ptr else { return None };
        self.is_texture(param).then_some(param)
    }

    /// Reports a texture that the compiler cannot tell from others.
    pub(crate) fn report_unknown_texture(&mut self, at: SpanId) {
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot choose between textures while it runs",
            "branch, and read a texture in each arm: `if c { a.sample(x, y) } else { b.sample(x, y) }`",
        );
    }
}

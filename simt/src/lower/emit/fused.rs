//! Operations that are computed together with some of their operands.
use super::{Done, Emitter};
use crate::{
    code::{Loaded, Malformed, Product, Step},
    lanes::{self, LaneFn, fused},
    registers::Reg,
};
use warpwise_compiler::ir::{CompareOp, InstId, Op};

impl Emitter<'_> {
    /// Computes the value of `id` and, on the way, its operand `inner`.
    pub(super) fn fused(&mut self, id: InstId, inner: InstId) -> Done {
        let Op::Binary { op: first, lhs: a, rhs: b } = self.kernel.insts[inner].op else {
            return Err(self.malformed("an operand that is no operation"));
        };
        let scalar = self.scalar(inner)?;
        let op = &self.kernel.insts[id].op;
        let (f, c) = if let Op::Binary { op, lhs, rhs } = *op {
            let is_left = lhs == inner;
            let f = fused::binary(first, op, is_left, scalar, self.isa);
            (f, if is_left { rhs } else { lhs })
        } else if let Op::Compare { op, lhs, rhs } = *op {
            let is_left = lhs == inner;
            let op = if is_left { op } else { mirrored(op) };
            (fused::compare(first, op, scalar, self.isa), if is_left { rhs } else { lhs })
        } else {
            (None, inner)
        };
        let f: LaneFn = f.ok_or_else(|| self.cannot_fuse())?;
        let [a, b, c] = [self.lanes(a)?, self.lanes(b)?, self.lanes(c)?];
        self.registers.release(self.ranges.position(id));
        let to = self.new_lanes(id)?;
        self.step(Step::Map { f, regs: [to, a, b, c] });
        Ok(())
    }

    /// Loads two factors and adds their product to `c`.
    pub(super) fn fma_loaded(&mut self, id: InstId, factors: [InstId; 2], c: InstId) -> Done {
        let f = lanes::fma(self.scalar(id)?, self.isa).ok_or_else(|| self.cannot_fuse())?;
        let c = self.lanes(c)?;
        let [a, b] = factors;
        let factors = [self.loaded(id, a)?, self.loaded(id, b)?];
        let to = self.new_lanes(id)?;
        self.code.products.push(Product { to, c, factors, f });
        self.step(Step::FmaLoaded { product: self.code.products.len() as u32 - 1 });
        Ok(())
    }

    /// Adds to `c` the product of two factors that were loaded by steps before, so that what is undefined of them can
    /// be followed.
    pub(super) fn fma_of_loaded(&mut self, id: InstId, factors: [InstId; 2], c: InstId) -> Done {
        let f = lanes::fma(self.scalar(id)?, self.isa).ok_or_else(|| self.cannot_fuse())?;
        let [a, b] = factors;
        let of = [self.lanes(a)?, self.lanes(b)?, self.lanes(c)?];
        let factors = [self.loaded_to(of[0], a)?, self.loaded_to(of[1], b)?];
        self.map(id, Some(f), &[a, b, c])?;
        if let Some(Step::Map { regs: [to, ..], .. }) = self.code.steps.last() {
            let product = self.code.products.len() as u32;
            self.code.products.push(Product { to: *to, c: of[2], factors, f });
            self.multiplied.insert(self.code.steps.len() - 1, product);
        }
        Ok(())
    }

    fn loaded(&mut self, id: InstId, load: InstId) -> Result<Loaded, Malformed> {
        let to = self.temporary(id, self.size(load)?);
        self.loaded_to(to, load)
    }

    fn loaded_to(&mut self, to: Reg, load: InstId) -> Result<Loaded, Malformed> {
        let from = self.loaded.get(&load).copied().ok_or_else(|| self.cannot_fuse())?;
        let (walk, copy) = (self.walk(from, to.size())?, self.copy_words(to.size()));
        Ok(Loaded { to, from, walk, copy })
    }

    fn cannot_fuse(&self) -> Malformed {
        self.malformed("operations that are not computed together")
    }
}

/// The comparison with its sides exchanged.
pub(super) const fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Eq,
        CompareOp::Ne => CompareOp::Ne,
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
    }
}

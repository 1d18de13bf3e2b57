//! Renumbering of instructions in the order of the body.
use super::{Body, Inst, InstId, Kernel, Op, Span, Ty};
use crate::id::{Id, Table};

impl Kernel {
    /// Drops instructions that no body reaches and numbers the others in pre-order: an instruction
    /// before those in its bodies, and before those after it.
    ///
    /// Every pass that adds, removes or moves instructions calls this last, so that later stages
    /// may rely on ascending ids being the order of the text. An operand that no body reaches is a
    /// mistake. It is replaced by the id of no instruction, so that the verifier finds it.
    ///
    /// Returns the old id of each new one.
    pub fn renumber(&mut self) -> Vec<InstId> {
        let mut new = self.insts.facts(None);
        let mut order = Vec::with_capacity(self.insts.len());
        self.walk(&mut |old| {
            if new[old].is_none() {
                new[old] = Some(InstId::new(order.len()));
                order.push(old);
            }
        });
        if order.len() == self.insts.len() && order.is_sorted() {
            return order;
        }
        let nowhere = InstId::new(order.len());
        let remap = |id: &mut InstId| *id = new[*id].unwrap_or(nowhere);
        let mut insts = Table::with_capacity(order.len());
        for &old in &order {
            let taken = Inst { op: Op::Return, ty: Ty::Unit, span: Span::KERNEL };
            let mut inst = std::mem::replace(&mut self.insts[old], taken);
            remap_op(&mut inst.op, &remap);
            insts.push(inst);
        }
        self.insts = insts;
        remap_body(&mut self.body, &remap);
        if let Some(coarsening) = &mut self.coarsening {
            remap(&mut coarsening.threads);
        }
        order
    }
}

fn remap_op(op: &mut Op, remap: &impl Fn(&mut InstId)) {
    op.operands_mut().for_each(remap);
    if !op.is_leaf() {
        op.bodies_mut().for_each(|body| remap_body(body, remap));
    }
    if let Op::Break(target) | Op::Continue(target) = op {
        remap(target);
    }
}

fn remap_body(body: &mut Body, remap: &impl Fn(&mut InstId)) {
    body.0.iter_mut().for_each(remap);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHUFFLED: &str = "
kernel k {
  %3 = const 1 : u32 !1
  %5 = const true : bool !2
  %0 = loop !3 {
    %4 = if %5 !4 {
      %1 = break %0 !5
    }
    %6 = continue %0 !6
  }
  %2 = neg %3 : u32 !7
}
";
    const RENUMBERED: &str = "\
kernel k {
  %0 = const 1 : u32 !1
  %1 = const true : bool !2
  %2 = loop !3 {
    %3 = if %1 !4 {
      %4 = break %2 !5
    }
    %5 = continue %2 !6
  }
  %6 = neg %0 : u32 !7
}
";

    #[test]
    fn instructions_operands_and_targets_follow_the_order_of_the_body() {
        let mut kernel: Kernel = SHUFFLED.parse().unwrap();
        let before = kernel.renumber();
        assert_eq!(kernel.to_string(), RENUMBERED);
        assert_eq!(before, [3, 5, 0, 4, 1, 6, 2].map(InstId::new));
        let once = kernel.clone();
        kernel.renumber();
        assert_eq!(kernel, once);
    }

    #[test]
    fn unreachable_instructions_are_dropped() {
        let mut kernel: Kernel = RENUMBERED.parse().unwrap();
        kernel.body.0.remove(2);
        kernel.renumber();
        assert_eq!(kernel.insts.len(), 3);
        assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
    }

    #[test]
    fn an_operand_that_no_body_reaches_names_nothing() {
        let mut kernel: Kernel = RENUMBERED.parse().unwrap();
        kernel.body.0.remove(0);
        kernel.renumber();
        assert_eq!(kernel.inst_text(InstId::new(5)).to_string(), "%5 = neg %6 : u32 !7");
        assert!(kernel.insts.get(InstId::new(6)).is_none());
    }
}

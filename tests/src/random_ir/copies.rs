//! Asynchronous copies to the thread's own slots.
use super::{Generator, plan::Input};
use warpwise_compiler::ir::{CopyOp, Extent, InstId, Op, Root, SharedId, Space, Ty};

const GLOBAL: Ty = Ty::Ptr(Space::Global);

impl Generator {
    /// Copies elements of inputs to the thread's own slots and waits for the copies, if there are
    /// slots and inputs of one type that can be copied. Nothing in between may end the thread.
    pub(super) fn copy_to_slots(&mut self) {
        let mut pairs: Vec<(SharedId, Input)> = Vec::new();
        for &(shared, elem) in &self.plan.slots {
            let alike = self.plan.inputs.iter().filter(|input| input.elem == elem);
            let is_copied = |input: &&Input| {
                // Copies read global memory, not constant parameters.
                let space = self.build.kernel.space_of_root(Root::Param(input.param));
                space == Space::Global && matches!(input.elem.size(), Some(4 | 8))
            };
            let copied = alike.filter(is_copied);
            pairs.extend(copied.map(|input| (shared, *input)));
        }
        if pairs.is_empty() {
            return;
        }
        let mut copies: Vec<(SharedId, Input, [InstId; 2])> = Vec::new();
        for _ in 0..=self.draw.below(2) {
            let (shared, input) = self.draw.one_of(&pairs);
            // Two copies to one slot are not ordered.
            if copies.iter().all(|(other, ..)| *other != shared) {
                copies.push((shared, input, self.copy_ends(shared, input)));
            }
        }
        let mut groups = 0;
        for (_, Input { elem, .. }, [to, from]) in copies {
            let bytes = elem.size().map_or(0, u64::from).into();
            self.emit(Op::Copy(CopyOp::AsyncCopy { to, from, bytes }), Ty::Unit);
            if self.draw.chance(50) {
                self.emit(Op::Copy(CopyOp::AsyncCommit), Ty::Unit);
                groups += 1;
            }
        }
        if groups > 0 && self.draw.chance(30) {
            self.emit(Op::Copy(CopyOp::AsyncWait { pending: (groups - 1).into() }), Ty::Unit);
        }
        self.emit(Op::Copy(CopyOp::AsyncCommit), Ty::Unit);
        let empty = self.draw.below(2);
        for _ in 0..empty {
            self.emit(Op::Copy(CopyOp::AsyncCommit), Ty::Unit);
        }
        self.emit(Op::Copy(CopyOp::AsyncWait { pending: u64::from(empty).into() }), Ty::Unit);
    }

    /// Emits the addresses of the thread's own slot and of some element.
    fn copy_ends(&mut self, shared: SharedId, Input { param, elem, len }: Input) -> [InstId; 2] {
        let base = self.emit(Op::Param(param), GLOBAL);
        let (index, _) = self.index_below(Some(param), len);
        let from = self.element(base, index, Extent::SizeOf(elem), GLOBAL);
        let number = self.plan.number[1];
        [self.slot(shared, elem, number), from]
    }
}

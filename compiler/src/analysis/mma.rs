//! Products on tensor cores: the words of one result.
//!
//! An [`Op::Mma`] yields one word, so that every instruction has one value. The instruction of a
//! GPU yields all of them, and is emitted once for those that have the same operands in the same
//! body.
use crate::{
    id::Facts,
    ir::{Body, InstId, Kernel, MmaOp, Op},
};
use std::collections::HashMap;

/// Returns, for each word of a product, the first word of the same product in the same body, which
/// is the word itself where the product is computed.
pub fn find_leaders(kernel: &Kernel) -> Facts<InstId, Option<InstId>> {
    let mut leaders = kernel.insts.facts(None);
    visit(kernel, &kernel.body, &mut leaders);
    leaders
}

fn visit(kernel: &Kernel, Body(list): &Body, leaders: &mut Facts<InstId, Option<InstId>>) {
    let mut known: HashMap<(MmaOp, &[InstId]), InstId> = HashMap::new();
    for &id in list {
        let op = &kernel.insts[id].op;
        if let Op::Mma { op, args, .. } = op {
            leaders[id] = Some(*known.entry((*op, args)).or_insert(id));
        } else if !op.is_leaf() {
            op.bodies().for_each(|body| visit(kernel, body, leaders));
        }
    }
}

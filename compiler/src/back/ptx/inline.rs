//! PTX that the user wrote, in a scope of its own.
//!
//! Its operands are registers of the class that PTX has for their types. They are copies, so that
//! the text may write to its inputs.
use super::{
    Emitter, Unsupported,
    emitter::{Value, ptx},
    reg::{Class, Reg},
};
use crate::{
    ir::{InlinePtx, InstId, Kernel, Op, PtxLevel, Scalar},
    target::Target,
};

/// The levels that the inline PTX of `kernel` needs.
pub(super) fn levels(kernel: &Kernel) -> impl Iterator<Item = PtxLevel> {
    kernel.insts.iter().filter_map(|(_, inst)| match &inst.op {
        Op::Ptx { ptx, .. } => Some(ptx.level),
        _ => None,
    })
}

/// Returns the only target that has the features of `kernel`, if these are specific to one.
pub(super) fn specific_target(kernel: &Kernel) -> Option<Target> {
    levels(kernel).find(|level| level.is_specific).map(|level| level.target)
}

/// Checks that `target` runs the inline PTX of `kernel`.
pub(super) fn check(kernel: &Kernel, target: Target) -> Result<(), Unsupported> {
    let feature = || "inline PTX".to_owned();
    for PtxLevel { target: needs, is_specific, .. } in levels(kernel) {
        if is_specific && target != needs {
            return Err(Unsupported::OtherTarget { feature: feature(), needs, target });
        }
        if target < needs {
            return Err(Unsupported::Target { feature: feature(), needs, target });
        }
    }
    Ok(())
}

impl Emitter<'_> {
    /// The statements; yields the first output.
    pub(super) fn inline_ptx(&mut self, id: InstId, inline: &InlinePtx, args: &[InstId]) -> Value {
        let outputs: Vec<Reg> =
            inline.outputs.iter().map(|scalar| self.regs.fresh(operand_class(*scalar))).collect();
        let inputs: Vec<Reg> = args.iter().map(|arg| self.input(*arg)).collect();
        let operands: Vec<String> =
            outputs.iter().chain(&inputs).map(ToString::to_string).collect();
        self.code.push_scope(inline.render(&operands, String::from));
        let outputs = outputs.into_iter().zip(&inline.outputs);
        let outputs: Vec<Reg> = outputs.map(|(reg, scalar)| self.output(reg, *scalar)).collect();
        let first = outputs.first().map_or(Value::None, |reg| (*reg).into());
        self.products.insert(id, outputs);
        first
    }

    /// A copy of a value, as wide as its type.
    fn input(&mut self, id: InstId) -> Reg {
        let (value, class) = (self.operand(id), operand_class(self.scalar(id)));
        let copy = self.regs.fresh(class);
        match (class, Class::of(self.scalar(id))) {
            (Class::B16, Class::B32) => {
                let word = self.reg(id);
                ptx!(self, "cvt.u16.u32 {copy}, {word}");
            }
            _ => ptx!(self, "mov.{} {copy}, {value}", class.ty()),
        }
        copy
    }

    /// The register of a value that the statements left in `reg`.
    fn output(&mut self, reg: Reg, scalar: Scalar) -> Reg {
        let class = Class::of(scalar);
        if class == reg.class {
            return reg;
        }
        let word = self.regs.fresh(class);
        match scalar {
            Scalar::I16 => ptx!(self, "cvt.s32.s16 {word}, {reg}"),
            _ => ptx!(self, "cvt.u32.u16 {word}, {reg}"),
        }
        word
    }
}

/// The class of the register of an operand.
fn operand_class(scalar: Scalar) -> Class {
    match scalar {
        Scalar::I16 | Scalar::U16 => Class::B16,
        scalar => Class::of(scalar),
    }
}

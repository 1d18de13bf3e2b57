//! Printing: a thread claims room in the launch's buffer, and writes a record there if there is any
//! ([`output`](crate::output)); either way it sets the launch's flag. Without branches, so that the
//! lanes of a warp stay together.
use super::{
    Emitter,
    emitter::ptx,
    fault::literal,
    reg::{Class, Imm, Operand},
};
use crate::{
    id::Id,
    ir::{InstId, MessageId, Scalar},
    output::{CAPACITY_BYTES, END_MARKER, HEADER_BYTES, LOST_OFFSET, USED_OFFSET, record_bytes},
};

impl Emitter<'_> {
    /// Leaves a record of what is printed, and sets the flag.
    pub(super) fn print(&mut self, message: MessageId, args: &[InstId]) {
        let [generic, buffer, at, end, record] = [(); 5].map(|()| self.regs.fresh(Class::B64));
        let [fits, begins] = [(); 2].map(|()| self.regs.fresh(Class::Pred));
        let bytes = record_bytes(args.len());
        ptx!(self, "ld.param.u64 {generic}, [print_buffer]");
        ptx!(self, "cvta.to.global.u64 {buffer}, {generic}");
        ptx!(self, "atom.relaxed.gpu.global.add.u64 {at}, [{buffer}+{USED_OFFSET}], {bytes}");
        ptx!(self, "add.s64 {end}, {at}, {bytes}");
        ptx!(self, "setp.le.u64 {fits}, {end}, {CAPACITY_BYTES}");
        ptx!(self, "setp.lt.u64 {begins}, {at}, {CAPACITY_BYTES}");
        ptx!(self, "add.s64 {record}, {buffer}, {at}");
        ptx!(self, "@!{fits} red.relaxed.gpu.global.add.u64 [{buffer}+{LOST_OFFSET}], 1");
        let first = self.regs.fresh(Class::B64);
        ptx!(self, "selp.b64 {first}, {}, {}, {fits}", message.index(), END_MARKER as i64);
        ptx!(self, "@{begins} st.global.u64 [{record}+{HEADER_BYTES}], {first}");
        let launch = self.record_address();
        let fixed = [Operand::Reg(launch), Operand::Reg(self.launch_number())];
        let values: Vec<Operand> = args.iter().map(|&arg| self.as_bits(arg)).collect();
        for (word, value) in fixed.into_iter().chain(values).enumerate() {
            let place = HEADER_BYTES + (word + 1) * size_of::<u64>();
            let value = self.in_64_bits(value);
            ptx!(self, "@{fits} st.global.u64 [{record}+{place}], {value}");
        }
        let fault_record = self.regs.fresh(Class::B64);
        ptx!(self, "cvta.to.global.u64 {fault_record}, {launch}");
        self.set_flag(fault_record);
    }

    /// The bits of a scalar: a literal, or an integer register, in which narrow integers may be
    /// sign-extended.
    pub(super) fn as_bits(&mut self, id: InstId) -> Operand {
        if let Some(bits) = self.kernel.literal(id) {
            return literal(bits);
        }
        let reg = match self.operand(id) {
            Operand::Imm(imm) => return literal(imm.bits),
            Operand::Reg(reg) => reg,
        };
        let (class, bits) = match reg.class {
            Class::Pred => return Operand::Reg(self.pred_to_byte(reg)),
            Class::B32 | Class::B64 => return Operand::Reg(reg),
            Class::B16 => return Operand::Reg(self.widen_half(reg)),
            Class::F32 => (Class::B32, "b32"),
            Class::F64 => (Class::B64, "b64"),
        };
        let raw = self.regs.fresh(class);
        ptx!(self, "mov.{bits} {raw}, {reg}");
        Operand::Reg(raw)
    }

    fn in_64_bits(&mut self, value: Operand) -> Operand {
        match value {
            Operand::Reg(reg) if reg.class == Class::B32 => {
                let wide = self.regs.fresh(Class::B64);
                ptx!(self, "cvt.u64.u32 {wide}, {reg}");
                Operand::Reg(wide)
            }
            Operand::Imm(Imm { bits, .. }) => Operand::Imm(Imm { bits, scalar: Scalar::I64 }),
            Operand::Reg(_) => value,
        }
    }
}

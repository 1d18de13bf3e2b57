//! Matrix products of warpgroups: `wgmma`.
//!
//! An instruction adds the products of 32 bytes of each row and column, so four of them, in one
//! group, are a product. Their sums are registers of the array that a [`MatrixOp::Wgmma`] names,
//! unless the array [is in memory](crate::analysis::wgmma).
use super::{
    Emitter, Unsupported,
    address::Address,
    emitter::{Value, ptx},
    inline,
    mma::type_name,
    reg::{Class, Reg},
};
use crate::{
    analysis::wgmma::{Sums, sum_number},
    ir::{
        ArrayId, Inst, InstId, Kernel, Major, MatrixOp, Op, Root, Scalar, Space, SyncOp, WgmmaOp,
    },
    target::Target,
};

/// The PTX version that introduced warpgroup products.
pub(super) const VERSION: &str = "8.0";
/// The only target with warpgroup products.
pub(super) const HAS_WGMMA: Target = Target::new(90);
/// The PTX version and the oldest target of fences between proxies.
const PROXY_FENCES: (&str, Target) = ("8.0", Target::new(90));

/// The instruction that orders accesses to shared memory before those of products and bulk copies.
pub const PROXY_FENCE: &str = "fence.proxy.async.shared::cta";

const fn is_wgmma(inst: &Inst) -> bool {
    matches!(inst.op, Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. }))
}

/// True if `kernel` runs on one target only.
fn needs_hopper(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|(_, inst)| is_wgmma(inst))
}

/// Returns the PTX version and the oldest target that `kernel` needs for its products and fences,
/// if it has any.
pub(super) fn level(kernel: &Kernel) -> Option<(&'static str, Target)> {
    let fences =
        || kernel.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Sync(SyncOp::ProxyFence)));
    if needs_hopper(kernel) { Some((VERSION, HAS_WGMMA)) } else { fences().then_some(PROXY_FENCES) }
}

/// Returns the name of `target` in the PTX of `kernel`: `sm_90a` has everything of Hopper, which no
/// later target has.
pub fn target_name(kernel: &Kernel, target: Target) -> String {
    let is_specific = needs_hopper(kernel) || inline::specific_target(kernel).is_some();
    if is_specific { format!("{target}a") } else { target.to_string() }
}

/// Checks that `target` has the products and fences of `kernel`.
pub(super) fn check(kernel: &Kernel, target: Target) -> Result<(), Unsupported> {
    if needs_hopper(kernel) && target != HAS_WGMMA {
        let feature = "a product of warpgroups".to_owned();
        return Err(Unsupported::OtherTarget { feature, needs: HAS_WGMMA, target });
    }
    match level(kernel) {
        Some((_, needs)) if target < needs => {
            let feature = "a fence between proxies".to_owned();
            Err(Unsupported::Target { feature, needs, target })
        }
        _ => Ok(()),
    }
}

/// The operands of a product in PTX, and the registers that it computes.
pub struct WgmmaOperands<'a> {
    /// The registers of the sums.
    pub sums: &'a [String],
    /// The address of the tile of `a`, or its words.
    pub a: &'a [String],
    /// Registers of 32 bits for the words of `a`, which nothing else writes while they are read.
    pub a_words: &'a [String],
    /// The address of the first tile of `b`.
    pub b: &'a str,
    /// A predicate.
    pub adds: &'a str,
    /// A register of 32 bits.
    pub low: &'a str,
    /// Registers of 64 bits for the descriptors of `a` in each step.
    pub a_steps: &'a [String],
    /// The same of `b`.
    pub b_steps: &'a [String],
}

/// Returns the instructions of a product; if it `waits`, the sums are complete after them.
pub fn wgmma_instructions(op: WgmmaOp, operands: &WgmmaOperands<'_>, waits: bool) -> Vec<String> {
    let WgmmaOperands { sums, a, a_words, b, adds, low, a_steps, b_steps } = operands;
    let name = instruction_name(op, 2 * sums.len());
    let sums = format!("{{{}}}", sums.join(", "));
    let mut text = vec![format!("setp.ne.b32 {adds}, {}, 0", u32::from(op.accumulates))];
    text.extend(descriptors(op.b, b, low, b_steps));
    match op.a {
        Some(major) => text.extend(descriptors(major, &a[0], low, a_steps)),
        None => {
            let copies = a_words.iter().zip(*a);
            text.extend(copies.map(|(to, word)| format!("mov.b32 {to}, {word}")));
        }
    }
    text.push("wgmma.fence.sync.aligned".to_owned());
    for step in 0..WgmmaOp::STEPS {
        if step == 1 && !op.accumulates {
            text.push(format!("setp.ne.b32 {adds}, 1, 0"));
        }
        let words = WgmmaOp::A_WORDS / WgmmaOp::STEPS;
        let factor = match op.a {
            Some(_) => a_steps[step].clone(),
            None => format!("{{{}}}", a_words[words * step..][..words].join(", ")),
        };
        let (b, immediates) = (&b_steps[step], immediates(op));
        text.push(format!("{name} {sums}, {factor}, {b}, {adds}{immediates}"));
    }
    text.push("wgmma.commit_group.sync.aligned".to_owned());
    if waits {
        text.push(wgmma_wait(0));
    }
    text
}

/// Returns the instruction that waits for all products but the last `pending`.
pub fn wgmma_wait(pending: u64) -> String {
    format!("wgmma.wait_group.sync.aligned {pending}")
}

/// The name of an instruction, which adds the products of 32 bytes of each row and column.
fn instruction_name(op: WgmmaOp, columns: usize) -> String {
    let depth = op.ty.per_word() as u64 * WgmmaOp::step_bytes(Major::K) / 4;
    let (sum, ty) = (if op.sum() == Scalar::I32 { "s32" } else { "f32" }, type_name(op.ty));
    format!("wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{sum}.{ty}.{ty}")
}

/// The last operands of an instruction: factors of 1 for products of floats, and the orders of the
/// factors in memory where there is a choice, which only halves have.
fn immediates(op: WgmmaOp) -> String {
    let orders = op.a.into_iter().chain([op.b]).map(|major| match major {
        Major::K => ", 0",
        Major::Mn => ", 1",
    });
    match (op.sum(), op.ty.per_word()) {
        (Scalar::I32, _) => String::new(),
        (_, 2) => [", 1, 1"].into_iter().chain(orders).collect(),
        _ => ", 1, 1".to_owned(),
    }
}

/// Returns the instructions that make the descriptors of a factor for each step, of the address of
/// its first tile.
///
/// A descriptor has, in units of 16 bytes, the address in bits 0 to 13, the distance of tiles that
/// are neighbours along the rows in bits 16 to 29, and that of groups of 8 rows in bits 32 to 45.
/// Bit 62 is the swizzle in rows of 128 bytes.
fn descriptors(major: Major, address: &str, low: &str, steps: &[String]) -> Vec<String> {
    let distance = match major {
        Major::K => 1,
        Major::Mn => WgmmaOp::factor_bytes(major, WgmmaOp::ROWS) / 16,
    };
    let high = (1_u64 << 30) | (WgmmaOp::TILE_ALIGN / 16);
    let bytes = WgmmaOp::step_bytes(major);
    let first = &steps[0];
    let mut text = vec![
        format!("shr.u32 {low}, {address}, 4"),
        format!("or.b32 {low}, {low}, {}", distance << 16),
        format!("mov.b64 {first}, {{{low}, {high}}}"),
    ];
    let rest = steps.iter().zip(0..).skip(1);
    text.extend(rest.map(|(to, step)| format!("add.s64 {to}, {first}, {}", step * bytes / 16)));
    text
}

impl Emitter<'_> {
    /// Begins a product.
    pub(super) fn wgmma(&mut self, op: WgmmaOp, columns: u64, args: &[InstId]) {
        let Some(Root::Array(array)) = self.kernel.root(args[0]) else { return };
        let sums = self.sum_registers(array, op.sum(), WgmmaOp::sums(columns));
        let in_memory = !self.is_in_registers(array);
        if in_memory {
            self.move_sums("ld", array, &sums);
        }
        let b = self.shared_address(args[1]);
        let a: Vec<String> = args[2..]
            .iter()
            .map(|arg| match op.a {
                Some(_) => self.shared_address(*arg).to_string(),
                None => self.reg(*arg).to_string(),
            })
            .collect();
        let words = if op.a.is_none() { WgmmaOp::A_WORDS } else { 0 };
        let [sum_names, a_words, a_steps, b_steps] = [
            sums.clone(),
            (0..words).map(|_| self.regs.fresh(Class::B32)).collect(),
            (0..WgmmaOp::STEPS).map(|_| self.regs.fresh(Class::B64)).collect(),
            (0..WgmmaOp::STEPS).map(|_| self.regs.fresh(Class::B64)).collect(),
        ]
        .map(|regs: Vec<Reg>| regs.iter().map(ToString::to_string).collect::<Vec<_>>());
        let operands = WgmmaOperands {
            sums: &sum_names,
            a: &a,
            a_words: &a_words,
            b: &b.to_string(),
            adds: &self.regs.fresh(Class::Pred).to_string(),
            low: &self.regs.fresh(Class::B32).to_string(),
            a_steps: &a_steps,
            b_steps: &b_steps,
        };
        for instruction in wgmma_instructions(op, &operands, in_memory) {
            ptx!(self, "{instruction}");
        }
        if in_memory {
            self.move_sums("st", array, &sums);
        }
    }

    /// Waits for all products but the last `pending`.
    pub(super) fn wgmma_wait(&mut self, pending: u64) {
        ptx!(self, "{}", wgmma_wait(pending));
    }

    pub(super) fn proxy_fence(&mut self) {
        ptx!(self, "{PROXY_FENCE}");
    }

    /// True if the elements of an array are registers of products.
    pub(super) fn is_in_registers(&self, array: ArrayId) -> bool {
        self.sums[array].is_some_and(|Sums { in_registers, .. }| in_registers)
    }

    /// True if an address is of the elements of an array that are registers.
    pub(super) fn is_of_registers(&self, ptr: InstId) -> bool {
        match self.kernel.root(ptr) {
            Some(Root::Array(array)) => self.is_in_registers(array),
            Some(Root::Param(_) | Root::Shared(_)) | None => false,
        }
    }

    /// Returns the register of the element at an address, if it has one.
    pub(super) fn sum_register(&mut self, ptr: InstId) -> Option<Reg> {
        let Some(Root::Array(array)) = self.kernel.root(ptr) else { return None };
        if !self.is_in_registers(array) {
            return None;
        }
        let (number, ty) = (sum_number(self.kernel, ptr)?, self.sums[array]?.ty);
        Some(self.sum_registers(array, ty, number as u64 + 1)[number])
    }

    /// Reads a register of products.
    pub(super) fn read_sum(&mut self, sum: Reg) -> Value {
        let to = self.regs.fresh(sum.class);
        ptx!(self, "mov.{} {to}, {sum}", sum.class.ty());
        to.into()
    }

    /// Writes a register of products.
    pub(super) fn write_sum(&mut self, sum: Reg, value: InstId) {
        let value = self.operand(value);
        ptx!(self, "mov.{} {sum}, {value}", sum.class.ty());
    }

    /// The registers of the first `count` elements of an array.
    fn sum_registers(&mut self, array: ArrayId, ty: Scalar, count: u64) -> Vec<Reg> {
        let known = self.sum_regs.entry(array).or_default();
        while (known.len() as u64) < count {
            known.push(self.regs.fresh(Class::of(ty)));
        }
        known[..count as usize].to_vec()
    }

    /// Loads or stores the elements of an array in memory.
    fn move_sums(&mut self, instruction: &str, array: ArrayId, sums: &[Reg]) {
        let start = self.array(array);
        for (number, sum) in sums.iter().enumerate() {
            let (address, ty) = (self.behind(start, 4 * number as i32), sum.class.ty());
            match instruction {
                "ld" => ptx!(self, "ld.local.{ty} {sum}, {address}"),
                _ => ptx!(self, "st.local.{ty} {address}, {sum}"),
            }
        }
    }

    /// The register with the address of a tile.
    fn shared_address(&mut self, ptr: InstId) -> Reg {
        let address: Address = self.address(ptr);
        debug_assert!(address.space == Space::Shared, "the verifier checks it");
        self.pointer(address)
    }
}

//! Kernels whose threads fill and read buffers in turn, which remainders of a counter select.
//!
//! Loops run from a constant up to a parameter, with or without barriers of the whole block, and
//! compute remainders of the counter plus a constant by one or two small constants. In them threads
//! access slots of their own in shared memory, and elements under conditions; some loops over a few
//! numbers, from a constant or a varying one up, access elements under conditions, too, and some
//! load them before branches. Some elements are out of bounds.
use super::{ArgData, Draw, LaunchShape, RandomKernel, kernel_text::KernelText};
use warpwise_compiler::ir::{Access, Scalar};

const U32: Scalar = Scalar::U32;

/// The largest number of threads of a block; each of them has a slot in each of 8 buffers.
const MAX_THREADS: u32 = 40;

/// The declarations of all kernels, and values that all share.
const START: &str = "
  param arg0 = x: read [u32] !0
  param arg1 = out: write [u32] !0
  param arg2 = n: u64 !0
  param arg3 = m: u32 !0
  shared @0 = buffers: [u32; 320] !0
  local $0 = sum: u32 !0
  %x = param arg0 : ptr global !1
  %xlen = len arg0 : u64 !1
  %n = param arg2 : u64 !1
  %m32 = param arg3 : u32 !1
  %m = cast %m32 : u64 !1
  %thread = builtin thread_idx.x : u64 !1
  %global = builtin global_idx.x : u64 !1
  %out = param arg1 : ptr global !1
  %to = index %out, %global, 4 : ptr global !1
  %buffers = shared @0 : ptr shared !1
  %threads = const 40 : u64 !1
  %zero = const 0 : u64 !1
  %one = const 1 : u64 !1
  %eight = const 8 : u64 !1
  %factor = const 31 : u32 !1
  %zero32 = const 0 : u32 !1
  %s0 = set $0, %zero32 !1
  %f0 = for %zero, %eight, step %one : u64 !1 {
    %f1 = mul %f0, %threads : u64 !1
    %f2 = add %f1, %thread : u64 !1
    %f3 = index %buffers, %f2, 4 : ptr shared !1
    %f4 = store %f3, %zero32 !1
  }
";

/// Returns the kernel of a seed, always the same one.
pub fn ring_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let grid = [1 + draw.below(2), 1, 1];
    let shape = LaunchShape { grid, block: [draw.one_of(&[1, 5, 32, MAX_THREADS]), 1, 1] };
    let mut rings = Rings { draw, text: KernelText::default() };
    for _ in 0..1 + rings.draw.below(2) {
        match rings.draw.below(10) {
            0..6 => rings.ring(),
            6..8 => rings.few(),
            _ => rings.branches(),
        }
    }
    let Rings { mut draw, text, .. } = rings;
    let kernel = text.parse(&format!("kernel rings {{\n{START}"), seed);
    let len = draw.one_of(&[0, 1, 8, 40, 60, 100, 400]);
    let x = (0..len).flat_map(|_| draw.below(40).to_le_bytes()).collect();
    let threads = 4 * shape.all_threads() as usize;
    let args = vec![
        ArgData::Slice { elem: U32, access: Access::Read, bytes: x },
        ArgData::Slice { elem: U32, access: Access::Write, bytes: vec![0; threads] },
        ArgData::Scalar { ty: Scalar::U64, bits: draw.below(30).into() },
        ArgData::Scalar { ty: U32, bits: draw.below(30).into() },
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Rings {
    draw: Draw,
    text: KernelText,
}

impl Rings {
    /// Writes a loop over buffers that take turns.
    fn ring(&mut self) {
        let ty = self.draw.one_of(&["u64", "u64", "u32"]);
        let end = match ty {
            "u32" => "%m32",
            _ => self.draw.one_of(&["%n", "%n", "%m", "%xlen"]),
        };
        let start = self.draw.below(5);
        let start = self.text.value(&format!("const {start} : {ty}"));
        let step = self.draw.one_of(&[1, 1, 1, 2, 3, 7]);
        let step = self.text.value(&format!("const {step} : {ty}"));
        let meets = self.draw.chance(50);
        let divisor = 2 + self.draw.below(7);
        let at = self.text.open(&format!("for {start}, {end}, step {step} : {ty}"));
        for _ in 0..1 + self.draw.below(4) {
            let divisor = match self.draw.chance(85) {
                true => divisor,
                false => 2 + self.draw.below(7),
            };
            self.turn(&at, ty, divisor);
        }
        if self.draw.chance(40) {
            self.guarded(&at, ty);
        }
        if meets {
            self.text.value("barrier");
        }
        self.text.close();
    }

    /// Accesses the thread's slot in the buffer whose turn it is.
    fn turn(&mut self, at: &str, ty: &str, divisor: u32) {
        let further = self.draw.below(9);
        let further = self.text.value(&format!("const {further} : {ty}"));
        let sum = match self.draw.chance(70) {
            true => self.text.value(&format!("add {at}, {further} : {ty}")),
            false => at.to_owned(),
        };
        let divisor = self.text.value(&format!("const {divisor} : {ty}"));
        let is_guarded = self.draw.chance(20);
        if is_guarded {
            let cond = self.condition(at, ty);
            self.text.open(&format!("if {cond}"));
        }
        let which = self.text.value(&format!("rem {sum}, {divisor} : {ty}"));
        let which =
            if ty == "u64" { which } else { self.text.value(&format!("cast {which} : u64")) };
        let row = self.text.value(&format!("mul {which}, %threads : u64"));
        let slot = self.text.value(&format!("add {row}, %thread : u64"));
        let slot = self.text.value(&format!("index %buffers, {slot}, 4 : ptr shared"));
        if self.draw.chance(50) {
            let value = self.text.value(&format!("load {slot} : u32"));
            self.text.mix(&value);
        } else {
            let sum = self.text.value("get $0 : u32");
            let value = self.text.value(&format!("cast {at} : u32"));
            let value = self.text.value(&format!("add {sum}, {value} : u32"));
            self.text.value(&format!("store {slot}, {value}"));
        }
        if is_guarded {
            self.text.close();
        }
    }

    /// Writes a loop over a few numbers.
    fn few(&mut self) {
        let ty = self.draw.one_of(&["u64", "u32", "i32"]);
        let (start, count) = (self.draw.below(3), self.draw.below(10));
        let start = self.text.value(&format!("const {start} : {ty}"));
        let end = self.text.value(&format!("const {count} : {ty}"));
        let (start, end) = match ty == "u64" && self.draw.chance(50) {
            true => {
                let base = self.draw.one_of(&["%m", "%thread", "%n"]);
                let [from, to] =
                    [start, end].map(|side| self.text.value(&format!("add {base}, {side} : u64")));
                (if self.draw.chance(50) { base.to_owned() } else { from }, to)
            }
            false => (start, end),
        };
        let step = self.draw.one_of(&[1, 1, 2, 3]);
        let step = self.text.value(&format!("const {step} : {ty}"));
        let kind = self.draw.one_of(&["for", "for", "for inclusive"]);
        let at = self.text.open(&format!("{kind} {start}, {end}, step {step} : {ty}"));
        for _ in 0..1 + self.draw.below(2) {
            self.guarded(&at, ty);
        }
        if self.draw.chance(20) {
            let cond = self.condition(&at, ty);
            self.text.open(&format!("if {cond}"));
            let exit = self.draw.one_of(&["break", "continue"]);
            self.text.value(&format!("{exit} {at}"));
            self.text.close();
        }
        self.text.close();
    }

    /// Writes a loop that loads elements, each before a branch.
    fn branches(&mut self) {
        let end = self.draw.one_of(&["%n", "%m", "%xlen"]);
        let at = self.text.open(&format!("for %zero, {end}, step %one : u64"));
        for _ in 0..1 + self.draw.below(3) {
            let further = self.draw.below(3);
            let further = self.text.value(&format!("const {further} : u64"));
            let index = self.text.value(&format!("add {at}, {further} : u64"));
            let index = if self.draw.chance(50) { index } else { at.clone() };
            let index = self.text.value(&format!("bounds {index}, %xlen : u64"));
            let from = self.text.value(&format!("index %x, {index}, 4 : ptr global"));
            let value = self.text.value(&format!("load {from} : u32"));
            let bound = self.draw.below(40);
            let bound = self.text.value(&format!("const {bound} : u32"));
            let cond = self.text.value(&format!("lt {value}, {bound} : bool"));
            let sum = self.text.value("get $0 : u32");
            self.text.open(&format!("if {cond}"));
            let scaled = self.text.value(&format!("mul {sum}, %factor : u32"));
            self.text.value(&format!("set $0, {scaled}"));
            if self.draw.chance(50) {
                self.text.value(&format!("store %to, {sum}"));
            }
            self.text.otherwise();
            self.text.mix(&value);
            self.text.close();
        }
        self.text.close();
    }

    /// Writes a condition on a counter.
    fn condition(&mut self, at: &str, ty: &str) -> String {
        let bound = match ty {
            "u64" => self.draw.one_of(&["%n", "%m", "%xlen", "%thread"]).to_owned(),
            "u32" => "%m32".to_owned(),
            _ => self.text.value(&format!("cast %m32 : {ty}")),
        };
        let op = self.draw.one_of(&["lt", "lt", "le", "gt", "ne"]);
        self.text.value(&format!("{op} {at}, {bound} : bool"))
    }

    /// Loads an element, which may be out of bounds, under a condition.
    fn guarded(&mut self, at: &str, ty: &str) {
        let wide =
            if ty == "u64" { at.to_owned() } else { self.text.value(&format!("cast {at} : u64")) };
        let index = self.text.value(&format!("add {wide}, %global : u64"));
        let index = match self.draw.chance(60) {
            true => index,
            false => wide.clone(),
        };
        let cond = match self.draw.chance(50) {
            true => self.text.value(&format!("lt {index}, %xlen : bool")),
            false => self.condition(at, ty),
        };
        self.text.open(&format!("if {cond}"));
        let index = self.text.value(&format!("bounds {index}, %xlen : u64"));
        let from = self.text.value(&format!("index %x, {index}, 4 : ptr global"));
        let value = self.text.value(&format!("load {from} : u32"));
        self.text.mix(&value);
        self.text.close();
    }
}

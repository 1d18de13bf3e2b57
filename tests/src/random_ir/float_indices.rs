//! Kernels whose threads make indices of floats, at the edges of what integers hold.
//!
//! Each thread loads a float, scales, rounds or clamps it, casts it to an integer, adds constants,
//! compares the sums with sizes and other floats, and accesses elements under these conditions, or
//! the first of several. Some elements are out of bounds.
use super::{ArgData, Draw, LaunchShape, RandomKernel, kernel_text::KernelText};
use warpwise_compiler::ir::{Access, Scalar};

const U32: Scalar = Scalar::U32;

/// The declarations of all kernels, and values that all share.
const START: &str = "
  param arg0 = x: read [u32] !0
  param arg1 = floats: read [f32] !0
  param arg2 = out: write [u32] !0
  param arg3 = n: u64 !0
  local $0 = sum: u32 !0
  %x = param arg0 : ptr global !1
  %xlen = len arg0 : u64 !1
  %n = param arg3 : u64 !1
  %one = const 1 : u64 !1
  %less = sub %n, %one : u64 !1
  %global = builtin global_idx.x : u64 !1
  %out = param arg2 : ptr global !1
  %to = index %out, %global, 4 : ptr global !1
  %floats = param arg1 : ptr global !1
  %from = index %floats, %global, 4 : ptr global !1
  %float = load %from : f32 !1
  %factor = const 31 : u32 !1
  %zero = const 0.0 : f32 !1
  %s0 = set $0, %factor !1
";

/// Floats that threads load, besides small ones.
const EDGES: [f32; 16] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    -0.0,
    -0.75,
    -65_537.0,
    2_147_483_520.0,
    2_147_483_648.0,
    4_294_967_040.0,
    4_294_967_296.0,
    9_223_372_036_854_775_808.0,
    18_446_742_974_197_923_840.0,
    18_446_744_073_709_551_616.0,
    -9_223_372_036_854_775_808.0,
    f32::MAX,
    f32::MIN_POSITIVE,
];

/// Returns the kernel of a seed, always the same one.
pub fn float_index_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let shape = LaunchShape { grid: [1 + draw.below(2), 1, 1], block: [32, 1, 1] };
    let mut casts = Casts { draw, text: KernelText::default() };
    for _ in 0..1 + casts.draw.below(2) {
        casts.cast();
    }
    let Casts { mut draw, text, .. } = casts;
    let kernel = text.parse(&format!("kernel k{seed} {{\n{START}"), seed);
    let len = draw.one_of(&[0, 1, 4, 20, 40, 3000]);
    let x = (0..len).flat_map(|_| draw.below(1000).to_le_bytes()).collect();
    let threads = shape.all_threads();
    let float = |_| match draw.below(4) {
        0 => draw.one_of(&EDGES),
        _ => draw.below(180) as f32 / 4.0,
    };
    let floats = (0..threads).map(float).flat_map(f32::to_le_bytes).collect();
    let args = vec![
        ArgData::Slice { elem: U32, access: Access::Read, bytes: x },
        ArgData::Slice { elem: Scalar::F32, access: Access::Read, bytes: floats },
        ArgData::Slice { elem: U32, access: Access::Write, bytes: vec![0; 4 * threads as usize] },
        ArgData::Scalar { ty: Scalar::U64, bits: draw.below(40).into() },
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Casts {
    draw: Draw,
    text: KernelText,
}

impl Casts {
    /// Casts a float, which may be bounded, and uses the result.
    fn cast(&mut self) {
        let (float, ty) = self.float();
        let is_guarded = self.draw.chance(40);
        if is_guarded {
            let cond = self.float_condition(&float, ty);
            if self.draw.chance(30) {
                self.text.open(&format!("if {cond}"));
                self.text.value("return");
                self.text.close();
            }
            self.text.open(&format!("if {cond}"));
        }
        let number = self.text.value(&format!("cast {float} : u64"));
        let mut sums = vec![number.clone()];
        for _ in 0..self.draw.below(3) {
            let of = self.draw.one_of(&["n", "s"]);
            let of = if of == "n" { number.clone() } else { sums[sums.len() - 1].clone() };
            let op = self.draw.one_of(&["add", "add", "sub"]);
            let constant = self.draw.one_of(&[1, 1, 2, 3, 2047, 2048, 4096, 65_536]);
            let constant = self.text.value(&format!("const {constant} : u64"));
            sums.push(self.text.value(&format!("{op} {of}, {constant} : u64")));
        }
        for _ in 0..1 + self.draw.below(3) {
            let sum = sums[self.draw.index(sums.len())].clone();
            self.use_sum(&sum, &sums, ty);
        }
        if is_guarded {
            self.text.close();
        }
    }

    /// Returns a float that is made of the thread's own, and its type.
    fn float(&mut self) -> (String, &'static str) {
        let mut float = "%float".to_owned();
        for _ in 0..self.draw.below(3) {
            float = match self.draw.below(6) {
                0 => self.text.value(&format!("floor {float} : f32")),
                1 => self.text.value(&format!("trunc {float} : f32")),
                2 => self.text.value(&format!("max {float}, %zero : f32")),
                3 => {
                    let most = self.draw.one_of(&["3.5", "20.0", "4294967296.0"]);
                    let most = self.text.value(&format!("const {most} : f32"));
                    self.text.value(&format!("min {float}, {most} : f32"))
                }
                4 => {
                    let scale = self.draw.one_of(&["0.5", "-2.0", "4.0"]);
                    let scale = self.text.value(&format!("const {scale} : f32"));
                    self.text.value(&format!("mul {float}, {scale} : f32"))
                }
                _ => {
                    let limit = self.text.value("cast %n : f32");
                    let cond = self.text.value(&format!("gt {float}, {limit} : bool"));
                    self.text.value(&format!("select {cond}, {limit}, {float} : f32"))
                }
            };
        }
        match self.draw.below(10) {
            0..2 => (self.text.value(&format!("cast {float} : f64")), "f64"),
            // Negative ones become the largest below 2^64, or one just below 2^32.
            2 => {
                let edge = self.draw.one_of(&["18446744073709549568.0", "4294967295.5"]);
                let edge = self.text.value(&format!("const {edge} : f64"));
                let wide = self.text.value(&format!("cast {float} : f64"));
                let cond = self.text.value(&format!("lt {float}, %zero : bool"));
                (self.text.value(&format!("select {cond}, {edge}, {wide} : f64")), "f64")
            }
            _ => (float, "f32"),
        }
    }

    /// Writes a condition that may bound a float.
    fn float_condition(&mut self, float: &str, ty: &str) -> String {
        let bound = match self.draw.chance(60) {
            true => self.text.value(&format!("cast %n : {ty}")),
            false => self.text.value(&format!("const 17.5 : {ty}")),
        };
        let op = self.draw.one_of(&["lt", "le", "ge", "gt", "eq"]);
        let cond = self.text.value(&format!("{op} {float}, {bound} : bool"));
        if self.draw.chance(40) { self.text.value(&format!("not {cond} : bool")) } else { cond }
    }

    /// Uses a sum of the cast and a constant.
    fn use_sum(&mut self, sum: &str, sums: &[String], ty: &str) {
        match self.draw.below(10) {
            0..3 => {
                let cond = self.condition(sum);
                self.text.open(&format!("if {cond}"));
                let index = self.draw.index(sums.len());
                self.element(&sums[index]);
                if self.draw.chance(40) {
                    self.text.otherwise();
                    self.text.mix("%factor");
                    if self.draw.chance(40) {
                        self.text.value("return");
                    }
                }
                self.text.close();
            }
            3..5 => {
                let bound = self.bound();
                let least = self.text.value(&format!("min {sum}, {bound} : u64"));
                self.element(&least);
            }
            5..7 => self.element(sum),
            7 => {
                let number = self.text.value(&format!("cast {} : {ty}", sums[0]));
                let scale = self.text.value(&format!("const 0.25 : {ty}"));
                let number = self.text.value(&format!("mul {number}, {scale} : {ty}"));
                let number = self.text.value(&format!("cast {number} : u32"));
                self.text.mix(&number);
            }
            8 => {
                let cond = self.condition(sum);
                let value = self.text.value(&format!("cast {cond} : u32"));
                self.text.mix(&value);
            }
            _ => {
                let number = self.text.value(&format!("cast {sum} : u32"));
                self.text.mix(&number);
            }
        }
    }

    fn bound(&mut self) -> String {
        match self.draw.below(4) {
            0 => self.text.value("const 12 : u64"),
            1 => "%less".to_owned(),
            _ => self.draw.one_of(&["%n", "%xlen"]).to_owned(),
        }
    }

    /// Writes a condition on a sum.
    fn condition(&mut self, sum: &str) -> String {
        let bound = self.bound();
        let op = self.draw.one_of(&["lt", "lt", "le", "ge", "gt", "eq", "ne"]);
        let (lhs, rhs) = match self.draw.chance(70) {
            true => (sum, bound.as_str()),
            false => (bound.as_str(), sum),
        };
        let cond = self.text.value(&format!("{op} {lhs}, {rhs} : bool"));
        match self.draw.below(6) {
            0 => self.text.value(&format!("not {cond} : bool")),
            1 => {
                let other = self.text.value("ge %float, %zero : bool");
                let op = self.draw.one_of(&["and", "or"]);
                self.text.value(&format!("{op} {cond}, {other} : bool"))
            }
            _ => cond,
        }
    }

    /// Loads an element, which may be out of bounds.
    fn element(&mut self, index: &str) {
        let index = self.text.value(&format!("bounds {index}, %xlen : u64"));
        let from = self.text.value(&format!("index %x, {index}, 4 : ptr global"));
        let value = self.text.value(&format!("load {from} : u32"));
        self.text.mix(&value);
    }
}

//! Kernels whose loops access elements at sums and products of their counters, some out of bounds.
//!
//! Counted loops of every integer type are nested. They start anywhere, also close to the end of
//! the type, and run up to a parameter or for a few iterations. Indices combine counters, thread
//! indices, parameters and constants, may wrap, and appear in conditions that keep them in bounds,
//! or in unrelated ones. Outer loops of all threads may contain barriers. Each thread stores in
//! every iteration a digest of its reads so far, so that memory shows how far it got.
use super::{ArgData, Draw, LaunchShape, RandomKernel, strides::numbered};
use std::fmt::Write as _;
use warpwise_compiler::ir::{Access, Kernel, Scalar};

const U32: Scalar = Scalar::U32;
const TYPES: [&str; 6] = ["u64", "u64", "u64", "u32", "i32", "i64"];

/// The declarations of all kernels, and values that all share.
const START: &str = "
  param arg0 = x: read [u32] !0
  param arg1 = out: write [u32] !0
  param arg2 = sums: atomic [u32] !0
  param arg3 = n: u64 !0
  param arg4 = m: u64 !0
  param arg5 = any: u64 !0
  param arg6 = few: u32 !0
  param arg7 = below: i32 !0
  local $0 = sum: u32 !0
  local $1 = odd: u32 !0
  %x = param arg0 : ptr global !1
  %out = param arg1 : ptr global !1
  %sums = param arg2 : ptr global !1
  %global = builtin global_idx.x : u64 !1
  %to = index %out, %global, 4 : ptr global !1
  %zero32 = const 0 : u32 !1
  %one32 = const 1 : u32 !1
  %s0 = set $0, %zero32 !1
  %s1 = set $1, %zero32 !1
";

/// Operands for expressions, and their types.
const GIVEN: [(&str, &str); 13] = [
    ("param arg3", "u64"),
    ("param arg4", "u64"),
    ("param arg3", "u64"),
    ("param arg5", "u64"),
    ("param arg6", "u32"),
    ("param arg7", "i32"),
    ("builtin thread_idx.x", "u32"),
    ("builtin thread_idx.x", "u64"),
    ("builtin block_idx.x", "u64"),
    ("builtin global_idx.x", "u64"),
    ("builtin global_idx.x", "u32"),
    ("get $1", "u32"),
    ("len arg0", "u64"),
];

/// Returns the kernel of a seed, always the same one.
pub fn affine_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let grid = [1 + draw.below(2), 1, 1];
    let shape = LaunchShape { grid, block: [draw.one_of(&[1, 5, 32, 40]), 1, 1] };
    let is_declared = draw.chance(50);
    let mut affine = Affine { draw, text: String::new(), values: 0, visible: Vec::new() };
    for _ in 0..1 + affine.draw.below(2) {
        affine.given();
        affine.nest(0, true);
    }
    let Affine { mut draw, text, .. } = affine;
    let block =
        if is_declared { format!("  block {}, 1, 1\n", shape.block[0]) } else { String::new() };
    let text = numbered(&format!("kernel affine {{\n{block}{START}{text}}}"));
    let kernel: Kernel =
        text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
    let len = draw.one_of(&[0, 1, 8, 40, 100, 400, 1000]);
    let x = (0..len).flat_map(|_| draw.below(40).to_le_bytes()).collect();
    let threads = 4 * shape.all_threads() as usize;
    let small = |draw: &mut Draw| u64::from(draw.below(13));
    let (n, m) = (small(&mut draw), small(&mut draw));
    let any = draw.value(Scalar::U64);
    let few = if draw.chance(70) { small(&mut draw) } else { draw.value(U32) };
    let below = if draw.chance(70) { small(&mut draw) } else { draw.value(Scalar::I32) };
    let args = vec![
        ArgData::Slice { elem: U32, access: Access::Read, bytes: x },
        ArgData::Slice { elem: U32, access: Access::Write, bytes: vec![0; threads] },
        ArgData::Slice { elem: U32, access: Access::Atomic, bytes: vec![0; 64] },
        ArgData::Scalar { ty: Scalar::U64, bits: n },
        ArgData::Scalar { ty: Scalar::U64, bits: m },
        ArgData::Scalar { ty: Scalar::U64, bits: any },
        ArgData::Scalar { ty: U32, bits: few },
        ArgData::Scalar { ty: Scalar::I32, bits: below },
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Affine {
    draw: Draw,
    text: String,
    /// The number of values so far.
    values: u32,
    /// Visible integers and their types, oldest first.
    visible: Vec<(String, &'static str)>,
}

impl Affine {
    fn line(&mut self, line: &str) {
        let span = 2 + self.values % 7;
        _ = writeln!(self.text, "  {line} !{span}");
    }

    /// Writes an instruction with a name of its own, and returns the name.
    fn value(&mut self, what: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        self.line(&format!("{name} = {what}"));
        name
    }

    /// Begins an instruction with a body.
    fn open(&mut self, what: &str) -> String {
        self.values += 1;
        let (name, span) = (format!("%v{}", self.values), 2 + self.values % 7);
        _ = writeln!(self.text, "  {name} = {what} !{span} {{");
        name
    }

    fn close(&mut self) {
        self.text.push_str("  }\n");
    }

    fn given(&mut self) {
        for (what, ty) in GIVEN {
            if self.draw.chance(40) {
                let value = self.value(&format!("{what} : {ty}"));
                self.visible.push((value, ty));
            }
        }
    }

    fn constant(&mut self, ty: &str) -> String {
        let number = self.draw.one_of(&[0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16, 31]);
        self.value(&format!("const {number} : {ty}"))
    }

    /// Returns a visible value of a type.
    fn leaf(&mut self, ty: &str) -> String {
        if self.visible.is_empty() || self.draw.chance(20) {
            return self.constant(ty);
        }
        // Counters are the newest.
        let newest = self.visible.len() - 1;
        let at = if self.draw.chance(60) {
            newest - self.draw.index(newest.min(3) + 1)
        } else {
            self.draw.index(newest + 1)
        };
        let (value, of) = self.visible[at].clone();
        if of == ty { value } else { self.value(&format!("cast {value} : {ty}")) }
    }

    /// Writes an expression of a type, and returns its name.
    fn number(&mut self, ty: &str, depth: u32) -> String {
        if depth == 0 || self.draw.chance(20) {
            return self.leaf(ty);
        }
        let left = self.number(ty, depth - 1);
        match self.draw.below(20) {
            0..8 => {
                let right = self.number(ty, depth - 1);
                self.value(&format!("add {left}, {right} : {ty}"))
            }
            8..12 => {
                let right = if self.draw.chance(50) { self.constant(ty) } else { self.leaf(ty) };
                self.value(&format!("mul {left}, {right} : {ty}"))
            }
            12..15 => {
                let right = if self.draw.chance(60) { self.constant(ty) } else { self.leaf(ty) };
                self.value(&format!("sub {left}, {right} : {ty}"))
            }
            15 => {
                let op = self.draw.one_of(&["div", "rem"]);
                let right = self.draw.one_of(&[1, 2, 3, 4, 7, 8]);
                let right = self.value(&format!("const {right} : {ty}"));
                self.value(&format!("{op} {left}, {right} : {ty}"))
            }
            16 => {
                let op = self.draw.one_of(&["shl", "shr"]);
                let right = self.draw.one_of(&[0, 1, 2, 5, 31]);
                let right = self.value(&format!("const {right} : u32"));
                self.value(&format!("{op} {left}, {right} : {ty}"))
            }
            17 => {
                let op = self.draw.one_of(&["min", "max", "and"]);
                let right = self.leaf(ty);
                self.value(&format!("{op} {left}, {right} : {ty}"))
            }
            18 => {
                let right = self.leaf(ty);
                if self.draw.chance(50) {
                    return self.wrapped(&left, &right, ty);
                }
                let condition = self.condition();
                self.value(&format!("select {condition}, {left}, {right} : {ty}"))
            }
            _ => {
                let of = self.draw.one_of(&TYPES);
                let other = self.number(of, depth - 1);
                let other =
                    if of == ty { other } else { self.value(&format!("cast {other} : {ty}")) };
                self.value(&format!("add {left}, {other} : {ty}"))
            }
        }
    }

    /// Writes a value that depends on a comparison, and returns its name.
    fn wrapped(&mut self, left: &str, right: &str, ty: &str) -> String {
        let op = self.draw.one_of(&["ge", "gt", "lt", "le"]);
        let condition = self.value(&format!("{op} {left}, {right} : bool"));
        let difference = self.value(&format!("sub {left}, {right} : {ty}"));
        let arms = self.draw.one_of(&[[&*difference, left], [left, &*difference], [right, left]]);
        let [then, other] = arms;
        self.value(&format!("select {condition}, {then}, {other} : {ty}"))
    }

    fn condition(&mut self) -> String {
        let ty = self.draw.one_of(&TYPES);
        let (left, right) = (self.number(ty, 1), self.leaf(ty));
        let op = self.draw.one_of(&["lt", "lt", "le", "ge", "gt", "ne", "eq"]);
        let compared = self.value(&format!("{op} {left}, {right} : bool"));
        if self.draw.chance(25) {
            let (left, op) = (compared.clone(), self.draw.one_of(&["and", "or"]));
            let right = self.condition();
            return self.value(&format!("{op} {left}, {right} : bool"));
        }
        if self.draw.chance(10) { self.value(&format!("not {compared} : bool")) } else { compared }
    }

    /// Writes a loop with loops and accesses inside; `all` is true if all threads may run it
    /// together.
    fn nest(&mut self, depth: u32, all: bool) {
        let ty = self.draw.one_of(&TYPES);
        let (mut together, visible) = (false, self.visible.len());
        let start = match self.draw.below(10) {
            0..5 => self.value(&format!("const 0 : {ty}")),
            5..7 => self.constant(ty),
            _ => self.number(ty, 1),
        };
        let is_wide = ty.ends_with("64");
        let end = if is_wide && self.draw.chance(50) && !start.is_empty() && ty == "u64" {
            let param = self.draw.one_of(&["arg3", "arg4"]);
            together = self.text.lines().last().is_some_and(|line| line.contains("const 0"));
            self.value(&format!("param {param} : {ty}"))
        } else {
            let count = self.draw.below(9);
            let count = self.value(&format!("const {count} : {ty}"));
            self.value(&format!("add {start}, {count} : {ty}"))
        };
        let step = self.draw.one_of(&[1, 1, 1, 2, 3, 5]);
        let step = self.value(&format!("const {step} : {ty}"));
        let kind = if self.draw.chance(15) { "for inclusive" } else { "for" };
        let counter = format!("{kind} {start}, {end}, step {step} : {ty}");
        let id = self.open(&counter);
        self.visible.push((id.clone(), ty));
        let together = together && all;
        if depth < 2 && self.draw.chance(55) {
            if self.draw.chance(40) {
                self.access(None);
            }
            self.nest(depth + 1, together);
        }
        if together && self.draw.chance(40) {
            self.value("barrier");
        }
        let leaves = (!together).then_some(id);
        for _ in 0..1 + self.draw.below(3) {
            self.access(leaves.as_deref());
        }
        self.close();
        self.visible.truncate(visible);
    }

    /// Writes an access, perhaps under a condition.
    fn access(&mut self, around: Option<&str>) {
        let visible = self.visible.len();
        if let Some(around) = around
            && self.draw.chance(12)
        {
            let condition = self.condition();
            let exit = self.draw.one_of(&["continue", "continue", "break"]);
            self.open(&format!("if {condition}"));
            self.value(&format!("{exit} {around}"));
            self.close();
        }
        let (ty, depth) = (self.draw.one_of(&["u64", "u64", "u64", "u32"]), 1 + self.draw.below(3));
        let index = self.number(ty, depth);
        let is_inside = self.draw.chance(30);
        if is_inside {
            let condition = if self.draw.chance(60) {
                let bound = self.leaf(ty);
                let op = self.draw.one_of(&["lt", "le"]);
                self.value(&format!("{op} {index}, {bound} : bool"))
            } else {
                self.condition()
            };
            self.open(&format!("if {condition}"));
        }
        let index = if is_inside && self.draw.chance(40) {
            let other = self.constant(ty);
            let op = self.draw.one_of(&["add", "sub"]);
            self.value(&format!("{op} {index}, {other} : {ty}"))
        } else {
            index
        };
        self.element(&index, ty);
        if is_inside {
            self.close();
        }
        self.visible.truncate(visible);
    }

    fn element(&mut self, index: &str, ty: &str) {
        let is_sum = self.draw.chance(15);
        let (of, base) = if is_sum { ("arg2", "%sums") } else { ("arg0", "%x") };
        let mut len = self.value(&format!("len {of} : u64"));
        if ty == "u32" {
            len = self.value(&format!("cast {len} : u32"));
        } else if self.draw.chance(15) {
            let most = self.leaf("u64");
            len = self.value(&format!("min {len}, {most} : u64"));
        }
        let index = self.value(&format!("bounds {index}, {len} : {ty}"));
        let at = self.value(&format!("index {base}, {index}, 4 : ptr global"));
        if is_sum {
            self.value(&format!("atomic.add.relaxed.device {at}, %one32 : u32"));
            return;
        }
        let element = self.value(&format!("load {at} : u32"));
        let sum = self.value("get $0 : u32");
        let scale = self.value("const 31 : u32");
        let scaled = self.value(&format!("mul {sum}, {scale} : u32"));
        let sum = self.value(&format!("add {scaled}, {element} : u32"));
        self.value(&format!("set $0, {sum}"));
        self.value(&format!("store %to, {sum}"));
        if self.draw.chance(20) {
            self.value(&format!("set $1, {element}"));
        }
        if self.draw.chance(20) {
            self.visible.push((element, "u32"));
        }
    }
}

//! Kernels whose loops read elements of arrays of three dimensions, nearly all of them in bounds.
//!
//! Up to three loops are nested, over 32 or 64 bits, with steps up to 3. Indices multiply a counter
//! by two extents, and add other counters, thread indices and constants. Each thread stores a digest
//! of what it has read so far in every round.
use super::{ArgData, Draw, LaunchShape, RandomKernel, strides::numbered};
use std::fmt::Write as _;
use warpwise_compiler::ir::{Access, Kernel, Scalar};

/// The declarations of all kernels, and values that all share.
const START: &str = "
  param arg0 = x: read [u32] !0
  param arg1 = out: write [u32] !0
  param arg2 = layers: u64 !0
  param arg3 = height: u64 !0
  param arg4 = width: u64 !0
  param arg5 = few: u32 !0
  local $0 = sum: u32 !0
  %x = param arg0 : ptr global !1
  %len = len arg0 : u64 !1
  %out = param arg1 : ptr global !1
  %global = builtin global_idx.x : u64 !1
  %thread = builtin thread_idx.x : u64 !1
  %to = index %out, %global, 4 : ptr global !1
  %zero = const 0 : u32 !1
  %factor = const 31 : u32 !1
  %s0 = set $0, %zero !1
";

/// Returns the kernel of a seed, always the same one.
pub fn volume_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let shape = LaunchShape { grid: [1, 1, 1], block: [draw.one_of(&[1, 7, 32]), 1, 1] };
    let mut volumes = Volumes { draw, text: String::new(), values: 0, counters: Vec::new() };
    volumes.nest(0);
    let Volumes { mut draw, text, .. } = volumes;
    let text = numbered(&format!("kernel volumes {{\n{START}{text}}}"));
    let kernel: Kernel =
        text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
    let len = draw.one_of(&[100, 4000, 4000, 4000]);
    let x = (0..len).flat_map(|_| draw.below(1 << 30).to_le_bytes()).collect();
    let scalar = |ty, bits: u32| ArgData::Scalar { ty, bits: u64::from(bits) };
    let args = vec![
        ArgData::Slice { elem: Scalar::U32, access: Access::Read, bytes: x },
        ArgData::Slice {
            elem: Scalar::U32,
            access: Access::Write,
            bytes: vec![0; 4 * shape.all_threads() as usize],
        },
        scalar(Scalar::U64, draw.below(8)),
        scalar(Scalar::U64, 1 + draw.below(6)),
        scalar(Scalar::U64, 1 + draw.below(6)),
        scalar(Scalar::U32, draw.below(7)),
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Volumes {
    draw: Draw,
    text: String,
    /// The number of values so far.
    values: u32,
    /// The counters of the loops around, in 64 bits, the outermost first.
    counters: Vec<String>,
}

impl Volumes {
    /// Writes an instruction with a name of its own, and returns the name.
    fn value(&mut self, what: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        _ = writeln!(self.text, "  {name} = {what} !{}", 2 + self.values % 7);
        name
    }

    /// Writes a loop with loops and loads inside.
    fn nest(&mut self, depth: u32) {
        let ty = self.draw.one_of(&["u64", "u64", "u32"]);
        let start = self.draw.below(3);
        let start = self.value(&format!("const {start} : {ty}"));
        let end = match (self.draw.below(4), ty) {
            (0, _) => self.value(&format!("const 3 : {ty}")),
            (_, "u32") => self.value("param arg5 : u32"),
            _ => self.value("param arg2 : u64"),
        };
        let step = 1 + self.draw.below(3);
        let step = self.value(&format!("const {step} : {ty}"));
        self.values += 1;
        let counter = format!("%v{}", self.values);
        _ = writeln!(self.text, "  {counter} = for {start}, {end}, step {step} : {ty} !2 {{");
        let wide = if ty == "u64" { counter } else { self.value(&format!("cast {counter} : u64")) };
        self.counters.push(wide);
        if depth < 2 && self.draw.chance(50) {
            self.nest(depth + 1);
        }
        for _ in 0..1 + self.draw.below(3) {
            self.load();
        }
        self.counters.pop();
        self.text.push_str("  }\n");
    }

    fn load(&mut self) {
        let mut index = self.counter();
        for _ in 0..2 {
            let extent = self.draw.one_of(&["param arg3", "param arg4"]);
            let extent = self.value(&format!("{extent} : u64"));
            index = self.value(&format!("mul {index}, {extent} : u64"));
            let place = match self.draw.below(4) {
                0 => self.counter(),
                1 => "%thread".to_owned(),
                _ => {
                    let number = self.draw.below(4);
                    self.value(&format!("const {number} : u64"))
                }
            };
            let op = if self.draw.chance(5) { "sub" } else { "add" };
            index = self.value(&format!("{op} {index}, {place} : u64"));
        }
        let index = self.value(&format!("bounds {index}, %len : u64"));
        let at = self.value(&format!("index %x, {index}, 4 : ptr global"));
        let element = self.value(&format!("load {at} : u32"));
        let sum = self.value("get $0 : u32");
        let scaled = self.value(&format!("mul {sum}, %factor : u32"));
        let sum = self.value(&format!("add {scaled}, {element} : u32"));
        self.value(&format!("set $0, {sum}"));
        self.value(&format!("store %to, {sum}"));
    }

    fn counter(&mut self) -> String {
        let at = self.draw.index(self.counters.len());
        self.counters[at].clone()
    }
}

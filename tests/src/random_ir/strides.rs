//! Kernels whose threads stride over memory in counted loops, as
//! `while i < x.len() { …; i += stride; }`.
//!
//! Loops start from a number of the thread's own or from a common one, end at the length of a
//! buffer or another bound, and step by the grid, the block or a small number. They follow each
//! other, and are nested in each other, in branches and in ranges. In them elements are loaded,
//! counted atomically and skipped, and some loops are left early. Between the loops are
//! collectives. No two threads write the same element, but for atomic sums that are never read.
use super::{ArgData, Draw, LaunchShape, RandomKernel};
use std::fmt::Write as _;
use warpwise_compiler::ir::{Access, Kernel, Scalar};

const U32: Scalar = Scalar::U32;

/// The start of all kernels.
const START: &str = "kernel strides {
  param arg0 = x: read [u32] !0
  param arg1 = out: write [u32] !0
  param arg2 = sums: atomic [u32] !0
  param arg3 = n: u32 !0
  local $0 = sum: u32 !0
";

/// The values that loops start from and end at, in each kernel.
const GIVEN: &str = "
  %x = param arg0 : ptr global !1
  %sums = param arg2 : ptr global !1
  %len = len arg0 : u64 !1
  %n32 = param arg3 : u32 !1
  %n = cast %n32 : u64 !1
  %thread = builtin thread_idx.x : u64 !1
  %global = builtin global_idx.x : u64 !1
  %lane = builtin lane_id : u64 !1
  %dim32 = builtin block_dim.x : u32 !1
  %dims32 = builtin grid_dim.x : u32 !1
  %dim = cast %dim32 : u64 !1
  %dims = cast %dims32 : u64 !1
  %grid = mul %dim, %dims : u64 !1
  %zero = const 0 : u64 !1
  %one = const 1 : u64 !1
  %three = const 3 : u64 !1
  %seven = const 7 : u64 !1
  %zero32 = const 0 : u32 !1
  %one32 = const 1 : u32 !1
  %three32 = const 3 : u32 !1
  %s0 = set $0, %zero32 !1
";

/// The end of all kernels: each thread stores its sum.
const END: &str = "
  %left = get $0 : u32 !9
  %out = param arg1 : ptr global !9
  %to = index %out, %global, 4 : ptr global !9
  %stored = store %to, %left !9
}";

/// Returns the kernel of a seed, always the same one.
pub fn stride_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let shape = LaunchShape {
        grid: [1 + draw.below(3), 1, 1],
        block: [draw.one_of(&[20, 32, 64, 100, 300]), 1, 1],
    };
    let long = draw.chance(30);
    let mut strides = Strides { draw, text: String::new(), values: 0, loops: 0, inside: 0, long };
    for _ in 0..1 + strides.draw.below(3) {
        strides.around();
        strides.meet();
    }
    let Strides { mut draw, text, loops, .. } = strides;
    let locals: String =
        (1..=loops).map(|local| format!("  local ${local} = i: u64 !0\n")).collect();
    let text = numbered(&format!("{START}{locals}{GIVEN}{text}{END}"));
    let kernel: Kernel =
        text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
    let words = |draw: &mut Draw, count: u32| {
        (0..count).flat_map(|_| draw.below(40).to_le_bytes()).collect::<Vec<_>>()
    };
    let len = if long { 300 + draw.below(400) } else { draw.below(200) };
    let x = words(&mut draw, len);
    let threads = shape.grid[0] * shape.block[0];
    let args = vec![
        ArgData::Slice { elem: U32, access: Access::Read, bytes: x },
        ArgData::Slice { elem: U32, access: Access::Write, bytes: vec![0; 4 * threads as usize] },
        ArgData::Slice { elem: U32, access: Access::Atomic, bytes: vec![0; 32] },
        ArgData::Scalar { ty: U32, bits: draw.below(90).into() },
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Strides {
    draw: Draw,
    text: String,
    /// The number of named values.
    values: u32,
    /// The number of loops.
    loops: u32,
    /// The number of enclosing loops.
    inside: u32,
    /// True if loops may have many iterations.
    long: bool,
}

impl Strides {
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

    /// Opens a body.
    fn open(&mut self, what: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        _ = writeln!(self.text, "  {name} = {what} !{} {{", 2 + self.values % 7);
        name
    }

    fn close(&mut self) {
        self.text.push_str("  }\n");
    }

    /// Adds to the sum that the thread stores.
    fn add(&mut self, value: &str) {
        let sum = self.value("get $0 : u32");
        let sum = self.value(&format!("add {sum}, {value} : u32"));
        self.value(&format!("set $0, {sum}"));
    }

    /// Writes a loop, perhaps inside a branch or a range.
    fn around(&mut self) {
        match self.draw.below(4) {
            0 => {
                let some = self.draw.one_of(&["%lane", "%thread", "%n"]);
                let cond = self.value(&format!("gt {some}, %seven : bool"));
                self.open(&format!("if {cond}"));
                self.stride();
                self.close();
            }
            1 => {
                let end = self.draw.one_of(&["%one", "%three"]);
                self.open(&format!("for %zero, {end}, step %one : u64"));
                self.stride();
                self.close();
            }
            _ => self.stride(),
        }
    }

    /// Writes a counted loop.
    fn stride(&mut self) {
        let starts = ["%global", "%global", "%thread", "%lane", "%zero", "%seven"];
        let start = self.draw.one_of(&starts);
        let end = self.draw.one_of(&["%len", "%len", "%len", "%n", "%seven"]);
        let few = ["%grid", "%grid", "%dim", "%three", "%one"];
        let most = if self.long && self.inside == 0 { 5 } else { 3 };
        let step = few[self.draw.index(most)];
        self.loops += 1;
        let local = self.loops;
        self.value(&format!("set ${local}, {start}"));
        let id = self.open("loop");
        let at = self.value(&format!("get ${local} : u64"));
        let more = self.value(&format!("lt {at}, {end} : bool"));
        self.open(&format!("if {more}"));
        self.text.push_str("  } else {\n");
        self.value(&format!("break {id}"));
        self.close();
        self.inside += 1;
        for _ in 0..1 + self.draw.below(3) {
            self.statement(&id, &at);
        }
        self.inside -= 1;
        let next = self.value(&format!("add {at}, {step} : u64"));
        self.value(&format!("set ${local}, {next}"));
        self.close();
    }

    fn statement(&mut self, id: &str, at: &str) {
        match self.draw.below(8) {
            0..3 => {
                let value = self.load(at);
                self.add(&value);
            }
            3 | 4 => self.count(at),
            5 => {
                let value = self.load(at);
                let low = self.value(&format!("and {value}, %three32 : u32"));
                self.open(&format!("for %zero32, {low}, step %one32 : u32"));
                let value = self.load(at);
                self.add(&value);
                self.close();
            }
            6 => {
                let value = self.load(at);
                let cond = self.value(&format!("lt {value}, %three32 : bool"));
                self.open(&format!("if {cond}"));
                let leave = match self.draw.below(4) {
                    0 => format!("break {id}"),
                    _ => "set $0, %three32".into(),
                };
                self.value(&leave);
                self.close();
            }
            7 if self.inside < 2 => self.stride(),
            _ => {
                let low = self.value(&format!("cast {at} : u32"));
                self.add(&low);
            }
        }
    }

    /// Loads an element; threads beyond the last one fail, or load another.
    fn load(&mut self, at: &str) -> String {
        let index = if self.draw.chance(95) {
            let last = self.value("sub %len, %one : u64");
            let index = self.value(&format!("min {at}, {last} : u64"));
            self.value(&format!("bounds {index}, %len : u64"))
        } else {
            self.value(&format!("bounds {at}, %len : u64"))
        };
        let from = self.value(&format!("index %x, {index}, 4 : ptr global"));
        self.value(&format!("load {from} : u32"))
    }

    /// Counts atomically.
    fn count(&mut self, at: &str) {
        let which = self.value(&format!("and {at}, %seven : u64"));
        let to = self.value(&format!("index %sums, {which}, 4 : ptr global"));
        self.value(&format!("atomic.add.relaxed.device {to}, %one32 : u32"));
    }

    /// Writes a collective, or nothing.
    fn meet(&mut self) {
        let sum = self.value("get $0 : u32");
        match self.draw.below(5) {
            0 => {
                let all = self.value(&format!("reduce.add {sum} : u32"));
                self.add(&all);
            }
            1 => {
                let other = self.value(&format!("shuffle.xor {sum}, %three32, width 32 : u32"));
                self.add(&other);
            }
            2 => _ = self.value("barrier"),
            3 => _ = self.value("sync_warp"),
            _ => {}
        }
    }
}

/// Returns `text`, a kernel with names for instructions, with the names replaced by numbers in the
/// order of their first mention.
pub fn numbered(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut done = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        done.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let number = names.iter().position(|name| *name == &rest[..end]).unwrap_or(names.len());
        if number == names.len() {
            names.push(&rest[..end]);
        }
        _ = write!(done, "{number}");
        rest = &rest[end..];
    }
    done.push_str(rest);
    done
}

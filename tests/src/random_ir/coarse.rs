//! Kernels that process one element per thread, in grids of several blocks along x and y, for
//! thread coarsening.
//!
//! They have conditions on indices, parameters and loaded numbers, loops of the same length in all
//! threads, locals, and a few stores, mostly after all loads and checks. Many indices are out of
//! bounds in some threads only. A thread writes only its own elements of two slices.
use super::{ArgData, Draw, LaunchShape, RandomKernel, strides::numbered};
use std::fmt::Write as _;
use warpwise_compiler::ir::{Access, Kernel, Scalar};

const U32: Scalar = Scalar::U32;

/// The start of every kernel, after its name and block.
const START: &str = "
  param arg0 = x: read [u32] !0
  param arg1 = w: read [u32] !0
  param arg2 = y: write [u32] !0
  param arg3 = z: write [u32] !0
  param arg4 = n: u64 !0
  param arg5 = width: u64 !0
  local $0 = a: u64 !0
  local $1 = b: u64 !0
  %x = param arg0 : ptr global !0
  %xlen = len arg0 : u64 !0
  %w = param arg1 : ptr global !0
  %wlen = len arg1 : u64 !0
  %y = param arg2 : ptr global !0
  %ylen = len arg2 : u64 !0
  %z = param arg3 : ptr global !0
  %zlen = len arg3 : u64 !0
  %n = param arg4 : u64 !0
  %width = param arg5 : u64 !0
  %column = builtin global_idx.x : u64 !0
  %row = builtin global_idx.y : u64 !0
  %block = builtin block_idx.y : u32 !0
  %which = cast %block : u64 !0
  %zero = const 0 : u64 !0
  %one = const 1 : u64 !0
  %three = const 3 : u64 !0
  %before = mul %row, %width : u64 !0
  %own = add %before, %column : u64 !0
  %s0 = set $0, %row !0
  %s1 = set $1, %n !0
";

/// Names of numbers that are visible everywhere.
const NUMBERS: [&str; 8] = ["%row", "%column", "%own", "%which", "%n", "%zero", "%one", "%three"];

/// Returns the kernel of a seed, always the same one.
pub fn coarse_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let rows = draw.chance(60);
    let grid =
        if rows { [1 + draw.below(2), 1 + draw.below(9), 1] } else { [1 + draw.below(9), 1, 1] };
    let block = if rows {
        [draw.one_of(&[1, 5, 32]), 1 + draw.below(3), 1]
    } else {
        [draw.one_of(&[1, 7, 40]), 1, 1]
    };
    let shape = LaunchShape { grid, block };
    let declared = match draw.chance(50) {
        true => format!("  block {}, {}, 1\n", block[0], block[1]),
        false => String::new(),
    };
    let visible = NUMBERS.map(String::from).to_vec();
    let mut coarse =
        Coarse { draw, text: String::new(), names: 0, visible, depth: 0, stores: false };
    for _ in 0..3 + coarse.draw.below(15) {
        coarse.statement();
    }
    coarse.stores = true;
    for _ in 0..1 + coarse.draw.below(3) {
        coarse.statement();
        coarse.store();
    }
    let Coarse { mut draw, text, .. } = coarse;
    // Without rows, threads are coarsened along x.
    let start = if rows {
        START.to_owned()
    } else {
        START
            .replace("builtin global_idx.y", "const 0")
            .replace("builtin block_idx.y", "builtin block_idx.x")
    };
    let text = numbered(&format!("kernel coarse{seed} {{\n{declared}{start}{text}}}"));
    let kernel: Kernel =
        text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
    let threads = shape.all_threads();
    let mut slice = |access: Access, len: u32| {
        let bytes = (0..len).flat_map(|_| draw.below(9).to_le_bytes()).collect();
        ArgData::Slice { elem: U32, access, bytes }
    };
    let x = slice(Access::Read, threads);
    let w = slice(Access::Read, 8);
    // Some threads have no element.
    let y = slice(Access::Write, threads - threads / 9);
    let z = slice(Access::Write, threads);
    let width = u64::from(grid[0] * block[0]);
    let number = |bits| ArgData::Scalar { ty: Scalar::U64, bits };
    let args = vec![x, w, y, z, number(draw.below(11).into()), number(width)];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Coarse {
    draw: Draw,
    text: String,
    names: u32,
    /// Numbers (`u64`), oldest first.
    visible: Vec<String>,
    /// The number of open bodies.
    depth: u32,
    /// True if stores are among the statements.
    stores: bool,
}

impl Coarse {
    /// Appends an instruction with a name and a span of its own.
    fn inst(&mut self, what: &str) -> String {
        self.names += 1;
        let names = self.names;
        _ = writeln!(self.text, "  %v{names} = {what} !{names}");
        format!("%v{names}")
    }

    /// Returns a number, preferably a recent one.
    fn number(&mut self) -> String {
        let count = self.visible.len();
        let from = if self.draw.chance(50) { count.saturating_sub(4) } else { 0 };
        let at = from + self.draw.index(count - from);
        self.visible[at].clone()
    }

    fn statement(&mut self) {
        match self.draw.below(18) {
            16 | 17 => self.neighbour(),
            0..=3 => {
                let (a, b) = (self.number(), self.number());
                let op = self.draw.one_of(&["add", "add", "sub", "mul", "min", "max"]);
                let value = self.inst(&format!("{op} {a}, {b} : u64"));
                self.visible.push(value);
            }
            4..=7 => {
                let (slice, len) = self.draw.one_of(&[("%x", "%xlen"), ("%w", "%wlen")]);
                let index = self.number();
                self.load(slice, &index, len);
            }
            8 => self.load("%y", "%own", "%ylen"),
            9 if self.stores => self.store(),
            9 | 10 => {
                let local = self.draw.below(2);
                let value = self.inst(&format!("get ${local} : u64"));
                self.visible.push(value);
            }
            11 => {
                let (local, value) = (self.draw.below(2), self.number());
                self.inst(&format!("set ${local}, {value}"));
            }
            12 => {
                let (a, b) = (self.number(), self.number());
                let cond = self.inst(&format!("le {a}, {b} : bool"));
                match self.draw.chance(20) {
                    true => _ = self.inst(&format!("check {cond}, add_overflow")),
                    false => self.leave_unless(&cond),
                }
            }
            13 | 14 => {
                let (a, b) = (self.number(), self.number());
                let cond = self.inst(&format!("lt {a}, {b} : bool"));
                self.body(&format!("if {cond}"));
            }
            _ => {
                let end = self.draw.one_of(&["%n", "%three"]);
                self.body(&format!("for %zero, {end}, step %one : u64"));
            }
        }
    }

    fn leave_unless(&mut self, cond: &str) {
        self.names += 1;
        let names = self.names;
        _ = writeln!(
            self.text,
            "  %v{names} = if {cond} !0 {{ }} else {{ %r{names} = return !0 }}"
        );
    }

    /// Checks an index, and returns the address.
    fn address(&mut self, slice: &str, index: &str, len: &str) -> String {
        // Most indices would be out of bounds, and nothing after the first of them would run.
        let index = match self.draw.chance(85) && slice != "%y" {
            true => self.inst(&format!("rem {index}, {len} : u64")),
            false => index.to_owned(),
        };
        let index = self.inst(&format!("bounds {index}, {len} : u64"));
        self.inst(&format!("index {slice}, {index}, 4 : ptr global"))
    }

    fn load(&mut self, slice: &str, index: &str, len: &str) {
        let from = self.address(slice, index, len);
        let loaded = self.inst(&format!("load {from} : u32"));
        let value = self.inst(&format!("cast {loaded} : u64"));
        self.visible.push(value);
    }

    /// Loads an element of a row or column that ends where it begins, next to the thread's own,
    /// perhaps under a condition.
    fn neighbour(&mut self) {
        let (own, count) = self.draw.one_of(&[
            ("%column", "%width"),
            ("%column", "%width"),
            ("%row", "%n"),
            ("%column", "%xlen"),
        ]);
        let cond = self.inst(&format!("lt {own}, {count} : bool"));
        self.leave_unless(&cond);
        let further = match self.draw.chance(50) {
            true => "%one".to_owned(),
            false => self.inst(&format!("sub {count}, %one : u64")),
        };
        let sum = self.inst(&format!("add {own}, {further} : u64"));
        let next = self.inst(&format!("rem {sum}, {count} : u64"));
        let next = match self.draw.chance(70) {
            true => self.inst(&format!("add %before, {next} : u64")),
            false => next,
        };
        let is_guarded = self.draw.chance(30) && self.depth < 2;
        if is_guarded {
            let cond = self.inst(&format!("ne {further}, %zero : bool"));
            self.names += 1;
            let names = self.names;
            _ = writeln!(self.text, "  %v{names} = if {cond} !{names} {{");
        }
        let index = self.inst(&format!("bounds {next}, %xlen : u64"));
        let from = self.inst(&format!("index %x, {index}, 4 : ptr global"));
        let loaded = self.inst(&format!("load {from} : u32"));
        let value = self.inst(&format!("cast {loaded} : u64"));
        if is_guarded {
            self.inst(&format!("set $0, {value}"));
            self.text.push_str("  }\n");
        } else {
            self.visible.push(value);
        }
    }

    fn store(&mut self) {
        let (slice, len) = self.draw.one_of(&[("%y", "%ylen"), ("%z", "%zlen")]);
        let index = self.inst(&format!("bounds %own, {len} : u64"));
        let to = self.inst(&format!("index {slice}, {index}, 4 : ptr global"));
        let value = self.number();
        let value = self.inst(&format!("cast {value} : u32"));
        self.inst(&format!("store {to}, {value}"));
    }

    /// Opens a body with statements in it, whose values are not visible after it.
    fn body(&mut self, what: &str) {
        if self.depth == 2 {
            return;
        }
        self.names += 1;
        let names = self.names;
        _ = writeln!(self.text, "  %v{names} = {what} !{names} {{");
        let visible = self.visible.len();
        if what.starts_with("for") {
            self.visible.push(format!("%v{names}"));
        }
        self.depth += 1;
        for _ in 0..1 + self.draw.below(5) {
            self.statement();
        }
        self.depth -= 1;
        self.visible.truncate(visible);
        self.text.push_str("  }\n");
    }
}

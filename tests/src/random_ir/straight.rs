//! Kernels of straight-line code in which loads, checks, locals and arrays of the thread's own
//! follow each other.
//!
//! Indices are sums and products of small numbers, loaded values and locals, and many are out of
//! bounds: the check that fails first, and the thread's stores before it, depend on the order of
//! all instructions. Some pieces are the bodies of branches and of loops that the optimizer
//! unrolls. A thread writes only its own four elements.
use super::{ArgData, Draw, LaunchShape, RandomKernel, kernel_text::KernelText};
use warpwise_compiler::ir::{Access, Scalar};

const U32: Scalar = Scalar::U32;

/// The start of every kernel. It sets all elements of the thread's array and all locals.
const START: &str = "kernel straight {
  param arg0 = x: read [u32] !0
  param arg1 = w: read [u32] !0
  param arg2 = y: write [u32] !0
  param arg3 = n: u64 !0
  array #0 = own: [u32; 4] !0
  local $0 = a: u64 !0
  local $1 = b: u64 !0
  %x = param arg0 : ptr global !0
  %xlen = len arg0 : u64 !0
  %w = param arg1 : ptr global !0
  %wlen = len arg1 : u64 !0
  %y = param arg2 : ptr global !0
  %ylen = len arg2 : u64 !0
  %own = array #0 : ptr local !0
  %n = param arg3 : u64 !0
  %global = builtin global_idx.x : u64 !0
  %zero = const 0 : u64 !0
  %one = const 1 : u64 !0
  %two = const 2 : u64 !0
  %three = const 3 : u64 !0
  %four = const 4 : u64 !0
  %first = mul %global, %four : u64 !0
  %s0 = set $0, %global !0
  %s1 = set $1, %n !0
  %zero32 = const 0 : u32 !0
  %own0 = index %own, %zero, 4 : ptr local !0
  %s2 = store %own0, %zero32 !0
  %own1 = index %own, %one, 4 : ptr local !0
  %s3 = store %own1, %zero32 !0
  %own2 = index %own, %two, 4 : ptr local !0
  %s4 = store %own2, %zero32 !0
  %own3 = index %own, %three, 4 : ptr local !0
  %s5 = store %own3, %zero32 !0
";

/// Names of numbers that are visible everywhere.
const NUMBERS: [&str; 6] = ["%global", "%n", "%zero", "%one", "%two", "%three"];

/// Returns the kernel of a seed, always the same one.
pub fn straight_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let shape =
        LaunchShape { grid: [1 + draw.below(2), 1, 1], block: [draw.one_of(&[1, 8, 40]), 1, 1] };
    let visible = NUMBERS.map(String::from).to_vec();
    let mut straight = Straight { draw, text: KernelText::default(), visible, depth: 0 };
    for _ in 0..10 + straight.draw.below(40) {
        straight.statement();
    }
    let Straight { mut draw, text, .. } = straight;
    let kernel = text.parse(START, seed);
    let threads = shape.all_threads();
    let mut slice = |access: Access, least: u32| {
        let bytes = (0..least + draw.below(60)).flat_map(|_| draw.below(9).to_le_bytes()).collect();
        ArgData::Slice { elem: U32, access, bytes }
    };
    let args = vec![
        slice(Access::Read, threads),
        slice(Access::Read, 4),
        slice(Access::Write, 4 * threads - 2),
        ArgData::Scalar { ty: Scalar::U64, bits: draw.below(11).into() },
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Straight {
    draw: Draw,
    text: KernelText,
    /// Numbers (`u64`), oldest first.
    visible: Vec<String>,
    /// The number of open bodies.
    depth: u32,
}

impl Straight {
    /// Returns a number, preferably a recent one.
    fn number(&mut self) -> String {
        let count = self.visible.len();
        let late = self.draw.chance(60);
        let from = if late { count.saturating_sub(5) } else { 0 };
        let at = from + self.draw.index(count - from);
        self.visible[at].clone()
    }

    fn statement(&mut self) {
        match self.draw.below(20) {
            0..=3 => {
                let (a, b) = (self.number(), self.number());
                let op = self.draw.one_of(&["add", "add", "add", "sub", "mul", "min", "xor"]);
                let value = self.text.value(&format!("{op} {a}, {b} : u64"));
                self.visible.push(value);
            }
            4..=9 => {
                let (slice, len) = self.draw.one_of(&[("%x", "%xlen"), ("%w", "%wlen")]);
                let index = self.number();
                self.load(slice, &index, len, "global");
            }
            10 => {
                let index = self.own_element();
                self.load("%y", &index, "%ylen", "global");
            }
            11 => {
                let (index, value) = (self.own_element(), self.number());
                self.store("%y", &index, "%ylen", "global", &value);
            }
            12 => {
                let index = self.number();
                self.load("%own", &index, "%four", "local");
            }
            13 => {
                let (index, value) = (self.number(), self.number());
                self.store("%own", &index, "%four", "local", &value);
            }
            14 => {
                let local = self.draw.below(2);
                let value = self.text.value(&format!("get ${local} : u64"));
                self.visible.push(value);
            }
            15 => {
                let (local, value) = (self.draw.below(2), self.number());
                self.text.value(&format!("set ${local}, {value}"));
            }
            16 => self.divide(),
            17 => {
                let (a, b) = (self.number(), self.number());
                let cond = self.text.value(&format!("le {a}, {b} : bool"));
                self.text.value(&format!("check {cond}, add_overflow"));
            }
            18 => {
                let (a, b) = (self.number(), self.number());
                let cond = self.text.value(&format!("lt {a}, {b} : bool"));
                self.body(&format!("if {cond}"));
            }
            _ => {
                let end = self.draw.one_of(&["%n", "%three"]);
                self.body(&format!("for %zero, {end}, step %one : u64"));
            }
        }
    }

    /// Returns the index of one of the thread's own elements.
    fn own_element(&mut self) -> String {
        let which = self.draw.one_of(&["%zero", "%one", "%two", "%three"]);
        self.text.value(&format!("add %first, {which} : u64"))
    }

    /// Checks an index, and returns the address.
    fn address(&mut self, slice: &str, index: &str, len: &str, space: &str) -> String {
        // Most indices would be out of bounds, and nothing after the first of them would run.
        let index = match self.draw.chance(85) && slice != "%y" {
            true => self.text.value(&format!("rem {index}, {len} : u64")),
            false => index.to_owned(),
        };
        let index = self.text.value(&format!("bounds {index}, {len} : u64"));
        self.text.value(&format!("index {slice}, {index}, 4 : ptr {space}"))
    }

    fn load(&mut self, slice: &str, index: &str, len: &str, space: &str) {
        let from = self.address(slice, index, len, space);
        let loaded = self.text.value(&format!("load {from} : u32"));
        let value = self.text.value(&format!("cast {loaded} : u64"));
        self.visible.push(value);
    }

    fn store(&mut self, slice: &str, index: &str, len: &str, space: &str, value: &str) {
        let to = self.address(slice, index, len, space);
        let value = self.text.value(&format!("cast {value} : u32"));
        self.text.value(&format!("store {to}, {value}"));
    }

    fn divide(&mut self) {
        let (value, by) = (self.number(), self.number());
        let by = if self.draw.chance(70) {
            self.text.value(&format!("or {by}, %one : u64"))
        } else {
            by
        };
        let cond = self.text.value(&format!("ne {by}, %zero : bool"));
        self.text.value(&format!("check {cond}, divide_by_zero"));
        let value = self.text.value(&format!("div {value}, {by} : u64"));
        self.visible.push(value);
    }

    /// Opens a body with statements in it, whose values are not visible after it.
    fn body(&mut self, what: &str) {
        if self.depth == 2 {
            return;
        }
        let name = self.text.open(what);
        let visible = self.visible.len();
        if what.starts_with("for") {
            self.visible.push(name);
        }
        self.depth += 1;
        for _ in 0..1 + self.draw.below(6) {
            self.statement();
        }
        self.depth -= 1;
        self.visible.truncate(visible);
        self.text.close();
    }
}

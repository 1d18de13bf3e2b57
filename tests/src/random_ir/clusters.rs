//! Kernels of clusters, whose blocks write, update and read each other's shared memory.
//!
//! Between two barriers of the cluster, a slot is written by one thread, or updated by atomics that
//! commute, and it is read only after the next barrier. All threads reach each barrier; some
//! accesses are under conditions that vary between threads. No thread fails before the last
//! barrier.
use super::{ArgData, Draw, LaunchShape, RandomKernel, kernel_text::KernelText};
use warpwise_compiler::ir::{Access, Scalar};

const U32: Scalar = Scalar::U32;

/// The largest number of threads of a block; each of them has a slot in each array.
const MAX_THREADS: u32 = 48;

/// The shapes of clusters.
const CLUSTERS: [[u32; 3]; 6] = [[2, 1, 1], [1, 2, 1], [3, 1, 1], [2, 2, 1], [2, 1, 2], [8, 1, 1]];

/// The declarations of all kernels, and values that all share.
const START: &str = "
  param arg0 = x: read [u32] !0
  param arg1 = out: write [u32] !0
  param arg2 = n: u32 !0
  shared @0 = pad: [u32; 3] !0
  shared @1 = cells: [u32; 48] !0
  shared @2 = counts: [u32; 48] !0
  local $0 = sum: u32 !0
  %x = param arg0 : ptr global !1
  %xlen = len arg0 : u64 !1
  %n = param arg2 : u32 !1
  %thread = builtin thread_idx.x : u32 !1
  %bx = builtin block_idx.x : u32 !1
  %by = builtin block_idx.y : u32 !1
  %bz = builtin block_idx.z : u32 !1
  %gx = builtin grid_dim.x : u32 !1
  %gy = builtin grid_dim.y : u32 !1
  %cx = rem %bx, %dx : u32 !1
  %cy = rem %by, %dy : u32 !1
  %cz = rem %bz, %dz : u32 !1
  %plane = mul %cz, %dy : u32 !1
  %line = add %plane, %cy : u32 !1
  %row = mul %line, %dx : u32 !1
  %rank = add %row, %cx : u32 !1
  %planes = mul %bz, %gy : u32 !1
  %lines = add %planes, %by : u32 !1
  %rows = mul %lines, %gx : u32 !1
  %block = add %rows, %bx : u32 !1
  %first = mul %block, %threads : u32 !1
  %global = add %first, %thread : u32 !1
  %wide = cast %global : u64 !1
  %out = param arg1 : ptr global !1
  %to = index %out, %wide, 4 : ptr global !1
  %cells = shared @1 : ptr shared !1
  %counts = shared @2 : ptr shared !1
  %cell = index %cells, %thread, 4 : ptr shared !1
  %count = index %counts, %thread, 4 : ptr shared !1
  %factor = const 31 : u32 !1
  %zero = const 0 : u32 !1
  %one = const 1 : u32 !1
  %s0 = set $0, %global !1
  %s1 = store %count, %global !1
  %s2 = sync_cluster !1
";

/// Returns the kernel of a seed, always the same one.
pub fn cluster_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let cluster = draw.one_of(&CLUSTERS);
    let grid = cluster.map(|blocks| blocks * (1 + draw.below(2)));
    let threads = draw.one_of(&[1, 7, 32, MAX_THREADS]);
    let shape = LaunchShape { grid, block: [threads, 1, 1] };
    let mut kernel = Clusters { draw, text: KernelText::default() };
    for _ in 0..1 + kernel.draw.below(3) {
        if kernel.draw.chance(30) {
            let at = kernel.text.open("for %zero, %n, step %one : u32");
            kernel.add(&at);
            kernel.phase();
            kernel.text.close();
        } else {
            kernel.phase();
        }
    }
    kernel.end();
    let Clusters { mut draw, text, .. } = kernel;
    let [dx, dy, dz] = cluster;
    let known = format!(
        "  %dx = const {dx} : u32 !1\n  %dy = const {dy} : u32 !1\n  %dz = const {dz} : u32 !1\n  \
         %blocks = const {} : u32 !1\n  %threads = const {threads} : u32 !1\n  %x = param",
        dx * dy * dz
    );
    let start = START.replacen("  %x = param", &known, 1);
    let start = format!("kernel clusters {{\n  cluster {dx}, {dy}, {dz}\n{start}");
    let kernel = text.parse(&start, seed);
    let len = draw.one_of(&[0, 1, 40, 400]);
    let x = (0..len).flat_map(|_| draw.below(40).to_le_bytes()).collect();
    let bytes = 4 * shape.all_threads() as usize;
    let args = vec![
        ArgData::Slice { elem: U32, access: Access::Read, bytes: x },
        ArgData::Slice { elem: U32, access: Access::Write, bytes: vec![0; bytes] },
        ArgData::Scalar { ty: U32, bits: draw.below(5).into() },
    ];
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// A kernel under construction.
struct Clusters {
    draw: Draw,
    text: KernelText,
}

impl Clusters {
    /// Writes a phase of accesses, before and after which no access is pending.
    fn phase(&mut self) {
        match self.draw.below(3) {
            0 => self.exchange(),
            1 => self.write_to_others(),
            _ => self.update(),
        }
        self.text.value("sync_cluster");
    }

    /// Writes a phase in which each thread writes its slot, and others read it.
    fn exchange(&mut self) {
        let sum = self.text.value("get $0 : u32");
        self.text.value(&format!("store %cell, {sum}"));
        self.text.value("sync_cluster");
        for _ in 0..1 + self.draw.below(3) {
            self.read("%cells");
        }
    }

    /// Writes a phase in which each thread writes the slot of a thread of another block, or of its
    /// own.
    fn write_to_others(&mut self) {
        let rank = self.rotated("%rank", "%blocks");
        let thread = self.rotated("%thread", "%threads");
        let slot = self.slot("%cells", &rank, &thread);
        let sum = self.text.value("get $0 : u32");
        self.text.value(&format!("store {slot}, {sum}"));
        self.text.value("sync_cluster");
        self.read("%cells");
        let own = self.text.value("load %cell : u32");
        self.add(&own);
    }

    /// Writes a phase in which threads update slots of any blocks.
    fn update(&mut self) {
        let op = self.draw.one_of(&["add", "min", "max", "xor", "or"]);
        for _ in 0..1 + self.draw.below(2) {
            let is_guarded = self.guard();
            let [rank, thread] = [self.any("%blocks"), self.any("%threads")];
            let slot = self.slot("%counts", &rank, &thread);
            let sum = self.text.value("get $0 : u32");
            let scope = self.draw.one_of(&["device", "system"]);
            self.text.value(&format!("atomic.{op}.relaxed.{scope} {slot}, {sum} : u32"));
            if is_guarded {
                self.text.close();
            }
        }
        self.text.value("sync_cluster");
        self.read("%counts");
    }

    /// Begins a condition that varies between threads, or none.
    fn guard(&mut self) -> bool {
        let is_guarded = self.draw.chance(40);
        if is_guarded {
            let sum = self.text.value("get $0 : u32");
            let few = self.draw.one_of(&[1, 3, 7]);
            let few = self.text.value(&format!("const {few} : u32"));
            let some = self.text.value(&format!("and {sum}, {few} : u32"));
            let cond = self.text.value(&format!("ne {some}, %zero : bool"));
            self.text.open(&format!("if {cond}"));
        }
        is_guarded
    }

    /// Reads a slot of any block, and mixes it into the sum.
    fn read(&mut self, array: &str) {
        let is_guarded = self.guard();
        let [rank, thread] = [self.any("%blocks"), self.any("%threads")];
        let slot = self.slot(array, &rank, &thread);
        let value = self.text.value(&format!("load {slot} : u32"));
        self.add(&value);
        if is_guarded {
            self.text.close();
        }
    }

    /// Writes the address of a slot in the memory of a block, by mapping the array or the slot.
    fn slot(&mut self, array: &str, rank: &str, thread: &str) -> String {
        if self.draw.chance(50) {
            let mapped = self.text.value(&format!("map_shared {array}, {rank} : ptr cluster"));
            return self.text.value(&format!("index {mapped}, {thread}, 4 : ptr cluster"));
        }
        let own = self.text.value(&format!("index {array}, {thread}, 4 : ptr shared"));
        self.text.value(&format!("map_shared {own}, {rank} : ptr cluster"))
    }

    /// Writes `own` plus a constant, modulo `all`: a different number for each value of `own`.
    fn rotated(&mut self, own: &str, all: &str) -> String {
        let further = self.draw.below(9);
        let further = self.text.value(&format!("const {further} : u32"));
        let sum = self.text.value(&format!("add {own}, {further} : u32"));
        self.text.value(&format!("rem {sum}, {all} : u32"))
    }

    /// Writes any number below `all`.
    fn any(&mut self, all: &str) -> String {
        let own = if all == "%blocks" { "%rank" } else { "%thread" };
        match self.draw.below(4) {
            0 => own.to_owned(),
            1 => "%zero".to_owned(),
            2 => self.rotated(own, all),
            _ => {
                let sum = self.text.value("get $0 : u32");
                self.text.value(&format!("rem {sum}, {all} : u32"))
            }
        }
    }

    /// Mixes a number into the sum.
    fn add(&mut self, value: &str) {
        let sum = self.text.value("get $0 : u32");
        let scaled = self.text.value(&format!("mul {sum}, %factor : u32"));
        let sum = self.text.value(&format!("add {scaled}, {value} : u32"));
        self.text.value(&format!("set $0, {sum}"));
    }

    /// Stores the sum, and perhaps adds an element that is out of bounds in some threads.
    fn end(&mut self) {
        let sum = self.text.value("get $0 : u32");
        self.text.value(&format!("store %to, {sum}"));
        if self.draw.chance(40) {
            let index = self.text.value("bounds %wide, %xlen : u64");
            let from = self.text.value(&format!("index %x, {index}, 4 : ptr global"));
            let element = self.text.value(&format!("load {from} : u32"));
            self.add(&element);
            let sum = self.text.value("get $0 : u32");
            self.text.value(&format!("store %to, {sum}"));
        }
    }
}

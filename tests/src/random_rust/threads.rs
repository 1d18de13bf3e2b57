//! Statements in which threads meet: shared memory, barriers, warps and atomics. Their results do
//! not depend on the order of threads, and no thread ends before them.
use super::{
    generator::Generator,
    kernel::atomic,
    types::{BOOL, I32, Ty, U32, USIZE, Var},
};

/// The types of which atomics exist.
const ATOMICS: [&str; 6] = ["u32", "i32", "u64", "i64", "f32", "f64"];

impl Generator {
    /// Returns the types of which the kernel has atomics.
    pub(super) fn atomics(&mut self) -> Vec<&'static str> {
        let mut found = vec![ATOMICS[self.pick(4)], ATOMICS[self.pick(6)]];
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Writes the body of a kernel whose threads meet.
    pub(super) fn meetings(&mut self, atomics: &[&'static str]) {
        let block = 64 / self.blocks;
        self.line("let t = thread_idx_x();");
        self.vars.push(Var { name: "t".into(), ty: USIZE, mutable: false });
        let tiles: Vec<(String, Ty)> = (0..2).map(|_| self.tile(block)).collect();
        let counters = self.counters();
        let alone = self.blocks == 1;
        for of in atomics.iter().filter(|of| of.starts_with('f') && alone) {
            self.line("if t == 0 {");
            self.line(&format!("a_{of}[0].store(0.0, Ordering::Relaxed);"));
            self.line("}");
        }
        self.line("sync_threads();");
        for _ in 0..8 + self.pick(8) {
            match self.pick(11) {
                0 => self.exchange(&tiles, block),
                1..4 => self.warp(),
                10 => self.combined(),
                4 | 9 => self.vote(),
                5 => self.count(&counters, atomics),
                6 => self.uniform(&tiles, block),
                _ => self.statement(2),
            }
        }
        self.line("sync_threads();");
        self.line(&format!(
            "sum = mix(sum, {}[t % 4].load(Ordering::Relaxed) as u64);",
            counters.0
        ));
    }

    /// Writes shared memory, of which each thread sets its own element.
    fn tile(&mut self, block: usize) -> (String, Ty) {
        let (name, ty) = (self.name("s"), self.exchanged());
        if self.chance(40) && !matches!(ty, Ty::Tuple(_)) {
            let len = self.launch_len();
            self.line(&format!("let {name} = shared_dyn!({}, {len});", ty.name()));
        } else {
            self.line(&format!("let {name} = shared!([{}; {block}]);", ty.name()));
        }
        let value = self.expr(&ty, 2, true);
        self.line(&format!("{name}[t] = {value};"));
        (name, ty)
    }

    /// Returns a type for shared memory and for exchanges between lanes.
    pub(super) fn exchanged(&mut self) -> Ty {
        match self.pick(10) {
            0..6 => return self.scalar(),
            6 | 7 => return self.vector_ty(),
            _ => {}
        }
        Ty::Tuple(vec![self.scalar(), self.scalar()])
    }

    /// Writes atomics in shared memory, which are zeros, and returns their name and type.
    fn counters(&mut self) -> (String, &'static str) {
        let (name, of) = (self.name("s"), ATOMICS[self.pick(4)]);
        self.line(&format!("let {name} = shared!([{}; 4]);", atomic(of)));
        self.line("if t < 4 {");
        self.line(&format!("{name}[t].store(0, Ordering::Relaxed);"));
        self.line("}");
        (name, of)
    }

    /// Has each thread set its element, and read one of any thread.
    fn exchange(&mut self, tiles: &[(String, Ty)], block: usize) {
        let (tile, ty) = tiles[self.pick(tiles.len())].clone();
        let (value, from) = (self.expr(&ty, 3, true), self.expr(&USIZE, 2, true));
        let name = self.name("v");
        self.line(&format!("{tile}[t] = {value};"));
        if self.chance(30) {
            self.line("thread_fence_block();");
        }
        self.line("sync_threads();");
        self.line(&format!("let {name} = {tile}[{from} % {block}];"));
        self.line("sync_threads();");
        self.vars.push(Var { name, ty, mutable: false });
    }

    /// Writes a call of a warp function of all lanes, or of two halves of them by masks.
    fn warp(&mut self) {
        let (call, masked, ty) = match self.pick(4) {
            0 | 1 => self.shuffle(),
            2 => self.reduction(),
            _ => self.ballot(),
        };
        let name = self.name("v");
        match masked {
            Some(masked) if self.chance(30) => {
                self.line(&format!("let {name}: {};", ty.name()));
                self.line("if t % 32 < 16 {");
                self.line(&format!("{name} = {};", masked.replace("MASK", "0xffff")));
                self.line("} else {");
                self.line(&format!("{name} = {};", masked.replace("MASK", "0xffff_0000")));
                self.line("}");
            }
            _ => self.line(&format!("let {name}: {} = {call};", ty.name())),
        }
        self.vars.push(Var { name, ty, mutable: false });
    }

    /// Returns a shuffle; with a mask, one that stays in the half.
    fn shuffle(&mut self) -> (String, Option<String>, Ty) {
        let ty = self.exchanged();
        let value = self.expr(&ty, 2, false);
        let by = self.pick(16);
        let lane = self.expr(&USIZE, 2, true);
        let width = [2, 4, 8, 16][self.pick(4)];
        let (call, masked) = match self.pick(6) {
            0 => (format!("warp::shfl({value}, {lane} % 32)"), None),
            1 => (format!("warp::shfl_up({value}, {by})"), None),
            2 => (format!("warp::shfl_down({value}, {})", 2 * by), None),
            3 => (
                format!("warp::shfl_xor({value}, {by})"),
                Some(format!("warp::shfl_xor_mask(MASK, {value}, {by})")),
            ),
            4 => {
                let kind = ["shfl_up", "shfl_down", "shfl_xor", "shfl"][self.pick(4)];
                let by = by % width;
                (
                    format!("warp::{kind}_width::<{width}, _>({value}, {by})"),
                    Some(format!("warp::{kind}_mask_width::<{width}, _>(MASK, {value}, {by})")),
                )
            }
            _ => (
                format!("warp::shfl({value}, t + {by})"),
                Some(format!("warp::shfl_mask(MASK, {value}, t % 32 / 16 * 16 + {by})")),
            ),
        };
        (call, masked, ty)
    }

    fn reduction(&mut self) -> (String, Option<String>, Ty) {
        let types = ["u32", "i32", "u64", "i64", "f32", "f64"];
        let ty = Ty::Scalar(types[self.pick(6)]);
        let kinds: &[&str] = if ty.is_int() {
            &["add", "min", "max", "and", "or", "xor"]
        } else {
            &["add", "min", "max"]
        };
        let kind = self.draw.one_of(kinds);
        let value = self.expr(&ty, 2, false);
        let masked = format!("warp::reduce_{kind}_mask(MASK, {value})");
        (format!("warp::reduce_{kind}({value})"), Some(masked), ty)
    }

    fn ballot(&mut self) -> (String, Option<String>, Ty) {
        let test = self.expr(&BOOL, 2, true);
        let number = self.int();
        let value = self.expr(&number, 2, false);
        let of = |text: String, ty| {
            (text.replace("_MASK(MASK, ", "("), Some(text.replace("_MASK", "_mask")), ty)
        };
        match self.pick(9) {
            0 => of(format!("warp::all_MASK(MASK, {test})"), BOOL),
            1 => of(format!("warp::any_MASK(MASK, {test})"), BOOL),
            2 => of(format!("warp::ballot_MASK(MASK, {test})"), U32),
            3 => of(format!("warp::match_any_MASK(MASK, {value})"), U32),
            4 => of(format!("warp::match_all_MASK(MASK, {value})"), BOOL),
            5 => of(format!("warp::match_all_lanes_MASK(MASK, {value})"), U32),
            6 => {
                let masks =
                    ["lanemask_lt", "lanemask_le", "lanemask_eq", "lanemask_ge", "lanemask_gt"];
                (format!("warp::{}()", self.draw.one_of(&masks)), None, U32)
            }
            7 => {
                ("warp::leader() as u32".into(), Some("warp::leader_mask(MASK) as u32".into()), U32)
            }
            _ => ("warp::elect()".into(), None, BOOL),
        }
    }

    /// Writes a barrier that counts or combines a condition over the block.
    fn vote(&mut self) {
        let (test, name) = (self.expr(&BOOL, 2, true), self.name("v"));
        let (function, ty) =
            [("sync_threads_count", USIZE), ("sync_threads_and", BOOL), ("sync_threads_or", BOOL)]
                [self.pick(3)]
            .clone();
        self.line(&format!("let {name} = {function}({test});"));
        self.vars.push(Var { name, ty, mutable: false });
    }

    /// Writes atomic operations: on a cell only operations that commute, with unused results.
    fn count(&mut self, counters: &(String, &'static str), atomics: &[&'static str]) {
        let (shared, of) = counters;
        let value = self.expr(&Ty::Scalar(of), 2, true);
        let cell = self.pick(4);
        let kind = ["fetch_add", "fetch_max", "fetch_xor", "fetch_or"][cell];
        self.line(&format!("{shared}[{cell}].{kind}({value}, Ordering::Relaxed);"));
        if self.chance(50) {
            let name = self.name("v");
            self.line("sync_threads();");
            let cell = self.pick(4);
            self.line(&format!("let {name} = {shared}[{cell}].load(Ordering::Relaxed);"));
            self.line("sync_threads();");
            self.vars.push(Var { name, ty: Ty::Scalar(of), mutable: false });
        }
        let of = self.draw.one_of(atomics);
        let ty = Ty::Scalar(of);
        let order = ["Relaxed", "AcqRel", "Release", "SeqCst", "Acquire"][self.pick(5)];
        let scope = ["", ".system()", ""][self.pick(3)];
        if ty.is_float() {
            return self.count_float(of, order, scope);
        }
        let value = self.expr(&ty, 2, true);
        let cell = self.pick(8);
        let kind = [
            "fetch_add",
            "fetch_sub",
            "fetch_and",
            "fetch_or",
            "fetch_xor",
            "fetch_min",
            "fetch_max",
            "",
        ][cell];
        if kind.is_empty() {
            return self.compare_exchange(of, &value);
        }
        self.line(&format!("a_{of}[{cell}]{scope}.{kind}({value}, Ordering::{order});"));
    }

    /// Writes atomic operations on floats: sums that are exact in any order, and extremes without
    /// NaNs and with one zero.
    fn count_float(&mut self, of: &str, order: &str, scope: &str) {
        let small = self.expr(&Ty::Scalar("u8"), 2, false);
        // Only in a launch of one block do threads know when a cell has been set.
        let cell = if self.blocks == 1 { self.pick(3) } else { 1 + self.pick(2) };
        let kind = ["fetch_add", "fetch_min", "fetch_max"][cell];
        self.line("if t % 3 != 1 {");
        self.line(&format!(
            "a_{of}[{cell}]{scope}.{kind}(({small} as {of}) * 0.25 + 1.0, Ordering::{order});"
        ));
        self.line("}");
    }

    /// Writes a sum by `compare_exchange`.
    fn compare_exchange(&mut self, of: &str, value: &str) {
        let (old, seen) = (self.name("v"), self.name("v"));
        self.line(&format!("let mut {old} = a_{of}[7].load(Ordering::Relaxed);"));
        let added = self.name("v");
        self.line(&format!("let {added} = {value};"));
        let weak = ["", "_weak"][self.pick(2)];
        self.line(&format!(
            "while let Err({seen}) = a_{of}[7].compare_exchange{weak}({old}, {old}.wrapping_add({added}), Ordering::AcqRel, Ordering::Relaxed) {{"
        ));
        self.line(&format!("{old} = {seen};"));
        self.line("}");
    }

    /// Writes control flow that is uniform in the block, with an exchange in it.
    fn uniform(&mut self, tiles: &[(String, Ty)], block: usize) {
        let before = self.vars.len();
        match self.pick(2) {
            0 => {
                let scalar = self.draw.one_of(&self.memory);
                let bound = self.literal(scalar, true);
                self.line(&format!("if p_{scalar} < {bound} {{"));
            }
            _ => {
                let name = self.name("v");
                let end = 1 + self.pick(3);
                self.line(&format!("for {name} in 0..{end}_i32 {{"));
                self.vars.push(Var { name, ty: I32, mutable: false });
            }
        }
        self.exchange(tiles, block);
        if self.chance(20) {
            self.combined();
        }
        if self.chance(50) {
            self.warp();
        }
        for var in self.vars.split_off(before) {
            if let Ty::Scalar(_) = var.ty {
                self.observe(&var.ty, &var.name);
            }
        }
        self.line("}");
    }
}

//! The state of the generator: declared items, variables in scope, and the lines so far.
use super::types::{BOOL, Enum, FLOATS, Function, HALVES, INTS, Struct, Ty, Var};
use crate::random_ir::draw::Draw;

/// A random kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The seed.
    pub seed: u64,
    /// Its module, one statement a line.
    pub source: String,
    /// True if the kernel has `overflow_checks`, and rustc's copy of it, too.
    pub checked: bool,
}

/// Returns the kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let generator = Generator::new(seed);
    let checked = generator.kind == Kind::Checked;
    Kernel { seed, source: generator.module(), checked }
}

/// The kind of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A kernel that rustc's copy can compute.
    Plain,
    /// A plain kernel with `overflow_checks`.
    Checked,
    /// A kernel with fused sums of products, which rustc's copy does not fuse.
    Contracted,
    /// A kernel whose threads meet: shared memory, warps, atomics. None of them faults.
    Threads,
}

/// The permissions for expressions at a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// True if they may use the kernel's slices and its fuel.
    pub(super) kernel: bool,
    /// True if they may contain assignments.
    pub(super) assigns: bool,
}

/// A module under construction.
pub(super) struct Generator {
    pub(super) draw: Draw,
    pub(super) kind: Kind,
    pub(super) blocks: usize,
    pub(super) structs: Vec<Struct>,
    pub(super) enums: Vec<Enum>,
    pub(super) functions: Vec<Function>,
    /// The result type of the trait's method, if a struct implements the module's trait.
    pub(super) measure: Option<Ty>,
    /// Device functions that are generic over numbers, with the bound.
    pub(super) generics: Vec<(String, &'static str)>,
    /// The type argument of the module's generic trait, if it has one.
    pub(super) blend: Option<Ty>,
    /// The implementations of `From`: the types before and after conversion.
    pub(super) conversions: Vec<(Ty, Ty)>,
    /// The result type of the module's trait for numbers, arrays and slices, and the types that
    /// implement it.
    pub(super) weigh: Option<Ty>,
    pub(super) weighed: Vec<Ty>,
    /// The type in the ranks, if there are any, and whether their order is total.
    pub(super) rank: Option<(Ty, bool)>,
    /// Functions that return iterators, with the item type and the type of the second argument.
    pub(super) iterators: Vec<(String, Ty, Ty)>,
    /// The types for which the kernel has slices and a parameter.
    pub(super) memory: Vec<&'static str>,
    /// The module's constants.
    pub(super) constants: Vec<Var>,
    pub(super) vars: Vec<Var>,
    pub(super) loops: Vec<String>,
    pub(super) context: Context,
    /// The number of further expressions that are not leaves.
    pub(super) budget: u32,
    next: usize,
    pub(super) out: String,
    indent: usize,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let kind = match draw.index(12) {
            0 => Kind::Checked,
            1 => Kind::Contracted,
            2..6 => Kind::Threads,
            _ => Kind::Plain,
        };
        let blocks =
            if kind == Kind::Threads { draw.one_of(&[1, 2]) } else { draw.one_of(&[1, 2, 4, 16]) };
        Self {
            draw,
            kind,
            blocks,
            generics: Vec::new(),
            blend: None,
            conversions: Vec::new(),
            weigh: None,
            weighed: Vec::new(),
            rank: None,
            iterators: Vec::new(),
            constants: Vec::new(),
            structs: Vec::new(),
            enums: Vec::new(),
            functions: Vec::new(),
            measure: None,
            memory: Vec::new(),
            vars: Vec::new(),
            loops: Vec::new(),
            context: Context { kernel: false, assigns: true },
            budget: 0,
            next: 0,
            out: String::new(),
            indent: 0,
        }
    }

    /// Returns a unique name.
    pub(super) fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// Adds a line; its braces determine the indentation of the next ones.
    pub(super) fn line(&mut self, text: &str) {
        if text.starts_with('}') {
            self.indent -= 1;
        }
        self.out.push_str(&"    ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
        if text.ends_with('{') {
            self.indent += 1;
        }
    }

    pub(super) fn pick(&mut self, count: usize) -> usize {
        self.draw.index(count)
    }

    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.draw.chance(percent)
    }

    pub(super) fn int(&mut self) -> Ty {
        Ty::Scalar(INTS[self.pick(INTS.len())])
    }

    pub(super) fn float(&mut self) -> Ty {
        Ty::Scalar(FLOATS[self.pick(2)])
    }

    pub(super) fn number(&mut self) -> Ty {
        if self.chance(35) { self.float() } else { self.int() }
    }

    pub(super) fn half(&mut self) -> Ty {
        Ty::Scalar(HALVES[self.pick(2)])
    }

    /// Returns true in `percent` of a hundred draws, if threads may fault.
    pub(super) fn may_fault(&mut self, percent: u32) -> bool {
        self.kind != Kind::Threads && self.context.kernel && self.chance(percent)
    }

    /// Returns a scalar type, mostly one for which the kernel has memory.
    pub(super) fn scalar(&mut self) -> Ty {
        match self.pick(12) {
            0 => BOOL,
            11 => self.half(),
            1..6 if !self.memory.is_empty() => Ty::Scalar(self.draw.one_of(&self.memory)),
            _ => self.number(),
        }
    }

    /// Returns any type with at most `depth` levels of composites.
    pub(super) fn ty(&mut self, depth: u32) -> Ty {
        if depth == 0 || self.chance(45) {
            return self.scalar();
        }
        match self.pick(8) {
            7 => self.vector_ty(),
            0 => {
                let count = 2 + self.pick(2);
                Ty::Tuple((0..count).map(|_| self.ty(depth - 1)).collect())
            }
            1 => Ty::Array(Box::new(self.ty(depth - 1)), 1 + self.pick(4)),
            2 => Ty::Option(Box::new(self.ty(depth - 1))),
            3 => {
                let of = Box::new(self.ty(depth - 1));
                Ty::Result(of, Box::new(self.scalar()))
            }
            4 | 5 if !self.structs.is_empty() => Ty::Struct(self.pick(self.structs.len())),
            _ if !self.enums.is_empty() => Ty::Enum(self.pick(self.enums.len())),
            _ => self.scalar(),
        }
    }

    /// Returns the constants, and the variables that are not shadowed.
    pub(super) fn visible(&self) -> Vec<Var> {
        let mut all = self.constants.clone();
        all.extend(self.visible_since(0));
        all
    }

    /// Returns the variables that came into scope after the first `start` ones, and are not
    /// shadowed.
    pub(super) fn visible_since(&self, start: usize) -> Vec<Var> {
        let shadowed =
            |at: usize| self.vars[at + 1..].iter().any(|later| later.name == self.vars[at].name);
        let visible = (start..self.vars.len()).filter(|at| !shadowed(*at));
        visible.map(|at| self.vars[at].clone()).collect()
    }

    /// Returns every place in a variable with its type and mutability.
    pub(super) fn places(&mut self) -> Vec<Var> {
        let mut places = Vec::new();
        for var in self.visible() {
            self.places_in(var, 2, &mut places);
        }
        places
    }

    fn places_in(&mut self, place: Var, depth: u32, places: &mut Vec<Var>) {
        let part = |name: String, ty: &Ty| Var { name, ty: ty.clone(), mutable: place.mutable };
        let parts: Vec<Var> = match &place.ty {
            _ if depth == 0 => Vec::new(),
            Ty::Tuple(parts) => parts
                .iter()
                .enumerate()
                .map(|(number, ty)| part(format!("{}.{number}", place.name), ty))
                .collect(),
            Ty::Struct(id) => {
                let of = &self.structs[*id];
                let fields = of.fields.iter().enumerate();
                fields
                    .map(|(number, ty)| part(format!("{}.{}", place.name, of.field(number)), ty))
                    .collect()
            }
            Ty::Array(of, len) => {
                let constant = self.pick(*len);
                let index = self.cheap_index(*len);
                vec![
                    part(format!("{}[{constant}]", place.name), of),
                    part(format!("{}[{index}]", place.name), of),
                ]
            }
            Ty::Vector(lane, lanes) => {
                let name = &place.name;
                let of = Ty::Scalar(lane);
                let index = self.cheap_index(*lanes);
                let mut parts =
                    vec![part(format!("{name}.x"), &of), part(format!("{name}.y"), &of)];
                let mut numbered = part(format!("{name}[{index}]"), &of);
                // An operator that is a function would borrow the vector before it sees the value.
                numbered.mutable &= !of.is_half();
                parts.push(numbered);
                parts
            }
            Ty::Slice(of) => {
                let constant = self.pick(2);
                let index = self.cheap_index(2);
                vec![
                    part(format!("{}[{constant}]", place.name), of),
                    part(format!("{}[{index}]", place.name), of),
                ]
            }
            Ty::Scalar(_) | Ty::Option(_) | Ty::Result(..) | Ty::Enum(_) => Vec::new(),
        };
        places.push(place);
        for part in parts {
            self.places_in(part, depth - 1, places);
        }
    }

    /// Returns an index below `len` that differs between threads if possible.
    fn cheap_index(&mut self, len: usize) -> String {
        let indices: Vec<_> = self.visible().into_iter().filter(|var| var.ty.is_int()).collect();
        if indices.is_empty() {
            return self.pick(len).to_string();
        }
        let var = &indices[self.pick(indices.len())].name;
        format!("({var} as usize % {len})")
    }

    /// Returns an expression of a type with at most `depth` levels. `known` is true if the context
    /// determines the type of a literal.
    pub(super) fn expr(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        if depth == 0 || self.budget == 0 || self.chance(20) {
            return self.leaf(ty, known);
        }
        self.budget -= 1;
        let depth = depth - 1;
        match self.pick(27) {
            0 => self.if_else(ty, depth, known),
            1 => self.block(ty, depth, known),
            2 => self.labelled(ty, depth, known),
            3 => self.match_expr(ty, depth, known),
            4 | 5 => self.call(ty, depth).unwrap_or_else(|| self.plain(ty, depth, known)),
            6 => self.of_option(ty, depth, known),
            7 => self.part_of(ty, depth),
            8 => self.closure_called(ty, depth),
            9 => self.of_result(ty, depth),
            10 => self.unwrapped(ty, depth),
            11 | 12 => self.consumed(ty, depth),
            13 | 14 => self.by_path(ty, depth, known),
            15 => self.weighs(ty, depth).unwrap_or_else(|| self.plain(ty, depth, known)),
            _ => self.plain(ty, depth, known),
        }
    }

    /// Returns an expression of a form that is specific to the type.
    fn plain(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        match ty {
            Ty::Scalar("bool") => self.bool(depth),
            Ty::Scalar(name) if ty.is_float() => self.float_expr(name, depth, known),
            Ty::Scalar(name) if ty.is_half() => self.half_expr(name, depth),
            Ty::Scalar(name) => self.int_expr(name, depth, known),
            _ => self.make(ty, depth, known),
        }
    }

    /// Returns a variable, a part of one, or an expression of literals.
    pub(super) fn leaf(&mut self, ty: &Ty, known: bool) -> String {
        let places: Vec<_> = self.places().into_iter().filter(|var| var.ty == *ty).collect();
        if !places.is_empty() && self.chance(75) {
            return places[self.pick(places.len())].name.clone();
        }
        match ty {
            Ty::Scalar(name) => self.literal(name, known),
            _ => self.make(ty, 0, known),
        }
    }

    fn if_else(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let condition = self.expr(&BOOL, depth, true);
        let (yes, no) = (self.expr(ty, depth, known), self.expr(ty, depth, known));
        format!("(if {condition} {{ {yes} }} else {{ {no} }})")
    }

    fn block(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let settable: Vec<_> = self.places().into_iter().filter(|var| var.mutable).collect();
        if self.context.assigns && !settable.is_empty() && self.chance(50) {
            let place = settable[self.pick(settable.len())].clone();
            let value = self.expr(&place.ty, depth, true);
            let tail = self.expr(ty, depth, known);
            return format!("{{ {} = {value}; {tail} }}", place.name);
        }
        let of = self.ty(1);
        let (name, value) = (self.name("v"), self.expr(&of, depth, true));
        self.vars.push(Var { name: name.clone(), ty: of.clone(), mutable: false });
        let tail = self.expr(ty, depth, known);
        self.vars.pop();
        format!("{{ let {name}: {} = {value}; {tail} }}", of.name())
    }

    fn labelled(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let condition = self.expr(&BOOL, depth, true);
        let (early, tail) = (self.expr(ty, depth, known), self.expr(ty, depth, known));
        let label = self.name("'b");
        if self.chance(50) {
            format!("({label}: {{ if {condition} {{ break {label} {early}; }} {tail} }})")
        } else {
            format!("(loop {{ if {condition} {{ break {early}; }} break {tail}; }})")
        }
    }

    /// Calls `run`, in which expressions may not assign to variables.
    pub(super) fn without_assignments<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let assigns = std::mem::replace(&mut self.context.assigns, false);
        let result = run(self);
        self.context.assigns = assigns;
        result
    }
}

//! The state of the lowering of a kernel, and the emission of instructions.
use super::{
    debug_info::DebugInfo,
    fault::Detail,
    rare::KeptLoop,
    read_only::ReadOnly,
    reconvergence::find_reconvergence_points,
    value::{Type, Value},
};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::{self, Write},
};
use warpwise_compiler::{
    analysis::{
        mma::{MatrixLoads, find_leaders, find_matrix_loads, find_possible_constants},
        range::{self, Ranges},
        read_only_arrays::{ReadOnlyArrays, find_read_only_arrays},
        vectors::{self, Vectors},
        wgmma::{Sums, find_sums},
    },
    back::ptx,
    fault::Reason,
    id::{Facts, Id},
    ir::{ArrayId, InstId, Kernel, LocalId, ParamId, Scalar, Ty},
    target::Target,
};

/// Appends an instruction that yields nothing: `line!(emitter, "br label %{end}")`.
macro_rules! line {
    ($emitter:expr, $($format:tt)*) => { $emitter.push_line(format_args!($($format)*)) };
}
/// Appends an instruction that yields a value of a type: `inst!(emitter, Type::I32, "add {a}, {}",
/// b.name)`.
macro_rules! inst {
    ($emitter:expr, $ty:expr, $($format:tt)*) => { $emitter.push_inst($ty, format_args!($($format)*)) };
}
pub(super) use {inst, line};

/// The effects of inline PTX besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effects {
    /// Nothing: LLVM may drop, merge and move it.
    None,
    /// It reads the memory that its operands point to.
    Read,
    /// It reads and writes memory.
    Memory,
    /// Nothing, but LLVM leaves it in the loop where it stands, if inline PTX there has an effect.
    Fixed,
    /// It exchanges values with other lanes.
    Lanes,
    /// It reads memory and exchanges values with other lanes.
    LanesRead,
    /// It waits for other threads and orders memory.
    Sync,
}

impl Effects {
    /// The attribute group of calls.
    const fn group(self) -> usize {
        match self {
            Self::None => 1,
            Self::Memory => 2,
            Self::Lanes => 3,
            Self::Sync => 4,
            Self::Fixed => 5,
            Self::LanesRead => 6,
            Self::Read => 7,
        }
    }

    /// The attributes, by group.
    pub(super) const GROUPS: [(Self, &str); 7] = [
        (Self::None, "nounwind willreturn memory(none)"),
        (Self::Memory, "nounwind"),
        (Self::Lanes, "convergent nomerge nounwind memory(inaccessiblemem: readwrite)"),
        (Self::Sync, "convergent nomerge nounwind"),
        (Self::Fixed, "nounwind willreturn memory(inaccessiblemem: read)"),
        (Self::LanesRead, "convergent nomerge nounwind memory(read, inaccessiblemem: readwrite)"),
        (Self::Read, "nounwind willreturn memory(argmem: read)"),
    ];

    /// The declarations of the groups.
    pub(super) fn declare(f: &mut impl Write) -> fmt::Result {
        Self::GROUPS.iter().try_for_each(|(effects, attributes)| {
            writeln!(f, "attributes #{} = {{ {attributes} }}", effects.group())
        })
    }
}

/// The targets of `break` and `continue` of one instruction.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    pub(super) end: Label,
    pub(super) next: Label,
}

/// A block: what it is, and the instruction that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Label {
    what: &'static str,
    of: InstId,
}

impl Label {
    /// The `what` of instruction `of`.
    pub(super) const fn of(what: &'static str, of: InstId) -> Self {
        Self { what, of }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.what, self.of.index())
    }
}

/// A check that branches to the end of the kernel where it fails.
pub(super) struct Failure {
    pub(super) at: InstId,
    pub(super) reason: Reason,
    /// The index and the length, for one out of bounds, or the values of a message.
    pub(super) details: Vec<Detail>,
}

/// See the module.
pub(super) struct Emitter<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) target: Target,
    /// True if a thread that ends has to wait for the grids before this one.
    pub(super) waits_at_ends: bool,
    pub(super) ranges: Ranges,
    pub(super) facts: ptx::Facts,
    /// See [`ptx::has_extremes`].
    pub(super) has_extremes: bool,
    /// Float loads that must happen once ([`memory`](super::memory)).
    pub(super) becomes_integer: Facts<InstId, bool>,
    pub(super) read_only: ReadOnly,
    /// The arrays of the thread's own that all threads read in one place.
    pub(super) read_only_arrays: ReadOnlyArrays,
    pub(super) targets: Facts<InstId, Option<Targets>>,
    pub(super) failures: Vec<Failure>,
    /// The failing checks of the arm that this point is in, if that is one whose checks share a
    /// report.
    pub(super) failures_of_arm: Option<Vec<Failure>>,
    /// True if control reaches this point: the block is not terminated.
    pub(super) open: bool,
    /// True in code that hardly any launch runs ([`rare`](super::rare)).
    pub(super) is_rare: bool,
    /// The parameters whose products are computed from their lower halves
    /// ([`memory`](super::memory)).
    pub(super) half_factors: Facts<ParamId, bool>,
    /// The loops so far that LLVM leaves as they are.
    pub(super) kept_loops: Vec<KeptLoop>,
    /// Allocas, which stand in the entry block.
    pub(super) entry: String,
    pub(super) code: String,
    pub(super) declarations: BTreeSet<String>,
    pub(super) functions: BTreeSet<String>,
    /// The source places of instructions, if they are wanted.
    pub(super) debug_info: Option<DebugInfo<'k>>,
    /// The first word of the product that each word belongs to.
    pub(super) leaders: Facts<InstId, Option<InstId>>,
    /// True for the loops and blocks behind which lanes continue together.
    pub(super) reconverges: Facts<InstId, bool>,
    /// The values that `ptxas` may find to be constants.
    pub(super) possible_constants: Facts<InstId, bool>,
    /// The rows that are loaded and distributed at once.
    pub(super) matrix_loads: MatrixLoads,
    /// The loads that are one instruction of PTX.
    pub(super) vectors: Vectors,
    /// The sums of warpgroup products in each array.
    pub(super) sums: Facts<ArrayId, Option<Sums>>,
    /// The words of each product and of distributed rows that are emitted, by the first of them.
    pub(super) products: HashMap<InstId, Vec<Value>>,
    values: Facts<InstId, Option<Value>>,
    temporaries: usize,
}

impl<'k> Emitter<'k> {
    pub(super) fn new(kernel: &'k Kernel, target: Target, lines: Option<ptx::Lines<'k>>) -> Self {
        let ranges = range::analyze(kernel);
        let facts = ptx::Facts::of(kernel, &ranges);
        Self {
            kernel,
            target,
            waits_at_ends: ptx::waits_at_ends(kernel, target),
            vectors: vectors::analyze_for_ptx(kernel, &ranges),
            half_factors: super::memory::half_factors(kernel, &facts),
            ranges,
            facts,
            has_extremes: ptx::has_extremes(kernel),
            read_only: ReadOnly::of(kernel),
            read_only_arrays: find_read_only_arrays(kernel),
            becomes_integer: super::memory::floats_that_become_integers(kernel),
            targets: kernel.insts.facts(None),
            failures: Vec::new(),
            failures_of_arm: None,
            open: true,
            is_rare: false,
            kept_loops: Vec::new(),
            entry: String::new(),
            code: String::new(),
            declarations: BTreeSet::new(),
            functions: BTreeSet::new(),
            debug_info: lines.map(DebugInfo::new),
            leaders: find_leaders(kernel),
            reconverges: find_reconvergence_points(kernel),
            possible_constants: find_possible_constants(kernel),
            matrix_loads: find_matrix_loads(kernel),
            sums: find_sums(kernel),
            products: HashMap::new(),
            values: kernel.insts.cloned_facts(None),
            temporaries: 0,
        }
    }

    /// Returns the LLVM value of `id`.
    pub(super) fn value(&self, id: InstId) -> Value {
        self.values[id].clone().expect("an operand precedes its users")
    }

    /// Says what stands for `id`.
    pub(super) fn define(&mut self, id: InstId, value: Value) {
        self.values[id] = Some(value);
    }

    /// The scalar type of `id`.
    pub(super) fn scalar(&self, id: InstId) -> Scalar {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => scalar,
            Ty::Unit | Ty::Ptr(_) => unreachable!("the verifier saw a scalar here"),
        }
    }

    /// A name for a value that is not used yet.
    pub(super) fn fresh(&mut self) -> String {
        self.temporaries += 1;
        format!("%t{}", self.temporaries)
    }

    pub(super) fn push_line(&mut self, text: fmt::Arguments<'_>) {
        let place = self.debug_info.as_mut().map(DebugInfo::attachment).unwrap_or_default();
        writeln!(self.code, "  {text}{place}").expect("a string takes everything");
    }

    pub(super) fn push_inst(&mut self, ty: Type, text: fmt::Arguments<'_>) -> Value {
        let name = self.fresh();
        self.push_line(format_args!("{name} = {text}"));
        Value { ty, name }
    }

    /// Ends the block with a branch.
    pub(super) fn jump(&mut self, to: Label) {
        line!(self, "br label %{to}");
        self.open = false;
    }

    /// Ends the block with a branch to one of two.
    pub(super) fn branch(&mut self, cond: &Value, then: Label, other: Label) {
        line!(self, "br {cond}, label %{then}, label %{other}");
        self.open = false;
    }

    /// Begins a block, which control enters from above, too, if it gets there.
    pub(super) fn label(&mut self, label: Label) {
        if self.open {
            self.jump(label);
        }
        writeln!(self.code, "{label}:").expect("a string takes everything");
        self.open = true;
    }

    /// Calls an intrinsic, `attributes` being those of its result.
    pub(super) fn intrinsic(&mut self, ty: Type, name: &str, args: &[Value]) -> Value {
        self.intrinsic_with(ty, "", name, args)
    }

    /// Calls an intrinsic whose result has an attribute, such as a range.
    pub(super) fn intrinsic_with(
        &mut self,
        ty: Type,
        attribute: &str,
        name: &str,
        args: &[Value],
    ) -> Value {
        let types: Vec<String> = args.iter().map(|arg| arg.ty.to_string()).collect();
        self.declarations.insert(format!("declare {ty} @{name}({})", types.join(", ")));
        inst!(self, ty, "call {attribute}{ty} @{name}({})", list(args))
    }

    /// Inline PTX that yields a value, `$0`; the operands are `$1` and so on.
    pub(super) fn asm(&mut self, ty: Type, text: &str, args: &[Value], effects: Effects) -> Value {
        let call = asm_call(&[ty], text, args, effects);
        inst!(self, ty, "{call}")
    }

    /// Inline PTX that yields so many values of a type, `$0` and so on; the operands follow.
    pub(super) fn asm_words(
        &mut self,
        ty: Type,
        words: usize,
        text: &str,
        args: &[Value],
        effects: Effects,
    ) -> Vec<Value> {
        self.asm_values(&vec![ty; words], text, args, effects)
    }

    /// Inline PTX that yields a value of each type, `$0` and so on; the operands follow.
    pub(super) fn asm_values(
        &mut self,
        types: &[Type],
        text: &str,
        args: &[Value],
        effects: Effects,
    ) -> Vec<Value> {
        match types {
            [] => {
                self.asm_line(text, args, effects);
                return Vec::new();
            }
            [one] => return vec![self.asm(*one, text, args, effects)],
            _ => {}
        }
        let (all, call) = (self.fresh(), asm_call(types, text, args, effects));
        line!(self, "{all} = {call}");
        let all = format!("{} {all}", result_type(types));
        let words = types.iter().enumerate();
        words.map(|(word, ty)| inst!(self, *ty, "extractvalue {all}, {word}")).collect()
    }

    /// Inline PTX that changes values, `$0` and so on; the operands follow. Returns the new values.
    pub(super) fn asm_in_place(
        &mut self,
        values: &[Value],
        text: &str,
        args: &[Value],
        effects: Effects,
    ) -> Vec<Value> {
        let types: Vec<Type> = values.iter().map(|value| value.ty).collect();
        let all: Vec<Value> = args.iter().chain(values).cloned().collect();
        let inputs = args.iter().map(|arg| arg.ty.constraint().to_string());
        let inputs: Vec<String> =
            inputs.chain((0..values.len()).map(|value| value.to_string())).collect();
        let (changed, call) = (self.fresh(), asm_call_with(&types, text, &all, &inputs, effects));
        line!(self, "{changed} = {call}");
        let changed = format!("{} {changed}", result_type(&types));
        let values = types.into_iter().enumerate();
        values.map(|(value, ty)| inst!(self, ty, "extractvalue {changed}, {value}")).collect()
    }

    /// Inline PTX that yields a value, `$0`, with this attribute; the operands are `$1` and so on.
    pub(super) fn asm_with(
        &mut self,
        attribute: &str,
        ty: Type,
        text: &str,
        args: &[Value],
        effects: Effects,
    ) -> Value {
        let call = asm_call(&[ty], text, args, effects);
        let call = call.replacen("call ", &format!("call {attribute}"), 1);
        inst!(self, ty, "{call}")
    }

    /// Inline PTX that yields nothing; the operands are `$0` and so on.
    pub(super) fn asm_line(&mut self, text: &str, args: &[Value], effects: Effects) {
        let call = asm_call(&[], text, args, effects);
        line!(self, "{call}");
    }

    /// Defines a function that is always inlined, once: inline PTX on its parameters, `%0` and so
    /// on.
    pub(super) fn define_function(&mut self, name: &str, text: &str, params: &[Value]) {
        let types: Vec<String> = params.iter().map(|param| param.ty.to_string()).collect();
        let call = asm_call(&[], text, params, Effects::Memory);
        self.functions.insert(format!(
            "define internal void {name}({}) alwaysinline nounwind {{\n  {call}\n  ret void\n}}",
            types.join(", ")
        ));
    }

    /// A variable in the entry block, which LLVM promotes.
    pub(super) fn alloca(&mut self, name: &str, ty: Type) -> Value {
        writeln!(self.entry, "  {name} = alloca {ty}").expect("a string takes everything");
        Value::new(Type::Ptr(warpwise_compiler::ir::Space::Local), name)
    }

    /// The variable of a local.
    pub(super) fn local(&self, local: LocalId) -> Value {
        let name = format!("%local{}", local.index());
        Value::new(Type::Ptr(warpwise_compiler::ir::Space::Local), name)
    }
}

fn list(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The type of the result of inline PTX that yields these.
fn result_type(results: &[Type]) -> String {
    match results {
        [] => "void".to_owned(),
        [one] => one.to_string(),
        several => {
            let types: Vec<String> = several.iter().map(ToString::to_string).collect();
            format!("{{ {} }}", types.join(", "))
        }
    }
}

fn asm_call(results: &[Type], text: &str, args: &[Value], effects: Effects) -> String {
    let inputs: Vec<String> = args.iter().map(|arg| arg.ty.constraint().to_string()).collect();
    asm_call_with(results, text, args, &inputs, effects)
}

/// As [`asm_call`], with the constraints of the operands.
fn asm_call_with(
    results: &[Type],
    text: &str,
    args: &[Value],
    inputs: &[String],
    effects: Effects,
) -> String {
    let result_constraints = results.iter().map(|ty| format!("={}", ty.constraint()));
    let clobber = match effects {
        Effects::None | Effects::Read | Effects::Fixed | Effects::Lanes | Effects::LanesRead => {
            None
        }
        Effects::Memory | Effects::Sync => Some("~{memory}".to_owned()),
    };
    let inputs = inputs.iter().cloned();
    let constraints: Vec<String> = result_constraints.chain(inputs).chain(clobber).collect();
    // Instruction selection looks at this alone, not at the attributes: it would move later stores
    // before inline PTX that reads memory.
    let side_effect = match effects {
        Effects::None | Effects::Fixed => "",
        Effects::Read | Effects::Memory | Effects::Lanes | Effects::LanesRead | Effects::Sync => {
            "sideeffect "
        }
    };
    let result = result_type(results);
    let text = text.trim().replace('\n', "\\0A\\09");
    format!(
        "call {result} asm {side_effect}\"{text}\", \"{}\"({}) #{}",
        constraints.join(","),
        list(args),
        effects.group()
    )
}

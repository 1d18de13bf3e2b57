//! The declarations of a kernel, and the purpose of each.
use super::{ArgData, Draw, Generator, LaunchShape, arrays::Structs, element_size};
use warpwise_compiler::{
    id::Id,
    ir::{
        Access, AtomicOp, Axis, BinaryOp, Bound, Builder, Builtin, Extent, Generic, GenericId,
        GenericKind, InstId, Length, Local, LocalId, Param, ParamId, ParamKind, Root, Scalar,
        Shared, SharedId, Size, Ty,
    },
    specialize::Binding,
};

/// The purposes of a kernel's declarations.
pub(super) struct Plan {
    /// The types of most values.
    pub(super) types: Vec<Scalar>,
    /// True if threads may end early, by `return` or a fault. Then nothing is shuffled.
    pub(super) exits: bool,
    pub(super) scalars: Vec<ParamId>,
    /// Neighbouring scalars of one type.
    pub(super) row: Option<(Scalar, Vec<ParamId>)>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    /// `atomic` parameters of which each thread uses only its own element, in any way.
    pub(super) cells: Vec<(ParamId, Scalar)>,
    pub(super) tallies: Vec<Tally>,
    /// Shared arrays with a slot for each thread of the block.
    pub(super) slots: Vec<(SharedId, Scalar)>,
    /// Mbarriers, each for the arrivals of one thread.
    pub(super) mbarriers: Option<SharedId>,
    pub(super) structs: Structs,
    pub(super) variables: Vec<Variable>,
    /// A `u64` that combines many of the computed values, and the output for it.
    pub(super) digest: Option<(LocalId, Output)>,
    /// A local that points to one of the thread's own elements of an output, and the output's
    /// index.
    pub(super) pointer: Option<(LocalId, usize)>,
    /// The thread's number in the grid (`u64`) and in the block (`u32`).
    pub(super) number: [InstId; 2],
    /// A constant parameter whose value is the number of threads in a block.
    pub(super) threads: Option<GenericId>,
}

/// Elements that all threads read.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) param: ParamId,
    pub(super) elem: Scalar,
    pub(super) len: u32,
}

/// Elements of which each thread owns `each`, unless there are too few (`short`).
#[derive(Clone, Copy)]
pub(super) struct Output {
    pub(super) param: ParamId,
    pub(super) elem: Scalar,
    pub(super) each: u32,
    pub(super) short: bool,
}

/// Elements that all threads update, only by `ops`, which commute with each other.
#[derive(Clone, Copy)]
pub(super) struct Tally {
    pub(super) root: Root,
    pub(super) elem: Scalar,
    pub(super) len: u32,
    pub(super) ops: &'static [AtomicOp],
}

/// A local that is set before anything else.
#[derive(Clone, Copy)]
pub(super) struct Variable {
    pub(super) local: LocalId,
    pub(super) ty: Scalar,
    /// True if it is set to uniform values only, where control is uniform.
    pub(super) uniform: bool,
}

const ATOMIC_TYPES: [Scalar; 6] =
    [Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U64, Scalar::F32, Scalar::F64];

/// Types of the elements of arrays that hold constants or parameters.
pub(super) const ROW_TYPES: [Scalar; 5] =
    [Scalar::U8, Scalar::I16, Scalar::U32, Scalar::I64, Scalar::F32];

const BLOCKS: [[u32; 3]; 10] = [
    [1, 1, 1],
    [32, 1, 1],
    [64, 1, 1],
    [7, 1, 1],
    [33, 1, 1],
    [96, 1, 1],
    [8, 8, 1],
    [4, 4, 2],
    [16, 3, 1],
    [5, 5, 3],
];

/// Names: the source may contain any, more than once.
const NAMES: [&str; 6] = ["x", "x", "größe", "r#type", "", "(a, b)"];

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let flat = draw.chance(50);
        let mut grid = || 1 + draw.below(3);
        let grid = if flat { [grid(), 1, 1] } else { [grid(), grid(), grid()] };
        let shape = LaunchShape { grid, block: draw.one_of(&BLOCKS) };
        let exits = draw.chance(50);
        let nowhere = InstId::new(0);
        let plan = Plan {
            types: Vec::new(),
            exits,
            scalars: Vec::new(),
            row: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            cells: Vec::new(),
            tallies: Vec::new(),
            slots: Vec::new(),
            mbarriers: None,
            structs: Structs::default(),
            variables: Vec::new(),
            digest: None,
            pointer: None,
            number: [nowhere; 2],
            threads: None,
        };
        let budget = 10 + draw.below(70);
        Self {
            draw,
            build: Builder::new(format!("k{seed}")),
            bindings: Vec::new(),
            shape,
            args: Vec::new(),
            plan,
            values: Vec::new(),
            enclosing: Vec::new(),
            counters: Vec::new(),
            uniform: true,
            loops: 0,
            budget,
        }
    }

    /// Draws the signature, the shared arrays and the locals.
    pub(super) fn declare(&mut self) {
        self.declare_types();
        self.declare_block();
        for _ in 0..1 + self.draw.below(3) {
            let ty = self.draw_type();
            self.declare_scalar(ty);
        }
        if self.draw.chance(30) {
            self.declare_row();
        }
        for _ in 0..1 + self.draw.below(3) {
            self.declare_input();
        }
        for _ in 0..2 + self.draw.below(3) {
            let elem = self.draw_type();
            self.declare_output(elem);
        }
        for _ in 0..self.draw.below(3) {
            self.declare_cells();
        }
        for _ in 0..self.draw.below(3) {
            self.declare_tally();
        }
        for _ in 0..self.draw.below(3) {
            self.declare_slots();
        }
        if self.draw.chance(15) {
            self.declare_mbarriers();
        }
        self.declare_structs();
        self.declare_variables();
        if self.draw.chance(70) {
            self.declare_digest();
        }
    }

    fn name(&mut self) -> String {
        self.draw.one_of(&NAMES).into()
    }

    fn draw_type(&mut self) -> Scalar {
        self.draw.one_of(&self.plan.types)
    }

    fn declare_types(&mut self) {
        self.plan.types = (0..4).map(|_| self.draw.one_of(&Scalar::CONCRETE)).collect();
        self.plan.types.push(Scalar::U32);
        for _ in 0..self.draw.below(3) {
            let bound = self.draw.one_of(Bound::ALL);
            let fits = |ty: &Scalar| match bound {
                Bound::Num => *ty != Scalar::Bool,
                Bound::Int => ty.is_int(),
                Bound::Float => ty.is_float(),
            };
            let types: Vec<Scalar> = Scalar::CONCRETE.into_iter().filter(fits).collect();
            let ty = self.draw.one_of(&types);
            let id = self.declare_generic(GenericKind::Type(bound), Binding::Type(ty));
            self.plan.types.push(Scalar::Generic(id));
        }
    }

    fn declare_generic(&mut self, kind: GenericKind, binding: Binding) -> GenericId {
        self.next_span();
        let (name, span) = (self.name(), self.build.span);
        self.bindings.push(binding);
        self.build.kernel.generics.push(Generic { name, kind, span })
    }

    fn declare_block(&mut self) {
        if self.draw.chance(20) {
            let kind = GenericKind::Const(Scalar::U64);
            let threads = u64::from(self.shape.threads());
            self.plan.threads = Some(self.declare_generic(kind, Binding::Const(threads)));
        }
        if self.draw.chance(50) {
            self.build.kernel.block = Some(self.shape.block.map(|dim| u64::from(dim).into()));
        }
        if let Some(threads) = self.plan.threads
            && self.shape.block[1..] == [1, 1]
        {
            self.build.kernel.block = Some([Extent::Generic(threads), 1.into(), 1.into()]);
        }
        self.build.kernel.wide_index = self.draw.chance(20);
    }

    /// Returns the type that a type parameter is bound to.
    pub(super) fn concrete(&self, ty: Scalar) -> Scalar {
        let Scalar::Generic(id) = ty else { return ty };
        match self.bindings[id.index()] {
            Binding::Type(ty) => ty,
            Binding::Const(_) => unreachable!("types are drawn from type parameters"),
        }
    }

    fn declare_param(&mut self, kind: ParamKind, arg: ArgData) -> ParamId {
        self.next_span();
        let (name, span) = (self.name(), self.build.span);
        self.args.push(arg);
        self.build.kernel.params.push(Param { name, kind, span })
    }

    fn declare_scalar(&mut self, ty: Scalar) -> ParamId {
        let concrete = self.concrete(ty);
        let arg = ArgData::Scalar { ty: concrete, bits: self.draw.value(concrete) };
        let param = self.declare_param(ParamKind::Scalar(ty), arg);
        self.plan.scalars.push(param);
        param
    }

    /// Declares neighbouring parameters of one type, which may become the elements of an array.
    fn declare_row(&mut self) {
        let ty = self.draw.one_of(&ROW_TYPES);
        let params = (0..1 + self.draw.below(4)).map(|_| self.declare_scalar(ty)).collect();
        self.plan.row = Some((ty, params));
    }

    fn declare_slice(&mut self, elem: Scalar, access: Access, len: u32) -> ParamId {
        let concrete = self.concrete(elem);
        let mut bytes = Vec::new();
        for _ in 0..len {
            let value = self.draw.value(concrete).to_le_bytes();
            bytes.extend_from_slice(&value[..element_size(concrete)]);
        }
        let arg = ArgData::Slice { elem: concrete, access, bytes };
        self.declare_param(ParamKind::Slice { elem: elem.into(), access }, arg)
    }

    fn declare_input(&mut self) {
        let (elem, len) = (self.draw_type(), 1 + self.draw.below(100));
        let access = match self.draw.chance(25) {
            true => Access::Constant { max: len + self.draw.below(3) },
            false => Access::Read,
        };
        let param = self.declare_slice(elem, access, len);
        self.plan.inputs.push(Input { param, elem, len });
    }

    /// Adds an output that depends on all results: a result that nothing depends on is not tested.
    fn declare_digest(&mut self) {
        let (elem, each, short) = (Scalar::U64, 1, false);
        let param = self.declare_slice(elem, Access::Write, self.shape.all_threads());
        let local = self.declare_local(elem);
        self.plan.digest = Some((local, Output { param, elem, each, short }));
    }

    fn declare_output(&mut self, elem: Scalar) {
        let each = 1 + self.draw.below(3);
        let threads = self.shape.all_threads();
        let short = self.draw.chance(20);
        let len = if short { self.draw.below(threads) * each } else { threads * each };
        let param = self.declare_slice(elem, Access::Write, len);
        self.plan.outputs.push(Output { param, elem, each, short });
    }

    fn declare_cells(&mut self) {
        let elem = self.draw.one_of(&ATOMIC_TYPES);
        let param = self.declare_slice(elem, Access::Atomic, self.shape.all_threads());
        self.plan.cells.push((param, elem));
    }

    fn declare_tally(&mut self) {
        let elem = self.draw.one_of(&ATOMIC_TYPES);
        let ops: &[&[AtomicOp]] = &[
            &[AtomicOp::Min],
            &[AtomicOp::Max],
            &[AtomicOp::Add, AtomicOp::Sub],
            &[AtomicOp::And],
            &[AtomicOp::Or],
            &[AtomicOp::Xor],
        ];
        let ops = self.draw.one_of(if elem.is_float() { &ops[..2] } else { ops });
        let threads = self.shape.threads();
        let (root, len) = if self.draw.chance(50) {
            let len = 1 + self.draw.below(9);
            (Root::Param(self.declare_slice(elem, Access::Atomic, len)), len)
        } else {
            (Root::Shared(self.declare_shared(elem)), threads)
        };
        self.plan.tallies.push(Tally { root, elem, len, ops });
        if let Root::Shared(_) = root {
            self.declare_output(elem);
        }
    }

    fn declare_shared(&mut self, elem: Scalar) -> SharedId {
        self.next_span();
        let threads = u64::from(self.shape.threads());
        let len = match self.plan.threads {
            Some(id) if self.draw.chance(50) => {
                Length::Fixed(Extent::Add(Box::new(Extent::Generic(id)), Box::new(1.into())))
            }
            Some(_) | None if self.draw.chance(30) => Length::Launch(self.draw_size()),
            Some(_) | None => Length::Fixed((threads + u64::from(self.draw.below(3))).into()),
        };
        let (name, span) = (self.name(), self.build.span);
        self.build.kernel.shared.push(Shared { name, elem: elem.into(), len, arrivals: None, span })
    }

    /// Draws a length of at least the number of threads in a block.
    fn draw_size(&mut self) -> Size {
        let [x, y, z] =
            [Axis::X, Axis::Y, Axis::Z].map(|axis| Size::Builtin(Builtin::BlockDim(axis)));
        let product = |a, b| Size::Binary(BinaryOp::Mul, Box::new([a, b]));
        let threads = product(product(x, y), z);
        match self.draw.below(3) {
            0 => threads,
            1 => {
                let more = Size::Const(Scalar::U64, u64::from(self.draw.below(3)));
                Size::Binary(BinaryOp::Add, Box::new([threads, more]))
            }
            _ => {
                let least = Size::Const(Scalar::U64, u64::from(self.draw.below(100)));
                Size::Binary(BinaryOp::Max, Box::new([threads, least]))
            }
        }
    }

    fn declare_mbarriers(&mut self) {
        let shared = Shared {
            name: self.name(),
            elem: Scalar::U64.into(),
            len: Length::Fixed(u64::from(self.shape.threads()).into()),
            arrivals: Some(1.into()),
            span: self.build.span,
        };
        self.plan.mbarriers = Some(self.build.kernel.shared.push(shared));
    }

    fn declare_slots(&mut self) {
        let elem = self.draw_type();
        let shared = self.declare_shared(elem);
        self.plan.slots.push((shared, elem));
    }

    fn declare_variables(&mut self) {
        let mut types: Vec<Scalar> = self.plan.outputs.iter().map(|output| output.elem).collect();
        types.extend_from_slice(&self.plan.types);
        for ty in types {
            let local = self.declare_local(ty);
            let uniform = self.draw.chance(25);
            self.plan.variables.push(Variable { local, ty, uniform });
        }
        let output = self.draw.index(self.plan.outputs.len());
        if !self.plan.outputs[output].short && self.draw.chance(40) {
            let local = self.declare_local(Ty::Ptr(warpwise_compiler::ir::Space::Global));
            self.plan.pointer = Some((local, output));
        }
    }

    pub(super) fn declare_local(&mut self, ty: impl Into<Ty>) -> LocalId {
        self.next_span();
        let (name, ty, span) = (self.name(), ty.into(), self.build.span);
        self.build.kernel.locals.push(Local { name, ty, span })
    }
}

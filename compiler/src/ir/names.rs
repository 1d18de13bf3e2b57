//! Names of operations in the text form, in one table for printer and parser.
use super::{
    Access, Approx, AtomicOp, Axis, BarrierOp, BinaryOp, Bound, Builtin, CacheLevel, CacheOp,
    CompareOp, Direction, Fault, GridDependencyOp, LaneMask, Major, MatchOp, MmaShape, MmaType,
    MulAddForm, Order, ReduceOp, Scalar, Scope, ShuffleOp, Space, TernaryOp, TextureRead,
    TextureShape, TextureWord, UnaryOp, VoteOp,
};

/// A value that the text form spells as one word.
pub(super) trait Named: Copy + 'static {
    /// Returns the value with this name.
    fn from_name(name: &str) -> Option<Self>;
}

macro_rules! names {
    ($($ty:ident { $($variant:ident $(($of:path))? = $name:literal),+ $(,)? })+) => { $(
        impl $ty {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$variant $(($of))?),+];

            /// Returns the name in the text form.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant $(($of))? => $name,)+
                }
            }
        }
        impl Named for $ty {
            fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|item| item.name() == name)
            }
        }
    )+ };
}

names! {
    UnaryOp {
        Neg = "neg", Not = "not", Abs = "abs", Sqrt = "sqrt", Rsqrt = "rsqrt", Floor = "floor",
        Ceil = "ceil", Trunc = "trunc", RoundTiesEven = "round_ties_even", CountOnes = "count_ones",
        LeadingZeros = "leading_zeros", ReverseBits = "reverse_bits", SwapBytes = "swap_bytes",
        Approx(Approx::Exp2) = "approx_exp2", Approx(Approx::Log2) = "approx_log2",
        Approx(Approx::Sin) = "approx_sin", Approx(Approx::Cos) = "approx_cos",
        Approx(Approx::Tanh) = "approx_tanh", Approx(Approx::Recip) = "approx_recip",
        Approx(Approx::Rsqrt) = "approx_rsqrt", Approx(Approx::Sqrt) = "approx_sqrt",
    }
    BinaryOp {
        Add = "add", Sub = "sub", Mul = "mul", Div = "div", Rem = "rem", And = "and", Or = "or",
        Xor = "xor", Shl = "shl", Shr = "shr", Min = "min", Max = "max",
        MulHigh = "mul_high", RotateLeft = "rotate_left",
    }
    TernaryOp {
        DotBytes = "dot_bytes", DotHalvesLow = "dot_halves_low", DotHalvesHigh = "dot_halves_high",
        PermuteBytes = "permute_bytes", FunnelShl = "funnel_shl", FunnelShr = "funnel_shr",
        AddCarry = "add_carry", CarryOut = "carry_out",
        FmaTo(Direction::Zero) = "fma_zero", FmaTo(Direction::Up) = "fma_up",
        FmaTo(Direction::Down) = "fma_down",
    }
    CompareOp { Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge" }
    MulAddForm { Add = "add", Sub = "sub", From = "from", Neg = "neg" }
    Axis { X = "x", Y = "y", Z = "z" }
    AtomicOp {
        Swap = "swap", Add = "add", Sub = "sub", And = "and", Or = "or", Xor = "xor", Min = "min",
        Max = "max",
    }
    Order {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
    Scope { Block = "block", Device = "device", System = "system" }
    BarrierOp { Count = "count", And = "and", Or = "or" }
    ShuffleOp { Index = "index", Up = "up", Down = "down", Xor = "xor" }
    CacheOp {
        All = "ca", Global = "cg", Streaming = "cs", LastUse = "lu", Volatile = "cv",
        WriteBack = "wb", WriteThrough = "wt",
    }
    CacheLevel { L1 = "l1", L2 = "l2" }
    GridDependencyOp { Wait = "wait_for_dependencies", LaunchDependents = "launch_dependents" }
    MatchOp { Any = "any", All = "all" }
    ReduceOp {
        Add = "add", Min = "min", Max = "max", And = "and", Or = "or", Xor = "xor",
    }
    MmaShape {
        M8N8K4 = "m8n8k4", M8N8K16 = "m8n8k16", M8N8K32 = "m8n8k32", M16N8K4 = "m16n8k4",
        M16N8K8 = "m16n8k8", M16N8K16 = "m16n8k16", M16N8K32 = "m16n8k32", M16N8K64 = "m16n8k64",
    }
    MmaType {
        F16 = "f16", BF16 = "bf16", TF32 = "tf32", F64 = "f64", I8 = "i8", U8 = "u8",
        I4 = "i4", U4 = "u4", E4M3 = "e4m3", E5M2 = "e5m2",
    }
    Major { K = "k", Mn = "mn" }
    TextureShape { D1 = "1d", D2 = "2d", D3 = "3d", D1Layered = "a1d", D2Layered = "a2d" }
    TextureRead {
        Sample = "sample", SampleLevel = "sample_level", SampleGradient = "sample_gradient",
        GatherR = "gather_r", GatherG = "gather_g", GatherB = "gather_b", GatherA = "gather_a",
    }
    TextureWord { F32 = "f32", I32 = "i32", U32 = "u32" }
    VoteOp { All = "all", Any = "any", Ballot = "ballot" }
    Space { Global = "global", Shared = "shared", Cluster = "cluster", Local = "local", Constant = "constant" }
    Bound { Num = "num", Int = "int", Float = "float" }
}

impl Access {
    /// Returns the name in the text form, which a number follows for constant memory, and the shape
    /// for a surface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic",
            Self::Texture => "texture",
            Self::SurfaceRead(_) => "surface_read",
            Self::SurfaceWrite(_) => "surface_write",
            Self::TensorRead => "tensor_read",
            Self::TensorWrite => "tensor_write",
            Self::Constant { .. } => "constant",
        }
    }
}

impl Named for Fault {
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

impl Scalar {
    /// All scalars but type parameters.
    pub const CONCRETE: [Self; 13] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
    ];

    /// Returns the name in Rust; `None` for a type parameter.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Generic(_) => return None,
        })
    }
}

impl Named for Scalar {
    fn from_name(name: &str) -> Option<Self> {
        Self::CONCRETE.into_iter().find(|scalar| scalar.name() == Some(name))
    }
}

impl Builtin {
    /// Returns the name in the text form, without the axis, and the axis.
    pub const fn name(self) -> (&'static str, Option<Axis>) {
        match self {
            Self::ThreadIdx(axis) => ("thread_idx", Some(axis)),
            Self::BlockIdx(axis) => ("block_idx", Some(axis)),
            Self::BlockDim(axis) => ("block_dim", Some(axis)),
            Self::GridDim(axis) => ("grid_dim", Some(axis)),
            Self::GlobalIdx(axis) => ("global_idx", Some(axis)),
            Self::LaneId => ("lane_id", None),
            Self::WarpId => ("warp_id", None),
            Self::LaneMask(mask) => (mask.name(), None),
            Self::CoarseningFactor => ("coarsening_factor", None),
        }
    }
}

impl Named for Builtin {
    fn from_name(name: &str) -> Option<Self> {
        let Some((name, axis)) = name.split_once('.') else {
            let masks = LaneMask::ALL.map(Self::LaneMask);
            let all = [Self::LaneId, Self::WarpId, Self::CoarseningFactor].into_iter().chain(masks);
            return all.into_iter().find(|item| item.name().0 == name);
        };
        let axis = Axis::from_name(axis)?;
        [Self::ThreadIdx, Self::BlockIdx, Self::BlockDim, Self::GridDim, Self::GlobalIdx]
            .into_iter()
            .map(|builtin| builtin(axis))
            .find(|item| item.name().0 == name)
    }
}

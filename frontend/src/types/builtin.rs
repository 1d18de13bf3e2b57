//! Built-in functions of kernels, with their signatures.
use crate::types::{Len, Prim};
use warpwise_compiler::ir::{
    self, Approx, Axis, BarrierOp, CacheLevel, CacheOp, Direction, GridDependencyOp, MAX_A_WORDS,
    MAX_B_WORDS, MAX_SUM_WORDS, MatchOp, MmaOp, ReduceOp, Scalar, Scope, ShuffleOp, TernaryOp,
    TextureOp, VoteOp, WgmmaOp,
};

/// The operation of a built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// An index or size of the launch.
    Index(ir::Builtin),
    /// `sync_threads` and its reductions.
    Barrier(Option<BarrierOp>),
    /// `grid::sync`
    SyncGrid,
    /// `grid::wait_for_dependencies` and `grid::launch_dependents`
    GridDependency(GridDependencyOp),
    /// A function of the module `cluster`.
    Cluster(ClusterFn),
    /// `sync_warp`, perhaps with a mask.
    SyncWarp {
        /// True if the first argument is a mask.
        masked: bool,
    },
    /// `thread_fence` and the like.
    Fence(Scope),
    /// `warp::shfl` and the like.
    Shuffle {
        /// The operation.
        op: ShuffleOp,
        /// True if the first argument is a mask.
        masked: bool,
        /// The number of lanes in a group; `None` for the whole warp.
        width: Option<Len>,
    },
    /// `warp::all` and the like.
    Vote {
        /// The operation.
        op: VoteOp,
        /// True if the first argument is a mask.
        masked: bool,
    },
    /// `warp::match_any` and `warp::match_all`.
    Match {
        /// The operation.
        op: MatchOp,
        /// True if the first argument is a mask.
        masked: bool,
    },
    /// `warp::reduce_add` and the like.
    Reduce {
        /// The operation.
        op: ReduceOp,
        /// True if the first argument is a mask.
        masked: bool,
    },
    /// A product of the module `mma::words`.
    Mma(MmaOp),
    /// `mma::words::distribute_rows` and the like.
    DistributeRows {
        /// True if words go along the columns.
        transposed: bool,
    },
    /// `warp::active_mask`
    ActiveMask,
    /// A function of the module `fast`.
    Fast(Fast),
    /// A function of the module `bits`.
    Bits(TernaryOp),
    /// A function of the module `directed`.
    Directed(Directed, Direction),
    /// `warp::elect`
    Elect {
        /// True if the first argument is a mask.
        masked: bool,
    },
    /// A function of the module `async_copy`.
    Async(Async),
    /// A read of the module `texture::words`.
    Texture(TextureOp),
    /// A function of the module `cache`.
    Cache(Cache),
    /// A function of the module `mbarrier::words`.
    MBarrier(MBarrierFn),
    /// A product of the module `wgmma::words`.
    Wgmma {
        /// The product.
        op: WgmmaOp,
        /// The columns, and the tiles of `b` if its rows are rows of tiles; `None` until the path
        /// is resolved.
        extents: Option<[Len; 2]>,
    },
    /// `wgmma::words::wait`
    WgmmaWait {
        /// The number of products that may be pending; `None` until the path is resolved.
        pending: Option<Len>,
    },
    /// `fence_proxy_async`
    ProxyFence,
    /// A function that stores in bulk.
    BulkStore(BulkStoreFn),
    /// A function of the module `named_barrier`.
    NamedBarrier {
        /// True for `sync`.
        waits: bool,
        /// The number and the threads; `None` until the path is resolved.
        extents: Option<[Len; 2]>,
    },
}

/// A function of the module `mbarrier::words`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MBarrierFn {
    /// `arrive`
    Arrive,
    /// `wait`
    Wait,
    /// `wait_parity`
    WaitParity,
    /// `bulk_copy`
    BulkCopy,
    /// `tensor_copy`
    TensorCopy,
    /// `tensor_copy_multicast`
    Multicast,
    /// `arrive_expect_tx`
    ArriveExpect,
}

/// A function of the module `bulk_store`, or the one of the module `tensor_map::words`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BulkStoreFn {
    /// `store`
    Store,
    /// `tensor_map::words::store`
    Tensor,
    /// `commit`
    Commit,
    /// `wait` and `wait_read`
    Wait {
        /// True for `wait_read`.
        reads: bool,
        /// The number of groups that may be pending; `None` until the path is resolved.
        pending: Option<Len>,
    },
    /// `wait_all`
    WaitAll,
}

/// A function of the module `cluster`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterFn {
    /// `sync`
    Sync,
    /// `block_rank`
    BlockRank,
    /// `size`
    Size,
    /// `idx_x` and the like.
    Idx(Axis),
    /// `dim_x` and the like.
    Dim(Axis),
    /// `block_idx_x` and the like.
    BlockIdx(Axis),
    /// `grid_dim_x` and the like.
    GridDim(Axis),
    /// `map_shared_rank` and `map_shared_rank_mut`
    MapShared,
}

/// A function of the module `cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// `load_cs` and the like.
    Load(CacheOp),
    /// `store_cs` and the like.
    Store(CacheOp),
    /// `prefetch_l1` and `prefetch_l2`.
    Prefetch(CacheLevel),
}

/// A function of the module `async_copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Async {
    /// `copy`
    Copy,
    /// `commit`
    Commit,
    /// `wait`
    Wait {
        /// The number of groups that may be pending; `None` until the path is resolved.
        pending: Option<Len>,
    },
    /// `wait_all`
    WaitAll,
}

/// A function with hardware approximations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fast {
    /// One instruction.
    Plain(Approx),
    /// e^x
    Exp,
    /// The natural logarithm.
    Ln,
    /// The logarithm with base 10.
    Log10,
    /// x^y
    Powf,
    /// The tangent.
    Tan,
    /// Sine and cosine.
    SinCos,
    /// x / y
    Div,
}

/// An operation on floats that rounds in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directed {
    /// x + y
    Add,
    /// x - y
    Sub,
    /// x * y
    Mul,
    /// x * y + z
    MulAdd,
}

/// The type of an argument or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltinPart {
    /// This type.
    Prim(Prim),
    /// Any number or `bool`, or the type that a [`Ref`](BuiltinPart::Ref) refers to; all
    /// occurrences are the same type.
    Value,
    /// A pair of this type.
    Pair(Prim),
    /// An array of this type and length.
    Array(Prim, u64),
    /// A reference to any value; all occurrences are to the same type.
    Ref {
        /// True for `&mut`.
        mutable: bool,
    },
    /// A mutable reference to an array of this type and length.
    ArrayRef(Prim, u64),
    /// Any value, of a type of its own.
    Any,
    /// A reference to any value, of a type of its own.
    AnyRef {
        /// True for `&mut`.
        mutable: bool,
    },
    /// A reference to an atomic of this number type.
    AtomicRef(Prim),
    /// A reference to a slice of any value.
    Slice,
    /// `()`
    Unit,
}

/// A built-in function resolved from its path.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedBuiltin {
    /// The operation. A [`Builtin::Shuffle`] gets its width later, if
    /// [`ResolvedBuiltin::takes_width`] is set.
    pub(crate) builtin: Builtin,
    /// The path from the root of the `warpwise` crate.
    pub(crate) path: String,
    /// True if the width is a constant argument: `shfl_width::<8, _>(..)`.
    pub(crate) takes_width: bool,
    /// The argument types.
    pub(crate) params: Vec<BuiltinPart>,
    /// The result type.
    pub(crate) ret: BuiltinPart,
}

/// Returns the function that a path names: `["warp", "any"]`, `["thread_idx_x"]`, perhaps after
/// `warpwise` or its prelude. `all` and `any` need their `warp::`, because the names are too
/// common.
pub(crate) fn find(path: &[String]) -> Option<ResolvedBuiltin> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["warpwise", "prelude", rest @ ..] | ["warpwise", rest @ ..] => find_in_crate(rest, true),
        rest => find_in_crate(rest, false),
    }
}

/// As [`find`], inside the crate; `absolute` if the path named the crate.
fn find_in_crate(path: &[&str], absolute: bool) -> Option<ResolvedBuiltin> {
    match path {
        [name] => match find_at_root(name).or_else(|| find_in_warp(name)?.unless_common_name(name))
        {
            Some(found) if absolute && found.path.contains("::") => None,
            found => found,
        },
        ["warp", name] => find_in_warp(name),
        ["grid", "sync"] => Some(ResolvedBuiltin::new(
            Builtin::SyncGrid,
            "grid::sync".into(),
            vec![],
            BuiltinPart::Unit,
        )),
        ["grid", name @ "wait_for_dependencies"] => {
            Some(grid_dependency(name, GridDependencyOp::Wait))
        }
        ["grid", name @ "launch_dependents"] => {
            Some(grid_dependency(name, GridDependencyOp::LaunchDependents))
        }
        ["mma", "words", name] => find_in_mma_words(name),
        ["texture", "words", name] => find_in_texture_words(name),
        ["fast", name] => find_in_fast(name),
        ["bits", name] => find_in_bits(name),
        ["directed", name] => find_in_directed(name),
        ["async_copy", name] => find_in_async_copy(name),
        ["cluster", name] => find_in_cluster(name),
        ["cache", name] => find_in_cache(name),
        ["mbarrier", "words", name] => find_in_mbarrier_words(name),
        ["bulk_store", name] => find_in_bulk_store(name),
        ["tensor_map", "words", "store"] => {
            let any = |mutable| BuiltinPart::AnyRef { mutable };
            let params = vec![any(false), any(false), BuiltinPart::Any];
            let builtin = Builtin::BulkStore(BulkStoreFn::Tensor);
            let path = "tensor_map::words::store".to_owned();
            Some(ResolvedBuiltin::new(builtin, path, params, BuiltinPart::Unit))
        }
        ["named_barrier", name] => find_in_named_barrier(name),
        ["wgmma", "words", name] => find_in_wgmma_words(name),
        _ => None,
    }
}

fn grid_dependency(name: &str, op: GridDependencyOp) -> ResolvedBuiltin {
    let path = format!("grid::{name}");
    ResolvedBuiltin::new(Builtin::GridDependency(op), path, vec![], BuiltinPart::Unit)
}

impl ResolvedBuiltin {
    fn new(builtin: Builtin, path: String, params: Vec<BuiltinPart>, ret: BuiltinPart) -> Self {
        Self { builtin, path, takes_width: false, params, ret }
    }

    fn unless_common_name(self, name: &str) -> Option<Self> {
        (!matches!(name, "all" | "any")).then_some(self)
    }
}

const BOOL: BuiltinPart = BuiltinPart::Prim(Prim::Bool);
const USIZE: BuiltinPart = BuiltinPart::Prim(Prim::Usize);
const MASK: BuiltinPart = BuiltinPart::Prim(Prim::U32);

/// Returns functions at the root of the crate.
fn find_at_root(name: &str) -> Option<ResolvedBuiltin> {
    let (which, params, ret) = match name {
        "sync_threads" => (Builtin::Barrier(None), vec![], BuiltinPart::Unit),
        "sync_threads_count" => (Builtin::Barrier(Some(BarrierOp::Count)), vec![BOOL], USIZE),
        "sync_threads_and" => (Builtin::Barrier(Some(BarrierOp::And)), vec![BOOL], BOOL),
        "sync_threads_or" => (Builtin::Barrier(Some(BarrierOp::Or)), vec![BOOL], BOOL),
        "sync_warp" => (Builtin::SyncWarp { masked: false }, vec![], BuiltinPart::Unit),
        "fence_proxy_async" => (Builtin::ProxyFence, vec![], BuiltinPart::Unit),
        "thread_fence" => (Builtin::Fence(Scope::Device), vec![], BuiltinPart::Unit),
        "thread_fence_block" => (Builtin::Fence(Scope::Block), vec![], BuiltinPart::Unit),
        "thread_fence_system" => (Builtin::Fence(Scope::System), vec![], BuiltinPart::Unit),
        _ => (Builtin::Index(launch_index(name)?), vec![], USIZE),
    };
    Some(ResolvedBuiltin::new(which, name.into(), params, ret))
}

/// Returns `thread_idx_x` and the like.
fn launch_index(name: &str) -> Option<ir::Builtin> {
    let (what, axis) = name.rsplit_once('_')?;
    let axis = match axis {
        "x" => Axis::X,
        "y" => Axis::Y,
        "z" => Axis::Z,
        _ => return None,
    };
    Some(match what {
        "thread_idx" => ir::Builtin::ThreadIdx(axis),
        "block_idx" => ir::Builtin::BlockIdx(axis),
        "block_dim" => ir::Builtin::BlockDim(axis),
        "grid_dim" => ir::Builtin::GridDim(axis),
        "global_idx" => ir::Builtin::GlobalIdx(axis),
        _ => return None,
    })
}

/// Returns functions of the module `warp`.
fn find_in_warp(name: &str) -> Option<ResolvedBuiltin> {
    let path = format!("warp::{name}");
    let plain = |which, params, ret| Some(ResolvedBuiltin::new(which, path.clone(), params, ret));
    match name {
        "lane_id" => return plain(Builtin::Index(ir::Builtin::LaneId), vec![], USIZE),
        "warp_id" => return plain(Builtin::Index(ir::Builtin::WarpId), vec![], USIZE),
        "active_mask" => return plain(Builtin::ActiveMask, vec![], MASK),
        "sync_warp" => {
            return plain(Builtin::SyncWarp { masked: false }, vec![], BuiltinPart::Unit);
        }
        "sync_warp_mask" => {
            return plain(Builtin::SyncWarp { masked: true }, vec![MASK], BuiltinPart::Unit);
        }
        _ => {}
    }
    if let Some(mask) = ir::LaneMask::ALL.into_iter().find(|mask| mask.name() == name) {
        return plain(Builtin::Index(ir::Builtin::LaneMask(mask)), vec![], MASK);
    }
    let (stem, takes_width) =
        name.strip_suffix("_width").map_or((name, false), |stem| (stem, true));
    let (stem, masked) = stem.strip_suffix("_mask").map_or((stem, false), |stem| (stem, true));
    let mut params = if masked { vec![MASK] } else { vec![] };
    if let Some(op) = shuffle_op(stem) {
        params.extend([BuiltinPart::Value, USIZE]);
        let which = Builtin::Shuffle { op, masked, width: None };
        return Some(ResolvedBuiltin {
            builtin: which,
            path,
            takes_width,
            params,
            ret: BuiltinPart::Value,
        });
    }
    if takes_width {
        return None;
    }
    let found = |which, params, ret| {
        Some(ResolvedBuiltin { builtin: which, path: path.clone(), takes_width, params, ret })
    };
    if stem == "elect" {
        return found(Builtin::Elect { masked }, params, BOOL);
    }
    if let Some(op) = reduce_op(stem) {
        params.push(BuiltinPart::Value);
        return found(Builtin::Reduce { op, masked }, params, BuiltinPart::Value);
    }
    let matches = [("match_any", MatchOp::Any, MASK), ("match_all", MatchOp::All, BOOL)];
    if let Some((_, op, ret)) = matches.into_iter().find(|(name, ..)| *name == stem) {
        params.push(BuiltinPart::Value);
        return found(Builtin::Match { op, masked }, params, ret);
    }
    let op = vote_op(stem)?;
    params.push(BOOL);
    let ret = if op == VoteOp::Ballot { MASK } else { BOOL };
    Some(ResolvedBuiltin { builtin: Builtin::Vote { op, masked }, path, takes_width, params, ret })
}

/// Returns functions of the module `mma::words`.
fn find_in_mma_words(name: &str) -> Option<ResolvedBuiltin> {
    let path = format!("mma::words::{name}");
    let rows = [("distribute_rows", false), ("distribute_rows_transposed", true)];
    if let Some((_, transposed)) = rows.into_iter().find(|(known, _)| *known == name) {
        let words = BuiltinPart::Array(Prim::U32, 4);
        let builtin = Builtin::DistributeRows { transposed };
        return Some(ResolvedBuiltin::new(builtin, path, vec![words], words));
    }
    let op = MmaOp::from_name(&name.replace('_', "."))?;
    let words = |scalar: ir::Scalar, count: usize| {
        let prim = Prim::from_name(scalar.name()?)?;
        Some(BuiltinPart::Array(prim, count as u64))
    };
    let factors = [words(op.a.word(), MAX_A_WORDS)?, words(op.b.word(), MAX_B_WORDS)?];
    let sum = words(op.sum_word(), MAX_SUM_WORDS)?;
    let params = factors.into_iter().chain([sum]).collect();
    Some(ResolvedBuiltin::new(Builtin::Mma(op), path, params, sum))
}

/// Returns functions of the module `texture::words`: `sample_2d_f32` is the read `2d.sample.f32`.
fn find_in_texture_words(name: &str) -> Option<ResolvedBuiltin> {
    let (rest, word) = name.rsplit_once('_')?;
    let (read, shape) = rest.rsplit_once('_')?;
    let op = TextureOp::from_name(&format!("{shape}.{read}.{word}"))?;
    let prim = Prim::from_name(op.word.name())?;
    let arg = |scalar: ir::Scalar| Prim::from_name(scalar.name()?).map(BuiltinPart::Prim);
    let args = op.arg_types().map(arg).collect::<Option<Vec<_>>>()?;
    let params = [BuiltinPart::Slice].into_iter().chain(args).collect();
    let ret = BuiltinPart::Array(prim, TextureOp::WORDS.into());
    let path = format!("texture::words::{name}");
    Some(ResolvedBuiltin::new(Builtin::Texture(op), path, params, ret))
}

/// Returns functions of the module `fast`.
fn find_in_fast(name: &str) -> Option<ResolvedBuiltin> {
    let which = match name {
        "exp" => Fast::Exp,
        "exp2" => Fast::Plain(Approx::Exp2),
        "ln" => Fast::Ln,
        "log2" => Fast::Plain(Approx::Log2),
        "log10" => Fast::Log10,
        "sin" => Fast::Plain(Approx::Sin),
        "cos" => Fast::Plain(Approx::Cos),
        "tan" => Fast::Tan,
        "sin_cos" => Fast::SinCos,
        "tanh" => Fast::Plain(Approx::Tanh),
        "powf" => Fast::Powf,
        "recip" => Fast::Plain(Approx::Recip),
        "rsqrt" => Fast::Plain(Approx::Rsqrt),
        "sqrt" => Fast::Plain(Approx::Sqrt),
        "div" => Fast::Div,
        _ => return None,
    };
    let one = BuiltinPart::Prim(Prim::F32);
    let params = if matches!(which, Fast::Powf | Fast::Div) { vec![one; 2] } else { vec![one] };
    let ret = if which == Fast::SinCos { BuiltinPart::Pair(Prim::F32) } else { one };
    Some(ResolvedBuiltin::new(Builtin::Fast(which), format!("fast::{name}"), params, ret))
}

/// Returns functions of the module `bits`.
fn find_in_bits(name: &str) -> Option<ResolvedBuiltin> {
    let (stem, prim) = match name.strip_suffix("_signed") {
        Some(stem) if stem.starts_with("dot_") => (stem, Prim::I32),
        Some(_) => return None,
        None => (name, Prim::U32),
    };
    let op = match stem {
        "dot_bytes" => TernaryOp::DotBytes,
        "dot_halves_low" => TernaryOp::DotHalvesLow,
        "dot_halves_high" => TernaryOp::DotHalvesHigh,
        "permute_bytes" => TernaryOp::PermuteBytes,
        "funnel_shl" => TernaryOp::FunnelShl,
        "funnel_shr" => TernaryOp::FunnelShr,
        _ => return None,
    };
    let part = BuiltinPart::Prim(prim);
    Some(ResolvedBuiltin::new(Builtin::Bits(op), format!("bits::{name}"), vec![part; 3], part))
}

/// Returns functions of the module `directed`.
fn find_in_directed(name: &str) -> Option<ResolvedBuiltin> {
    let directions =
        [("_to_zero", Direction::Zero), ("_up", Direction::Up), ("_down", Direction::Down)];
    let (stem, direction) = directions
        .into_iter()
        .find_map(|(suffix, direction)| Some((name.strip_suffix(suffix)?, direction)))?;
    let (op, operands) = match stem {
        "add" => (Directed::Add, 2),
        "sub" => (Directed::Sub, 2),
        "mul" => (Directed::Mul, 2),
        "mul_add" => (Directed::MulAdd, 3),
        _ => return None,
    };
    let part = BuiltinPart::Prim(Prim::F32);
    let which = Builtin::Directed(op, direction);
    Some(ResolvedBuiltin::new(which, format!("directed::{name}"), vec![part; operands], part))
}

/// Returns functions of the module `async_copy`, except for those that are kernel code.
fn find_in_async_copy(name: &str) -> Option<ResolvedBuiltin> {
    let (which, params) = match name {
        "copy" => {
            let references = [true, false].map(|mutable| BuiltinPart::Ref { mutable });
            (Async::Copy, references.to_vec())
        }
        "commit" => (Async::Commit, vec![]),
        "wait" => (Async::Wait { pending: None }, vec![]),
        "wait_all" => (Async::WaitAll, vec![]),
        _ => return None,
    };
    let path = format!("async_copy::{name}");
    Some(ResolvedBuiltin::new(Builtin::Async(which), path, params, BuiltinPart::Unit))
}

/// Returns functions of the module `cluster`, except for those that are kernel code.
fn find_in_cluster(name: &str) -> Option<ResolvedBuiltin> {
    let mapped = |mutable| {
        let reference = BuiltinPart::Ref { mutable };
        (ClusterFn::MapShared, vec![reference, USIZE], reference)
    };
    let (function, params, ret) = match name {
        "sync" => (ClusterFn::Sync, vec![], BuiltinPart::Unit),
        "block_rank" => (ClusterFn::BlockRank, vec![], USIZE),
        "size" => (ClusterFn::Size, vec![], USIZE),
        "map_shared_rank" => mapped(false),
        "map_shared_rank_mut" => mapped(true),
        _ => {
            let (what, axis) = name.rsplit_once('_')?;
            let axis = Axis::ALL.iter().copied().find(|known| known.name() == axis)?;
            let function = match what {
                "idx" => ClusterFn::Idx(axis),
                "dim" => ClusterFn::Dim(axis),
                "block_idx" => ClusterFn::BlockIdx(axis),
                "grid_dim" => ClusterFn::GridDim(axis),
                _ => return None,
            };
            (function, vec![], USIZE)
        }
    };
    Some(ResolvedBuiltin::new(Builtin::Cluster(function), format!("cluster::{name}"), params, ret))
}

/// Returns functions of the module `cache`.
fn find_in_cache(name: &str) -> Option<ResolvedBuiltin> {
    let [reference, place] = [false, true].map(|mutable| BuiltinPart::Ref { mutable });
    let found = |which, params, ret| {
        Some(ResolvedBuiltin::new(Builtin::Cache(which), format!("cache::{name}"), params, ret))
    };
    let (access, suffix) = name.split_once('_')?;
    let op = CacheOp::ALL.iter().copied().find(|op| op.name() == suffix);
    let level = CacheLevel::ALL.iter().copied().find(|level| level.name() == suffix);
    match (access, op, level) {
        ("load", Some(op), _) if op.is_for_loads() => {
            found(Cache::Load(op), vec![reference], BuiltinPart::Value)
        }
        ("store", Some(op), _) if op.is_for_stores() => {
            found(Cache::Store(op), vec![place, BuiltinPart::Value], BuiltinPart::Unit)
        }
        ("prefetch", _, Some(level)) => {
            found(Cache::Prefetch(level), vec![reference], BuiltinPart::Unit)
        }
        _ => None,
    }
}

/// Returns functions of the module `mbarrier::words`.
fn find_in_mbarrier_words(name: &str) -> Option<ResolvedBuiltin> {
    let word = BuiltinPart::AtomicRef(Prim::U64);
    let [from, to] = [false, true].map(|mutable| BuiltinPart::Ref { mutable });
    let (token, parity) = (BuiltinPart::Prim(Prim::U64), BuiltinPart::Prim(Prim::U32));
    let (function, params, ret) = match name {
        "arrive" => (MBarrierFn::Arrive, vec![word], token),
        "wait" => (MBarrierFn::Wait, vec![word, token], BuiltinPart::Unit),
        "wait_parity" => (MBarrierFn::WaitParity, vec![word, parity], BuiltinPart::Unit),
        "bulk_copy" => (MBarrierFn::BulkCopy, vec![word, to, from], BuiltinPart::Unit),
        "tensor_copy" => {
            let [map, to] = [false, true].map(|mutable| BuiltinPart::AnyRef { mutable });
            (MBarrierFn::TensorCopy, vec![word, to, map, BuiltinPart::Any], BuiltinPart::Unit)
        }
        "tensor_copy_multicast" => {
            let [map, to] = [false, true].map(|mutable| BuiltinPart::AnyRef { mutable });
            let params = vec![word, to, map, BuiltinPart::Any, parity];
            (MBarrierFn::Multicast, params, BuiltinPart::Unit)
        }
        "arrive_expect_tx" => (MBarrierFn::ArriveExpect, vec![word, parity], token),
        _ => return None,
    };
    let path = format!("mbarrier::words::{name}");
    Some(ResolvedBuiltin::new(Builtin::MBarrier(function), path, params, ret))
}

/// Returns functions of the module `bulk_store`.
fn find_in_bulk_store(name: &str) -> Option<ResolvedBuiltin> {
    let references = [true, false].map(|mutable| BuiltinPart::Ref { mutable });
    let (function, params) = match name {
        "store" => (BulkStoreFn::Store, references.to_vec()),
        "commit" => (BulkStoreFn::Commit, vec![]),
        "wait" => (BulkStoreFn::Wait { reads: false, pending: None }, vec![]),
        "wait_read" => (BulkStoreFn::Wait { reads: true, pending: None }, vec![]),
        "wait_all" => (BulkStoreFn::WaitAll, vec![]),
        _ => return None,
    };
    let (path, builtin) = (format!("bulk_store::{name}"), Builtin::BulkStore(function));
    Some(ResolvedBuiltin::new(builtin, path, params, BuiltinPart::Unit))
}

/// Returns functions of the module `named_barrier`.
fn find_in_named_barrier(name: &str) -> Option<ResolvedBuiltin> {
    let waits = match name {
        "sync" => true,
        "arrive" => false,
        _ => return None,
    };
    let (path, builtin) =
        (format!("named_barrier::{name}"), Builtin::NamedBarrier { waits, extents: None });
    Some(ResolvedBuiltin::new(builtin, path, vec![], BuiltinPart::Unit))
}

/// Returns functions of the module `wgmma::words`: `bf16_k_mn` is the product `bf16.k.mn`, and
/// `wait_i32` waits for products with sums of that type.
fn find_in_wgmma_words(name: &str) -> Option<ResolvedBuiltin> {
    let path = format!("wgmma::words::{name}");
    let sums = |ty| BuiltinPart::ArrayRef(ty, WgmmaOp::sums(WgmmaOp::MAX_COLUMNS));
    let waits_for = match name {
        "wait_f32" => Some(Prim::F32),
        "wait_i32" => Some(Prim::I32),
        _ => None,
    };
    if let Some(ty) = waits_for {
        let builtin = Builtin::WgmmaWait { pending: None };
        return Some(ResolvedBuiltin::new(builtin, path, vec![sums(ty)], BuiltinPart::Unit));
    }
    let op = WgmmaOp::from_name(&name.replace('_', "."))?;
    let tile = BuiltinPart::Ref { mutable: false };
    let a = match op.a {
        Some(_) => tile,
        None => BuiltinPart::Array(Prim::U32, WgmmaOp::A_WORDS as u64),
    };
    let sums = sums(if op.sum() == Scalar::I32 { Prim::I32 } else { Prim::F32 });
    let builtin = Builtin::Wgmma { op, extents: None };
    Some(ResolvedBuiltin::new(builtin, path, vec![sums, a, tile], BuiltinPart::Unit))
}

fn shuffle_op(name: &str) -> Option<ShuffleOp> {
    Some(match name {
        "shfl" => ShuffleOp::Index,
        "shfl_up" => ShuffleOp::Up,
        "shfl_down" => ShuffleOp::Down,
        "shfl_xor" => ShuffleOp::Xor,
        _ => return None,
    })
}

fn reduce_op(name: &str) -> Option<ReduceOp> {
    let op = name.strip_prefix("reduce_")?;
    ReduceOp::ALL.iter().copied().find(|known| known.name() == op)
}

fn vote_op(name: &str) -> Option<VoteOp> {
    Some(match name {
        "all" => VoteOp::All,
        "any" => VoteOp::Any,
        "ballot" => VoteOp::Ballot,
        _ => return None,
    })
}

//! Address patterns: the distances between the addresses of lanes, as far as they are known before
//! a launch runs.
//!
//! Most indices are sums of a part of each thread, such as `thread_idx` times a constant, and a
//! part that all lanes share, such as the counter of a loop or the index of the block. The cost of
//! a request depends on the former, and on the position of its first byte in a sector. So the
//! formulas are computed once for each combination, and looked up when it recurs.
//!
//! Sums wrap as the kernel's do. A sum of 32 bits that wraps between two lanes would put these 2^32
//! elements apart; patterns are only made for launches whose buffers are smaller.
use super::{affine::contains_sync, uniformity::Uniformity};
use crate::{
    Arg, Launch,
    bytecode::{Pattern, Request, UniformGroup},
    launch::component,
    vector::mask::{GROUP, Mask},
};
use std::sync::Arc;
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{Axis, BinaryOp, Builtin, InstId, Kernel, Op, ParamKind, Scalar, Space, Ty, evaluate},
};

/// The least bytes of a buffer in which sums of 32 bits might wrap between two lanes.
const MAX_BUFFER_BYTES: u64 = 1 << 31;
/// The largest distance from the first thread's offset up to which offsets of 32 bits are taken as
/// signed numbers.
const MAX_OFFSET_DISTANCE: i64 = 1 << 30;

/// Finds the patterns of the `requests` of a kernel, where they have one.
pub(crate) fn find_patterns(
    kernel: &Kernel,
    requests: &[Request],
    launch: &Launch<'_>,
) -> Vec<Option<Pattern>> {
    let mut finder = Finder {
        kernel,
        uniformity: Uniformity::analyze(kernel),
        launch,
        threads: launch.block.iter().map(|dim| *dim as usize).product(),
        found: kernel.insts.cloned_facts(Known { form: Form::Unknown, equal_trips: false }),
    };
    let small = |arg: &Arg<'_>| match arg {
        Arg::Scalar(_) => true,
        Arg::Slice { memory, offset, .. } => {
            (memory.len() as u64).saturating_sub(*offset) < MAX_BUFFER_BYTES
        }
    };
    // A launch that does not fit the kernel is refused later.
    let fits = launch.args.len() == kernel.params.len() && (1..=1024).contains(&finder.threads);
    if fits && launch.args.iter().all(small) {
        finder.find_forms(requests);
    }
    requests.iter().map(|request| finder.request_pattern(request)).collect()
}

/// The form of a value, and its condition.
#[derive(Clone)]
struct Known {
    form: Form,
    equal_trips: bool,
}

/// The form of a value. Numbers are bits of the value's type, zero-extended.
#[derive(Clone)]
enum Form {
    /// The same known value in all lanes.
    Constant(u64),
    /// A known value per thread, the same in every block.
    PerThread(Arc<[u64]>),
    /// The same unknown value in all lanes.
    Uniform,
    /// A known value per thread, plus the same unknown value in all lanes.
    UniformPlus(Arc<[u64]>),
    /// Unknown.
    Unknown,
}

impl Form {
    /// Returns the known part of each thread.
    fn own_parts(&self) -> Option<Option<&Arc<[u64]>>> {
        match self {
            Self::Constant(_) | Self::Uniform => Some(None),
            Self::PerThread(own) | Self::UniformPlus(own) => Some(Some(own)),
            Self::Unknown => None,
        }
    }

    /// Returns the value of a thread, if that is known.
    fn value_of(&self, thread: usize) -> Option<u64> {
        match self {
            Self::Constant(bits) => Some(*bits),
            Self::PerThread(each) => each.get(thread).copied(),
            Self::Uniform | Self::UniformPlus(_) | Self::Unknown => None,
        }
    }

    fn is_known(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::PerThread(_))
    }
}

struct Finder<'k> {
    kernel: &'k Kernel,
    uniformity: Uniformity,
    launch: &'k Launch<'k>,
    threads: usize,
    found: Facts<InstId, Known>,
}

impl Finder<'_> {
    /// Finds the forms of all values that addresses depend on; operands come before their uses.
    fn find_forms(&mut self, requests: &[Request]) {
        let mut needed = self.kernel.insts.facts(false);
        requests.iter().for_each(|request| needed[request.ptr] = true);
        for id in self.kernel.insts.ids().rev().filter(|id| is_address(self.kernel, *id)) {
            if needed[id] {
                self.kernel.insts[id].op.operands().for_each(|operand| needed[operand] = true);
            }
        }
        for id in self.kernel.insts.ids().filter(|id| needed[*id]) {
            let operands = self.kernel.insts[id].op.operands();
            let equal_trips = operands.into_iter().any(|operand| self.found[operand].equal_trips);
            let varies = self.uniformity.varies(id);
            let otherwise = if varies { Form::Unknown } else { Form::Uniform };
            let form = self.compute_form(id).unwrap_or(otherwise);
            let equal_trips =
                equal_trips || (varies && matches!(self.kernel.insts[id].op, Op::For { .. }));
            self.found[id] = Known { form, equal_trips };
        }
    }

    fn form_of(&self, id: InstId) -> &Form {
        &self.found[id].form
    }

    fn compute_form(&self, id: InstId) -> Option<Form> {
        let op = &self.kernel.insts[id].op;
        if let Op::Const(bits) = op {
            Some(Form::Constant(*bits))
        } else if let Op::Param(param) = op {
            match (&self.kernel.params[*param].kind, &self.launch.args[param.index()]) {
                (ParamKind::Scalar(_), Arg::Scalar(bits)) => Some(Form::Constant(*bits)),
                (ParamKind::Scalar(_) | ParamKind::Slice { .. }, _) => Some(Form::Uniform),
            }
        } else if let Op::Len(param) = op {
            match &self.launch.args[param.index()] {
                Arg::Slice { len, .. } => Some(Form::Constant(*len)),
                Arg::Scalar(_) => None,
            }
        } else if let Op::Builtin(builtin) = op {
            Some(self.builtin_form(*builtin))
        } else if let Op::Binary { op, lhs, rhs } = op {
            self.binary_form(*op, self.scalar(id)?, self.form_of(*lhs), self.form_of(*rhs))
        } else if let Op::Cast { value } = op {
            self.cast_form(self.scalar(*value)?, self.scalar(id)?, self.form_of(*value))
        } else if let Op::Bounds { index, .. } = op {
            Some(self.form_of(*index).clone())
        } else if let Op::Offset { base, .. } = op {
            self.add(Scalar::U64, self.form_of(*base), &Form::Uniform, BinaryOp::Add)
        } else if let Op::Index { base, index, stride } = op {
            let index = self.cast_form(self.scalar(*index)?, Scalar::U64, self.form_of(*index))?;
            let index = self.multiply(Scalar::U64, &index, stride.known()?)?;
            self.add(Scalar::U64, self.form_of(*base), &index, BinaryOp::Add)
        } else if let Op::For { start, step, body, .. } = op {
            // A counter that does not vary is uniform, whatever is known of its bounds.
            let together = self.uniformity.varies(id)
                && self.form_of(*step).own_parts()?.is_none()
                && !contains_sync(self.kernel, body);
            let own = self.form_of(*start).own_parts()?.cloned();
            let zero = || vec![0; self.threads].into();
            together.then(|| Form::UniformPlus(own.unwrap_or_else(zero)))
        } else {
            None
        }
    }

    fn scalar(&self, id: InstId) -> Option<Scalar> {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Ptr(_) | Ty::Unit => None,
        }
    }

    fn builtin_form(&self, builtin: Builtin) -> Form {
        let each = |own: &dyn Fn(usize) -> usize| -> Arc<[u64]> {
            (0..self.threads).map(|thread| own(thread) as u64).collect()
        };
        let [x, y, _] = self.launch.block.map(|dim| dim as usize);
        let index = |axis: Axis| match axis {
            Axis::X => each(&|thread| thread % x),
            Axis::Y => each(&|thread| thread / x % y),
            Axis::Z => each(&|thread| thread / x / y),
        };
        match builtin {
            Builtin::ThreadIdx(axis) => Form::PerThread(index(axis)),
            Builtin::GlobalIdx(axis) => Form::UniformPlus(index(axis)),
            Builtin::LaneId => Form::PerThread(each(&|thread| thread % 32)),
            Builtin::WarpId => Form::PerThread(each(&|thread| thread / 32)),
            Builtin::LaneMask(mask) => {
                Form::PerThread(each(&|thread| mask.bits((thread % 32) as u32) as usize))
            }
            Builtin::BlockDim(axis) => Form::Constant(component(self.launch.block, axis).into()),
            Builtin::GridDim(axis) => Form::Constant(component(self.launch.grid, axis).into()),
            Builtin::BlockIdx(_) | Builtin::CoarseningFactor => Form::Uniform,
        }
    }

    fn binary_form(&self, op: BinaryOp, scalar: Scalar, lhs: &Form, rhs: &Form) -> Option<Form> {
        if lhs.is_known() && rhs.is_known() {
            return self.map_known([lhs, rhs], |[lhs, rhs]| evaluate::binary(op, scalar, lhs, rhs));
        }
        scalar.bits().filter(|_| !scalar.is_float())?;
        match (op, lhs, rhs) {
            (BinaryOp::Add | BinaryOp::Sub, _, _) => self.add(scalar, lhs, rhs, op),
            (BinaryOp::Mul, _, Form::Constant(by)) => self.multiply(scalar, lhs, *by),
            (BinaryOp::Mul, Form::Constant(by), _) => self.multiply(scalar, rhs, *by),
            (BinaryOp::Shl, _, Form::Constant(by)) => {
                let by = u32::try_from(*by).ok().filter(|by| Some(*by) < scalar.bits())?;
                self.multiply(scalar, lhs, 1 << by)
            }
            (_, _, _) => None,
        }
    }

    /// Applies a function to known values.
    fn map_known<const N: usize>(
        &self,
        forms: [&Form; N],
        f: impl Fn([u64; N]) -> Option<u64>,
    ) -> Option<Form> {
        let value_of = |thread| {
            let mut values = [0; N];
            for (value, form) in values.iter_mut().zip(forms) {
                *value = form.value_of(thread)?;
            }
            f(values)
        };
        if forms.iter().all(|form| matches!(form, Form::Constant(_))) {
            return value_of(0).map(Form::Constant);
        }
        (0..self.threads).map(value_of).collect::<Option<Arc<[u64]>>>().map(Form::PerThread)
    }

    /// Returns a sum or difference, modulo the type's range.
    fn add(&self, scalar: Scalar, lhs: &Form, rhs: &Form, op: BinaryOp) -> Option<Form> {
        let add = |lhs: u64, rhs: u64| {
            let rhs = if op == BinaryOp::Sub { rhs.wrapping_neg() } else { rhs };
            lhs.wrapping_add(rhs) & type_mask(scalar)
        };
        Some(match (lhs.own_parts()?, rhs.own_parts()?) {
            (None, None) => Form::Uniform,
            (Some(own), None) => Form::UniformPlus(Arc::clone(own)),
            (None, Some(own)) => Form::UniformPlus(own.iter().map(|own| add(0, *own)).collect()),
            (Some(lhs), Some(rhs)) => Form::UniformPlus(
                lhs.iter().zip(&**rhs).map(|(lhs, rhs)| add(*lhs, *rhs)).collect(),
            ),
        })
    }

    /// Returns a multiple, modulo the type's range.
    fn multiply(&self, scalar: Scalar, value: &Form, by: u64) -> Option<Form> {
        let times = |value: u64| value.wrapping_mul(by) & type_mask(scalar);
        if value.is_known() {
            return self.map_known([value], |[value]| Some(times(value)));
        }
        Some(match value.own_parts()? {
            None => Form::Uniform,
            Some(own) => Form::UniformPlus(own.iter().map(|own| times(*own)).collect()),
        })
    }

    fn cast_form(&self, from: Scalar, to: Scalar, value: &Form) -> Option<Form> {
        if value.is_known() {
            return self.map_known([value], |[value]| evaluate::cast(from, to, value));
        }
        let (bits, wider) = (from.bits()?, to.bits()?);
        if from.is_float() || to.is_float() {
            return None;
        }
        let Some(own) = value.own_parts()? else { return Some(Form::Uniform) };
        if wider <= bits {
            return Some(Form::UniformPlus(own.iter().map(|own| own & type_mask(to)).collect()));
        }
        // Widening keeps the distances, as long as nothing wraps.
        let first = *own.first()?;
        let signed = |own: &u64| {
            let shift = 64 - bits;
            let apart = (own.wrapping_sub(first) << shift).cast_signed() >> shift;
            (apart.abs() < MAX_OFFSET_DISTANCE).then_some(apart.cast_unsigned() & type_mask(to))
        };
        let own =
            if bits < 32 { None } else { own.iter().map(signed).collect::<Option<Arc<[u64]>>>() };
        own.map(Form::UniformPlus)
    }

    fn request_pattern(&self, request: &Request) -> Option<Pattern> {
        let Known { form, equal_trips } = &self.found[request.ptr];
        let offsets: Arc<[u64]> = match form.own_parts()? {
            Some(own) => Arc::clone(own),
            None => vec![0; self.threads].into(),
        };
        let mut known: Vec<Vec<u64>> = Vec::new();
        let mut classes = Vec::new();
        for warp in offsets.chunks(32) {
            let apart: Vec<u64> = warp.iter().map(|own| own.wrapping_sub(warp[0])).collect();
            let class = known.iter().position(|known| *known == apart).unwrap_or(known.len());
            if class == known.len() {
                known.push(apart);
            }
            classes.push(class as u16);
        }
        let uniform_groups =
            offsets.chunks(GROUP).zip(classes.chunks(GROUP / 32)).map(|(own, classes)| {
                let apart = |warp: &[u64]| warp[0].wrapping_sub(own[0]);
                let is_uniform = own.len().is_multiple_of(32)
                    && classes.iter().all(|class| *class == classes[0])
                    && own.chunks(32).all(|warp| request.phase(apart(warp)) == 0);
                let (lanes, warps) = (Mask::first(own.len()), classes.len() as u64);
                is_uniform.then_some(UniformGroup { lanes, class: classes[0], warps })
            });
        let uniform_groups = uniform_groups.collect();
        Some(Pattern { uniform_groups, classes, offsets, equal_trips: *equal_trips })
    }
}

/// Returns true if a value may be part of an address: an integer or an address.
fn is_address(kernel: &Kernel, id: InstId) -> bool {
    match kernel.insts[id].ty {
        Ty::Scalar(scalar) => !scalar.is_float(),
        Ty::Ptr(
            Space::Global | Space::Shared | Space::Cluster | Space::Local | Space::Constant,
        ) => true,
        Ty::Unit => false,
    }
}

/// Returns the mask of all bits of a type.
fn type_mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits().unwrap_or(64).clamp(1, 64))
}

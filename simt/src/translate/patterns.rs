//! How far apart the addresses of lanes are, as far as that is known before a launch runs.
//!
//! Most indices are sums of something that each thread has of its own, as `thread_idx` times a
//! constant, and of something that all lanes have in common, as the counter of a loop or the index of
//! the block. What a warp asks of memory depends on the former, and on where in a sector it begins. So the
//! formulas are computed once for each, and looked up when the access comes round again.
//!
//! DotProductLoop wrap as the kernel's do. A sum of 32 bits that wraps between two lanes would put these
//! 2^32 elements apart; patterns are only made for launches whose buffers are smaller.
use super::{affine::meets, uniformity::Uniformity};
use crate::{
    Arg, Launch,
    bytecode::{Alike, Pattern, Request},
    vector::mask::{GROUP, Mask},
};
use std::sync::Arc;
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{Axis, BinaryOp, Builtin, InstId, Kernel, Op, ParamKind, Scalar, Space, Ty, evaluate},
};

/// Bytes of buffers in which two lanes are never so far apart that sums of 32 bits wrap.
const LARGEST: usize = 1 << 31;
/// The farthest that offsets of 32 bits may be from that of the first thread, to be taken for what they are.
const FARTHEST: i64 = 1 << 30;

/// The patterns of the `requests` of a kernel, where they have one.
pub(crate) fn find(
    kernel: &Kernel,
    requests: &[Request],
    launch: &Launch<'_>,
) -> Vec<Option<Pattern>> {
    let mut finder = Finder {
        kernel,
        uniformity: Uniformity::of(kernel),
        launch,
        threads: launch.block.iter().map(|dim| *dim as usize).product(),
        found: kernel.insts.cloned_facts(Found { form: Form::Open, in_step: false }),
    };
    let small = |arg: &Arg<'_>| match arg {
        Arg::Scalar(_) => true,
        Arg::Slice { memory, .. } => memory.len() < LARGEST,
    };
    // What does not fit the kernel is refused later.
    let fits = launch.args.len() == kernel.params.len() && (1..=1024).contains(&finder.threads);
    if fits && launch.args.iter().all(small) {
        finder.find_all(requests);
    }
    requests.iter().map(|request| finder.pattern(request)).collect()
}

/// What is known of a value.
#[derive(Clone)]
struct Found {
    form: Form,
    in_step: bool,
}

/// What lanes have. Numbers are bits of the value's type, zero-extended.
#[derive(Clone)]
enum Form {
    /// All this.
    One(u64),
    /// Each thread its own, the same in every block.
    Each(Arc<[u64]>),
    /// All the same.
    Same,
    /// Each thread its own, and all the same on top.
    Above(Arc<[u64]>),
    /// Anything.
    Open,
}

impl Form {
    /// What each thread has of its own.
    fn own(&self) -> Option<Option<&Arc<[u64]>>> {
        match self {
            Self::One(_) | Self::Same => Some(None),
            Self::Each(own) | Self::Above(own) => Some(Some(own)),
            Self::Open => None,
        }
    }

    /// A thread's value, if that is known.
    fn of(&self, thread: usize) -> Option<u64> {
        match self {
            Self::One(bits) => Some(*bits),
            Self::Each(each) => each.get(thread).copied(),
            Self::Same | Self::Above(_) | Self::Open => None,
        }
    }

    fn is_known(&self) -> bool {
        matches!(self, Self::One(_) | Self::Each(_))
    }
}

struct Finder<'k> {
    kernel: &'k Kernel,
    uniformity: Uniformity,
    launch: &'k Launch<'k>,
    threads: usize,
    found: Facts<InstId, Found>,
}

impl Finder<'_> {
    /// Finds the forms of all that addresses are made of; operands come before what uses them.
    fn find_all(&mut self, requests: &[Request]) {
        let mut needed = self.kernel.insts.facts(false);
        requests.iter().for_each(|request| needed[request.ptr] = true);
        for id in self.kernel.insts.ids().rev().filter(|id| is_address(self.kernel, *id)) {
            if needed[id] {
                self.kernel.insts[id].op.operands().for_each(|operand| needed[operand] = true);
            }
        }
        for id in self.kernel.insts.ids().filter(|id| needed[*id]) {
            let operands = self.kernel.insts[id].op.operands();
            let in_step = operands.into_iter().any(|operand| self.found[operand].in_step);
            let varies = self.uniformity.varies(id);
            let otherwise = if varies { Form::Open } else { Form::Same };
            let form = self.form(id).unwrap_or(otherwise);
            let in_step = in_step || (varies && matches!(self.kernel.insts[id].op, Op::For { .. }));
            self.found[id] = Found { form, in_step };
        }
    }

    fn of(&self, id: InstId) -> &Form {
        &self.found[id].form
    }

    fn form(&self, id: InstId) -> Option<Form> {
        let op = &self.kernel.insts[id].op;
        if let Op::Const(bits) = op {
            Some(Form::One(*bits))
        } else if let Op::Param(param) = op {
            match (&self.kernel.params[*param].kind, &self.launch.args[param.index()]) {
                (ParamKind::Scalar(_), Arg::Scalar(bits)) => Some(Form::One(*bits)),
                (ParamKind::Scalar(_) | ParamKind::Slice { .. }, _) => Some(Form::Same),
            }
        } else if let Op::Len(param) = op {
            match &self.launch.args[param.index()] {
                Arg::Slice { len, .. } => Some(Form::One(*len)),
                Arg::Scalar(_) => None,
            }
        } else if let Op::Builtin(builtin) = op {
            Some(self.builtin(*builtin))
        } else if let Op::Binary { op, lhs, rhs } = op {
            self.binary(*op, self.scalar(id)?, self.of(*lhs), self.of(*rhs))
        } else if let Op::Cast { value } = op {
            self.cast(self.scalar(*value)?, self.scalar(id)?, self.of(*value))
        } else if let Op::Bounds { index, .. } = op {
            Some(self.of(*index).clone())
        } else if let Op::Offset { base, .. } = op {
            self.sum(Scalar::U64, self.of(*base), &Form::Same, BinaryOp::Add)
        } else if let Op::Index { base, index, stride } = op {
            let index = self.cast(self.scalar(*index)?, Scalar::U64, self.of(*index))?;
            let index = self.times(Scalar::U64, &index, stride.known()?)?;
            self.sum(Scalar::U64, self.of(*base), &index, BinaryOp::Add)
        } else if let Op::For { start, step, body, .. } = op {
            // One that does not vary is the same, whatever is known of its bounds.
            let together = self.uniformity.varies(id)
                && self.of(*step).own()?.is_none()
                && !meets(self.kernel, body);
            let own = self.of(*start).own()?.cloned();
            let zero = || vec![0; self.threads].into();
            together.then(|| Form::Above(own.unwrap_or_else(zero)))
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

    fn builtin(&self, builtin: Builtin) -> Form {
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
            Builtin::ThreadIdx(axis) => Form::Each(index(axis)),
            Builtin::GlobalIdx(axis) => Form::Above(index(axis)),
            Builtin::LaneId => Form::Each(each(&|thread| thread % 32)),
            Builtin::WarpId => Form::Each(each(&|thread| thread / 32)),
            Builtin::LaneMask(mask) => {
                Form::Each(each(&|thread| mask.bits((thread % 32) as u32) as usize))
            }
            Builtin::BlockDim(axis) => Form::One(along(self.launch.block, axis)),
            Builtin::GridDim(axis) => Form::One(along(self.launch.grid, axis)),
            Builtin::BlockIdx(_) | Builtin::CoarseningFactor => Form::Same,
        }
    }

    fn binary(&self, op: BinaryOp, scalar: Scalar, lhs: &Form, rhs: &Form) -> Option<Form> {
        if lhs.is_known() && rhs.is_known() {
            return self.each([lhs, rhs], |[lhs, rhs]| evaluate::binary(op, scalar, lhs, rhs));
        }
        scalar.bits().filter(|_| !scalar.is_float())?;
        match (op, lhs, rhs) {
            (BinaryOp::Add | BinaryOp::Sub, _, _) => self.sum(scalar, lhs, rhs, op),
            (BinaryOp::Mul, _, Form::One(by)) => self.times(scalar, lhs, *by),
            (BinaryOp::Mul, Form::One(by), _) => self.times(scalar, rhs, *by),
            (BinaryOp::Shl, _, Form::One(by)) => {
                let by = u32::try_from(*by).ok().filter(|by| Some(*by) < scalar.bits())?;
                self.times(scalar, lhs, 1 << by)
            }
            (_, _, _) => None,
        }
    }

    /// What is known of a function of known values.
    fn each<const N: usize>(
        &self,
        forms: [&Form; N],
        f: impl Fn([u64; N]) -> Option<u64>,
    ) -> Option<Form> {
        let of = |thread| {
            let mut values = [0; N];
            for (value, form) in values.iter_mut().zip(forms) {
                *value = form.of(thread)?;
            }
            f(values)
        };
        if forms.iter().all(|form| matches!(form, Form::One(_))) {
            return of(0).map(Form::One);
        }
        (0..self.threads).map(of).collect::<Option<Arc<[u64]>>>().map(Form::Each)
    }

    /// A sum or difference, modulo the type's range.
    fn sum(&self, scalar: Scalar, lhs: &Form, rhs: &Form, op: BinaryOp) -> Option<Form> {
        let add = |lhs: u64, rhs: u64| {
            let rhs = if op == BinaryOp::Sub { rhs.wrapping_neg() } else { rhs };
            lhs.wrapping_add(rhs) & mask(scalar)
        };
        Some(match (lhs.own()?, rhs.own()?) {
            (None, None) => Form::Same,
            (Some(own), None) => Form::Above(Arc::clone(own)),
            (None, Some(own)) => Form::Above(own.iter().map(|own| add(0, *own)).collect()),
            (Some(lhs), Some(rhs)) => {
                Form::Above(lhs.iter().zip(&**rhs).map(|(lhs, rhs)| add(*lhs, *rhs)).collect())
            }
        })
    }

    /// A multiple, modulo the type's range.
    fn times(&self, scalar: Scalar, value: &Form, by: u64) -> Option<Form> {
        let times = |value: u64| value.wrapping_mul(by) & mask(scalar);
        if value.is_known() {
            return self.each([value], |[value]| Some(times(value)));
        }
        Some(match value.own()? {
            None => Form::Same,
            Some(own) => Form::Above(own.iter().map(|own| times(*own)).collect()),
        })
    }

    fn cast(&self, from: Scalar, to: Scalar, value: &Form) -> Option<Form> {
        if value.is_known() {
            return self.each([value], |[value]| evaluate::cast(from, to, value));
        }
        let (bits, wider) = (from.bits()?, to.bits()?);
        if from.is_float() || to.is_float() {
            return None;
        }
        let Some(own) = value.own()? else { return Some(Form::Same) };
        if wider <= bits {
            return Some(Form::Above(own.iter().map(|own| own & mask(to)).collect()));
        }
        // As far apart as before, as long as nothing wraps.
        let first = *own.first()?;
        let signed = |own: &u64| {
            let shift = 64 - bits;
            let apart = (own.wrapping_sub(first) << shift).cast_signed() >> shift;
            (apart.abs() < FARTHEST).then_some(apart.cast_unsigned() & mask(to))
        };
        let own =
            if bits < 32 { None } else { own.iter().map(signed).collect::<Option<Arc<[u64]>>>() };
        own.map(Form::Above)
    }

    fn pattern(&self, request: &Request) -> Option<Pattern> {
        let Found { form, in_step } = &self.found[request.ptr];
        let offsets: Arc<[u64]> = match form.own()? {
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
        let alike = offsets.chunks(GROUP).zip(classes.chunks(GROUP / 32)).map(|(own, classes)| {
            let apart = |warp: &[u64]| warp[0].wrapping_sub(own[0]);
            let alike = own.len().is_multiple_of(32)
                && classes.iter().all(|class| *class == classes[0])
                && own.chunks(32).all(|warp| request.phase(apart(warp)) == 0);
            let (lanes, warps) = (Mask::first(own.len()), classes.len() as u64);
            alike.then_some(Alike { lanes, class: classes[0], warps })
        });
        let alike = alike.collect();
        Some(Pattern { alike, classes, offsets, in_step: *in_step })
    }
}

/// Whether something may be part of an address: an integer, or an address.
fn is_address(kernel: &Kernel, id: InstId) -> bool {
    match kernel.insts[id].ty {
        Ty::Scalar(scalar) => !scalar.is_float(),
        Ty::Ptr(Space::Global | Space::Shared | Space::Local) => true,
        Ty::Unit => false,
    }
}

/// All bits of a type.
fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits().unwrap_or(64).clamp(1, 64))
}

fn along([x, y, z]: [u32; 3], axis: Axis) -> u64 {
    match axis {
        Axis::X => x.into(),
        Axis::Y => y.into(),
        Axis::Z => z.into(),
    }
}

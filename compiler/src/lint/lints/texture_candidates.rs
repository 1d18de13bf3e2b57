//! `gpu_texture_candidates`: an image that a kernel interpolates by itself.
//!
//! ```text
//! let (column, row) = (x.floor() as usize, y.floor() as usize);
//! let above = mix(image[row * width + column], image[row * width + column + 1], x.fract());
//! let below = mix(image[(row + 1) * width + column], image[(row + 1) * width + column + 1], x.fract());
//! ```
//! Fires if a kernel reads a slice of floats at four places or more, each of which depends on two
//! numbers that were floats. Off by default: the weights of a texture have 8 bits only.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::{Access, InstId, Kernel, LocalId, Op, ParamId, ParamKind, Root, Scalar, Ty},
    lint::{Finding, Lint, LintGroup},
};
use std::collections::{BTreeMap, BTreeSet};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_texture_candidates",
    group: LintGroup::Performance,
    level: Level::Allow,
    check,
};

/// The values that a kernel stores in each local.
type Sets = BTreeMap<LocalId, Vec<InstId>>;

/// The texels of a bilinear filter.
const MIN_PLACES: usize = 4;
/// The coordinates of an image.
const MIN_COORDINATES: usize = 2;

fn check(kernel: &Kernel, _: &Analyses) -> Vec<Finding> {
    let places = find_places(kernel);
    let mut found = Vec::new();
    for (id, indices) in places {
        let count = indices.len();
        if count < MIN_PLACES {
            continue;
        }
        let param = &kernel.params[id];
        let name = &param.name;
        found.push(Finding {
            message: format!(
                "`{name}` is read at {count} places around coordinates that are floats, as hardware \
                 reads textures"
            ),
            span: param.span,
            labels: Vec::new(),
            notes: Vec::new(),
            help: format!(
                "if weights of 8 bits suffice, take `{name}` as a `Texture2`, whose `sample` interpolates"
            ),
        });
    }
    found
}

/// Finds, for each slice of floats that nobody writes, the indices of its reads that depend on two
/// coordinates.
fn find_places(kernel: &Kernel) -> BTreeMap<ParamId, BTreeSet<InstId>> {
    let mut places: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let mut sets: Sets = BTreeMap::new();
    for (_, inst) in kernel.insts.iter() {
        if let Op::Set { local, value } = inst.op {
            sets.entry(local).or_default().push(value);
        }
    }
    for (_, inst) in kernel.insts.iter() {
        let Op::Load { ptr, .. } = inst.op else { continue };
        let Some(Root::Param(param)) = kernel.root(ptr) else { continue };
        let is_image =
            matches!(kernel.params[param].kind, ParamKind::Slice { access: Access::Read, .. })
                && matches!(inst.ty, Ty::Scalar(Scalar::F16 | Scalar::F32));
        if let Some(index) = element_index(kernel, ptr).filter(|_| is_image)
            && count_coordinates(kernel, &sets, index) >= MIN_COORDINATES
        {
            places.entry(param).or_default().insert(index);
        }
    }
    places
}

/// Returns the index of the element that an address is in.
fn element_index(kernel: &Kernel, ptr: InstId) -> Option<InstId> {
    let mut op = &kernel.insts[ptr].op;
    while let Op::Offset { base, .. } = op {
        op = &kernel.insts[*base].op;
    }
    if let Op::Index { index, .. } = op { Some(*index) } else { None }
}

/// Returns the number of floats from which an integer is computed.
fn count_coordinates(kernel: &Kernel, sets: &Sets, index: InstId) -> usize {
    let (mut coordinates, mut visited) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![index];
    while let Some(id) = open.pop() {
        if !visited.insert(id) {
            continue;
        }
        let op = &kernel.insts[id].op;
        if let Op::Cast { value } = op
            && matches!(kernel.insts[*value].ty, Ty::Scalar(scalar) if scalar.is_float())
        {
            coordinates.insert(*value);
        } else if let Op::Bounds { index, .. } = op {
            open.push(*index);
        } else if let Op::Get(local) = op {
            open.extend(sets.get(local).into_iter().flatten());
        } else if let Op::Cast { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } =
            op
        {
            open.extend(op.operands());
        }
    }
    coordinates.len()
}

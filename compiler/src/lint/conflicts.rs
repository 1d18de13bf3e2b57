//! Common part of `gpu_bank_conflicts` and `gpu_vector_bank_conflicts`: accesses to shared memory
//! with conflicts, and the layout that would free them.
use super::{Finding, access};
use crate::{
    analysis::{
        Analyses,
        accesses::{Cost, Lanes, Layout, Request, collect_uses},
    },
    hardware::{
        Kind,
        shared::{self, BANKS, WORD_BYTES},
    },
    ir::{Element, Kernel, Length, Op, Root, Scalar, SharedId, Space},
};
use std::collections::BTreeMap;

/// Finds the conflicts of accesses larger than a bank's word (`vectors`), or of the others.
pub(super) fn find_conflicts(kernel: &Kernel, analyses: &Analyses, vectors: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut layouts = LayoutCache::default();
    for (request, cost) in access::requests_with_cost(analyses) {
        if request.space != Space::Shared || !has_conflicts(request, cost) {
            continue;
        }
        let Some((run, cost)) = access::runtime_request(kernel, analyses, request) else {
            continue;
        };
        let is_wide = u64::from(run.bytes) > WORD_BYTES;
        if is_wide == vectors && has_conflicts(run, cost) {
            let weight = u64::from(cost.worst.1.taken[0]);
            found.push((
                weight,
                conflict_finding(kernel, analyses, request, (run, cost), &mut layouts),
            ));
        }
    }
    access::keep_weightiest(found)
}

/// Returns true if lanes access different words of a bank; several updates of one word are no
/// conflict.
fn has_conflicts(request: &Request, cost: &Cost) -> bool {
    let (lanes, _) = &cost.worst;
    let price = lanes.warp_cost(request.space, Kind::Load, request.bytes);
    cost.is_bad() && (request.kind != Kind::Atomic || price.taken[0] >= 2 * price.ideal)
}

/// Creates the finding about `request`, which is `run` at run time and has this cost.
fn conflict_finding(
    kernel: &Kernel,
    analyses: &Analyses,
    request: &Request,
    (run, cost): (&Request, &Cost),
    layouts: &mut LayoutCache,
) -> Finding {
    let (lanes, price) = &cost.worst;
    let (taken, ideal) = (price.taken[0], price.ideal);
    let up_to = if cost.is_even { "" } else { "up to " };
    let numbers = format!("{taken} wavefronts, {ideal} needed");
    let message = if u64::from(run.bytes) > WORD_BYTES {
        format!(
            "bank conflicts: {up_to}{taken} wavefronts for a warp's {}-byte {}, {ideal} needed",
            run.bytes,
            access::access_noun(run.kind)
        )
    } else {
        let who = busiest_lanes(run, lanes);
        let verb = access::access_verb(request.kind);
        format!(
            "{up_to}{taken}-way bank conflict: {who} of a warp {verb} the same bank ({numbers})"
        )
    };
    let mut notes: Vec<String> = access::lane_distance(run, lanes).into_iter().collect();
    if run.members.len() > 1 {
        notes.push(format!(
            "the {} neighbouring {}s of a thread are one",
            run.members.len(),
            access::access_noun(request.kind)
        ));
    }
    notes.extend(access::assumed_shape_note(&analyses.trace.shape));
    Finding {
        message,
        span: access::request_span(kernel, request),
        labels: access::address_labels(kernel, analyses, request),
        notes,
        help: layout_help(kernel, analyses, request, lanes, layouts),
    }
}

/// Returns the lanes that access the busiest bank.
fn busiest_lanes(request: &Request, lanes: &Lanes) -> String {
    let busiest =
        shared::busiest_bank(request.kind, request.bytes, lanes.active, &lanes.addresses_from(0));
    let busy = busiest.map_or(0, |bank| bank.lanes);
    if busy == lanes.count() {
        format!("all {busy} lanes")
    } else {
        format!("{busy} of the {} lanes", lanes.count())
    }
}

/// Returns the smallest change of the array's layout that frees all known accesses.
fn layout_help(
    kernel: &Kernel,
    analyses: &Analyses,
    request: &Request,
    lanes: &Lanes,
    layouts: &mut LayoutCache,
) -> String {
    let Some(Root::Shared(array)) = request.root else { return general_help(request, lanes) };
    let strides = layouts.strides.entry(array).or_insert_with(|| index_strides(kernel, array));
    let vectors = vector_widths(analyses, array);
    for row in candidate_rows(kernel, array, (strides, &vectors), lanes) {
        let found = layouts.found.entry((array, row.bytes)).or_insert_with(|| {
            let (uses, is_all) =
                collect_uses(&analyses.trace, &analyses.accesses, array, row.bytes);
            // Elements of an array without rows have no places that nothing accesses.
            let may_shorten = is_all && matches!(row.kind, RowKind::Nested { .. });
            (Layout::search(&uses, row.bytes, may_shorten), is_all)
        });
        let (layout, is_all) = (found.0.filter(|of| row.is_whole(*of)), found.1);
        if let Some(advice) = layout.and_then(|layout| describe_layout(kernel, array, &row, layout))
        {
            let name = &kernel.shared[array].name;
            let all = if is_all {
                format!("which frees every access to `{name}` of conflicts")
            } else {
                format!("which frees the accesses to `{name}` whose places are known of conflicts")
            };
            return format!("{advice}, {all}");
        }
    }
    general_help(request, lanes)
}

/// Returns the general remedy, if no layout is found. An odd distance is one only if all lanes are
/// equally far apart: in a block of 16 x 16, a warp has two rows, and rows of 17 and of 19 words
/// have conflicts.
fn general_help(request: &Request, lanes: &Lanes) -> String {
    let bytes = u64::from(request.bytes);
    let unit = if bytes > WORD_BYTES {
        format!("times {bytes} bytes")
    } else {
        "number of words".to_owned()
    };
    match lanes.stride() {
        Some(_) if request.kind != Kind::Atomic => format!(
            "let neighbouring lanes access neighbouring elements, or elements an odd {unit} apart"
        ),
        Some(_) | None => "let the 32 lanes of a warp access 32 neighbouring elements".to_owned(),
    }
}

/// A candidate for a row of an array.
struct RowCandidate {
    bytes: u64,
    kind: RowKind,
}

impl RowCandidate {
    /// Returns true if a layout moves whole elements, and no parts of structs.
    const fn is_whole(&self, layout: Layout) -> bool {
        let by = match layout {
            Layout::Padded { by, .. } | Layout::Shortened { by, .. } => by,
            Layout::Swizzled { unit, .. } => unit,
        };
        match self.kind {
            RowKind::Nested { element, .. } | RowKind::Flat(element) | RowKind::View(element) => {
                by.is_multiple_of(element)
            }
            RowKind::Element { align } => {
                matches!(layout, Layout::Padded { .. }) && by.is_multiple_of(align)
            }
        }
    }
}

/// The evidence for a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowKind {
    /// The array's type: the innermost of `depth` nested arrays, with elements of this many bytes.
    Nested { element: u64, depth: usize },
    /// An element of several scalars, with this alignment.
    Element { align: u64 },
    /// The use of the array, with elements of this many bytes.
    Flat(u64),
    /// The use of the array, all of it in vectors of this many bytes.
    View(u64),
}

/// The layouts found for arrays, each of which may have conflicts at many accesses.
#[derive(Default)]
struct LayoutCache {
    strides: BTreeMap<SharedId, Vec<u64>>,
    /// By array and row size in bytes: the layout that frees the array of conflicts, and true if
    /// all of its accesses are known.
    found: BTreeMap<(SharedId, u64), (Option<Layout>, bool)>,
}

/// Returns the distances in bytes of the elements that `array` is indexed by, the smallest first.
fn index_strides(kernel: &Kernel, array: SharedId) -> Vec<u64> {
    let of_array = |ptr| kernel.root(ptr) == Some(Root::Shared(array));
    let mut strides: Vec<u64> = kernel
        .insts
        .iter()
        .filter(|(id, _)| of_array(*id))
        .filter_map(
            |(_, inst)| {
                if let Op::Index { stride, .. } = &inst.op { stride.known() } else { None }
            },
        )
        .collect();
    strides.sort_unstable();
    strides.dedup();
    strides
}

/// Returns the sizes in bytes of the vectors in which `array` is accessed.
fn vector_widths(analyses: &Analyses, array: SharedId) -> Vec<u64> {
    let requests = analyses.accesses.requests.iter();
    let vectors = requests
        .filter(|request| request.root == Some(Root::Shared(array)) && request.members.len() > 1);
    vectors.map(|request| u64::from(request.bytes)).collect()
}

/// Returns the candidate rows of `array`, the preferred ones first, by the distances that it is
/// indexed by and the sizes of vectors.
fn candidate_rows(
    kernel: &Kernel,
    array: SharedId,
    (strides, vectors): (&[u64], &[u64]),
    lanes: &Lanes,
) -> Vec<RowCandidate> {
    let scalar_bytes = kernel.shared[array].elem.scalar().and_then(Scalar::size).map(u64::from);
    let is_vector = |stride: &u64| {
        scalar_bytes.is_some_and(|bytes| *stride > bytes) && vectors.contains(stride)
    };
    match strides {
        [vector] if is_vector(vector) => {
            return vec![RowCandidate { bytes: BANKS * WORD_BYTES, kind: RowKind::View(*vector) }];
        }
        // A gap between elements would tear a vector apart.
        _ if strides.iter().any(is_vector) => return Vec::new(),
        _ => {}
    }
    match (strides, &kernel.shared[array].elem) {
        (&[element, row, ..], Element::Scalar(_)) => {
            vec![RowCandidate {
                bytes: row,
                kind: RowKind::Nested { element, depth: strides.len() },
            }]
        }
        (&[element, row, ..], Element::Plain { size, align }) => {
            let depth = strides.len();
            let kind = match align.known().filter(|_| size.known() == Some(row)) {
                Some(align) => RowKind::Element { align },
                None => RowKind::Nested { element, depth },
            };
            vec![RowCandidate { bytes: row, kind }]
        }
        (&[element], elem) => {
            let all_banks = BANKS * WORD_BYTES;
            let mut rows = vec![RowCandidate { bytes: all_banks, kind: RowKind::Flat(element) }];
            if let Element::Plain { align, .. } = elem
                && let Some(align) = align.known().filter(|_| element > 16)
            {
                rows.insert(0, RowCandidate { bytes: element, kind: RowKind::Element { align } });
            }
            let stride = lanes.stride().map_or(0, i64::unsigned_abs);
            if stride > all_banks && stride.is_multiple_of(element) {
                rows.insert(0, RowCandidate { bytes: stride, kind: RowKind::Flat(element) });
            }
            rows
        }
        ([], _) => Vec::new(),
    }
}

/// Returns true if the elements of `array` are atomics.
fn is_atomic(kernel: &Kernel, array: SharedId) -> bool {
    kernel.insts.iter().any(|(_, inst)| {
        if let Op::Atomic { ptr, .. }
        | Op::AtomicLoad { ptr, .. }
        | Op::AtomicStore { ptr, .. }
        | Op::CompareExchange { ptr, .. } = inst.op
        {
            kernel.root(ptr) == Some(Root::Shared(array))
        } else {
            false
        }
    })
}

/// Describes `layout`, with the length that the array then has; `None` if it moves less than
/// elements.
fn describe_layout(
    kernel: &Kernel,
    array: SharedId,
    row: &RowCandidate,
    layout: Layout,
) -> Option<String> {
    let name = &kernel.shared[array].name;
    Some(match (layout, row.kind) {
        (
            Layout::Padded { row: bytes, by } | Layout::Shortened { row: bytes, by },
            RowKind::Nested { element, depth },
        ) => {
            let (verb, to, then) = if let Layout::Shortened { .. } = layout {
                ("shorten", " to what is accessed", bytes - by)
            } else {
                ("pad", "", bytes + by)
            };
            let (now, then) = (bytes / element, then / element);
            let rows = element_count(kernel, array).filter(|_| depth == 2).map(|len| len / now);
            match (rows, element_type(kernel, array)) {
                (Some(rows), Some(of)) => {
                    format!("{verb} the row{to}: `shared!([[{of}; {then}]; {rows}])`")
                }
                (Some(_) | None, _) => format!(
                    "{verb} the innermost row of `{name}`{to}: {then} elements instead of {now}"
                ),
            }
        }
        (Layout::Padded { row, by }, RowKind::Element { .. }) => {
            format!("pad the elements of `{name}` from {row} to {} bytes", row + by)
        }
        (Layout::Padded { row, by }, RowKind::Flat(element)) => {
            let (row, by) = (row / element, by / element);
            let times = if by == 1 { String::new() } else { format!(" * {by}") };
            // The offset of the last element determines the length.
            let grown =
                element_count(kernel, array).map(|len| len + len.saturating_sub(1) / row * by);
            let array = grown.map(|grown| array_declaration(kernel, array, grown));
            let array = array
                .unwrap_or_else(|| format!("as many elements more as there are gaps in `{name}`"));
            format!(
                "put a gap of {} after each {row}: {array}, and element `i` at `{name}[i + i / {row}{times}]`",
                access::count_of(by, "element")
            )
        }
        (Layout::Padded { row, by }, RowKind::View(vector)) => {
            let (row, by) = (row / vector, by / vector);
            let times = if by == 1 { String::new() } else { format!(" * {by}") };
            let grow = |len: u64| len + len.saturating_sub(1) / row * by;
            let array = viewed_declaration(kernel, array, vector, grow)?;
            format!(
                "put a gap of {} after each {row}: {array}, and vector `i` at `i + i / {row}{times}` of the view",
                access::count_of(by, "vector")
            )
        }
        (Layout::Swizzled { row, unit }, RowKind::View(vector)) if unit == vector => {
            let units = row / unit;
            let array =
                viewed_declaration(kernel, array, vector, |len| len.next_multiple_of(units))?;
            format!("swizzle: {array}, and vector `i` at `i ^ i / {units} % {units}` of the view")
        }
        (Layout::Swizzled { row, unit }, RowKind::Nested { element, .. }) if unit == element => {
            format!(
                "swizzle the rows: `{name}[row][column ^ row % {}]` in place of `{name}[row][column]`",
                row / unit
            )
        }
        (Layout::Swizzled { row, unit }, RowKind::Flat(element)) if unit == element => {
            let units = row / unit;
            let len = element_count(kernel, array)?;
            // The last row is permuted as a whole, too.
            let whole = len.next_multiple_of(units);
            let grown = if whole == len {
                String::new()
            } else {
                format!("{}, and ", array_declaration(kernel, array, whole))
            };
            format!("swizzle: {grown}element `i` at `{name}[i ^ i / {units} % {units}]`")
        }
        (
            Layout::Swizzled { .. } | Layout::Shortened { .. },
            RowKind::Nested { .. } | RowKind::Flat(_) | RowKind::View(_) | RowKind::Element { .. },
        ) => return None,
    })
}

/// Returns the number of an array's elements over all dimensions; `None` if only a launch
/// determines it.
fn element_count(kernel: &Kernel, array: SharedId) -> Option<u64> {
    if let Length::Fixed(len) = &kernel.shared[array].len { len.known() } else { None }
}

/// Returns the Rust type of an array's elements, if it is a number.
fn element_type(kernel: &Kernel, array: SharedId) -> Option<String> {
    let elem = kernel.shared[array].elem.scalar().and_then(access::scalar_name)?;
    Some(if is_atomic(kernel, array) { access::atomic_name(elem) } else { elem.to_owned() })
}

/// Returns the declaration of an array that is viewed as vectors of this many bytes, after `grow`
/// has made the number of these larger.
fn viewed_declaration(
    kernel: &Kernel,
    array: SharedId,
    vector: u64,
    grow: impl Fn(u64) -> u64,
) -> Option<String> {
    let bytes = u64::from(kernel.shared[array].elem.scalar()?.size()?);
    let lanes = vector / bytes;
    Some(array_declaration(kernel, array, grow(element_count(kernel, array)? / lanes) * lanes))
}

/// Returns the declaration of an array with `len` elements.
fn array_declaration(kernel: &Kernel, array: SharedId, len: u64) -> String {
    match element_type(kernel, array) {
        Some(of) => format!("declare `shared!([{of}; {len}])`"),
        None => format!("declare `{}` with {len} elements", kernel.shared[array].name),
    }
}

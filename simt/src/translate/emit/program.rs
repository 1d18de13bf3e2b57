//! The signature of a program: its parameters and its arrays.
use super::super::access_words::AccessWords;
use crate::{
    bytecode::{
        Bytes, Code, Counted, MAX_SHARED_ARRAY_BYTES, MBarrierArray, Malformed, Param, SharedArray,
    },
    translate::Instrumentation,
    vector::memory::AccessMode,
};
use warpwise_compiler::{
    id::Id,
    ir::{Access, Element, Extent, Kernel, Length, ParamKind, Root, Span},
};

/// The most bytes of the arrays of a thread, as on a GPU.
pub(super) const MAX_LOCAL_ARRAY_BYTES: u64 = 512 << 10;

fn malformed_signature(message: &str) -> Malformed {
    Malformed { message: message.into(), span: Span::new(0) }
}

/// Returns the arrays of mbarriers.
fn mbarriers(kernel: &Kernel) -> Result<Vec<MBarrierArray>, Malformed> {
    let first = kernel.params.len();
    let arrays = kernel.shared.iter().enumerate().filter_map(|(index, (_, array))| {
        let number = |extent: &Extent| extent.known()?.try_into().ok();
        let arrivals = number(array.arrivals.as_ref()?);
        let len = match &array.len {
            Length::Fixed(len) => number(len),
            Length::Launch(_) => None,
        };
        let buffer = (first + index) as u16;
        let array =
            len.zip(arrivals).map(|(len, arrivals)| MBarrierArray { buffer, len, arrivals });
        Some(array.ok_or_else(|| malformed_signature("mbarriers of a generic number")))
    });
    arrays.collect()
}

/// Returns a program without instructions.
pub(super) fn empty_code(
    kernel: &Kernel,
    words: &AccessWords,
    instrumentation: Instrumentation,
) -> Result<Code, Malformed> {
    let params = kernel.params.iter().map(|(_, param)| translate_param(&param.kind));
    let params = params.collect::<Result<_, _>>()?;
    let mut shared = Vec::new();
    for (_, array) in kernel.shared.iter() {
        let bytes = match &array.len {
            Length::Fixed(len) => {
                array_bytes(&array.elem, len, MAX_SHARED_ARRAY_BYTES).map(Bytes::Fixed)
            }
            Length::Launch(len) => {
                array.elem.size().map(|each| Bytes::Launch { len: len.clone(), each })
            }
        };
        let bytes = bytes.ok_or_else(|| {
            malformed_signature("a shared array of generic size, or more than 16 MiB")
        })?;
        let access = match array.elem {
            Element::Scalar(scalar) => AccessMode::Words(scalar.size().unwrap_or(0)),
            // One worker runs all threads of a block.
            Element::Plain { .. } => AccessMode::Alone,
        };
        shared.push(SharedArray { access, bytes });
    }
    let buffers = kernel.params.len() + kernel.shared.len() + kernel.arrays.len();
    let mapped = kernel.cluster.map_or(0, |_| kernel.cluster_blocks() as usize);
    if buffers + mapped * kernel.shared.len() > usize::from(u16::MAX) {
        return Err(malformed_signature("more than 65535 parameters and arrays"));
    }
    let block = match &kernel.block {
        Some([x, y, z]) => match (x.known(), y.known(), z.known()) {
            (Some(x), Some(y), Some(z)) => Some([x, y, z]),
            _ => return Err(malformed_signature("a block of generic size")),
        },
        None => None,
    };
    Ok(Code {
        params,
        block,
        shared,
        arrays: Vec::new(),
        single_worker: kernel.params.ids().any(|param| words.are_mixed(Root::Param(param))),
        instrs: Vec::new(),
        spans: Vec::new(),
        syncs_grid: false,
        cluster: kernel.cluster,
        coarse_grid: match instrumentation {
            Instrumentation::Counters(_) => kernel.coarsening.map(|coarsening| coarsening.grid),
            Instrumentation::None | Instrumentation::Sanitizer | Instrumentation::Debugger => None,
        },
        first_mapped: buffers as u16,
        has_named_barriers: false,
        warpgroup_products: Vec::new(),
        mbarriers: mbarriers(kernel)?,
        atomics: Vec::new(),
        async_copies: Vec::new(),
        tensor_copies: Vec::new(),
        has_multicasts: kernel.has_multicasts(),
        bulk_stores: Vec::new(),
        messages: Vec::new(),
        matrix_words: Vec::new(),
        texture_reads: Vec::new(),
        uniforms: 0,
        inputs: Vec::new(),
        launch: Vec::new(),
        slopes: Vec::new(),
        walks: Vec::new(),
        products: Vec::new(),
        decisions: Vec::new(),
        dot_product_loops: Vec::new(),
        compares: Vec::new(),
        preset: Vec::new(),
        register_bytes: 0,
        counted: Counted::default(),
        rewritten: None,
        sites: Vec::new(),
        points: Vec::new(),
        changes: Vec::new(),
        choices: Vec::new(),
        synchronizes: false,
    })
}

/// Returns a parameter and the word sizes of its accesses.
fn translate_param(kind: &ParamKind) -> Result<Param, Malformed> {
    let (elem, access) = match kind {
        ParamKind::Scalar(scalar) => return Ok(Param::Scalar(*scalar)),
        ParamKind::Slice { elem, access } => (elem, access),
    };
    if let Access::Texture = access {
        // A header and texels, of which launches pass the bytes.
        return Ok(Param::Slice {
            size: 1,
            align: 1,
            access: AccessMode::Reads,
            is_read_only: true,
        });
    }
    let is_read_only = access.is_read_only();
    let (size, align) = elem
        .size()
        .zip(elem.align())
        .ok_or_else(|| malformed_signature("elements of generic size"))?;
    let access = match (elem, access) {
        (Element::Scalar(_), _) => AccessMode::Words(size as u32),
        (
            Element::Plain { .. },
            Access::Read
            | Access::Constant { .. }
            | Access::Texture
            | Access::SurfaceRead(_)
            | Access::TensorRead,
        ) => AccessMode::Reads,
        (
            Element::Plain { .. },
            Access::Write | Access::Atomic | Access::SurfaceWrite(_) | Access::TensorWrite,
        ) => AccessMode::Alone,
    };
    Ok(Param::Slice { size, align, access, is_read_only })
}

/// Returns the bytes of an array, if they are known and at most `limit`.
pub(super) fn array_bytes(elem: &Element, len: &Extent, limit: u64) -> Option<u64> {
    len.known()?.checked_mul(elem.size()?).filter(|bytes| *bytes <= limit)
}

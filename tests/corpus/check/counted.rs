//! The costs that the analysis of accesses predicts, compared with those that the interpreter
//! counts.
//!
//! Each kernel runs on zeros, in two blocks and in three: the difference is the work of the third
//! block, and the buffers are so large that it does not reach their ends. An access that ran as
//! often as the analysis assumes must have the predicted cost.
use libtest_mimic::Failed;
use warpwise::__private::Source;
use warpwise_compiler::{
    analysis::{
        Analyses,
        accesses::{Cost, Request, Verdict},
    },
    ir::{Kernel, ParamKind, Space},
};
use warpwise_corpus::run::passed;
use warpwise_simt::{Arg, Counters, CountingProgram, Launch, Memory, Outcome, Requests};

/// The length of each buffer.
const LEN: u64 = 1 << 16;
/// The value of each scalar argument: the length of a row, for example.
const NUMBER: u64 = 256;
/// The minimum percentage of known costs that must be compared.
const MOST: usize = 70;

/// Compares all kernels.
pub(crate) fn compare<'s>(sources: impl Iterator<Item = &'s Source>) -> Result<(), Failed> {
    let (mut wrong, mut known, mut compared) = (Vec::new(), 0, 0);
    for source in sources {
        let kernel: Kernel = source.ir.parse().expect("the macro has made it");
        let analyses = Analyses::for_kernel(&kernel);
        let costs: Vec<_> = analyses.accesses.requests.iter().filter_map(cost).collect();
        known += costs.len();
        let dims = analyses.trace.shape.dims;
        let (Some(two), Some(three)) = (run(&kernel, 2, dims), run(&kernel, 3, dims)) else {
            continue;
        };
        for (request, cost) in costs {
            let [before, after] = [&two, &three].map(|counters| counted(counters, request));
            let [requests, taken, ideal] = std::array::from_fn(|of| after[of] - before[of]);
            if requests != cost.requests {
                continue;
            }
            compared += 1;
            if !(cost.taken[0] <= taken && taken <= cost.taken[1]) || ideal != cost.ideal {
                let access = kernel.inst_text(request.members[0]);
                wrong.push(format!(
                    "{}: {access} costs {taken}, and {ideal} at best; expected {:?}, and {}",
                    source.name, cost.taken, cost.ideal
                ));
            }
        }
    }
    if 100 * compared < MOST * known {
        wrong.push(format!("{compared} of {known} costs were compared"));
    }
    println!("{compared} of {known} costs compared");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn cost(request: &Request) -> Option<(&Request, &Cost)> {
    match &request.verdict {
        Verdict::Known(cost) => Some((request, cost)),
        Verdict::Unknown(_) => None,
    }
}

/// Returns the counters of a launch of this many blocks; `None` if it fails.
fn run(kernel: &Kernel, blocks: u32, block: [u32; 3]) -> Option<Counters> {
    if !kernel.is_closed() {
        return None;
    }
    let size = |kind: &ParamKind| match kind {
        ParamKind::Scalar(_) => Some(0),
        ParamKind::Slice { elem, .. } => elem.size(),
    };
    let sizes: Option<Vec<u64>> =
        kernel.params.iter().map(|(_, param)| size(&param.kind)).collect();
    let zeroed = |size: &u64| Memory::zeroed(usize::try_from(size * LEN).expect("it is small"));
    let memories: Vec<Memory> = sizes?.iter().map(zeroed).collect();
    let args: Vec<Arg<'_>> = (kernel.params.iter().zip(&memories))
        .map(|((id, param), memory)| match param.kind {
            ParamKind::Scalar(_) => Arg::Scalar(passed(kernel, id, NUMBER)),
            ParamKind::Slice { .. } => Arg::Slice { memory, offset: 0, len: LEN },
        })
        .collect();
    let launch =
        Launch { grid: [blocks, 1, 1], block, args: &args, workers: None, steps: Some(20_000_000) };
    let (outcome, counters) = CountingProgram::new(kernel, Requests::Vectors).run(&launch);
    (outcome == Outcome::default()).then_some(counters)
}

/// Returns the counted requests, their cost, and their ideal cost.
fn counted(counters: &Counters, request: &Request) -> [u64; 3] {
    let mut sum = [0; 3];
    for &member in &request.members {
        let of = counters.get(member);
        let (shared, global) = (of.shared(), of.global());
        let more = if request.space == Space::Shared {
            [shared.requests, shared.wavefronts, shared.ideal]
        } else {
            [global.requests, global.sectors, global.ideal]
        };
        sum = std::array::from_fn(|of| sum[of] + more[of]);
    }
    sum
}

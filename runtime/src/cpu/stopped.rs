//! Why a launch was given up, at places of the user's source.
use crate::kernel::Source;
use warpwise_compiler::{
    id::Id,
    ir::{Kernel, Root},
};
use warpwise_simt::{Spinning, Stopped, Waiting};

pub(super) fn reason(source: &Source, kernel: &Kernel, stopped: &Stopped) -> String {
    match stopped {
        Stopped::Deadlock { block: [x, y, z], waiting } => {
            let waiting: Vec<_> = waiting.iter().map(|waiting| wait(source, waiting)).collect();
            format!("deadlock in block ({x}, {y}, {z}): {}", waiting.join("; "))
        }
        Stopped::Livelock { block: [x, y, z], spinning, waiting, blocks } => {
            let spinning = spinning.iter().map(|spinning| spin(source, kernel, spinning));
            let waiting = waiting.iter().map(|waiting| wait(source, waiting));
            let all: Vec<_> = spinning.chain(waiting).collect();
            let more = match blocks {
                0 | 1 => String::new(),
                blocks => format!(" and {} more", blocks - 1),
            };
            format!("livelock in block ({x}, {y}, {z}){more}: {}", all.join("; "))
        }
        Stopped::Halted { block: [x, y, z], span } => {
            let place = source.place(span.index());
            format!("a breakpoint ended it at {place}, in block ({x}, {y}, {z})")
        }
        Stopped::StepBudget { .. } | Stopped::Malformed { .. } => stopped.to_string(),
    }
}

fn wait(source: &Source, waiting: &Waiting) -> String {
    let Waiting { at, span, warp, lanes, missing } = waiting;
    let place = source.place(span.index());
    let mut text = format!("lanes {lanes:#010x} of warp {warp} wait at a {} ({place})", at.name());
    if *missing != 0 {
        text += &format!(" without lanes {missing:#010x}");
    }
    text
}

fn spin(source: &Source, kernel: &Kernel, spinning: &Spinning) -> String {
    let Spinning { span, reads, threads, thread: [x, y, z] } = spinning;
    let who = match threads {
        1 => format!("thread ({x}, {y}, {z}) goes"),
        threads => format!("{threads} threads, ({x}, {y}, {z}) the first, go"),
    };
    let name = |root: &Root| match root {
        Root::Param(param) => &kernel.params[*param].name,
        Root::Shared(shared) => &kernel.shared[*shared].name,
        Root::Array(array) => &kernel.arrays[*array].name,
    };
    let reads: Vec<_> = reads.iter().map(|root| format!("`{}`", name(root))).collect();
    let what = match &reads[..] {
        [] => "nothing of which depends on other threads".into(),
        reads => {
            format!("which reads {}, and nobody is left who could change that", reads.join(" and "))
        }
    };
    format!("{who} round the loop at {} forever, {what}", source.place(span.index()))
}

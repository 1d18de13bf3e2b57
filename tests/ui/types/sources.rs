//! Code reaches a GPU only by way of the compiler: safe code cannot make a kernel's source of IR or PTX of its own.
#![forbid(unsafe_code)]
use warpwise::__private::{EmbeddedCode, Places, Source, launch};
use warpwise::prelude::*;

#[kernel]
fn scale(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

static LITERAL: Source =
    Source { name: "k", ir: "kernel k {}", code: None, places: Places::NONE, levels: &[] };
static CALLED: Source = Source::new("k", "kernel k {}", Places::NONE, &[])
    .with_code(EmbeddedCode::new("trap;", &[]));

fn main() {
    let _ = launch(&LITERAL, &[], &Device::cpu(), LaunchConfig::grid(1), &[]);
}

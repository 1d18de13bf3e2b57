//! Tests of lowering, on the fallback of proc_macro2.
//!
//! `frontend/tests/lower/*.rs` contain kernels with the expected outcome: IR text, or errors with
//! their places. `BLESS=1` rewrites the expected outcomes.
mod assumed_blocks;
mod contracts;
mod depth;
mod expansions;
mod fuzz;
mod golden;
mod lint_helps;
mod lint_source;
mod random_kernels;
mod std_paths;
mod unbounded_definitions;

use crate::{pipeline::Lowered, source::Source, syntax::error::Rejected};
use quote::ToTokens;
use warpwise_compiler::{
    diag::Level,
    id::Id as _,
    ir::{self, Op, SyncOp},
};

/// Lowers the only kernel of a text.
pub(crate) fn lower_text(text: &str) -> Result<Lowered, Rejected> {
    let source = Source::parse(text).expect("tests are Rust");
    source.lower(&source.kernels[0])
}

fn column_range(range: crate::syntax::span::SpanRange) -> (usize, usize) {
    (range.first.start().column, range.last.end().column)
}

#[test]
fn spans_cover_the_expressions() {
    let text = "#[kernel] fn k(x: &mut [f32]) { x[0] = x[1] * 2.0; }";
    let lowered = lower_text(text).unwrap();
    let shown: Vec<String> = lowered
        .kernel
        .insts
        .iter()
        .map(|(id, inst)| {
            let (start, end) = column_range(lowered.spans[inst.span.index()]);
            let line = lowered.kernel.inst_text(id).to_string();
            let op = line.split([' ', '.']).nth(2).unwrap_or_default().to_owned();
            format!("{op}: {}", &text[start..end])
        })
        .collect();
    let expected = [
        "const: 1",
        "len: 1",
        "bounds: 1",
        "param: x[1]",
        "index: x[1]",
        "load: x[1]",
        "const: 2.0",
        "mul: x[1] * 2.0",
        "const: 0",
        "len: 0",
        "bounds: 0",
        "param: x[0]",
        "index: x[0]",
        "store: x[0] = x[1] * 2.0",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn levels_hold_for_the_instructions_of_their_statement() {
    let lowered = lower_text(
        "#[device]
        #[warn(gpu_barriers_in_divergent_loops)]
        fn wait() { sync_threads(); }
        #[allow(gpu_barriers_in_divergent_flow)]
        #[kernel(deny(gpu_barriers_in_divergent_loops))]
        fn k(y: &mut [f32]) {
            y[0] = 1.0;
            #[deny(gpu_barriers_in_divergent_flow)]
            if y[0] > 1.0 {
                #[warn(gpu_barriers_in_divergent_flow)]
                wait();
            }
        }",
    )
    .unwrap();
    let (flow, loops) = ("gpu_barriers_in_divergent_flow", "gpu_barriers_in_divergent_loops");
    let barrier = lowered
        .kernel
        .insts
        .iter()
        .find(|(_, inst)| matches!(inst.op, Op::Sync(SyncOp::Barrier { .. })));
    let first = lowered.kernel.insts.iter().next().unwrap().1.span;
    let holding = |span: ir::Span| -> Vec<(&str, Level)> {
        let settings = lowered.levels.settings.iter();
        let holds = settings
            .filter(|it| it.within.as_ref().is_none_or(|within| within.contains(&span.index())));
        holds.map(|setting| (setting.lint, setting.level)).collect()
    };
    let kernel = [(loops, Level::Deny), (flow, Level::Allow)];
    assert_eq!(holding(first), kernel);
    let inner = [(flow, Level::Deny), (flow, Level::Warn), (loops, Level::Warn)];
    assert_eq!(holding(barrier.unwrap().1.span), [&kernel[..], &inner].concat());
}

#[test]
fn expectations_are_those_of_the_kernel_itself() {
    let lowered = lower_text(
        "#[device]
        #[expect(gpu_barriers_in_divergent_loops)]
        fn wait() { sync_threads(); }
        #[expect(gpu_barriers_in_divergent_flow)]
        #[kernel(expect(gpu_all))]
        fn k(y: &mut [f32]) {
            #[expect(gpu_correctness)]
            wait();
        }",
    )
    .unwrap();
    assert_eq!(lowered.expectations.len(), 3);
    let last = lowered.levels.settings.last().unwrap();
    assert_eq!((last.lint, last.expectation), ("gpu_barriers_in_divergent_loops", None));
    let expected = lowered.levels.settings.iter().filter(|setting| setting.expectation == Some(0));
    assert_eq!(expected.count(), warpwise_compiler::lint::LINTS.len());
}

#[test]
fn witnesses_spell_out_inferred_types() {
    let lowered = lower_text(
        "#[kernel(open(TILE))]
        fn k<T: Num, const N: usize>(a: T, n: u64, y: &mut [T]) {
            let i = thread_idx_x();
            let tile = shared!([[f32; TILE]; N]);
            let half = 0.5 * tile[0][0] + 1e3;
            let mut k = 1_000;
            k += n;
            let c;
            c = a;
            let ready = shared!([AtomicU32; 4]);
            let s: f64 = 2.;
            let _ = half;
            y[i] = c;
        }",
    )
    .unwrap();
    let tokens = &lowered.witnesses[0].to_token_stream().to_string();
    for part in [
        "loop { }",
        "same (thread_idx_x , :: warpwise :: thread_idx_x)",
        "let i : usize = thread_idx_x ()",
        "let tile : & mut [[f32 ; TILE] ; N] = shared ! ([[f32 ; TILE] ; N])",
        "let half : f32 = 0.5f32 * tile [0usize] [0usize] + 1000f32",
        "let mut k : u64 = 1000u64",
        "let c : T ;",
        "let ready : & mut [:: core :: sync :: atomic :: AtomicU32 ; 4] =",
        "let s : f64 = 2f64",
        "let _ : f32 = half",
    ] {
        assert!(tokens.contains(part), "{part}\n{tokens}");
    }
}

#[test]
fn types_of_a_std_name_have_witnesses() {
    let source = Source::parse(
        "#[device]
        enum Result<T> { Ok(T), Err }
        #[device]
        impl<T: Num> Result<T> {
            fn or(self, other: T) -> T {
                match self {
                    Result::Ok(value) => value,
                    Result::Err => other,
                }
            }
        }
        #[device]
        struct F32x2(f32);
        #[device]
        impl F32x2 {
            fn get(self) -> f32 { self.0 }
        }
        #[device]
        trait Twice { fn twice(self) -> f32; }
        #[device]
        impl Twice for f32 {
            fn twice(self) -> f32 { self * 2.0 }
        }
        #[kernel] fn k() {}",
    );
    let source = source.expect("the text is Rust");
    let devices = source.devices_for(&source.kernels[0].0);
    let witnesses = crate::pipeline::check_devices(&devices, 0..devices.items.len()).unwrap();
    let texts: Vec<_> = witnesses.iter().map(|item| item.to_token_stream().to_string()).collect();
    let has = |part: &str| texts.iter().any(|text| text.contains(part));
    assert!(has("__warpwise_or_") && has("__warpwise_get_"), "{texts:#?}");
    assert!(!has("__warpwise_twice_"), "{texts:#?}");
}

#[test]
fn bounds_that_mention_a_parameter_of_the_trait_are_the_methods() {
    let source = Source::parse(
        "#[device]
        trait Scale<U> { fn scale(self, by: U) -> Self; }
        #[device]
        struct Scaled<T>(T);
        #[device]
        impl<T: Num + PartialEq<U>, U: Num> Scale<U> for Scaled<T> {
            fn scale(self, by: U) -> Self { Scaled(self.0 + T::ONE) }
        }
        #[kernel] fn k() {}",
    );
    let source = source.expect("the text is Rust");
    let devices = source.devices_for(&source.kernels[0].0);
    let witnesses = crate::pipeline::check_devices(&devices, 0..devices.items.len()).unwrap();
    let text = witnesses[0].to_token_stream().to_string();
    assert!(text.starts_with("impl < T : Num > Scaled < T > { fn __warpwise_scale_"), "{text}");
    let method = "< U : Num > (self , by : U) -> Self where T : PartialEq < U > {";
    assert!(text.contains(method), "{text}");
}

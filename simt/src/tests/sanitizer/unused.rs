//! Unused memory, and writes of equal values.
use super::kernel;
use crate::{Arg, CheckedProgram, Checks, Launch, Memory, Severity};

/// Returns the findings in two blocks of 32 threads with `tile`, 64 words of shared memory, and 100
/// words of `out`.
fn findings(checks: Checks, inside: &str) -> Vec<(Severity, String)> {
    let text = format!(
        "param arg0 = out: write [u32] !0
         shared @0 = tile: [u32; 64] !0
         %t = builtin thread_idx.x : u64 !0
         %i = builtin global_idx.x : u64 !0
         %x = const 7 : u32 !0
         %k0 = const 0 : u64 !0
         %k1 = const 1 : u64 !0
         %out = param arg0 : ptr global !0
         %tile = shared @0 : ptr shared !0
         {inside}"
    );
    let memory = Memory::zeroed(400);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 100 }];
    let launch =
        Launch { grid: [2, 1, 1], block: [32, 1, 1], args: &args, workers: None, steps: None };
    let (outcome, found) = CheckedProgram::new(&kernel(&text)).run(&launch, checks);
    assert_eq!(outcome, crate::Outcome::default());
    found.into_iter().map(|finding| (finding.severity, finding.to_string())).collect()
}

#[test]
fn unused_memory_is_counted() {
    let some = "%two = const 2 : u64 !0
         %even = mul %i, %two : u64 !0
         %n = const 100 : u64 !0
         %in = lt %even, %n : bool !0
         %if = if %in !0 { %p = index %out, %even, 4 : ptr global !0 %s = store %p, %x !5 }
         %q = index %tile, %t, 4 : ptr shared !0
         %r = load %q : u32 !6";
    let info = |text: &str| (Severity::Info, text.to_owned());
    assert_eq!(
        findings(Checks::UNUSED, some),
        [
            info("no thread writes 50 of the 100 elements of `out`, out[1] the first"),
            info("no thread reads or writes 32 of the 64 elements of `tile`, tile[32] the first"),
        ]
    );
    assert_eq!(findings(Checks::RACE, some), []);
}

#[test]
fn races_of_equal_values_are_errors_only_if_strict() {
    let same = "%p = index %out, %k0, 4 : ptr global !0 %s = store %p, %x !5
        %q = index %tile, %k1, 4 : ptr shared !0 %w = store %q, %x !6";
    let severities = |checks| {
        findings(checks, same).into_iter().map(|(severity, _)| severity).collect::<Vec<_>>()
    };
    let benign = severities(Checks::RACE);
    assert!(
        !benign.is_empty() && benign.iter().all(|severity| *severity == Severity::Info),
        "{benign:?}"
    );
    let strict = severities(Checks::STRICT);
    assert_eq!(strict.len(), benign.len());
    assert!(strict.iter().all(|severity| *severity == Severity::Error), "{strict:?}");
}

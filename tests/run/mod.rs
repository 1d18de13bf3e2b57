//! The list of cases, and the engines that it runs on. [`engine`] says what a case is.
//!
//! To add a case: write a kernel and a function beside it that launches it with
//! `launch!` and compares what came out with `same`, and name the function in the
//! module's `CASES`. Expected values come from plain Rust, never from another engine.
mod adapters;
mod arrays;
mod associated_types;
mod atomic_structs;
mod atomics;
mod block;
mod bounds;
mod by_path;
mod casts;
mod chains;
mod closures;
mod coarsening;
mod collected;
mod compared_inside;
mod composites;
mod contracts;
mod control;
mod control_flow;
mod cooperative;
mod dereference;
mod device_functions;
mod engine;
mod enums;
mod exchanges;
mod fast;
mod faults;
mod flattened;
mod float_methods;
mod floats;
mod function_pointers;
mod generics;
mod halves;
mod inside;
mod instances;
mod int_methods;
mod integers;
mod intrinsics;
mod iterator_names;
mod iterator_types;
mod iterators;
mod lanes;
mod launches;
mod loops;
mod macros;
mod math;
mod memory;
mod method_faults;
mod miscompiled;
mod number_methods;
mod operators;
mod options;
mod ordering;
mod orderings;
mod output;
mod own_names;
mod pattern_types;
mod patterns;
mod pieces;
mod plain;
mod ported;
mod reference_arrays;
mod references;
mod results;
mod returned_types;
mod rust_types;
mod shared;
mod shared_dyn;
mod slice_patterns;
mod slices;
mod std_functions;
mod std_names;
mod std_traits;
mod structs;
mod taking;
mod told_later;
mod traits;
mod vector_lanes;
mod vectors;
mod warps;
mod written_enums;
mod written_iterators;

use engine::{Case, Engine};
use libtest_mimic::{Arguments, Trial};
use std::{process::ExitCode, sync::Arc};

/// Every case, under its module's name.
const MODULES: &[(&str, &[Case])] = &[
    ("adapters", adapters::CASES),
    ("arrays", arrays::CASES),
    ("associated_types", associated_types::CASES),
    ("atomic_structs", atomic_structs::CASES),
    ("atomics", atomics::CASES),
    ("block", block::CASES),
    ("bounds", bounds::CASES),
    ("by_path", by_path::CASES),
    ("casts", casts::CASES),
    ("chains", chains::CASES),
    ("closures", closures::CASES),
    ("collected", collected::CASES),
    ("compared_inside", compared_inside::CASES),
    ("composites", composites::CASES),
    ("coarsening", coarsening::CASES),
    ("contracts", contracts::CASES),
    ("control", control::CASES),
    ("control_flow", control_flow::CASES),
    ("cooperative", cooperative::CASES),
    ("dereference", dereference::CASES),
    ("device_functions", device_functions::CASES),
    ("enums", enums::CASES),
    ("exchanges", exchanges::CASES),
    ("fast", fast::CASES),
    ("faults", faults::CASES),
    ("flattened", flattened::CASES),
    ("float_methods", float_methods::CASES),
    ("floats", floats::CASES),
    ("function_pointers", function_pointers::CASES),
    ("generics", generics::CASES),
    ("halves", halves::CASES),
    ("inside", inside::CASES),
    ("instances", instances::CASES),
    ("int_methods", int_methods::CASES),
    ("integers", integers::CASES),
    ("intrinsics", intrinsics::CASES),
    ("iterator_names", iterator_names::CASES),
    ("iterator_types", iterator_types::CASES),
    ("iterators", iterators::CASES),
    ("lanes", lanes::CASES),
    ("launches", launches::CASES),
    ("loops", loops::CASES),
    ("macros", macros::CASES),
    ("math", math::CASES),
    ("memory", memory::CASES),
    ("method_faults", method_faults::CASES),
    ("miscompiled", miscompiled::CASES),
    ("number_methods", number_methods::CASES),
    ("operators", operators::CASES),
    ("options", options::CASES),
    ("ordering", ordering::CASES),
    ("orderings", orderings::CASES),
    ("output", output::CASES),
    ("own_names", own_names::CASES),
    ("pattern_types", pattern_types::CASES),
    ("patterns", patterns::CASES),
    ("pieces", pieces::CASES),
    ("plain", plain::CASES),
    ("ported::ciphers", ported::ciphers::CASES),
    ("ported::codes", ported::codes::CASES),
    ("ported::factors", ported::factors::CASES),
    ("ported::finance", ported::finance::CASES),
    ("ported::geometry", ported::geometry::CASES),
    ("ported::grids", ported::grids::CASES),
    ("ported::images", ported::images::CASES),
    ("ported::layers", ported::layers::CASES),
    ("ported::links", ported::links::CASES),
    ("ported::lookups", ported::lookups::CASES),
    ("ported::machines", ported::machines::CASES),
    ("ported::numbers", ported::numbers::CASES),
    ("ported::numerics", ported::numerics::CASES),
    ("ported::reductions", ported::reductions::CASES),
    ("ported::samples", ported::samples::CASES),
    ("ported::scans", ported::scans::CASES),
    ("ported::scenes", ported::scenes::CASES),
    ("ported::search", ported::search::CASES),
    ("ported::solvers", ported::solvers::CASES),
    ("ported::sorting", ported::sorting::CASES),
    ("ported::structures", ported::structures::CASES),
    ("ported::texts", ported::texts::CASES),
    ("ported::transforms", ported::transforms::CASES),
    ("ported::wavefronts", ported::wavefronts::CASES),
    ("reference_arrays", reference_arrays::CASES),
    ("references", references::CASES),
    ("results", results::CASES),
    ("returned_types", returned_types::CASES),
    ("rust_types", rust_types::CASES),
    ("shared", shared::CASES),
    ("shared_dyn", shared_dyn::CASES),
    ("slice_patterns", slice_patterns::CASES),
    ("slices", slices::CASES),
    ("std_functions", std_functions::CASES),
    ("std_names", std_names::CASES),
    ("std_traits", std_traits::CASES),
    ("structs", structs::CASES),
    ("taking", taking::CASES),
    ("told_later", told_later::CASES),
    ("traits", traits::CASES),
    ("vector_lanes", vector_lanes::CASES),
    ("vectors", vectors::CASES),
    ("warps", warps::CASES),
    ("written_enums", written_enums::CASES),
    ("written_iterators", written_iterators::CASES),
];

pub(crate) fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A device reports a fault to whoever waits for it next, so cases must not share it.
    arguments.test_threads = Some(1);
    let engines = match engine::all() {
        Ok(engines) => engines,
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for engine in engines.into_iter().map(Arc::new) {
        for (module, cases) in MODULES {
            trials.extend(cases.iter().map(|case| trial(&engine, module, case)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(engine: &Arc<Engine>, module: &str, case: &'static Case) -> Trial {
    let name = format!("{}::{module}::{}", engine.name(), case.name);
    let skipped = match &**engine {
        Engine::Host => case.not_on_host,
        Engine::Device { .. } => None,
    };
    if let Some(reason) = skipped {
        return Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true);
    }
    let engine = Arc::clone(engine);
    Trial::test(name, move || (case.run)(&engine).map_err(|error| error.to_string().into()))
}

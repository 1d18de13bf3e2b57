//! The table of cases and the engines that run them. [`engine`] has the definition of a case.
//!
//! To add a case, write a kernel and a function beside it that launches it with `launch!` and
//! compares the results with `same`, and name the function in the module's `cases!`. Expected
//! values come from plain Rust, never from another engine. Statements that plain Rust can run, too,
//! go into `like_rust!`, which needs no expected values: on a difference it shows the statement,
//! its inputs and both results.
mod adapters;
mod arrays;
mod associated_types;
mod async_copies;
mod atomic_orderings;
mod atomic_structs;
mod atomics;
mod block;
mod bounds;
mod bulk_copies;
mod bulk_stores;
mod cache_hints;
mod casts;
mod closures;
mod clusters;
mod coarsening;
mod collect_and_extend;
mod compare_exchange;
mod comparisons;
mod composite_comparisons;
mod composites;
mod computed_constants;
mod constant_expressions;
mod constant_memory;
mod control;
mod control_flow_type;
mod cooperative;
mod deferred_inference;
mod dependent_launches;
mod dereference;
mod device_functions;
mod engine;
mod enums;
mod fast;
mod faults;
mod flatten;
mod float_methods;
mod floats;
mod foreign_type_impls;
mod function_pointers;
mod generics;
mod half_floats;
mod impl_trait_results;
mod inline_ptx;
mod instances;
mod int_methods;
mod integers;
mod intrinsics;
mod iterator_names;
mod iterator_types;
mod iterators;
mod lane_operations;
mod large_sizes;
mod launch_requirements;
mod launches;
mod long_chains;
mod loops;
mod math;
mod mbarriers;
mod memory;
mod method_faults;
mod mipmaps;
mod name_precedence;
mod named_barriers;
mod nested_items;
mod number_methods;
mod operators;
mod options;
mod partial_iteration;
mod pattern_inference;
mod patterns;
mod pipelines;
mod plain_values;
mod ported;
mod printing;
mod ptxas_miscompilations;
mod reference_arrays;
mod references;
mod results;
mod rows;
mod shared;
mod shared_dyn;
mod shared_enums;
mod short_buffers;
mod slice_patterns;
mod slice_splitting;
mod slices;
mod std_functions;
mod std_imports;
mod std_traits;
mod structs;
mod surfaces;
mod tensor_cores;
mod tensor_maps;
mod textures;
mod trait_paths;
mod traits;
mod user_iterators;
mod user_macros;
mod vector_lanes;
mod vector_views;
mod vectors;
mod warps;
mod warpwise_names;
mod wgmma;
mod wgmma_types;

use engine::{Case, Engine};
use libtest_mimic::{Arguments, Trial};
use std::{process::ExitCode, sync::Arc};

/// Builds the table of cases. rustfmt finds only modules that are declared outside macros, hence
/// the second list. The compiler warns of a module that is missing here, since nothing uses its
/// cases.
macro_rules! modules {
    ($($module:ident $(:: $inner:ident)?)*) => {
        &[$((
            concat!(stringify!($module) $(, "::", stringify!($inner))?),
            $module $(::$inner)? ::CASES,
        )),*]
    };
}

/// Every case, with the path of its module.
const MODULES: &[(&str, &[Case])] = modules![
    adapters arrays associated_types async_copies atomic_orderings atomic_structs atomics block
    bounds bulk_copies bulk_stores cache_hints casts closures clusters coarsening collect_and_extend compare_exchange comparisons
    composite_comparisons composites computed_constants constant_expressions constant_memory control control_flow_type cooperative
    deferred_inference dependent_launches dereference
    device_functions enums fast faults flatten float_methods floats foreign_type_impls
    function_pointers generics half_floats impl_trait_results inline_ptx instances int_methods integers
    intrinsics iterator_names iterator_types iterators lane_operations large_sizes launch_requirements
    launches long_chains loops math mbarriers memory method_faults mipmaps name_precedence named_barriers nested_items
    number_methods operators options partial_iteration pattern_inference patterns pipelines plain_values
    ported::ciphers ported::codes ported::factors ported::finance ported::geometry ported::grids
    ported::images ported::layers ported::links ported::lookups ported::machines ported::numbers
    ported::numerics ported::reductions ported::samples ported::scans ported::scenes
    ported::search ported::solvers ported::sorting ported::structures ported::texts
    ported::transforms ported::wavefronts printing ptxas_miscompilations reference_arrays
    references results rows shared shared_dyn shared_enums short_buffers slice_patterns slice_splitting slices
     std_functions std_imports std_traits structs surfaces tensor_cores tensor_maps textures
     trait_paths traits user_iterators user_macros vector_lanes vector_views vectors warps warpwise_names wgmma
     wgmma_types
];

pub(crate) fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A device reports a fault to the next caller that waits for it, so cases must not share it.
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

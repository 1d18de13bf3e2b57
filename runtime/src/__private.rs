//! Names that generated code uses: no part of the API. Anything here may change with any version,
//! so the macro and the runtime depend on each other's exact version.
pub use crate::{
    __warpwise_absent as absent, __warpwise_inline_ptx as inline_ptx,
    __warpwise_interpreted as interpreted,
};
pub use crate::{
    elements::{
        element::{Atomic, Element},
        plain::{Layout, offsets},
    },
    host::refuse,
    intrinsics::{
        barrier::{shared, shared_dyn},
        inline_ptx::inline_ptx,
    },
    launch::{
        checks::launch,
        prepared::prepare,
        resident::{max_cooperative_blocks, occupancy, suggest_block},
        source::{EmbeddedCode, LintLevel, Places, Source},
    },
};
pub use warpwise_compiler::{diag::Level, ir::Scalar, specialize::Binding};
pub use warpwise_macros::link;

/// Replaces the macro of an item that is not `#[device]`: it carries the absence, as the macro of a
/// device item carries the item.
#[doc(hidden)]
#[macro_export]
macro_rules! __warpwise_absent {
    ({ { $($next:tt)* } $($rest:tt)* } { $($got:tt)* } $state:tt) => {
        $($next)* ! { { $($rest)* } { $($got)* { absent } } $state }
    };
}

/// The fallback of a kernel's `launch` and `PTX` where compiling the kernel failed, so that its own
/// errors are the only ones. Every type has these; those of a compiled kernel win.
pub trait NotCompiled {
    /// A source that is refused at launch. A program reaches it only if a macro that is not
    /// Warpwise's has the name of an item that the kernel calls, and swallowed it.
    const __WARPWISE_SOURCE: &'static Source = &Source {
        name: "?",
        ir: Source::NOT_COMPILED,
        code: None,
        precompiled: &[],
        may_use_llvm: true,
        places: Places::NONE,
        levels: &[],
    };
    /// None.
    const __WARPWISE_PTX: &'static str = "";
}

impl<T> NotCompiled for T {}

#[kernel]
fn halve(x: &mut [u32]) {
    let i = global_idx_x();
    debug_assert!(x[i] % 2 == 0, "{} is odd", x[i]);
    x[i] /= 2;
}

// ---------------------------------------- expands to
#[allow(dead_code, reason = "a kernel is launched, not called")]
#[allow(
    clippy::assign_op_pattern,
    clippy::manual_div_ceil,
    clippy::manual_is_multiple_of,
    clippy::manual_memcpy,
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
    reason = "kernel code is written for a GPU"
)]
fn halve(x: &mut [u32]) {
    let i = global_idx_x();
    debug_assert!(x[i] % 2 == 0, "{} is odd", x[i]);
    x[i] /= 2;
}
///Launches the kernel [`halve`](fn@halve).
#[allow(
    dead_code,
    non_camel_case_types,
    clippy::exhaustive_structs,
    reason = "it is named as the kernel is, and only ever a name"
)]
struct halve {}
#[allow(dead_code, reason = "the kernel may be used in one way only")]
impl halve {
    /// The kernel in PTX, for the oldest supported GPU.
    pub(crate) const PTX: &'static str = {
        #[allow(unused_imports, reason = "used where the kernel did not compile")]
        use ::warpwise::__private::NotCompiled as _;
        Self::__WARPWISE_PTX
    };
    /// Launches the kernel on `device`, and returns before it has run. An error
    /// inside it is returned by the next call that waits for the device.
    ///
    /// # Errors
    /// If the launch is refused; nothing has run then.
    #[allow(
        non_snake_case,
        clippy::impl_trait_in_params,
        clippy::too_many_arguments,
        reason = "it takes what the kernel takes, by the same names, and two more"
    )]
    pub(crate) fn launch(
        device: &::warpwise::Device,
        config: ::warpwise::LaunchConfig,
        x: &mut (impl ::warpwise::parameter::WriteArg<u32> + ?::core::marker::Sized),
    ) -> ::warpwise::Result<()> {
        Self::prepare(config, ::warpwise::parameter::WriteArg::slice(x)).run(device)
    }
    /// Returns a launch of the kernel that can be run later, and more than once.
    #[allow(
        non_snake_case,
        clippy::impl_trait_in_params,
        clippy::too_many_arguments,
        reason = "it takes what the kernel takes, by the same names, and one more"
    )]
    pub(crate) fn prepare<'args>(
        config: ::warpwise::LaunchConfig,
        x: &'args mut ::warpwise::Slice<u32>,
    ) -> ::warpwise::Launch<'args, 1usize, 0usize> {
        #[allow(unused_imports, reason = "used where the kernel did not compile")]
        use ::warpwise::__private::NotCompiled as _;
        ::warpwise::__private::prepare(
            Self::__WARPWISE_SOURCE,
            [],
            config,
            [::warpwise::parameter::Arg::write(x)],
        )
    }
    ///Returns the number of blocks of the kernel that run on a multiprocessor of `device` at the same time, for blocks of this shape with `dynamic_shared` bytes of shared memory (`shared_dyn!`), and the limiting resource. `None` for the interpreter, which has no multiprocessors.
    ///
    /// # Errors
    /// If no launch could have such blocks, or the kernel does not compile for the device.
    #[allow(clippy::impl_trait_in_params, reason = "as `LaunchConfig::block` takes it")]
    pub(crate) fn occupancy(
        device: &::warpwise::Device,
        block: impl ::warpwise::IntoDims,
        dynamic_shared: usize,
    ) -> ::warpwise::Result<::core::option::Option<::warpwise::occupancy::Occupancy>> {
        #[allow(unused_imports, reason = "used where the kernel did not compile")]
        use ::warpwise::__private::NotCompiled as _;
        ::warpwise::__private::occupancy(
            Self::__WARPWISE_SOURCE,
            &[],
            device,
            block,
            dynamic_shared,
        )
    }
    ///Returns the size of blocks with which most threads of the kernel run on `device` at the same time, for blocks with `dynamic_shared` bytes of shared memory (`shared_dyn!`), and the number of these blocks. The size is that of the kernel's own block, where it declares one, and 256 threads on the interpreter.
    ///
    /// # Errors
    /// If no launch could have such blocks, or the kernel does not compile for the device.
    pub(crate) fn suggest_block(
        device: &::warpwise::Device,
        dynamic_shared: usize,
    ) -> ::warpwise::Result<::warpwise::occupancy::SuggestedBlock> {
        #[allow(unused_imports, reason = "used where the kernel did not compile")]
        use ::warpwise::__private::NotCompiled as _;
        ::warpwise::__private::suggest_block(
            Self::__WARPWISE_SOURCE,
            &[],
            device,
            dynamic_shared,
        )
    }
}
#[doc(hidden)]
#[allow(
    unused_macros,
    non_local_definitions,
    clippy::crate_in_macro_def,
    reason = "it is used through its alias, and carries tokens as they are"
)]
macro_rules! __warpwise_halve_HASH {
    ({ { $($next:tt)* } $($rest:tt)* } { $($got:tt)* } $state:tt) => {
        $($next)* ! { { $($rest)* } { $($got)* { kernel } } $state }
    };
}
#[doc(hidden)]
#[allow(
    unused_imports,
    unreachable_pub,
    clippy::pub_use,
    reason = "it is as public as the item, and kernels may use it or not"
)]
use __warpwise_halve_HASH as halve;
const _: () = {
    #[cfg(debug_assertions)]
    impl halve {
        const __WARPWISE_PTX: &'static str = "PTX";
        const __WARPWISE_SOURCE: &'static ::warpwise::__private::Source = {
            static SOURCE: ::warpwise::__private::Source = unsafe {
                ::warpwise::__private::Source::new(
                        "halve",
                        "IR",
                        ::warpwise::__private::Places {
                            files: &["<unknown>"],
                            rows: r"000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
                        },
                        &[],
                    )
                    .with_code(
                        ::warpwise::__private::EmbeddedCode::new(
                                <halve>::__WARPWISE_PTX,
                                &[],
                            )
                            .with_assumed("1*a0 -1*gx*bx", "PTX", &[]),
                    )
            };
            &SOURCE
        };
    }
    #[cfg(not(debug_assertions))]
    impl halve {
        const __WARPWISE_PTX: &'static str = "PTX";
        const __WARPWISE_SOURCE: &'static ::warpwise::__private::Source = {
            static SOURCE: ::warpwise::__private::Source = unsafe {
                ::warpwise::__private::Source::new(
                        "halve",
                        "IR",
                        ::warpwise::__private::Places {
                            files: &["<unknown>"],
                            rows: r"0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
                        },
                        &[],
                    )
                    .with_code(
                        ::warpwise::__private::EmbeddedCode::new(
                                <halve>::__WARPWISE_PTX,
                                &[],
                            )
                            .with_assumed("1*a0 -1*gx*bx", "PTX", &[])
                            .with_coarsened(0, 4, "PTX", &[]),
                    )
            };
            &SOURCE
        };
    }
    #[allow(
        warnings,
        arithmetic_overflow,
        overflowing_literals,
        unconditional_panic,
        clippy::all,
        clippy::nursery,
        clippy::pedantic,
        clippy::restriction,
        reason = "a copy of what rustc and clippy see elsewhere"
    )]
    fn witness_of_halve(x: &mut [u32]) {
        loop {}
        {
            const fn same<F: ::core::marker::Copy>(_: F, _: F) {}
            same(global_idx_x, ::warpwise::global_idx_x);
        }
        {
            let i: usize = global_idx_x();
            debug_assert!(x[i] % 2 == 0, "{} is odd", x[i]);
            x[i] /= 2u32;
        }
    }
    const _: [::core::option::Option<&str>; 3] = [
        ::core::option_env!("WARPWISE_LINTS"),
        ::core::option_env!("WARPWISE_BACKEND"),
        ::core::option_env!("WARPWISE_LLVM"),
    ];
};

#[kernel(open(TILE), block = N)]
fn fill<'a, T, const N: usize>(mut x: &'a mut [T], by: T, bins: &[AtomicU32])
where
    T: Num,
    &'a T: Sized,
{
    let i = global_idx_x();
    if i < TILE {
        x[i] = by;
    }
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
fn fill<'a, T, const N: usize>(mut x: &'a mut [T], by: T, bins: &[AtomicU32])
where
    T: Num,
    &'a T: Sized,
{
    let i = global_idx_x();
    if i < TILE {
        x[i] = by;
    }
}
///Launches the kernel [`fill`](fn@fill).
#[allow(
    dead_code,
    non_camel_case_types,
    clippy::exhaustive_structs,
    reason = "it is named as the kernel is, and only ever a name"
)]
struct fill<T, const N: usize>
where
    T: Num,
{
    _types: ::core::marker::PhantomData<fn() -> (T,)>,
}
#[allow(dead_code, reason = "the kernel may be used in one way only")]
impl<T, const N: usize> fill<T, N>
where
    T: Num,
{
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
        x: &mut (impl ::warpwise::parameter::WriteArg<T> + ?::core::marker::Sized),
        by: T,
        bins: impl ::warpwise::AtomicBuffer<AtomicU32>,
    ) -> ::warpwise::Result<()> {
        Self::prepare(config, ::warpwise::parameter::WriteArg::slice(x), by, bins)
            .run(device)
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
        x: &'args mut ::warpwise::Slice<T>,
        by: T,
        bins: impl ::warpwise::AtomicBuffer<AtomicU32> + 'args,
    ) -> ::warpwise::Launch<'args, 3usize, 3usize> {
        #[allow(unused_imports, reason = "used where the kernel did not compile")]
        use ::warpwise::__private::NotCompiled as _;
        ::warpwise::__private::prepare(
            Self::__WARPWISE_SOURCE,
            [
                ::warpwise::__private::Binding::Type(
                    <T as ::warpwise::__private::Element>::SCALAR,
                ),
                ::warpwise::__private::Binding::Const(
                    ::warpwise::__private::Element::to_bits(N),
                ),
                ::warpwise::__private::Binding::Const(
                    ::warpwise::__private::Element::to_bits(TILE),
                ),
            ],
            config,
            [
                ::warpwise::parameter::Arg::write(x),
                ::warpwise::parameter::Arg::scalar(by),
                ::warpwise::parameter::Arg::atomic(bins),
            ],
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
            &[
                ::warpwise::__private::Binding::Type(
                    <T as ::warpwise::__private::Element>::SCALAR,
                ),
                ::warpwise::__private::Binding::Const(
                    ::warpwise::__private::Element::to_bits(N),
                ),
                ::warpwise::__private::Binding::Const(
                    ::warpwise::__private::Element::to_bits(TILE),
                ),
            ],
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
            &[
                ::warpwise::__private::Binding::Type(
                    <T as ::warpwise::__private::Element>::SCALAR,
                ),
                ::warpwise::__private::Binding::Const(
                    ::warpwise::__private::Element::to_bits(N),
                ),
                ::warpwise::__private::Binding::Const(
                    ::warpwise::__private::Element::to_bits(TILE),
                ),
            ],
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
macro_rules! __warpwise_fill_HASH {
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
use __warpwise_fill_HASH as fill;
const _: () = {
    impl<T, const N: usize> fill<T, N>
    where
        T: Num,
    {
        const __WARPWISE_SOURCE: &'static ::warpwise::__private::Source = {
            static SOURCE: ::warpwise::__private::Source = unsafe {
                ::warpwise::__private::Source::new(
                    "fill",
                    "IR",
                    ::warpwise::__private::Places {
                        files: &["<unknown>"],
                        rows: r"00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
                    },
                    &[],
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
    fn witness_of_fill<'a, T, const N: usize>(
        mut x: &'a mut [T],
        by: T,
        bins: &[AtomicU32],
    )
    where
        T: Num,
        &'a T: Sized,
    {
        loop {}
        {
            const fn same<F: ::core::marker::Copy>(_: F, _: F) {}
            same(global_idx_x, ::warpwise::global_idx_x);
        }
        {
            let i: usize = global_idx_x();
            if i < TILE {
                x[i] = by;
            }
        }
    }
    const _: [::core::option::Option<&str>; 3] = [
        ::core::option_env!("WARPWISE_LINTS"),
        ::core::option_env!("WARPWISE_BACKEND"),
        ::core::option_env!("WARPWISE_LLVM"),
    ];
    const _: () = {
        #[allow(
            dead_code,
            unused_braces,
            reason = "never called, and as the user writes it"
        )]
        fn block_size<'a, T, const N: usize>()
        where
            T: Num,
            &'a T: Sized,
        {
            let _ = N;
            let _ = 1;
            let _ = 1;
        }
    };
};

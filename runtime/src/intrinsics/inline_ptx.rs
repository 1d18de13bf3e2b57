//! Inline PTX on the host: stand-ins for what `ptx!` expands to, in the function as written.

/// Stands in for inline PTX.
///
/// # Safety
/// It does nothing; inline PTX needs `unsafe`, and so does its stand-in.
///
/// # Panics
/// Always.
#[expect(unsafe_code, reason = "inline PTX does what its author wrote")]
#[cold]
#[track_caller]
pub unsafe fn inline_ptx<T>() -> T {
    panic!(
        "the host cannot run inline PTX: launch the kernel on a GPU, or give `ptx!` a fallback, \
         `else {{ .. }}`"
    )
}

/// Uses the inputs, and stands in for the text.
#[doc(hidden)]
#[macro_export]
macro_rules! __warpwise_inline_ptx {
    ([$output:ty] [$($mark:ident)*] $text:literal $($input:ident)*) => {{
        let _ = ($(&$input,)*);
        $crate::__private::inline_ptx::<$output>()
    }};
    ([$($output:ty),*] [$($mark:ident)*] $text:literal $($input:ident)*) => {{
        let _ = ($(&$input,)*);
        $crate::__private::inline_ptx::<($($output),*)>()
    }};
}

/// Chooses the fallback, as the interpreter does.
#[doc(hidden)]
#[macro_export]
macro_rules! __warpwise_interpreted {
    () => {
        true
    };
}

#[cfg(test)]
mod tests {
    #[test]
    #[expect(unsafe_code, reason = "the macro needs it")]
    fn the_host_runs_the_fallback() {
        // SAFETY: the host runs the fallback.
        let sum = unsafe {
            crate::ptx!(
                "add.u32 {sum}, {a}, {b};",
                sum = out(u32),
                a = in(u32) 2,
                b = in(u32) 3,
                else { a + b }
            )
        };
        assert_eq!(sum, 5);
    }

    #[test]
    #[should_panic(expected = "the host cannot run inline PTX")]
    #[expect(unsafe_code, reason = "the macro needs it")]
    fn the_host_does_not_run_ptx() {
        // SAFETY: the host panics.
        unsafe { crate::ptx!("nanosleep.u32 100;") }
    }
}

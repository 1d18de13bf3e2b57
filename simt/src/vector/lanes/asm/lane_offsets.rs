//! Loads and stores at the lane offsets of a group, in assembly.
//!
//! [`super::scan`] describes the access to each word.
use crate::vector::lanes::lane_offsets::Arrangement;
use std::arch::asm;

/// The addresses of the words of `n` lanes: each at its offset from `first`.
pub(in crate::vector::lanes) struct Lanes {
    pub(in crate::vector::lanes) first: *const u8,
    pub(in crate::vector::lanes) offsets: *const i64,
    pub(in crate::vector::lanes) n: usize,
}

/// Moves lanes to or from memory, with a number of lanes in the first row, and one in each of the
/// others.
type MoveFn = unsafe fn(&Lanes, *mut u8, usize, usize);

/// Moves that process lanes row by row, where `r10` holds the address of a row's first word, and
/// `rdi` that of its lanes: from the instructions before a row's lanes, for a vector and for one
/// lane, and the number and size of the lanes in a vector.
macro_rules! by_rows {
    ($name:ident $lanes:literal $size:literal [$($before:expr),*] [$($many:expr),*] [$($one:expr),*]) => {
        /// Moves the lanes.
        ///
        /// # Safety
        /// There are as many values as lanes, whose words are inside the memory, on a machine with
        /// AVX2.
        unsafe fn $name(lanes: &Lanes, values: *mut u8, first: usize, row: usize) {
            // SAFETY: guaranteed by the caller. Every register used is named.
            unsafe {
                asm!(
                    "2:", "cmp r9, r8", "jae 6f",
                    "mov r10, [r11 + r9*8]", "add r10, rsi",
                    $($before,)*
                    "mov rdx, r8", "sub rdx, r9", "cmp rcx, rdx", "cmova rcx, rdx",
                    "add r9, rcx",
                    "3:", concat!("cmp rcx, ", $lanes), "jb 4f",
                    $($many,)*
                    "add rdi, 32", "add r10, 32", concat!("sub rcx, ", $lanes), "jmp 3b",
                    "4:", "test rcx, rcx", "jz 5f",
                    $($one,)*
                    concat!("add rdi, ", $size), concat!("add r10, ", $size), "dec rcx", "jmp 4b",
                    "5:", "mov rcx, r12", "jmp 2b",
                    "6:", "vzeroupper",
                    inout("rdi") values => _, in("rsi") lanes.first, in("r11") lanes.offsets,
                    in("r8") lanes.n, inout("r9") 0_usize => _, inout("rcx") first => _,
                    in("r12") row, out("rax") _, out("rdx") _, out("r10") _, out("xmm0") _,
                    options(nostack),
                );
            }
        }
    };
}

/// The moves for words of a size, from the number in a vector, the suffix of instructions on such
/// words, and the name of a register of that size.
macro_rules! walks {
    ($($load:ident $store:ident $same:ident $size:literal $lanes:literal $p:literal $word:literal;)*) => {$(
        by_rows! { $load $lanes $size []
            ["vmovdqu ymm0, [r10]", "vmovdqu [rdi], ymm0"]
            [concat!("mov ", $word, ", [r10]"), concat!("mov [rdi], ", $word)]
        }
        by_rows! { $store $lanes $size []
            ["vmovdqu ymm0, [rdi]", "vmovdqu [r10], ymm0"]
            [concat!("mov ", $word, ", [rdi]"), concat!("mov [r10], ", $word)]
        }
        by_rows! { $same $lanes $size
            [concat!("mov ", $word, ", [r10]"), "vmovq xmm0, rax", concat!("vpbroadcast", $p, " ymm0, xmm0")]
            ["vmovdqu [rdi], ymm0"]
            [concat!("mov [rdi], ", $word)]
        }
    )*};
}
walks! {
    load_1 store_1 same_1 1 32 "b" "al";
    load_2 store_2 same_2 2 16 "w" "ax";
    load_4 store_4 same_4 4 8 "d" "eax";
    load_8 store_8 same_8 8 4 "q" "rax";
}

/// Moves words of `size` bytes between memory and lanes, from the lane `at` of the group on, in
/// this arrangement.
///
/// # Safety
/// There are as many values as lanes, whose words are inside the memory, on a machine with AVX2.
pub(in crate::vector::lanes) unsafe fn move_lanes<const STORE: bool>(
    size: usize,
    arrangement: Arrangement,
    at: usize,
    lanes: &Lanes,
    values: *mut u8,
) {
    let [load, store, same]: [MoveFn; 3] = match size {
        1 => [load_1, store_1, same_1],
        2 => [load_2, store_2, same_2],
        4 => [load_4, store_4, same_4],
        _ => [load_8, store_8, same_8],
    };
    let rows = if STORE { store } else { load };
    let (f, row) = match arrangement {
        Arrangement::Rows { lanes } => (rows, lanes),
        Arrangement::Same { lanes } if !STORE => (same, lanes),
        // Rows of one lane.
        Arrangement::Same { .. } | Arrangement::Each => (rows, 1),
    };
    let first = if at == 0 { row } else { row - at % row };
    // SAFETY: guaranteed by the caller.
    unsafe { f(lanes, values, first, row) };
}

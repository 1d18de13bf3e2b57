//! Tiles of sums of products, which stay in vector registers for many rounds.
//!
//! A tile consists of up to four rows of one or two vectors of `f32`. In each round, every row adds
//! the products of its factors, whose addresses then advance by their steps. The loops are
//! assembly, so that they are equally fast in builds without optimization.
//! [`copy`](mod@super::copy) describes the accesses to memory.

/// A tile. The assembly in this file depends on the offsets of its fields.
#[repr(C)]
pub(super) struct Tile {
    /// By row, the address of the first factor's words.
    pub(super) a: [*const u8; 4],
    /// By row, the address of the second factor's words.
    pub(super) b: [*const u8; 4],
    /// The advance of the factors per round, in bytes.
    pub(super) steps: [i64; 2],
    /// The number of rounds, at least one.
    pub(super) rounds: usize,
    /// The initial sums, row by row.
    pub(super) from: *const f32,
    /// The destination of the sums, row by row.
    pub(super) to: *mut f32,
}

/// The shapes of a tile's factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factors {
    /// One word per row, and one row of words common to all rows.
    OneAndShared,
    /// One word per row, and a row of words per row.
    OneAndRow,
    /// Two rows of words per row.
    Rows,
}

/// Adds the products of a tile.
///
/// # Safety
/// The machine has AVX2 and FMA. The words of all rounds are in memory that may be accessed so, and
/// there is room for the rows where the sums come from and go to.
pub(super) type Add = unsafe fn(&Tile);

/// Returns the function for tiles of four rows or one, of two vectors or one.
pub(super) fn pick(factors: Factors, four: bool, two: bool) -> Add {
    match (factors, four, two) {
        (Factors::OneAndShared, true, true) => one_and_shared_4x2,
        (Factors::OneAndShared, true, false) => one_and_shared_4x1,
        (Factors::OneAndRow, true, true) => one_and_row_4x2,
        (Factors::OneAndRow, true, false) => one_and_row_4x1,
        (Factors::OneAndShared | Factors::OneAndRow, false, true) => one_and_row_1x2,
        (Factors::OneAndShared | Factors::OneAndRow, false, false) => one_and_row_1x1,
        (Factors::Rows, true, true) => rows_4x2,
        (Factors::Rows, true, false) => rows_4x1,
        (Factors::Rows, false, true) => rows_1x2,
        (Factors::Rows, false, false) => rows_1x1,
    }
}

/// The beginning of a round: loads the words that all rows share into `ymm8` and `ymm9`.
macro_rules! shared {
    (one_and_shared 2) => {
        "vmovups ymm8, [r12 + rcx]\nvmovups ymm9, [r12 + rcx + 32]"
    };
    (one_and_shared 1) => {
        "vmovups ymm8, [r12 + rcx]"
    };
    ($factors:ident $vectors:tt) => {
        ""
    };
}

/// Adds the products of one row.
macro_rules! row {
    (one_and_shared 2, $a:literal $b:literal $first:literal $second:literal) => {
        concat!(
            "vbroadcastss ymm10, [",
            $a,
            " + rax]\n",
            "vfmadd231ps ",
            $first,
            ", ymm10, ymm8\n",
            "vfmadd231ps ",
            $second,
            ", ymm10, ymm9",
        )
    };
    (one_and_shared 1, $a:literal $b:literal $first:literal $second:literal) => {
        concat!("vbroadcastss ymm10, [", $a, " + rax]\n", "vfmadd231ps ", $first, ", ymm10, ymm8")
    };
    (one_and_row 2, $a:literal $b:literal $first:literal $second:literal) => {
        concat!(
            "vbroadcastss ymm10, [",
            $a,
            " + rax]\n",
            "vfmadd231ps ",
            $first,
            ", ymm10, [",
            $b,
            " + rcx]\n",
            "vfmadd231ps ",
            $second,
            ", ymm10, [",
            $b,
            " + rcx + 32]",
        )
    };
    (one_and_row 1, $a:literal $b:literal $first:literal $second:literal) => {
        concat!(
            "vbroadcastss ymm10, [",
            $a,
            " + rax]\n",
            "vfmadd231ps ",
            $first,
            ", ymm10, [",
            $b,
            " + rcx]",
        )
    };
    (rows 2, $a:literal $b:literal $first:literal $second:literal) => {
        concat!(
            "vmovups ymm10, [",
            $a,
            " + rax]\n",
            "vfmadd231ps ",
            $first,
            ", ymm10, [",
            $b,
            " + rcx]\n",
            "vmovups ymm11, [",
            $a,
            " + rax + 32]\n",
            "vfmadd231ps ",
            $second,
            ", ymm11, [",
            $b,
            " + rcx + 32]",
        )
    };
    (rows 1, $a:literal $b:literal $first:literal $second:literal) => {
        concat!(
            "vmovups ymm10, [",
            $a,
            " + rax]\n",
            "vfmadd231ps ",
            $first,
            ", ymm10, [",
            $b,
            " + rcx]",
        )
    };
}

/// The loop over rounds: `r8` to `r15` hold the addresses of the rows of both factors, `rax` and
/// `rcx` their advance so far.
macro_rules! rounds {
    ($name:ident, $factors:ident $vectors:tt, [$($load:literal),*] [$($a:literal $b:literal $first:literal $second:literal),*] [$($store:literal),*]) => {
        /// Adds the products of a tile.
        ///
        /// # Safety
        /// See [`Add`].
        unsafe fn $name(tile: &Tile) {
            // SAFETY: guaranteed by the caller. Every register used is named.
            unsafe {
                std::arch::asm!(
                    "mov r8, [rdi]", "mov r9, [rdi + 8]", "mov r10, [rdi + 16]", "mov r11, [rdi + 24]",
                    "mov r12, [rdi + 32]", "mov r13, [rdi + 40]", "mov r14, [rdi + 48]", "mov r15, [rdi + 56]",
                    "mov rdx, [rdi + 80]",
                    "mov rsi, [rdi + 88]",
                    $($load,)*
                    "xor eax, eax",
                    "xor ecx, ecx",
                    "2:",
                    shared!($factors $vectors),
                    $(row!($factors $vectors, $a $b $first $second),)*
                    "add rax, [rdi + 64]",
                    "add rcx, [rdi + 72]",
                    "dec rdx",
                    "jnz 2b",
                    "mov rsi, [rdi + 96]",
                    $($store,)*
                    "vzeroupper",
                    in("rdi") tile, out("rsi") _, out("rax") _, out("rcx") _, out("rdx") _,
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    options(nostack),
                );
            }
        }
    };
}

/// The four shapes of tiles.
macro_rules! tiles {
    ($($factors:ident $four_two:ident $four_one:ident;)*) => {$(
        rounds! {
            $four_two, $factors 2,
            ["vmovups ymm0, [rsi]", "vmovups ymm1, [rsi + 32]", "vmovups ymm2, [rsi + 64]", "vmovups ymm3, [rsi + 96]",
             "vmovups ymm4, [rsi + 128]", "vmovups ymm5, [rsi + 160]", "vmovups ymm6, [rsi + 192]", "vmovups ymm7, [rsi + 224]"]
            ["r8" "r12" "ymm0" "ymm1", "r9" "r13" "ymm2" "ymm3", "r10" "r14" "ymm4" "ymm5", "r11" "r15" "ymm6" "ymm7"]
            ["vmovups [rsi], ymm0", "vmovups [rsi + 32], ymm1", "vmovups [rsi + 64], ymm2", "vmovups [rsi + 96], ymm3",
             "vmovups [rsi + 128], ymm4", "vmovups [rsi + 160], ymm5", "vmovups [rsi + 192], ymm6", "vmovups [rsi + 224], ymm7"]
        }
        rounds! {
            $four_one, $factors 1,
            ["vmovups ymm0, [rsi]", "vmovups ymm2, [rsi + 32]", "vmovups ymm4, [rsi + 64]", "vmovups ymm6, [rsi + 96]"]
            ["r8" "r12" "ymm0" "ymm1", "r9" "r13" "ymm2" "ymm3", "r10" "r14" "ymm4" "ymm5", "r11" "r15" "ymm6" "ymm7"]
            ["vmovups [rsi], ymm0", "vmovups [rsi + 32], ymm2", "vmovups [rsi + 64], ymm4", "vmovups [rsi + 96], ymm6"]
        }
    )*};
    (single $($factors:ident $one_two:ident $one_one:ident;)*) => {$(
        rounds! {
            $one_two, $factors 2, ["vmovups ymm0, [rsi]", "vmovups ymm1, [rsi + 32]"] ["r8" "r12" "ymm0" "ymm1"]
            ["vmovups [rsi], ymm0", "vmovups [rsi + 32], ymm1"]
        }
        rounds! {
            $one_one, $factors 1, ["vmovups ymm0, [rsi]"] ["r8" "r12" "ymm0" "ymm1"] ["vmovups [rsi], ymm0"]
        }
    )*};
}
tiles! {
    one_and_shared one_and_shared_4x2 one_and_shared_4x1;
    one_and_row one_and_row_4x2 one_and_row_4x1;
    rows rows_4x2 rows_4x1;
}
tiles! {
    single
    one_and_row one_and_row_1x2 one_and_row_1x1;
    rows rows_1x2 rows_1x1;
}

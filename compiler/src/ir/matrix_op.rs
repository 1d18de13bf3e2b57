//! Products of matrices on tensor cores.
use super::{Extent, InstId, MmaOp, WgmmaOp};

/// An instruction of tensor cores.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixOp {
    /// Multiplies small matrices on tensor cores: `d = a * b + c`. The 32 lanes of a warp hold each
    /// matrix together ([`MmaOp`]), and each lane gets one of its words of `d`; a GPU computes all
    /// words of one product by one instruction. All lanes of the warp must run it: the result is
    /// unspecified if one does not exist or has ended.
    ///
    /// [`tensor_cores`](crate::tensor_cores) defines the sums. Of a NaN, the bits are unspecified.
    Mma {
        /// The shape and the types.
        op: MmaOp,
        /// The lane's words of `a`, then of `b`, then of `c`.
        args: Vec<InstId>,
        /// The number of the word of `d`.
        word: u8,
    },
    /// Distributes four matrices of 8 rows among the lanes, as PTX's `ldmatrix` does. Lane l passes
    /// row l % 8 of matrix l / 8: 8 elements of 16 bits in 4 words. Each lane gets a word of each
    /// matrix, and the instruction yields that of matrix `word`. For lane l, with g = l / 4 and
    /// t = l % 4, it is word t of row g, or, if `transposed`, elements g of rows 2t and 2t + 1.
    ///
    /// All lanes of the warp must run it: the result is unspecified if one does not exist or has
    /// ended. A GPU loads and distributes rows in shared memory at once.
    DistributeRows {
        /// True if words go along the columns.
        transposed: bool,
        /// The four words of the lane's row.
        args: Vec<InstId>,
        /// The number of the matrix.
        word: u8,
    },
    /// Begins to multiply matrices on tensor cores, together with the other threads of a warpgroup
    /// ([`WgmmaOp`]), and to add the product to the sums in an array of the thread's own, or to
    /// replace them. The product reads shared memory and the sums, and writes the sums, at any time
    /// until an [`Self::WgmmaWait`] that waits for it: only other products may access the sums
    /// until then, and nothing may write to the factors. Accesses to shared memory are
    /// ordered before it only by a [`SyncOp::ProxyFence`](super::SyncOp::ProxyFence), except those
    /// of bulk copies.
    ///
    /// All threads of the warpgroup must run it together; products with the same sums and columns
    /// take place in order. Sums are those of [`tensor_cores`](crate::tensor_cores), for 16
    /// elements of each row of `a` at a time.
    Wgmma {
        /// The types and the order of elements.
        op: WgmmaOp,
        /// The columns of `b`: a multiple of 8, at most 256.
        columns: Extent,
        /// The array of the sums, `f32`s; a pointer to the first tile of `b`; and a pointer to the
        /// tile of `a`, or the 16 words of `a` (`u32`) that the thread has.
        args: Vec<InstId>,
    },
    /// Waits for all products that the warpgroup has begun but the last `pending`. The sums in an
    /// array are complete if none of these writes them.
    WgmmaWait {
        /// The array of the sums.
        sums: InstId,
        /// The number of products: at most [`MatrixOp::MAX_PENDING_PRODUCTS`].
        pending: Extent,
    },
}

impl MatrixOp {
    /// The most products that can be pending after a wait.
    pub const MAX_PENDING_PRODUCTS: u64 = 7;

    /// Returns true if this many products can be pending after a wait.
    pub const fn can_be_pending(products: u64) -> bool {
        products <= Self::MAX_PENDING_PRODUCTS
    }
}

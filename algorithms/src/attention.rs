//! Attention without its scores in memory.
//!
//! A block computes 128 rows of the result, each of its two warpgroups 64. One more thread copies
//! tiles of 128 keys and values to two stages in shared memory. A warpgroup multiplies its queries
//! by a tile of keys, which gives scores in registers, and these, as weights, by the tile of
//! values. Weights are relative to the largest score so far; when a tile has a larger one, the sums
//! so far are scaled.
use crate::error::{Error, Result, require_layers};
use warpwise::{Buffer3, MBarrier, TensorMap3, TensorMap3Mut, bf16, f16, prelude::*, wgmma};

/// Attention, `softmax(scale * q * transpose(k)) * v` for each head, with its options.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::Attention;
///
/// // Two heads with 3 queries and 5 keys of 16 numbers each.
/// let device = Device::cpu();
/// let q = device.upload_3d(&[bf16::from_f32(0.5); 96], (2, 3, 16))?;
/// let k = device.upload_3d(&[bf16::from_f32(0.25); 160], (2, 5, 16))?;
/// let v = device.upload_3d(&[bf16::from_f32(2.0); 160], (2, 5, 16))?;
/// let mut out = device.zeros_3d((2, 3, 16))?;
/// Attention::new(0.25).run(&device, &q, &k, &v, &mut out)?;
/// // The weights of each query have the sum 1.
/// assert_eq!(out.to_vec()?, [bf16::from_f32(2.0); 96]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// The factor of the products of queries and keys, above 0: usually 1 by the root of the size
    /// of a head.
    pub scale: f32,
    /// True if a query sees only the keys up to its own place, where the last query and the last
    /// key have the same place.
    pub is_causal: bool,
}

impl Attention {
    /// Creates attention of every query to every key.
    ///
    /// ```
    /// use warpwise_algorithms::Attention;
    ///
    /// // Heads of 64 numbers; each query sees the keys up to its own place.
    /// let attention = Attention { is_causal: true, ..Attention::new(1.0 / 8.0) };
    /// assert_eq!(attention.scale, 0.125);
    /// ```
    pub const fn new(scale: f32) -> Self {
        Self { scale, is_causal: false }
    }

    /// Computes `out` from `f16` or `bf16`, without waiting for it. The layers of the arrays are
    /// heads, and the rows queries or keys. A query that sees no key has a result of zeros.
    ///
    /// Sums are `f32`; weights are computed by [`fast::exp2`], whose last bits
    /// depend on the GPU, and rounded to `T` before they are multiplied by `v`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::Attention;
    ///
    /// // One head. All products are 0, so that the weights of the visible keys are equal.
    /// let device = Device::cpu();
    /// let number = f16::from_f32;
    /// let q = device.upload_3d(&[number(0.0); 16], (1, 2, 8))?;
    /// let k = device.upload_3d(&[number(1.0); 16], (1, 2, 8))?;
    /// let v = device.upload_3d(&[[number(2.0); 8], [number(4.0); 8]].concat(), (1, 2, 8))?;
    /// let mut out = device.zeros_3d((1, 2, 8))?;
    /// let attention = Attention { is_causal: true, ..Attention::new(1.0) };
    /// attention.run(&device, &q, &k, &v, &mut out)?;
    /// // The first query sees the first key only.
    /// assert_eq!(out.to_vec()?, [[number(2.0); 8], [number(3.0); 8]].concat());
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Layers`] unless `k` and `v` have as many heads and columns as `q`, and `out` has
    /// the shape of `q`; [`Error::HeadSize`] unless there are 8, 16, 24 and so on up to 128
    /// columns; [`Error::Scale`] unless the scale is finite and above 0; those of launches. Of
    /// GPUs, only those of compute capability 9.0 have the instructions.
    pub fn run<T: AttentionElement>(
        &self,
        device: &Device,
        q: &Buffer3<T>,
        k: &Buffer3<T>,
        v: &Buffer3<T>,
        out: &mut Buffer3<T>,
    ) -> Result<()> {
        let (heads, size) = (q.layers(), q.columns());
        require_layers("k", k, (heads, k.rows(), size))?;
        require_layers("v", v, (heads, k.rows(), size))?;
        require_layers("out", out, (heads, q.rows(), size))?;
        if size % 8 != 0 || size > 128 {
            return Err(Error::HeadSize { size });
        }
        // The largest product of a row would not have its largest score.
        if !(self.scale > 0.0 && self.scale_of_powers().is_finite()) {
            return Err(Error::Scale { scale: self.scale });
        }
        match heads * q.rows() * size {
            0 => Ok(()),
            _ => T::attend(device, self, q, k, v, out),
        }
    }

    /// Returns the scale of scores whose weights are powers of 2.
    fn scale_of_powers(&self) -> f32 {
        self.scale * std::f32::consts::LOG2_E
    }
}

/// An element type of attention: `f16` or `bf16`.
pub trait AttentionElement: sealed::Attend {}
impl AttentionElement for f16 {}
impl AttentionElement for bf16 {}

mod sealed {
    use super::{Attention, Result};
    use warpwise::{Buffer3, Device, Element};

    /// Launches the kernel for an element type.
    pub trait Attend: Element {
        fn attend(
            device: &Device,
            attention: &Attention,
            q: &Buffer3<Self>,
            k: &Buffer3<Self>,
            v: &Buffer3<Self>,
            out: &mut Buffer3<Self>,
        ) -> Result<()>;
    }
}

/// Queries of a block.
#[device]
const QUERIES: usize = 128;
/// Keys of a tile.
#[device]
const KEYS: usize = 128;
#[device]
const STAGES: usize = 2;
/// Warps that multiply.
#[device]
const MULTIPLIERS: usize = 8;

/// Sixteen rows of 64 halves of the result, with the 128-byte swizzle.
#[device]
#[derive(Clone, Copy)]
#[repr(C, align(1024))]
struct OutTile([[u32; 32]; 16]);

macro_rules! attend {
    ($name:ident, $ty:ty) => {
        #[kernel(block = 384)]
        fn $name<const SIZE: usize, const PARTS: usize, const CAUSAL: bool>(
            scale: f32,
            q: TensorMap3<$ty, 1, QUERIES, 64, 128>,
            k: TensorMap3<$ty, 1, KEYS, 64, 128>,
            v: TensorMap3<$ty, 1, 64, 64, 128>,
            out: TensorMap3Mut<$ty, 1, 16, 64, 128>,
        ) {
            let q_full = shared!(MBarrier<1>);
            let k_full = shared!([MBarrier<1>; STAGES]);
            let v_full = shared!([MBarrier<1>; STAGES]);
            let k_empty = shared!([MBarrier<MULTIPLIERS>; STAGES]);
            let v_empty = shared!([MBarrier<MULTIPLIERS>; STAGES]);
            let q_tiles = shared!([[wgmma::Tile<64>; 2]; PARTS]);
            let k_tiles = shared!([[wgmma::Tile<KEYS>; PARTS]; STAGES]);
            let v_tiles = shared!([[[wgmma::Tile<64>; PARTS]; 2]; STAGES]);
            let out_tiles = shared!([[OutTile; PARTS]; MULTIPLIERS]);
            let (head, first_query) = (block_idx_y(), block_idx_x() * QUERIES);
            let (warp, lane) = (warp::warp_id(), warp::lane_id());
            let (queries, keys) = (q.rows(), k.rows());
            let mut seen = keys;
            if CAUSAL {
                // The last key that the last query of the block sees.
                seen = keys.min((first_query + QUERIES + keys).saturating_sub(queries));
            }
            let steps = seen.div_ceil(KEYS);
            if warp >= MULTIPLIERS {
                if thread_idx_x() == 32 * MULTIPLIERS {
                    for part in 0..PARTS {
                        let at = (head as i32, first_query as i32, (part * 64) as i32);
                        q_full.tensor_copy(&mut q_tiles[part], &q, at);
                    }
                    q_full.arrive();
                    for step in 0..steps {
                        let stage = step % STAGES;
                        let is_odd = step / STAGES % 2 == 1;
                        k_empty[stage].wait_parity(!is_odd);
                        for part in 0..PARTS {
                            let at = (head as i32, (step * KEYS) as i32, (part * 64) as i32);
                            k_full[stage].tensor_copy(&mut k_tiles[stage][part], &k, at);
                        }
                        k_full[stage].arrive();
                        v_empty[stage].wait_parity(!is_odd);
                        for half in 0..2 {
                            for part in 0..PARTS {
                                let key = step * KEYS + half * 64;
                                let at = (head as i32, key as i32, (part * 64) as i32);
                                v_full[stage].tensor_copy(&mut v_tiles[stage][half][part], &v, at);
                            }
                        }
                        v_full[stage].arrive();
                    }
                }
                return;
            }
            let group = warp / 4 % 2;
            // This thread's two rows, of which three other lanes have the other columns.
            let first_row = first_query + group * 64 + wgmma::Sum::<$ty, KEYS>::row(0);
            let mut largest = [f32::NEG_INFINITY; 2];
            let mut weights = [0.0f32; 2];
            let mut sum = wgmma::Sum::<$ty, SIZE>::zero();
            q_full.wait_parity(false);
            for step in 0..steps {
                let stage = step % STAGES;
                let is_odd = step / STAGES % 2 == 1;
                k_full[stage].wait_parity(is_odd);
                let mut products = wgmma::Products::<$ty, KEYS>::zero();
                products.multiply(&q_tiles[0][group], &k_tiles[stage][0]);
                if PARTS == 2 {
                    products.multiply_add(&q_tiles[PARTS - 1][group], &k_tiles[stage][PARTS - 1]);
                }
                let mut scores = products.finish();
                if lane == 0 {
                    k_empty[stage].arrive();
                }
                let first_key = step * KEYS;
                let has_edge = first_key + KEYS > keys
                    || CAUSAL && first_key + KEYS + queries > first_query + 1 + keys;
                if has_edge {
                    for i in 0..KEYS / 2 {
                        let key = first_key + wgmma::Sum::<$ty, KEYS>::column(i);
                        let row = first_row + i / 2 % 2 * 8;
                        if key >= keys || CAUSAL && key + queries > row + keys {
                            scores.set(i, f32::NEG_INFINITY);
                        }
                    }
                }
                for half in 0..2 {
                    let mut most = largest[half];
                    for j in 0..KEYS / 4 {
                        most = most.max(scores.get(j / 2 * 4 + half * 2 + j % 2));
                    }
                    most = most.max(warp::shfl_xor(most, 1));
                    most = most.max(warp::shfl_xor(most, 2));
                    // A row that sees no key yet has no largest score.
                    let shift = if most == f32::NEG_INFINITY { 0.0 } else { most * scale };
                    let factor = fast::exp2(largest[half].mul_add(scale, -shift));
                    largest[half] = most;
                    let mut added = 0.0;
                    for j in 0..KEYS / 4 {
                        let i = j / 2 * 4 + half * 2 + j % 2;
                        let weight = fast::exp2(scores.get(i).mul_add(scale, -shift));
                        scores.set(i, weight);
                        added += weight;
                    }
                    weights[half] = weights[half] * factor + added;
                    for j in 0..SIZE / 4 {
                        let i = j / 2 * 4 + half * 2 + j % 2;
                        sum.set(i, sum.get(i) * factor);
                    }
                }
                v_full[stage].wait_parity(is_odd);
                let mut products = sum.start();
                products.multiply_add_registers_mn(scores.to_factor(0), &v_tiles[stage][0]);
                products.multiply_add_registers_mn(scores.to_factor(1), &v_tiles[stage][1]);
                sum = products.finish();
                if lane == 0 {
                    v_empty[stage].arrive();
                }
            }
            let mut inverses = [0.0f32; 2];
            for half in 0..2 {
                let mut total = weights[half];
                total += warp::shfl_xor(total, 1);
                total += warp::shfl_xor(total, 2);
                // A row without a key is zero.
                inverses[half] = if total == 0.0 { 0.0 } else { 1.0 / total };
            }
            // Each warp stores its own 16 rows.
            let tiles = &mut out_tiles[warp % MULTIPLIERS];
            for part in 0..PARTS {
                for i in (0..32).step_by(2) {
                    let (row, inverse) = (lane / 4 + i / 2 % 2 * 8, inverses[i / 2 % 2]);
                    let pair = [sum.get(part * 32 + i), sum.get(part * 32 + i + 1)];
                    tiles[part].0[row][(i / 4 ^ row % 8) * 4 + lane % 4] =
                        <$ty as wgmma::HalfElement>::pack(pair[0] * inverse, pair[1] * inverse);
                }
            }
            sync_warp();
            if lane == 0 {
                for part in 0..PARTS {
                    let row = first_query + warp % MULTIPLIERS * 16;
                    out.store(&tiles[part], (head as i32, row as i32, (part * 64) as i32));
                }
                bulk_store::wait_all();
            }
        }

        impl sealed::Attend for $ty {
            fn attend(
                device: &Device,
                attention: &Attention,
                q: &Buffer3<Self>,
                k: &Buffer3<Self>,
                v: &Buffer3<Self>,
                out: &mut Buffer3<Self>,
            ) -> Result<()> {
                if k.rows() == 0 {
                    return Ok(out.as_rows_mut().fill(<$ty>::from_bits(0))?);
                }
                let config = LaunchConfig::grid((q.rows().div_ceil(QUERIES), q.layers()));
                let scale = attention.scale_of_powers();
                match (q.columns() > 64, attention.is_causal) {
                    (false, false) => {
                        $name::<64, 1, false>::launch(device, config, scale, q, k, v, out)
                    }
                    (false, true) => {
                        $name::<64, 1, true>::launch(device, config, scale, q, k, v, out)
                    }
                    (true, false) => {
                        $name::<128, 2, false>::launch(device, config, scale, q, k, v, out)
                    }
                    (true, true) => {
                        $name::<128, 2, true>::launch(device, config, scale, q, k, v, out)
                    }
                }?;
                Ok(())
            }
        }
    };
}

attend!(attend_bf16, bf16);
attend!(attend_f16, f16);

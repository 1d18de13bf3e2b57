//! Checks that a kernel is well formed.
//!
//! Runs after every producer: the front end, [`specialize`](crate::specialize) and
//! [`optimize`](crate::optimize). What it finds is a bug of that producer, never of the
//! user. Later stages rely on every rule and check none of them again.
//!
//! **Signature** ([`signature`])
//! 1. The kernel's name is a Rust identifier, without `r#`. Other names are free, and may repeat.
//! 2. A generic constant has a concrete type; a type names only parameters that are types; an
//!    extent names only constants of unsigned types.
//! 3. Without generic parameters, every extent is a number.
//! 4. The elements of an atomic parameter are `bool`, 32- or 64-bit numbers, or plain. The
//!    alignment of a plain element is a power of two, at most
//!    [`MAX_ALIGN`](crate::ir::Element::MAX_ALIGN) of a parameter and
//!    [`MAX_SHARED_ALIGN`](crate::ir::Element::MAX_SHARED_ALIGN) of an array, and its size a
//!    multiple of that, and not 0. An array is passed by a parameter of its elements' type, a
//!    scalar, which no other array and no instruction names, and in a kernel with generic
//!    parameters. No local is a `unit`. A length that the launch computes is a `u64`, and a
//!    requirement a `bool`, of parts that fit together and that a launch knows.
//! 5. The loop that runs the threads of a coarsened kernel is a `for` over `u32`; the factor is at
//!    most [`MAX_FACTOR`](crate::ir::CoarseGrid::MAX_FACTOR). A cluster has 1 to
//!    [`MAX_CLUSTER_BLOCKS`](crate::ir::MAX_CLUSTER_BLOCKS) blocks, and is of a kernel that is
//!    neither cooperative nor coarsened.
//!
//! **Structure** ([`structure`])
//! 6. Every id is in its table.
//! 7. Every instruction stands in exactly one body, and they are numbered in pre-order
//!    ([`Kernel::renumber`]).
//! 8. A value is visible from the instruction after its own to the end of that body, nested
//!    bodies included; that of a `for` in its body only.
//! 9. `break` names an enclosing `for`, `loop` or `block`, `continue` an enclosing `for` or `loop`.
//! 10. Nothing stands behind `break`, `continue`, `return` or `panic` in a body.
//! 11. Bodies nest at most [`MAX_DEPTH`](crate::ir::MAX_DEPTH) deep.
//!
//! **Types** ([`types`])
//! 12. Operands and result have the types that [`Op`](crate::ir::Op) says; a constant has no bits
//!     outside its type.
//! 13. `mul_add` is only on type parameters, so there is none without generic parameters.
//! 14. Instructions are in kernels that have them, with sizes that hardware has:
//!     - a `sync_grid` is in a cooperative kernel; a `sync_cluster`, a `map_shared` and a
//!       `tensor_copy` to several blocks are in one with clusters;
//!     - a shuffle's width is 2, 4, 8, 16 or 32;
//!     - an `async_copy` has 4, 8 or 16 bytes, a `bulk_copy` and a `bulk_store` a multiple of 16;
//!     - the box of a `tensor_copy` or `tensor_store` is one of hardware's, of a tensor map with the
//!       extents and the pitch after it;
//!     - a `wgmma` has 8 to 256 columns, a multiple of 8, and a `wgmma_wait` leaves at most 7
//!       products;
//!     - a `check` is not for `index_out_of_bounds` or `panic`.
//!
//! **Memory** ([`memory`])
//! 15. Mbarriers are `u64`, for 1 to 1048575 arrivals, and no other instructions access their
//!     array. Where it is known what a pointer points into, its space is that one's; a store goes
//!     to a `write` parameter or an array, an atomic operation to an `atomic` or `write` parameter
//!     or a shared array, a load not to scalar elements of an `atomic` parameter. The texels of
//!     surfaces have 1, 2, 4, 8 or 16 bytes, and only loads and stores without cache operators, and
//!     addresses, use pointers to them. The sums of a `wgmma` are an array of `f32` with one for
//!     each two columns.
//! 16. Atomic operations are on 32- and 64-bit integers, `f32`, `f64` and `bool`; `sub` on integers
//!     only, `and`, `or` and `xor` on integers and `bool`, `add`, `min` and `max` not on `bool`.
//! 17. An atomic load is `relaxed`, `acquire` or `seq_cst`, an atomic store `relaxed`, `release`
//!     or `seq_cst`.
//!
//! **Messages** ([`message`])
//! 18. A message is a format string that names each of its values by number and formats it as its
//!     type can be; a type parameter as all numbers can be. It has at most [`MAX_VALUES`] values.
//!
//! **Dependent launches** ([`dependent_launch`])
//! 19. A `wait_for_dependencies` is in a kernel with `dependent_launch`. Such a kernel is neither
//!     cooperative nor coarsened and takes no textures and surfaces, and each of its accesses to
//!     global memory follows a `wait_for_dependencies` on every path. It is checked if all other
//!     rules hold.
//!
//! [`MAX_VALUES`]: crate::message::MAX_VALUES
mod dependent_launch;
mod memory;
mod message;
mod signature;
mod structure;
mod types;

use crate::ir::{InstId, Kernel};
use std::fmt;

/// A violated rule, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The instruction at fault; `None` if it is the signature.
    pub inst: Option<InstId>,
    /// The instruction's text; empty if it is the signature.
    pub text: String,
    /// The message.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.inst.is_some() {
            write!(f, "`{}`: ", self.text)?;
        }
        f.write_str(&self.message)
    }
}

/// Everything wrong with one kernel; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors(pub Vec<VerifyError>);

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyErrors {}

/// Checks `kernel`, collecting everything wrong with it: the signature first, then
/// instruction by instruction.
///
/// # Errors
/// If a rule is broken.
pub fn verify(kernel: &Kernel) -> Result<(), VerifyErrors> {
    let mut errors = Errors { kernel, list: Vec::new() };
    signature::check(kernel, &mut errors);
    message::check(kernel, &mut errors);
    structure::check(kernel, &mut errors);
    types::check(kernel, &mut errors);
    memory::check(kernel, &mut errors);
    if errors.list.is_empty() {
        dependent_launch::check(kernel, &mut errors);
    }
    errors.list.sort_by_key(|error| error.inst);
    errors.list.dedup();
    if errors.list.is_empty() { Ok(()) } else { Err(VerifyErrors(errors.list)) }
}

/// Collects errors about one kernel.
struct Errors<'k> {
    kernel: &'k Kernel,
    list: Vec<VerifyError>,
}

impl Errors<'_> {
    /// The signature is wrong.
    fn signature(&mut self, message: String) {
        self.list.push(VerifyError { inst: None, text: String::new(), message });
    }

    /// An instruction is wrong.
    fn inst(&mut self, inst: InstId, message: impl Into<String>) {
        let text = self.kernel.inst_text(inst).to_string();
        self.list.push(VerifyError { inst: Some(inst), text, message: message.into() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::Id,
        ir::{Body, Builder, LocalId, MAX_DEPTH, Op, ParamId, Scalar, SharedId, Ty},
    };

    fn messages(kernel: &Kernel) -> Vec<String> {
        let errors = verify(kernel).err().map_or(Vec::new(), |VerifyErrors(errors)| errors);
        errors.iter().map(ToString::to_string).collect()
    }

    const OK: &str = "kernel k {
        %0 = const true : bool
        %1 = if %0 {
          %2 = not %0 : bool
        }
      }";

    #[test]
    fn an_instruction_in_no_body_is_found() {
        let mut kernel: Kernel = OK.parse().unwrap();
        kernel.body.0.pop();
        assert_eq!(
            messages(&kernel),
            ["`%1 = if %0 !0`: stands in no body", "`%2 = not %0 : bool !0`: stands in no body"]
        );
    }

    #[test]
    fn an_instruction_in_two_places_is_found() {
        let mut kernel: Kernel = OK.parse().unwrap();
        kernel.body.0.push(InstId::new(0));
        assert_eq!(
            messages(&kernel),
            ["`%0 = const true : bool !0`: stands in more than one place"]
        );
    }

    #[test]
    fn an_instruction_that_holds_itself_is_found() {
        let mut kernel: Kernel = OK.parse().unwrap();
        let id = InstId::new(1);
        let Op::If { then, .. } = &mut kernel.insts[id].op else { panic!("an `if`") };
        then.0.push(id);
        assert_eq!(messages(&kernel), ["`%1 = if %0 !0`: stands in more than one place"]);
    }

    #[test]
    fn ids_outside_their_tables_are_found() {
        let mut build = Builder::new("k");
        let nowhere = InstId::new(99);
        let unary = |value| Op::Unary { op: crate::ir::UnaryOp::Neg, value };
        build.inst(unary(nowhere), Scalar::U32);
        build.inst(Op::Param(ParamId::new(3)), Scalar::U32);
        build.inst(Op::Shared(SharedId::new(3)), Ty::Ptr(crate::ir::Space::Shared));
        build.inst(Op::Get(LocalId::new(3)), Scalar::U32);
        build.inst(Op::Break(nowhere), Ty::Unit);
        let mut kernel = build.kernel;
        kernel.body = Body(kernel.insts.ids().chain([nowhere]).collect());
        assert_eq!(
            messages(&kernel),
            [
                "a body holds %99, which is not defined",
                "`%0 = neg %99 : u32 !0`: %99 is not defined",
                "`%1 = param arg3 : u32 !0`: arg3 is not defined",
                "`%2 = shared @3 : ptr shared !0`: @3 is not defined",
                "`%3 = get $3 : u32 !0`: $3 is not defined",
                "`%4 = break %99 !0`: leaves %99, which does not enclose it",
            ]
        );
    }

    #[test]
    fn bodies_nest_as_deep_as_the_parser_reads_them() {
        let nested = |depth| {
            let mut build = Builder::new("k");
            for _ in 1..depth {
                build.begin(Op::Loop { body: Body::default() }, Ty::Unit);
            }
            build.finish()
        };
        let deepest = nested(MAX_DEPTH);
        assert_eq!(messages(&deepest), [""; 0]);
        assert_eq!(deepest.to_string().parse::<Kernel>().as_ref(), Ok(&deepest));
        let deeper = nested(MAX_DEPTH + 1);
        assert_eq!(messages(&deeper).len(), 1);
        assert!(deeper.to_string().parse::<Kernel>().is_err());
    }
}

//! Builds a kernel instruction by instruction, in the order of its text.
//!
//! ```
//! use warpwise_compiler::ir::{Body, Builder, Op, Scalar, Ty};
//!
//! let mut build = Builder::new("forever");
//! let always = build.inst(Op::Const(1), Scalar::Bool);
//! let spin = build.begin(Op::Loop { body: Body::default() }, Ty::Unit);
//! build.begin(Op::If { cond: always, then: Body::default(), other: Body::default() }, Ty::Unit);
//! build.inst(Op::Continue(spin), Ty::Unit);
//! build.otherwise();
//! build.inst(Op::Break(spin), Ty::Unit);
//! build.end();
//! build.end();
//! assert!(warpwise_compiler::verify::verify(&build.finish()).is_ok());
//! ```
use super::{Body, Inst, InstId, Kernel, Op, Span, Ty};
use crate::id::{Id, Table};

/// A kernel whose body is still being written.
#[derive(Clone, Debug)]
pub struct Builder {
    /// The kernel so far. Its declarations may be added at any time; its body and
    /// instructions are the builder's.
    pub kernel: Kernel,
    /// The span of the instructions to come.
    pub span: Span,
    /// The bodies that are open, outermost first; never empty.
    open: Vec<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    /// The instruction that holds the body, and the body's index; `None` for the kernel's own.
    of: Option<(InstId, usize)>,
    list: Vec<InstId>,
}

impl Builder {
    /// Creates a builder of an empty kernel.
    pub fn new(name: impl Into<String>) -> Self {
        let kernel = Kernel {
            name: name.into(),
            generics: Table::new(),
            block: None,
            min_blocks: None,
            cooperative: false,
            dependent_launch: false,
            cluster: None,
            wide_index: false,
            deny_checks: false,
            may_coarsen: true,
            aligned_slices: true,
            coarsening: None,
            params: Table::new(),
            requires: Vec::new(),
            shared: Table::new(),
            arrays: Table::new(),
            messages: Table::new(),
            locals: Table::new(),
            insts: Table::new(),
            body: Body::default(),
        };
        Self { kernel, span: Span::new(0), open: vec![Open { of: None, list: Vec::new() }] }
    }

    /// Appends an instruction to the innermost open body.
    pub fn inst(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty: ty.into(), span: self.span });
        self.innermost().list.push(id);
        id
    }

    /// Appends an instruction that holds bodies, and opens the first of them.
    pub fn begin(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        let id = self.inst(op, ty);
        self.open.push(Open { of: Some((id, 0)), list: Vec::new() });
        id
    }

    /// Closes the first body of the innermost `if`, and opens the second.
    pub fn otherwise(&mut self) {
        let (id, which) = self.close();
        self.open.push(Open { of: Some((id, which + 1)), list: Vec::new() });
    }

    /// Returns the instructions of the kernel's own body so far, in order.
    pub fn own_body(&self) -> &[InstId] {
        self.open.first().map_or(&[], |own| &own.list)
    }

    /// Closes the innermost body, and with it the instruction that holds it.
    pub fn end(&mut self) {
        self.close();
    }

    /// Takes the last instruction of the innermost open body out again, with what is in it.
    pub fn discard(&mut self) {
        self.innermost().list.pop();
    }

    /// Takes the last instruction of the innermost open body, a block, out again and returns what
    /// is in it, for [`Self::append`].
    pub fn take_block(&mut self) -> Body {
        let id = self.innermost().list.pop().expect("a block was just closed");
        self.kernel.insts[id].op.bodies_mut().next().map(std::mem::take).unwrap_or_default()
    }

    /// Appends the instructions of a body that [`Self::take_block`] returned.
    pub fn append(&mut self, Body(list): Body) {
        self.innermost().list.extend(list);
    }

    /// Returns the number of open bodies inside the kernel's own.
    pub fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// Closes what is open, and returns the kernel, numbered in pre-order.
    pub fn finish(mut self) -> Kernel {
        while self.depth() > 0 {
            self.close();
        }
        self.kernel.body = Body(std::mem::take(&mut self.innermost().list));
        self.kernel.renumber();
        self.kernel
    }

    fn innermost(&mut self) -> &mut Open {
        self.open.last_mut().expect("the kernel's own body is never closed")
    }

    /// Moves the innermost body to where it belongs.
    fn close(&mut self) -> (InstId, usize) {
        let Open { of, list } = self.open.pop().expect("the kernel's own body is never closed");
        let (id, which) = of.expect("every `end` and `otherwise` follows its own `begin`");
        *self.kernel.insts[id].op.bodies_mut().nth(which).expect("`begin` got an op with bodies") =
            Body(list);
        (id, which)
    }
}

//! Constants that are computed: their values are found while the kernel is compiled.
//!
//! ```ignore
//! #[device]
//! const SQUARES: [u32; 64] = squares();   // a device function with a loop
//! ```
//! The value of a constant is lowered wherever the source names the constant, as the expression that
//! it is. If that has loops or branches, the lowered code is [executed](mod@execute), and the
//! numbers take its place: a literal table, which back ends keep once for all threads. Code that has
//! no value at compile time stays, and every thread runs it: the type or length of a generic kernel
//! is unknown, the result is large, or the budget of the kernel is spent.
use crate::{
    hir::{Expr, SpanId},
    lower::{Flow, Length, Lowerer, MAX_INSTS, Memory, Place, Pointer, Value},
};
use warpwise_compiler::ir::{
    self, ArrayId, Body, InstId, MAX_DEPTH, Op, Scalar, Space,
    execute::{self, Contents, Executed},
};

/// Instructions of a store into a table: the array, the address, the number and the store.
const INSTS_PER_NUMBER: usize = 4;

impl Lowerer<'_> {
    /// Lowers the value of a constant that the program declares.
    pub(crate) fn lower_declared_constant(&mut self, value: &Expr) -> Flow<Value> {
        let at = value.at;
        // The block is only there to be taken out again, and so has no span of its own.
        if self.build.depth() + 2 > MAX_DEPTH {
            return Err(self.report_too_deep(at));
        }
        self.build.begin(Op::Block { body: Body::default() }, ir::Ty::Unit);
        let lowered = self.lower_value(value);
        self.build.end();
        let code = self.build.take_block();
        let has_bodies = code.0.iter().any(|&id| !self.build.kernel.insts[id].op.is_leaf());
        if has_bodies
            && let Ok(value) = &lowered
            && let Some(result) = self.execute_constant(&code, value)
        {
            self.push_result(result, at);
        } else {
            self.build.append(code);
        }
        lowered
    }

    /// Executes the code of a constant; `None` if its value is not found.
    fn execute_constant(&mut self, code: &Body, value: &Value) -> Option<ConstantResult> {
        let mut parts = Parts::default();
        parts.add_value(value)?;
        let kernel = &self.build.kernel;
        let executed = execute::execute(kernel, code, &mut self.execution_budget)?;
        let result = ConstantResult::new(parts, &executed)?;
        // Tables leave room for the code of the kernel.
        let stores = result.arrays.iter().map(|(_, contents)| contents.len()).sum::<usize>();
        let insts = kernel.insts.len() + stores * INSTS_PER_NUMBER;
        (insts <= MAX_INSTS / 2).then_some(result)
    }

    /// Makes the instructions of the value literals, and fills its arrays.
    fn push_result(&mut self, result: ConstantResult, at: SpanId) {
        for (id, bits) in result.numbers {
            self.build.kernel.insts[id].op = Op::Const(bits);
            self.build.append(Body(vec![id]));
        }
        for (array, contents) in result.arrays {
            for (offset, (scalar, bits)) in contents {
                self.push_number(array, offset, (scalar, bits), at);
            }
        }
    }

    /// Stores a number into an array, `offset` bytes from its beginning.
    fn push_number(
        &mut self,
        array: ArrayId,
        offset: u64,
        (scalar, bits): (Scalar, u64),
        at: SpanId,
    ) {
        let local = ir::Ty::Ptr(Space::Local);
        let base = self.push_inst(at, Op::Array(array), local);
        let ptr = self.push_inst(at, Op::Offset { base, offset: offset.into() }, local);
        let value = self.push_bits(bits, scalar, at);
        self.push_inst(at, Op::store(ptr, value), ir::Ty::Unit);
    }
}

/// The numbers in the value of a constant.
struct ConstantResult {
    /// The instructions that yield numbers, with their bits.
    numbers: Vec<(InstId, u64)>,
    arrays: Vec<(ArrayId, Contents)>,
}

impl ConstantResult {
    /// Returns the numbers of the parts after the execution; `None` if one is unknown, or if a loop
    /// is less code than the stores: it fills an array with one number.
    fn new(parts: Parts, executed: &Executed) -> Option<Self> {
        let bits = |id| Some((id, executed.bits(id)?));
        let numbers = parts.numbers.into_iter().map(bits).collect::<Option<Vec<_>>>()?;
        let contents = |array| Some((array, executed.contents(array)?.clone()));
        let arrays = parts.arrays.into_iter().map(contents).collect::<Option<Vec<_>>>()?;
        let is_loop = arrays.iter().any(|(_, contents)| is_uniform(contents));
        (!is_loop).then_some(Self { numbers, arrays })
    }
}

/// Returns true if an array consists of one number, several times.
fn is_uniform(contents: &Contents) -> bool {
    let mut numbers = contents.values();
    let first = numbers.next();
    contents.len() > 1 && numbers.all(|number| Some(number) == first)
}

/// The instructions and arrays that a value consists of.
#[derive(Default)]
struct Parts {
    numbers: Vec<InstId>,
    arrays: Vec<ArrayId>,
}

impl Parts {
    /// Adds the parts of a value; `None` if it has others than numbers and arrays of the thread.
    fn add_value(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Unit => Some(()),
            Value::Scalar(id) => {
                self.add_number(*id);
                Some(())
            }
            Value::Ref(place) => match &**place {
                Place::Value(value) => self.add_value(value),
                Place::Memory(memory) => self.add_memory(memory),
                Place::Param(_)
                | Place::Local(_)
                | Place::Parts(_)
                | Place::Variants(_)
                | Place::OneOf(..)
                | Place::Reference(_) => None,
            },
            Value::Parts(parts) => parts.iter().try_for_each(|part| self.add_value(part)),
            Value::Variants(value) => {
                self.add_number(value.tag);
                let mut fields = value.parts.iter().flatten().flatten();
                fields.try_for_each(|field| self.add_value(field))
            }
            Value::Array(memory) => self.add_memory(memory),
            Value::Closure(_) => None,
        }
    }

    fn add_number(&mut self, id: InstId) {
        if !self.numbers.contains(&id) {
            self.numbers.push(id);
        }
    }

    fn add_memory(&mut self, memory: &Memory) -> Option<()> {
        let Memory { ptr: Pointer::Array(array), len, scope: None, cache: None } = memory else {
            return None;
        };
        // A length that is computed is an instruction, which the code may contain.
        if matches!(len, Some(Length::Inst(_))) {
            return None;
        }
        if !self.arrays.contains(array) {
            self.arrays.push(*array);
        }
        Some(())
    }
}

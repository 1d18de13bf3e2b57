//! Lowering of printing and panicking.
use crate::{
    hir::{Expr, MessageExpr, SpanId},
    lower::{Diverged, Flow, Lowerer, Value, control::show::FlatMessage},
};
use warpwise_compiler::{
    fault::Reason,
    ir::{self, Message, MessageId, Op, Scalar},
    message::{Format, MAX_VALUES},
};

impl Lowerer<'_> {
    pub(crate) fn lower_say(&mut self, say: &MessageExpr, at: SpanId) -> Flow<Value> {
        let FlatMessage { pieces, args } = self.flatten_message(say)?;
        if args.len() > MAX_VALUES {
            let fact = format!(
                "a message has at most {MAX_VALUES} values, and this one has {}",
                args.len()
            );
            self.errors.advise(self.source_range(at), fact, "say it in two messages");
            return if say.panics { Err(Diverged) } else { Ok(Value::Unit) };
        }
        let format = Format { pieces };
        let types = args.iter().filter_map(|arg| match self.build.kernel.insts[*arg].ty {
            ir::Ty::Scalar(scalar) => Some(scalar),
            ir::Ty::Unit | ir::Ty::Ptr(_) => None,
        });
        let types: Vec<Scalar> = types.collect();
        let message = self.intern_message(Message { text: format.to_string(), args: types }, at)?;
        if say.panics {
            self.push_inst(at, Op::Panic { message, args }, ir::Ty::Unit);
            return Err(Diverged);
        }
        self.push_inst(at, Op::Print { message, args }, ir::Ty::Unit);
        Ok(Value::Unit)
    }

    /// Lowers a check that applies only where debug assertions are on.
    pub(crate) fn lower_debug_check(&mut self, check: &Expr) -> Flow<Value> {
        self.depends_on_debug = true;
        if self.debug { self.lower_value(check) } else { Ok(Value::Unit) }
    }

    /// Returns the number of a message; equal messages share one.
    fn intern_message(&mut self, message: Message, at: SpanId) -> Flow<MessageId> {
        let messages = &mut self.build.kernel.messages;
        if let Some((id, _)) = messages.iter().find(|(_, known)| **known == message) {
            return Ok(id);
        }
        if messages.len() >= Reason::MOST_MESSAGES {
            self.errors.advise(
                self.frame.function.spans[at],
                "this kernel says more than can be told apart once its device functions are inlined",
                "split it into kernels",
            );
            return Err(Diverged);
        }
        Ok(messages.push(message))
    }
}

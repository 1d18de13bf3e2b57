//! Printing and panicking.
use crate::{
    hir::{At, Expr, Say},
    lower::{Emit, Flow, Left, Value, control::show::Shown},
};
use warpwise_compiler::{
    fault::Reason,
    ir::{self, Message, MessageId, Op, Scalar},
    message::{Format, MAX_VALUES},
};

impl Emit<'_> {
    pub(crate) fn say(&mut self, say: &Say, at: At) -> Flow<Value> {
        let Shown { pieces, args } = self.shown(say)?;
        if args.len() > MAX_VALUES {
            let fact = format!(
                "a message has at most {MAX_VALUES} values, and this one has {}",
                args.len()
            );
            self.errors.advise(self.range(at), fact, "say it in two messages");
            return if say.panics { Err(Left) } else { Ok(Value::Unit) };
        }
        let format = Format { pieces };
        let types = args.iter().filter_map(|arg| match self.build.kernel.insts[*arg].ty {
            ir::Ty::Scalar(scalar) => Some(scalar),
            ir::Ty::Unit | ir::Ty::Ptr(_) => None,
        });
        let types: Vec<Scalar> = types.collect();
        let message = self.message(Message { text: format.to_string(), args: types }, at)?;
        if say.panics {
            self.inst(at, Op::Panic { message, args }, ir::Ty::Unit);
            return Err(Left);
        }
        self.inst(at, Op::Print { message, args }, ir::Ty::Unit);
        Ok(Value::Unit)
    }

    /// What is checked only where debug assertions are on.
    pub(crate) fn in_debug(&mut self, check: &Expr) -> Flow<Value> {
        self.depends_on_debug = true;
        if self.debug { self.value(check) } else { Ok(Value::Unit) }
    }

    /// The number of a message, each being there once.
    fn message(&mut self, message: Message, at: At) -> Flow<MessageId> {
        let messages = &mut self.build.kernel.messages;
        if let Some((id, _)) = messages.iter().find(|(_, known)| **known == message) {
            return Ok(id);
        }
        if messages.len() >= Reason::MOST_MESSAGES {
            self.errors.advise(
                self.frame.function.places[at],
                "this kernel says more than can be told apart once its device functions are inlined",
                "split it into kernels",
            );
            return Err(Left);
        }
        Ok(messages.push(message))
    }
}

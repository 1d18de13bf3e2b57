//! Values of a traced thread, and instructions with values for their operands.
use half::{bf16, f16};
use std::fmt;
use warpwise_compiler::{
    id::Id,
    ir::{Element, InstId, Kernel, LocalId, MessageId, Op, ParamKind, Root, Scalar, Ty},
};
use warpwise_simt::{Moment, Stage};

/// A value that a thread has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "named for the types that they are of")]
pub enum Value {
    Bool(bool),
    /// Of `i8` to `i64` and `isize`.
    Signed(i64),
    /// Of `u8` to `u64` and `usize`.
    Unsigned(u64),
    F16(f16),
    Bf16(bf16),
    F32(f32),
    F64(f64),
    /// The address of an element, or of something in it.
    Place {
        /// The slice or array.
        array: String,
        /// Number of the element.
        index: u64,
        /// The offset from the first byte of the element.
        byte: u64,
    },
    /// No value yet.
    None,
}

/// The value in Rust; a place is `x[3]`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::F16(value) => write!(f, "{:?}", value.to_f32()),
            Self::Bf16(value) => write!(f, "{:?}", value.to_f32()),
            Self::F32(value) => write!(f, "{value:?}"),
            Self::F64(value) => write!(f, "{value:?}"),
            Self::Place { array, index, byte: 0 } => write!(f, "{array}[{index}]"),
            Self::Place { array, index, byte } => write!(f, "{array}[{index}]+{byte}"),
            Self::None => f.write_str("?"),
        }
    }
}

/// Returns the value of the bits of a type.
pub(super) fn value_of(moment: &Moment<'_>, ty: Ty, bits: u64) -> Value {
    let scalar = match ty {
        Ty::Scalar(scalar) => scalar,
        Ty::Ptr(_) => return place_at(moment, bits),
        Ty::Unit => return Value::None,
    };
    match scalar {
        Scalar::Bool => Value::Bool(bits != 0),
        Scalar::I8 => Value::Signed((bits as i8).into()),
        Scalar::I16 => Value::Signed((bits as i16).into()),
        Scalar::I32 => Value::Signed((bits as i32).into()),
        Scalar::I64 => Value::Signed(bits as i64),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::Unsigned(bits),
        Scalar::F16 => Value::F16(f16::from_bits(bits as u16)),
        Scalar::BF16 => Value::Bf16(bf16::from_bits(bits as u16)),
        Scalar::F32 => Value::F32(f32::from_bits(bits as u32)),
        Scalar::F64 => Value::F64(f64::from_bits(bits)),
        Scalar::Generic(_) => Value::None,
    }
}

/// Returns the place that an address points to.
fn place_at(moment: &Moment<'_>, address: u64) -> Value {
    let Some((root, byte)) = moment.resolve(address) else { return Value::Unsigned(address) };
    let (name, elem) = root_name_and_element(moment.kernel(), root);
    let array = if name.is_empty() { "array".to_owned() } else { name.to_owned() };
    let size = elem.and_then(Element::size).unwrap_or(1).max(1);
    Value::Place { array, index: byte / size, byte: byte % size }
}

/// Returns the name and the element type of a parameter or array.
fn root_name_and_element(kernel: &Kernel, root: Root) -> (&str, Option<&Element>) {
    match root {
        Root::Param(param) => {
            let param = &kernel.params[param];
            let elem = match &param.kind {
                ParamKind::Slice { elem, .. } => Some(elem),
                ParamKind::Scalar(_) => None,
            };
            (&param.name, elem)
        }
        Root::Shared(shared) => (&kernel.shared[shared].name, Some(&kernel.shared[shared].elem)),
        Root::Array(array) => (&kernel.arrays[array].name, Some(&kernel.arrays[array].elem)),
    }
}

/// Returns the value of an instruction in each of the lanes.
fn lane_values(moment: &Moment<'_>, inst: InstId) -> Vec<Value> {
    let ty = moment.kernel().insts[inst].ty;
    let lanes = (0..32usize).filter(|lane| moment.lanes & (1 << lane) != 0);
    let value =
        |lane| moment.value(inst, lane).map_or(Value::None, |bits| value_of(moment, ty, bits));
    lanes.map(value).collect()
}

/// Returns the operands of the instruction, and their values.
pub(super) fn operand_values(moment: &Moment<'_>) -> Vec<(InstId, Vec<Value>)> {
    let op = &moment.kernel().insts[moment.inst].op;
    match moment.stage {
        Stage::Iteration => Vec::new(),
        Stage::Reached | Stage::Done => {
            op.operands().map(|id| (id, lane_values(moment, id))).collect()
        }
    }
}

/// Returns the result of the instruction.
pub(super) fn result_values(moment: &Moment<'_>) -> Option<Vec<Value>> {
    match moment.stage {
        Stage::Reached => None,
        Stage::Done | Stage::Iteration => Some(lane_values(moment, moment.inst)),
    }
}

/// Returns the text of the instruction, with values for its operands.
pub(super) fn inst_text(moment: &Moment<'_>, operands: &[(InstId, Vec<Value>)]) -> String {
    let (kernel, inst) = (moment.kernel(), &moment.kernel().insts[moment.inst]);
    if moment.stage == Stage::Iteration {
        return "iteration".into();
    }
    // Their target is an instruction, and has no value.
    if matches!(inst.op, Op::Break(_)) {
        return "break".into();
    }
    if matches!(inst.op, Op::Continue(_)) {
        return "continue".into();
    }
    let whole = kernel.inst_text(moment.inst).to_string();
    // `%5 = add %3, %4 : u32 !2`
    let text = whole.split_once(" = ").map_or(&*whole, |(_, text)| text);
    let text = text.rsplit_once(" !").map_or(text, |(text, _)| text);
    let ty = format!(" : {}", inst.ty);
    let text = text.strip_suffix(&*ty).unwrap_or(text);
    let words = text.split(' ').map(|word| {
        let (name, comma) = word.strip_suffix(',').map_or((word, ""), |name| (name, ","));
        substitute_word(kernel, operands, name) + comma
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces a word of an instruction that is an id: by the operand's values, the local's name or
/// the message's text.
fn substitute_word(kernel: &Kernel, operands: &[(InstId, Vec<Value>)], word: &str) -> String {
    let number =
        |prefix| word.strip_prefix(prefix).and_then(|rest: &str| rest.parse::<usize>().ok());
    if let Some(operand) = number("%").map(InstId::new)
        && let Some((_, values)) = operands.iter().find(|(id, _)| *id == operand)
    {
        return format_lanes(values);
    }
    if let Some(local) = number("$").and_then(|local| kernel.locals.get(LocalId::new(local)))
        && !local.name.is_empty()
    {
        return local.name.clone();
    }
    if let Some(message) = number("msg").and_then(|msg| kernel.messages.get(MessageId::new(msg))) {
        return format!("{:?}", message.text);
    }
    word.to_owned()
}

/// Formats the values of lanes: as one if they are the same, as `[0, 4, .. 28]` if they are evenly
/// spaced.
pub(super) fn format_lanes(values: &[Value]) -> String {
    let Some((first, others)) = values.split_first() else { return String::new() };
    let is_same = |value: &Value| value == first || value.to_string() == first.to_string();
    if others.iter().all(is_same) {
        return first.to_string();
    }
    if let Some(last) = last_if_evenly_spaced(values) {
        return format!("[{}, {}, .. {}]", values[0], values[1], last);
    }
    let all: Vec<_> = values.iter().map(Value::to_string).collect();
    format!("[{}]", all.join(", "))
}

/// Returns the last of four or more numbers, or places in one array, that are evenly spaced.
fn last_if_evenly_spaced(values: &[Value]) -> Option<&Value> {
    let number = |value: &Value| match value {
        Value::Signed(value) => Some(i128::from(*value)),
        Value::Unsigned(value) => Some(i128::from(*value)),
        Value::Place { index, byte: 0, .. } => Some(i128::from(*index)),
        Value::Bool(_)
        | Value::F16(_)
        | Value::Bf16(_)
        | Value::F32(_)
        | Value::F64(_)
        | Value::Place { .. }
        | Value::None => None,
    };
    let array = |value: &Value| match value {
        Value::Place { array, .. } => Some(array.clone()),
        Value::Signed(_)
        | Value::Unsigned(_)
        | Value::Bool(_)
        | Value::F16(_)
        | Value::Bf16(_)
        | Value::F32(_)
        | Value::F64(_)
        | Value::None => None,
    };
    let numbers = values.iter().map(number).collect::<Option<Vec<_>>>()?;
    let step = numbers.get(1)? - numbers[0];
    let is_row = numbers.windows(2).all(|pair| pair[1] - pair[0] == step);
    let is_in_one = values.iter().all(|value| array(value) == array(&values[0]));
    (values.len() > 3 && is_row && is_in_one).then(|| &values[values.len() - 1])
}

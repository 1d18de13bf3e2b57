//! Subscripts with a row and a column of arrays with one dimension: `tile[row][column]` and
//! `y[(row, column)]`.
use crate::{
    mistakes::operands::{Operands, known_type::KnownType, shown},
    syntax::span::SpanRange,
};
use syn::{Expr, ExprIndex};

impl Operands {
    /// Adds `tile[row][column]`, where `tile[row]` is a number.
    pub(super) fn check_second_subscript(&mut self, index: &ExprIndex) {
        if let Expr::Index(ExprIndex { expr: array, index: row, .. }) = &*index.expr
            && !matches!(*index.index, Expr::Range(_))
        {
            let code = flat_code(array, row, &index.index);
            self.add_subscript(index, array, &code);
        }
    }

    /// Adds `y[(row, column)]`, where the elements of `y` are of type `elem`.
    pub(super) fn check_tuple_subscript(&mut self, index: &ExprIndex, elem: Option<&KnownType>) {
        let Expr::Tuple(indices) = &*index.index else { return };
        let [row, column] = indices.elems.iter().collect::<Vec<_>>()[..] else { return };
        let code = match elem {
            Some(KnownType::Array(_)) => {
                let [array, row, column] =
                    [&index.expr, row, column].map(|part| code_or(part, ".."));
                format!("write `{array}[{row}][{column}]`")
            }
            _ => flat_code(&index.expr, row, column),
        };
        self.add_subscript(index, &index.expr, &code);
    }

    fn add_subscript(&mut self, index: &ExprIndex, array: &Expr, help: &str) {
        let last = SpanRange::token(index.bracket_token.span.close());
        let at = SpanRange::expr(&index.expr).to(last);
        let fact = format!("an index of `{}` is one `usize`", code_or(array, "this array"));
        self.add_mistake(at, &fact, help);
    }
}

/// Returns the help for an element in a row and a column.
fn flat_code(array: &Expr, row: &Expr, column: &Expr) -> String {
    let array = code_or(array, "..");
    let [row, column] = [(row, "row"), (column, "column")].map(|(part, name)| match part {
        Expr::Binary(_) | Expr::Cast(_) => format!("({})", code_or(part, name)),
        part => code_or(part, name),
    });
    format!("write `{array}[{row} * width + {column}]`, where `width` is the length of a row")
}

/// Returns the code of an expression, or `otherwise` if it is long.
fn code_or(expr: &Expr, otherwise: &str) -> String {
    shown(expr).unwrap_or_else(|| otherwise.to_owned())
}

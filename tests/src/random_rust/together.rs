//! Values that the threads of a block or the lanes of a warp combine, and shared memory whose
//! length depends on the launch.
use super::{
    generator::Generator,
    types::{INTS, Ty, Var},
};

impl Generator {
    /// Returns a length for `shared_dyn!` of at least one element per thread.
    pub(super) fn launch_len(&mut self) -> String {
        let name = self.draw.one_of(&self.memory);
        match self.pick(4) {
            0 => "block_dim_x()".into(),
            1 => format!("r_{name}.len()"),
            2 => format!("2 * block_dim_x() + {}", self.pick(9)),
            _ => format!("w_{name}.len() / 8 + grid_dim_x()"),
        }
    }

    /// Writes a call of a function of `block` or `warp` that combines values.
    pub(super) fn combined(&mut self) {
        let of = ["block", "warp"][self.pick(2)];
        let name = self.name("v");
        let (call, ty) = if self.chance(50) { self.summed(of) } else { self.by_closure() };
        self.line(&format!("let {name}: {} = {of}::{call};", ty.name()));
        self.vars.push(Var { name, ty, mutable: false });
    }

    /// Returns a sum or reduction of numbers, and its type.
    fn summed(&mut self, of: &str) -> (String, Ty) {
        let (sums, reduces) =
            (["inclusive_sum", "exclusive_sum"], ["reduce_add", "reduce_min", "reduce_max"]);
        // Reductions of a warp exist only for the types of its instructions.
        let ty = if of == "warp" {
            Ty::Scalar(self.draw.one_of(&["u32", "i32", "u64", "i64", "f32", "f64"]))
        } else if self.chance(30) {
            self.float()
        } else {
            Ty::Scalar(INTS[self.pick(INTS.len())])
        };
        let value = self.expr(&ty, 2, false);
        let function = if self.chance(60) { sums[self.pick(2)] } else { reduces[self.pick(3)] };
        (format!("{function}({value})"), ty)
    }

    /// Returns a combination of any plain values by a closure, and its type. The order of
    /// combination is defined, so that any closure is allowed.
    fn by_closure(&mut self) -> (String, Ty) {
        let (ty, a, b) = (self.exchanged(), self.name("c"), self.name("c"));
        let value = self.expr(&ty, 2, false);
        let params = [(a.clone(), ty.clone()), (b.clone(), ty.clone())];
        let body = self.in_closure(&params, &ty, 2);
        let call = match self.pick(3) {
            0 => format!("reduce({value}, |{a}, {b}| {body})"),
            1 => format!("inclusive_scan({value}, |{a}, {b}| {body})"),
            _ => {
                let first = self.expr(&ty, 1, true);
                format!("exclusive_scan({value}, {first}, |{a}, {b}| {body})")
            }
        };
        (call, ty)
    }
}

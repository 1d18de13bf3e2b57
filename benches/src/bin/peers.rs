//! Our program among the engines that `benches/peers/run` compares:
//! `peers INPUTS OUTPUTS [KERNEL]...`.
use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let mut folders = std::env::args().skip(1);
    let (Some(inputs), Some(outputs)) = (folders.next(), folders.next()) else {
        return Err("two folders are needed, as `benches/peers/run` gives them".into());
    };
    warpwise_benches::peers::run(Path::new(&inputs), Path::new(&outputs), folders.collect())
}

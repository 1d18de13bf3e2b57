//! Our side of `benches/peers`: ten kernels on inputs from files, timed on the interpreter.
//!
//! The program gets a folder with the inputs, as `benches/peers/compare.py` writes them, and
//! another for the results of the first launch of each kernel. It prints a line for each kernel:
//! its name, and the seconds of the fastest of its launches. If names of kernels follow the
//! folders, only these kernels run.
use crate::{black_scholes, kernels, nbody, stencil};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use warpwise::{F32x4, Result as Launched, prelude::*};

/// The sides of the square matrices that are transposed and relaxed, of those that are multiplied,
/// and of the fractal.
const SIDES: [usize; 3] = [2048, 512, 1024];

type Done = Result<(), Box<dyn Error>>;

/// Times the named kernels, or all.
///
/// # Errors
/// Fails if a file cannot be read or written, or a launch fails.
pub fn run(inputs: &Path, outputs: &Path, names: Vec<String>) -> Done {
    let run = Run { device: Device::cpu(), inputs: inputs.into(), outputs: outputs.into(), names };
    run.element_wise()?;
    run.squares()?;
    run.totals()?;
    run.mandelbrot()?;
    run.nbody()?;
    run.black_scholes()
}

struct Run {
    device: Device,
    inputs: PathBuf,
    outputs: PathBuf,
    /// The names of the kernels to run; all, if it is empty.
    names: Vec<String>,
}

impl Run {
    fn element_wise(&self) -> Done {
        let (x, mut y) = (self.upload("x")?, self.upload("y")?);
        let mut out = self.device.zeros::<f32>(x.len())?;
        let config = LaunchConfig::cover(x.len());
        self.time("vector_add", &mut out, f32::to_le_bytes, |out| {
            kernels::vector_add::launch(&self.device, config, &x, &y, out)
        })?;
        self.time("saxpy", &mut y, f32::to_le_bytes, |y| {
            kernels::saxpy::launch(&self.device, config, 0.5, &x, y)
        })
    }

    fn squares(&self) -> Done {
        let [n, side, _] = SIDES;
        let (x, y) = (self.read("x")?, self.read("y")?);
        let a = self.device.upload(&x[..side * side])?;
        let b = self.device.upload(&y[..side * side])?;
        let mut c = self.device.zeros::<f32>(side * side)?;
        let tiles = LaunchConfig::grid((side / 16, side / 16));
        self.time("matmul", &mut c, f32::to_le_bytes, |c| {
            kernels::matmul_tiled::launch(&self.device, tiles, side, &a, &b, c)
        })?;

        let x = self.device.upload(&x)?;
        let mut out = self.device.zeros::<f32>(n * n)?;
        let config = LaunchConfig::cover((n, n));
        self.time("stencil", &mut out, f32::to_le_bytes, |out| {
            stencil::jacobi::launch(&self.device, config, n, &x, out)
        })?;
        let tiles = LaunchConfig::grid((n / 32, n / 32));
        self.time("transpose", &mut out, f32::to_le_bytes, |out| {
            kernels::transpose::launch(&self.device, tiles, n, &x, out)
        })
    }

    fn totals(&self) -> Done {
        let blocks = LaunchConfig::grid(64);
        let (x, mut total) = (self.upload("x")?, self.device.zeros::<f32>(1)?);
        self.time("reduce", &mut total, f32::to_le_bytes, |total| {
            kernels::reduce::launch(&self.device, blocks, &x, total)
        })?;
        let bytes = self.device.upload(&fs::read(self.inputs.join("bytes"))?)?;
        let mut bins = self.device.zeros::<u32>(256)?;
        self.time("histogram", &mut bins, u32::to_le_bytes, |bins| {
            kernels::histogram::launch(&self.device, blocks, &bytes, bins)
        })
    }

    fn mandelbrot(&self) -> Done {
        let [.., side] = SIDES;
        let mut steps = self.device.zeros::<u32>(side * side)?;
        let config = LaunchConfig::cover((side, side));
        self.time("mandelbrot", &mut steps, u32::to_le_bytes, |steps| {
            kernels::mandelbrot::launch(&self.device, config, side, side, 256, steps)
        })
    }

    fn nbody(&self) -> Done {
        let numbers = self.read("bodies")?;
        let bodies = numbers.as_chunks().0.iter().map(|&[x, y, z, w]| F32x4::new(x, y, z, w));
        let bodies = self.device.upload(&bodies.collect::<Vec<_>>())?;
        let mut out = self.device.zeros::<F32x4>(bodies.len())?;
        let bytes = |v: F32x4| [v.x, v.y, v.z, v.w].map(f32::to_le_bytes);
        let config = LaunchConfig::cover(bodies.len());
        self.time(
            "nbody",
            &mut out,
            |v| bytes(v).as_flattened().to_vec(),
            |out| nbody::accelerations::launch(&self.device, config, 1e-3, &bodies, out),
        )
    }

    fn black_scholes(&self) -> Done {
        let (spot, strike) = (self.upload("spot")?, self.upload("strike")?);
        let years = self.upload("years")?;
        let mut put = self.device.zeros::<f32>(spot.len())?;
        let mut call = self.device.zeros::<f32>(spot.len())?;
        let config = LaunchConfig::cover(spot.len());
        self.time("black_scholes", &mut call, f32::to_le_bytes, |call| {
            black_scholes::prices::launch(
                &self.device,
                config,
                0.02,
                0.3,
                &spot,
                &strike,
                &years,
                call,
                &mut put,
            )
        })
    }

    fn read(&self, name: &str) -> std::io::Result<Vec<f32>> {
        let bytes = fs::read(self.inputs.join(name))?;
        Ok(bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect())
    }

    fn upload(&self, name: &str) -> Result<Buffer<f32>, Box<dyn Error>> {
        Ok(self.device.upload(&self.read(name)?)?)
    }

    /// Launches once, writes `result` to a file, and then times the launch.
    fn time<T: Plain, B: AsRef<[u8]>>(
        &self,
        name: &str,
        result: &mut Buffer<T>,
        bytes: impl Fn(T) -> B,
        mut launch: impl FnMut(&mut Buffer<T>) -> Launched<()>,
    ) -> Done {
        if !self.names.is_empty() && !self.names.iter().any(|of| of == name) {
            return Ok(());
        }
        launch(result)?;
        let mut computed = Vec::new();
        for value in result.to_vec()? {
            computed.extend_from_slice(bytes(value).as_ref());
        }
        fs::write(self.outputs.join(name), computed)?;
        let (mut least, start, mut runs) = (Duration::MAX, Instant::now(), 0);
        while runs < 5 || start.elapsed() < Duration::from_millis(400) {
            let launched = Instant::now();
            launch(result)?;
            self.device.synchronize()?;
            least = least.min(launched.elapsed());
            runs += 1;
        }
        println!("{name} {}", least.as_secs_f64());
        Ok(())
    }
}

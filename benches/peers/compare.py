"""Runs every engine that is there, compares results, and prints one table: `benches/peers/run` calls it.

All run on one core, in turns, three times; of the times of a kernel the least counts. A time is from the launch until the
result is there. Compiling is not part of it.
"""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from session import FRACTAL, LIMIT, MATMUL, RATE, SOFTENING, SQUARE, VOLATILITY

ROUNDS = 3
HERE = Path(__file__).parent
# What a peer is called, its program, the module that it needs, and the package that has its version.
PEERS = [
    ("PoCL", "pocl.py", "pyopencl", "pocl-binary-distribution"),
    ("NVIDIA Warp", "nvidia_warp.py", "warp", "warp-lang"),
    ("Taichi", "taichi_cpu.py", "taichi", "taichi"),
]


def make_inputs():
    random = np.random.default_rng(1)
    n, options = SQUARE * SQUARE, 1 << 20
    uniform = lambda low, high, count: random.uniform(low, high, count).astype(np.float32)
    inputs = {name: uniform(-1, 1, n) for name in ("x", "y")}
    inputs["bytes"] = random.integers(0, 256, n, dtype=np.uint8)
    inputs["bodies"] = uniform(0, 1, 4 * 4096)
    inputs["spot"], inputs["strike"] = uniform(5, 30, options), uniform(1, 100, options)
    inputs["years"] = uniform(0.25, 10, options)
    return inputs


def expected(inputs):
    """What comes out, in `f64`, and how far off a result may be."""
    x, y = (inputs[name].astype(np.float64) for name in ("x", "y"))
    square = x.reshape(SQUARE, SQUARE)
    a, b = (m[: MATMUL * MATMUL].reshape(MATMUL, MATMUL) for m in (x, y))
    relaxed = np.zeros_like(square)
    relaxed[1:-1, 1:-1] = 0.25 * (square[1:-1, :-2] + square[1:-1, 2:] + square[:-2, 1:-1] + square[2:, 1:-1])
    return {
        "vector_add": (x + y, 1e-6),
        "saxpy": (0.5 * x + y, 1e-6),
        "transpose": (square.T, 0),
        "matmul": (a @ b, 1e-4),
        "reduce": (x.sum(), 0.1),
        "histogram": (np.bincount(inputs["bytes"], minlength=256), 0),
        "mandelbrot": (escape_times(), None),
        "nbody": (accelerations(inputs["bodies"].reshape(-1, 4).astype(np.float64)), 0.5),
        "black_scholes": (calls(*(inputs[name].astype(np.float64) for name in ("spot", "strike", "years"))), 1e-3),
        "stencil": (relaxed, 1e-6),
    }


def escape_times():
    place = np.arange(FRACTAL, dtype=np.float32) / np.float32(FRACTAL)
    c = (place * 3 - 2)[None, :] + 1j * (place * 2 - 1)[:, None]
    z, steps = np.zeros_like(c), np.zeros(c.shape, np.int64)
    inside = np.ones(c.shape, bool)
    for _ in range(LIMIT):
        steps += inside
        z[inside] = z[inside] ** 2 + c[inside]
        inside &= np.abs(z) <= 2
    return steps


def accelerations(bodies):
    out = np.zeros_like(bodies)
    for row, body in zip(out, bodies):
        away = bodies[:, :3] - body[:3]
        pulls = bodies[:, 3] / ((away**2).sum(axis=1) + SOFTENING) ** 1.5
        row[:3] = pulls @ away
    return out


def calls(spot, strike, years):
    def normal(x):
        k = 1 / (1 + 0.2316419 * np.abs(x))
        polynomial = np.polyval([1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153, 0], k)
        tail = 0.3989422804 * np.exp(-0.5 * x * x) * polynomial
        return np.where(x > 0, 1 - tail, tail)

    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    return spot * normal(d1) - strike * np.exp(-RATE * years) * normal(d1 - spread)


def verify(engine, outputs, wanted):
    for kernel, (want, tolerance) in wanted.items():
        want = np.asarray(want).ravel()
        dtype = np.uint32 if kernel in ("histogram", "mandelbrot") else np.float32
        got = np.fromfile(outputs / kernel, dtype).astype(np.float64)
        assert got.shape == want.shape, f"{engine}, {kernel}: {got.size} numbers, expected {want.size}"
        off = np.abs(got - want)
        if tolerance is None:
            # Near the edge of the set, a rounding decides.
            assert (off > 0).mean() < 0.01, f"{engine}, {kernel}: {(off > 0).mean():.2%} of all differ"
        else:
            assert off.max() <= tolerance, f"{engine}, {kernel}: off by {off.max()}, allowed are {tolerance}"


def run(command, kernels, inputs, outputs):
    """Seconds of each kernel. Whatever else an engine prints is not asked for."""
    outputs.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*command, inputs, outputs], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[-1]} failed:\n{done.stderr}")
    lines = (line.split() for line in done.stdout.splitlines())
    return {line[0]: float(line[1]) for line in lines if len(line) == 2 and line[0] in kernels}


def main():
    ours, place = Path(sys.argv[1]), Path(sys.argv[2])
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    inputs = make_inputs()
    (place / "inputs").mkdir(parents=True, exist_ok=True)
    for name, array in inputs.items():
        array.tofile(place / "inputs" / name)
    wanted = expected(inputs)

    engines = {"Warpwise": [ours]}
    for name, program, module, package in PEERS:
        if importlib.util.find_spec(module):
            engines[f"{name} {importlib.metadata.version(package)}"] = [sys.executable, HERE / program]
        else:
            print(f"{name} is left out: there is no module `{module}`")
    times = {engine: {} for engine in engines}
    for _ in range(ROUNDS):
        for engine, command in engines.items():
            outputs = place / engine.replace(" ", "_")
            for kernel, seconds in run(command, wanted, place / "inputs", outputs).items():
                times[engine][kernel] = min(seconds, times[engine].get(kernel, seconds))
            verify(engine, outputs, wanted)
    report(times, list(wanted))


def report(times, kernels):
    """Milliseconds of ours, and of each peer with how many times ours that is."""
    ours, *peers = times
    print("| kernel | " + " | ".join([ours, *peers]) + " |")
    print("|---|" + "---|" * len(times))
    for kernel in kernels:
        base = times[ours][kernel]
        cells = [f"{times[peer][kernel] * 1e3:.2f} ms, {times[peer][kernel] / base:.2f}x" for peer in peers]
        print("| " + " | ".join([kernel, f"{base * 1e3:.2f} ms", *cells]) + " |")
    for peer in peers:
        slower = sum(times[peer][kernel] > times[ours][kernel] for kernel in kernels)
        print(f"faster than {peer} on {slower} of {len(kernels)} kernels")


main()

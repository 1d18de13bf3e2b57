"""PoCL: OpenCL on the CPU."""

import os

# One worker; the process is kept to one core, too.
os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", "1")
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

from pathlib import Path

import numpy as np
import pyopencl as cl
from session import FRACTAL, LIMIT, MATMUL, RATE, SOFTENING, SQUARE, VOLATILITY, Session

session = Session()
platform = next(p for p in cl.get_platforms() if p.name == "Portable Computing Language")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, Path(__file__).with_name("kernels.cl").read_text()).build()


def upload(array):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(context, flags, hostbuf=array)


def zeros(count, dtype=np.float32):
    return upload(np.zeros(count, dtype))


def download(buffer, count, dtype=np.float32):
    host = np.empty(count, dtype)
    cl.enqueue_copy(queue, host, buffer)
    return host


def measure(name, work, group, arguments, result):
    kernel = getattr(program, name)
    kernel.set_args(*arguments)

    def launch():
        cl.enqueue_nd_range_kernel(queue, kernel, work, group)
        queue.finish()

    session.time(name, launch, result)


f32, u32 = np.float32, np.uint32
x, y, data = session.read("x"), session.read("y"), session.read("bytes", np.uint8)
n = len(x)
device_x, device_y, out = upload(x), upload(y), zeros(n)
measure("vector_add", (n,), (256,), (device_x, device_y, out, u32(n)), lambda: download(out, n))
measure("saxpy", (n,), (256,), (f32(0.5), device_x, device_y, u32(n)), lambda: download(device_y, n))

side = MATMUL
a, b, c = upload(x[: side * side]), upload(y[: side * side]), zeros(side * side)
measure("matmul", (side, side), (16, 16), (u32(side), a, b, c), lambda: download(c, side * side))

relaxed = zeros(n)
measure("stencil", (SQUARE, SQUARE), (32, 8), (u32(SQUARE), device_x, relaxed), lambda: download(relaxed, n))
measure("transpose", (SQUARE, SQUARE // 4), (32, 8), (u32(SQUARE), device_x, out), lambda: download(out, n))

partial = zeros(2048)
measure("reduce", (2048,), (256,), (device_x, u32(n), partial), lambda: download(partial, 2048).sum())
bins = zeros(256, u32)
arguments = (upload(data), u32(len(data)), bins)
measure("histogram", (64 * 256,), (256,), arguments, lambda: download(bins, 256, u32))

steps = zeros(FRACTAL * FRACTAL, u32)
arguments = (u32(FRACTAL), u32(FRACTAL), u32(LIMIT), steps)
measure("mandelbrot", (FRACTAL, FRACTAL), (16, 8), arguments, lambda: download(steps, FRACTAL * FRACTAL, u32))

bodies = session.read("bodies")
pulled = zeros(len(bodies))
arguments = (f32(SOFTENING), upload(bodies), u32(len(bodies) // 4), pulled)
measure("nbody", (len(bodies) // 4,), (256,), arguments, lambda: download(pulled, len(bodies)))

spot, strike, years = (session.read(name) for name in ("spot", "strike", "years"))
count = len(spot)
call, put = zeros(count), zeros(count)
terms = (f32(RATE), f32(VOLATILITY), upload(spot), upload(strike), upload(years), call, put, u32(count))
measure("black_scholes", (count,), (256,), terms, lambda: download(call, count))

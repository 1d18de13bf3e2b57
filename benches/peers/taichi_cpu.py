"""Taichi on the CPU, with one thread."""

import numpy as np
import taichi as ti
from session import FRACTAL, LIMIT, MATMUL, RATE, SOFTENING, SQUARE, VOLATILITY, Session

session = Session()
ti.init(arch=ti.cpu, cpu_max_num_threads=1, offline_cache=False, log_level=ti.WARN)
line = ti.types.ndarray(dtype=ti.f32, ndim=1)
square = ti.types.ndarray(dtype=ti.f32, ndim=2)
vectors = ti.types.ndarray(dtype=ti.math.vec4, ndim=1)


@ti.kernel
def vector_add(a: line, b: line, c: line):
    for i in c:
        c[i] = a[i] + b[i]


@ti.kernel
def saxpy(a: ti.f32, x: line, y: line):
    for i in y:
        y[i] = a * x[i] + y[i]


@ti.kernel
def transpose(x: square, y: square):
    for i, j in x:
        y[j, i] = x[i, j]


@ti.kernel
def matmul(a: square, b: square, c: square):
    for i, j in c:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@ti.kernel
def reduce(x: line) -> ti.f32:
    total = 0.0
    for i in x:
        total += x[i]
    return total


@ti.kernel
def histogram(x: ti.types.ndarray(dtype=ti.u8, ndim=1), bins: ti.types.ndarray(dtype=ti.u32, ndim=1)):
    for i in x:
        bins[ti.cast(x[i], ti.i32)] += ti.u32(1)


@ti.kernel
def mandelbrot(limit: ti.i32, steps: ti.types.ndarray(dtype=ti.i32, ndim=2)):
    for row, column in steps:
        cx = ti.cast(column, ti.f32) / steps.shape[1] * 3.0 - 2.0
        cy = ti.cast(row, ti.f32) / steps.shape[0] * 2.0 - 1.0
        x, y, n = 0.0, 0.0, 0
        while n < limit and x * x + y * y <= 4.0:
            x, y = x * x - y * y + cx, 2.0 * x * y + cy
            n += 1
        steps[row, column] = n


@ti.kernel
def nbody(softening: ti.f32, bodies: vectors, out: vectors):
    for i in bodies:
        me = bodies[i].xyz
        total = ti.math.vec3(0.0)
        for k in range(bodies.shape[0]):
            away = bodies[k].xyz - me
            inverse = ti.rsqrt(away.dot(away) + softening)
            total += away * (bodies[k].w * inverse * inverse * inverse)
        out[i] = ti.math.vec4(total, 0.0)


@ti.func
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    inner = -0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))
    tail = 0.39894228 * ti.exp(-0.5 * x * x) * k * (0.31938153 + k * inner)
    return ti.select(x > 0.0, 1.0 - tail, tail)


@ti.kernel
def black_scholes(rate: ti.f32, volatility: ti.f32, spot: line, strike: line, years: line, call: line, put: line):
    for i in call:
        s, x, t = spot[i], strike[i], years[i]
        spread = volatility * ti.sqrt(t)
        d1 = (ti.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread
        d2 = d1 - spread
        discounted = x * ti.exp(-rate * t)
        value = s * normal(d1) - discounted * normal(d2)
        call[i] = value
        put[i] = value + discounted - s


@ti.kernel
def stencil(x: square, y: square):
    for i, j in ti.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        y[i, j] = 0.25 * (x[i, j - 1] + x[i, j + 1] + x[i - 1, j] + x[i + 1, j])


def measure(kernel, arguments, result):
    """The name of a kernel is that of its function."""

    def launch():
        kernel(*arguments)
        ti.sync()

    session.time(kernel.__name__, launch, result)


def upload(array, dtype=ti.f32):
    device = ti.ndarray(dtype, array.shape)
    device.from_numpy(array)
    return device


def zeros(shape, dtype=ti.f32):
    device = ti.ndarray(dtype, shape)
    device.fill(0)
    return device


x, y, data = session.read("x"), session.read("y"), session.read("bytes", np.uint8)
device_x, device_y, out = upload(x), upload(y), zeros(len(x))
measure(vector_add, [device_x, device_y, out], out.to_numpy)
measure(saxpy, [0.5, device_x, device_y], device_y.to_numpy)

shape = (MATMUL, MATMUL)
a, b = (upload(m[: MATMUL * MATMUL].reshape(shape)) for m in (x, y))
c = zeros(shape)
measure(matmul, [a, b, c], c.to_numpy)

shape = (SQUARE, SQUARE)
image, relaxed, transposed = upload(x.reshape(shape)), zeros(shape), zeros(shape)
measure(stencil, [image, relaxed], relaxed.to_numpy)
measure(transpose, [image, transposed], transposed.to_numpy)

measure(reduce, [device_x], lambda: np.float32(reduce(device_x)))
bins = zeros(256, ti.u32)
measure(histogram, [upload(data, ti.u8), bins], bins.to_numpy)

steps = zeros((FRACTAL, FRACTAL), ti.i32)
measure(mandelbrot, [LIMIT, steps], steps.to_numpy)

host = session.read("bodies").reshape(-1, 4)
bodies, pulled = (ti.ndarray(ti.math.vec4, len(host)) for _ in range(2))
bodies.from_numpy(host)
measure(nbody, [SOFTENING, bodies, pulled], pulled.to_numpy)

terms = [upload(session.read(name)) for name in ("spot", "strike", "years")]
call, put = zeros(terms[0].shape), zeros(terms[0].shape)
measure(black_scholes, [RATE, VOLATILITY, *terms, call, put], call.to_numpy)

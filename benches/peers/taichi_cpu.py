"""Taichi on the CPU, with one thread. Its own fields, since loops over `ndarray`s take up to eight times as long."""

import numpy as np
import taichi as ti
from session import FRACTAL, LIMIT, MATMUL, RATE, SOFTENING, SQUARE, VOLATILITY, Session

session = Session()
ti.init(arch=ti.cpu, cpu_max_num_threads=1, offline_cache=False, log_level=ti.WARN)


def upload(array, dtype=ti.f32):
    field = ti.field(dtype, array.shape)
    field.from_numpy(array)
    return field


host_x, host_y = session.read("x"), session.read("y")
host_bytes, host_bodies = session.read("bytes", np.uint8), session.read("bodies").reshape(-1, 4)
x, y, out = upload(host_x), upload(host_y), ti.field(ti.f32, host_x.shape)

side = (MATMUL, MATMUL)
a, b = (upload(m[: MATMUL * MATMUL].reshape(side)) for m in (host_x, host_y))
c = ti.field(ti.f32, side)

side = (SQUARE, SQUARE)
image = upload(host_x.reshape(side))
relaxed, transposed = ti.field(ti.f32, side), ti.field(ti.f32, side)

data, bins = upload(host_bytes, ti.u8), ti.field(ti.u32, 256)
steps = ti.field(ti.i32, (FRACTAL, FRACTAL))

bodies, pulled = (ti.Vector.field(4, ti.f32, len(host_bodies)) for _ in range(2))
bodies.from_numpy(host_bodies)

spot, strike, years = (upload(session.read(name)) for name in ("spot", "strike", "years"))
call, put = ti.field(ti.f32, spot.shape), ti.field(ti.f32, spot.shape)


@ti.kernel
def vector_add():
    for i in out:
        out[i] = x[i] + y[i]


@ti.kernel
def saxpy(factor: ti.f32):
    for i in y:
        y[i] = factor * x[i] + y[i]


@ti.kernel
def matmul():
    for i, j in c:
        total = 0.0
        for k in range(MATMUL):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@ti.kernel
def stencil():
    for i, j in ti.ndrange((1, SQUARE - 1), (1, SQUARE - 1)):
        relaxed[i, j] = 0.25 * (image[i, j - 1] + image[i, j + 1] + image[i - 1, j] + image[i + 1, j])


@ti.kernel
def transpose():
    for i, j in image:
        transposed[j, i] = image[i, j]


@ti.kernel
def reduce() -> ti.f32:
    total = 0.0
    for i in x:
        total += x[i]
    return total


@ti.kernel
def histogram():
    for i in data:
        bins[ti.cast(data[i], ti.i32)] += ti.u32(1)


@ti.kernel
def mandelbrot():
    for row, column in steps:
        cx = ti.cast(column, ti.f32) / FRACTAL * 3.0 - 2.0
        cy = ti.cast(row, ti.f32) / FRACTAL * 2.0 - 1.0
        re, im, n = 0.0, 0.0, 0
        while n < LIMIT and re * re + im * im <= 4.0:
            re, im = re * re - im * im + cx, 2.0 * re * im + cy
            n += 1
        steps[row, column] = n


@ti.kernel
def nbody():
    for i in bodies:
        me = bodies[i].xyz
        total = ti.math.vec3(0.0)
        for k in range(len(host_bodies)):
            away = bodies[k].xyz - me
            inverse = ti.rsqrt(away.dot(away) + SOFTENING)
            total += away * (bodies[k].w * inverse * inverse * inverse)
        pulled[i] = ti.math.vec4(total, 0.0)


@ti.func
def normal(value):
    k = 1.0 / (1.0 + 0.2316419 * abs(value))
    inner = -0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))
    tail = 0.39894228 * ti.exp(-0.5 * value * value) * k * (0.31938153 + k * inner)
    return ti.select(value > 0.0, 1.0 - tail, tail)


@ti.kernel
def black_scholes():
    for i in call:
        s, k, t = spot[i], strike[i], years[i]
        spread = VOLATILITY * ti.sqrt(t)
        d1 = (ti.log(s / k) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread
        d2 = d1 - spread
        discounted = k * ti.exp(-RATE * t)
        value = s * normal(d1) - discounted * normal(d2)
        call[i] = value
        put[i] = value + discounted - s


def measure(kernel, result, *arguments):
    """The name of a kernel is that of its function."""

    def launch():
        kernel(*arguments)
        ti.sync()

    session.time(kernel.__name__, launch, result)


measure(vector_add, out.to_numpy)
measure(saxpy, y.to_numpy, 0.5)
measure(matmul, c.to_numpy)
measure(stencil, relaxed.to_numpy)
measure(transpose, transposed.to_numpy)
measure(reduce, lambda: np.float32(reduce()))
measure(histogram, bins.to_numpy)
measure(mandelbrot, steps.to_numpy)
measure(nbody, pulled.to_numpy)
measure(black_scholes, call.to_numpy)

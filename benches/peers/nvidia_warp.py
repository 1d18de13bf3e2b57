"""NVIDIA Warp on the CPU, where it has one thread."""

import numpy as np
import warp as wp
from session import FRACTAL, LIMIT, MATMUL, RATE, SOFTENING, SQUARE, VOLATILITY, Session

wp.config.quiet = True
session = Session()
wp.config.kernel_cache_dir = str(session.outputs / "cache")
wp.init()


@wp.kernel
def vector_add(a: wp.array(dtype=float), b: wp.array(dtype=float), c: wp.array(dtype=float)):
    i = wp.tid()
    c[i] = a[i] + b[i]


@wp.kernel
def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def transpose(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    y[j, i] = x[i, j]


@wp.kernel
def matmul(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    total = float(0.0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@wp.kernel
def reduce(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    wp.atomic_add(total, 0, x[wp.tid()])


@wp.kernel
def histogram(x: wp.array(dtype=wp.uint8), bins: wp.array(dtype=wp.uint32)):
    wp.atomic_add(bins, int(x[wp.tid()]), wp.uint32(1))


@wp.kernel
def mandelbrot(limit: int, steps: wp.array2d(dtype=int)):
    row, column = wp.tid()
    cx = float(column) / float(steps.shape[1]) * 3.0 - 2.0
    cy = float(row) / float(steps.shape[0]) * 2.0 - 1.0
    x = float(0.0)
    y = float(0.0)
    n = int(0)
    while n < limit and x * x + y * y <= 4.0:
        next = x * x - y * y + cx
        y = 2.0 * x * y + cy
        x = next
        n += 1
    steps[row, column] = n


@wp.kernel
def nbody(softening: float, bodies: wp.array(dtype=wp.vec4), out: wp.array(dtype=wp.vec4)):
    i = wp.tid()
    me = wp.vec3(bodies[i][0], bodies[i][1], bodies[i][2])
    total = wp.vec3(0.0, 0.0, 0.0)
    for k in range(bodies.shape[0]):
        other = bodies[k]
        away = wp.vec3(other[0], other[1], other[2]) - me
        inverse = 1.0 / wp.sqrt(wp.dot(away, away) + softening)
        total += away * (other[3] * inverse * inverse * inverse)
    out[i] = wp.vec4(total[0], total[1], total[2], 0.0)


@wp.func
def normal(x: float):
    k = 1.0 / (1.0 + 0.2316419 * wp.abs(x))
    inner = -0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))
    tail = 0.39894228 * wp.exp(-0.5 * x * x) * k * (0.31938153 + k * inner)
    return wp.where(x > 0.0, 1.0 - tail, tail)


@wp.kernel
def black_scholes(
    rate: float,
    volatility: float,
    spot: wp.array(dtype=float),
    strike: wp.array(dtype=float),
    years: wp.array(dtype=float),
    call: wp.array(dtype=float),
    put: wp.array(dtype=float),
):
    i = wp.tid()
    s = spot[i]
    x = strike[i]
    t = years[i]
    spread = volatility * wp.sqrt(t)
    d1 = (wp.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread
    d2 = d1 - spread
    discounted = x * wp.exp(-rate * t)
    value = s * normal(d1) - discounted * normal(d2)
    call[i] = value
    put[i] = value + discounted - s


@wp.kernel
def stencil(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    if i > 0 and i + 1 < x.shape[0] and j > 0 and j + 1 < x.shape[1]:
        y[i, j] = 0.25 * (x[i, j - 1] + x[i, j + 1] + x[i - 1, j] + x[i + 1, j])


def measure(kernel, dim, inputs, result):
    """The name of a kernel is that of its function. Launches on the CPU return when they are done."""

    def launch():
        wp.launch(kernel, dim=dim, inputs=inputs, device="cpu")

    session.time(kernel.key, launch, result)


def upload(array, dtype=float):
    return wp.array(array, dtype=dtype, device="cpu")


def zeros(shape, dtype=float):
    return wp.zeros(shape, dtype=dtype, device="cpu")


x, y, data = session.read("x"), session.read("y"), session.read("bytes", np.uint8)
n = len(x)
device_x, device_y, out = upload(x), upload(y), zeros(n)
measure(vector_add, n, [device_x, device_y, out], out.numpy)
measure(saxpy, n, [0.5, device_x, device_y], device_y.numpy)

square = (MATMUL, MATMUL)
a, b = (upload(m[: MATMUL * MATMUL].reshape(square)) for m in (x, y))
c = zeros(square)
measure(matmul, square, [a, b, c], c.numpy)

square = (SQUARE, SQUARE)
image, relaxed, transposed = upload(x.reshape(square)), zeros(square), zeros(square)
measure(stencil, square, [image, relaxed], relaxed.numpy)
measure(transpose, square, [image, transposed], transposed.numpy)

total, bins = zeros(1), zeros(256, wp.uint32)
measure(reduce, n, [device_x, total], total.numpy)
measure(histogram, len(data), [upload(data, wp.uint8), bins], bins.numpy)

steps = zeros((FRACTAL, FRACTAL), int)
measure(mandelbrot, (FRACTAL, FRACTAL), [LIMIT, steps], steps.numpy)

bodies = upload(session.read("bodies").reshape(-1, 4), wp.vec4)
pulled = zeros(len(bodies), wp.vec4)
measure(nbody, len(bodies), [SOFTENING, bodies, pulled], pulled.numpy)

terms = [upload(session.read(name)) for name in ("spot", "strike", "years")]
call, put = zeros(len(terms[0])), zeros(len(terms[0]))
measure(black_scholes, len(call), [RATE, VOLATILITY, *terms, call, put], call.numpy)

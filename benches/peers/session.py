"""What every engine in Python needs: sizes, inputs, and a clock.

An engine is a program that gets a folder with inputs and another for what the first launch of each kernel computes. It
prints a line for each kernel: its name, and the seconds that the fastest of its launches took.
"""

import sys
import time
from pathlib import Path

import numpy as np

# Sides of the square matrices that are transposed and relaxed, of those that are multiplied, and of the fractal.
SQUARE, MATMUL, FRACTAL = 2048, 512, 1024
# Most steps of the fractal.
LIMIT = 256
SOFTENING = 1e-3
RATE, VOLATILITY = 0.02, 0.3


class Session:
    def __init__(self):
        self.inputs, self.outputs = map(Path, sys.argv[1:3])

    def read(self, name, dtype=np.float32):
        return np.fromfile(self.inputs / name, dtype)

    def time(self, name, launch, result):
        """`launch` returns when the kernel has ended; `result` then yields what it computed."""
        launch()
        np.asarray(result()).tofile(self.outputs / name)
        least, start, runs = float("inf"), time.perf_counter(), 0
        while runs < 5 or time.perf_counter() - start < 0.4:
            launched = time.perf_counter()
            launch()
            least = min(least, time.perf_counter() - launched)
            runs += 1
        print(name, least, flush=True)

// The ten kernels for PoCL, as one writes them in OpenCL C.

kernel void vector_add(global const float *a, global const float *b, global float *c, uint n) {
    size_t i = get_global_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

kernel void saxpy(float a, global const float *x, global float *y, uint n) {
    size_t i = get_global_id(0);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

// Groups of 32 x 8; a row of the tile has one element more, as for banks.
kernel void transpose(uint n, global const float *x, global float *y) {
    local float tile[32][33];
    size_t tx = get_local_id(0), ty = get_local_id(1);
    size_t left = get_group_id(0) * 32, top = get_group_id(1) * 32;
    for (size_t down = 0; down < 32; down += 8) {
        tile[ty + down][tx] = x[(top + ty + down) * n + left + tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t down = 0; down < 32; down += 8) {
        y[(left + ty + down) * n + top + tx] = tile[tx][ty + down];
    }
}

// Groups of 16 x 16.
kernel void matmul(uint n, global const float *a, global const float *b, global float *c) {
    local float tile_a[16][16], tile_b[16][16];
    size_t tx = get_local_id(0), ty = get_local_id(1);
    size_t column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (size_t tile = 0; tile < n / 16; tile++) {
        tile_a[ty][tx] = a[row * n + tile * 16 + tx];
        tile_b[ty][tx] = b[(tile * 16 + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; k < 16; k++) {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// Each item adds up a part of its own, which is faster on a CPU than strides of the grid are.
kernel void reduce(global const float *x, uint n, global float *partial) {
    size_t count = n / get_global_size(0), first = get_global_id(0) * count;
    float sum = 0.0f;
    for (size_t i = first; i < first + count; i++) {
        sum += x[i];
    }
    partial[get_global_id(0)] = sum;
}

// Groups of 256.
kernel void histogram(global const uchar *x, uint n, global uint *bins) {
    local uint counts[256];
    size_t t = get_local_id(0);
    counts[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
        atomic_inc(&counts[x[i]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], counts[t]);
}

kernel void mandelbrot(uint width, uint height, uint limit, global uint *steps) {
    size_t column = get_global_id(0), row = get_global_id(1);
    if (column < width && row < height) {
        float cx = (float)column / (float)width * 3.0f - 2.0f;
        float cy = (float)row / (float)height * 2.0f - 1.0f;
        float x = 0.0f, y = 0.0f;
        uint n = 0;
        while (n < limit && x * x + y * y <= 4.0f) {
            float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
            n++;
        }
        steps[row * width + column] = n;
    }
}

// Groups of 256, each of which loads a tile of bodies.
kernel void nbody(float softening, global const float4 *bodies, uint n, global float4 *out) {
    local float4 tile[256];
    size_t i = get_global_id(0), t = get_local_id(0);
    float4 me = bodies[i];
    float3 sum = (float3)(0.0f);
    for (size_t first = 0; first < n; first += 256) {
        tile[t] = bodies[first + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; k < 256; k++) {
            float3 away = tile[k].xyz - me.xyz;
            float inverse = rsqrt(dot(away, away) + softening);
            sum += away * (tile[k].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = (float4)(sum, 0.0f);
}

float normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float polynomial = k
        * (0.31938153f
           + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * x * x) * polynomial;
    return x > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(float rate, float volatility, global const float *spot, global const float *strike,
                          global const float *years, global float *call, global float *put, uint n) {
    size_t i = get_global_id(0);
    if (i < n) {
        float s = spot[i], x = strike[i], t = years[i];
        float spread = volatility * sqrt(t);
        float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread;
        float discounted = x * exp(-rate * t);
        float value = s * normal(d1) - discounted * normal(d2);
        call[i] = value;
        put[i] = value + discounted - s;
    }
}

kernel void stencil(uint n, global const float *x, global float *y) {
    size_t column = get_global_id(0), row = get_global_id(1);
    if (column > 0 && column + 1 < n && row > 0 && row + 1 < n) {
        size_t i = row * n + column;
        y[i] = 0.25f * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
}

// A step of particles in a box, as an array of structs.
struct Particle {
    float position[3];
    float velocity[3];
    float mass;
};

extern "C" __global__ void particles(int n, float seconds, float gravity, Particle* __restrict__ particles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle& particle = particles[i];
        particle.velocity[1] -= gravity * particle.mass * seconds;
        for (int k = 0; k < 3; k++) {
            particle.position[k] += particle.velocity[k] * seconds;
            if (particle.position[k] < 0.0f || particle.position[k] > 1.0f) {
                particle.velocity[k] = -particle.velocity[k];
            }
        }
    }
}

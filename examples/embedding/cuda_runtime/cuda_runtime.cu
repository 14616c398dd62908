// A program of the CUDA run time, compiled by nvcc, with kernels, streams and memory of its own. It asks Kiln
// for one kernel, whose filter radius is known at run time only and has to be a constant for speed, and
// launches that between its own kernels: on its streams, and in its graph.
//
//   cuda_runtime [radius]
#include <cuda_runtime.h>
#include <kiln/kiln.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.h"  // made by kiln_embed_kernels()

namespace {

constexpr int kNx = 2048;
constexpr int kNy = 1024;
constexpr int kPoints = kNx * kNy;
constexpr int kFrames = 8;

/// What frame f holds at a point.
__host__ __device__ float picture(int frame, int at) {
  return static_cast<float>((at * 37 + frame * 101) % 256);
}

__global__ void draw(int frame, float* out) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < kPoints) out[at] = picture(frame, at);
}

__global__ void add(const float* frame, float* sum) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < kPoints) sum[at] += frame[at];
}

void must(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Memory and a stream for one frame at a time.
struct Lane {
  cudaStream_t stream = nullptr;
  float *drawn = nullptr, *blurred = nullptr, *sum = nullptr;
};

using Blur = kiln::Function<void(int, int, int, const float*, const float*, float*)>;

/// Frame by frame: draw (ours), blur (Kiln's), add (ours).
void enqueue(const Lane& lane, int frame, const Blur& blur, int radius, const float* weights) {
  constexpr int kBlocks = (kPoints + 255) / 256;
  draw<<<kBlocks, 256, 0, lane.stream>>>(frame, lane.drawn);
  blur(lane.stream, kNx, kNy, radius, weights, lane.drawn, lane.blurred);
  add<<<kBlocks, 256, 0, lane.stream>>>(lane.blurred, lane.sum);
  must(cudaGetLastError());
}

/// Seconds of `work` between two events of the stream.
template <class Work>
double seconds(cudaStream_t stream, const Work& work) {
  cudaEvent_t begin, end;
  must(cudaEventCreate(&begin));
  must(cudaEventCreate(&end));
  must(cudaEventRecord(begin, stream));
  work();
  must(cudaEventRecord(end, stream));
  must(cudaEventSynchronize(end));
  float milliseconds = 0;
  must(cudaEventElapsedTime(&milliseconds, begin, end));
  must(cudaEventDestroy(begin));
  must(cudaEventDestroy(end));
  return milliseconds * 1e-3;
}

/// The largest difference from the sum of `frames` blurred pictures, over every 97th point.
double worst_error(const std::vector<float>& sum, int times, int radius, const std::vector<float>& weights) {
  double worst = 0;
  for (int at = 0; at < kPoints; at += 97) {
    const int row = at / kNx * kNx;
    double exact = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
      for (int k = -radius; k <= radius; ++k) {
        const int x = std::min(std::max(at - row + k, 0), kNx - 1);
        exact += static_cast<double>(weights[static_cast<std::size_t>(k + radius)]) * picture(frame, row + x);
      }
    }
    worst = std::fmax(worst, std::fabs(sum[static_cast<std::size_t>(at)] - times * exact));
  }
  return worst;
}

int run(int radius) {
  // The device that the run time has chosen is the same as Kiln's of that number, and so is its context.
  int device_number = 0;
  must(cudaGetDevice(&device_number));
  const kiln::Service service(kiln::Settings::for_application("kiln-cuda-runtime"));
  const kiln::DeviceHandle device = service.device("cuda:" + std::to_string(device_number));
  const kiln::FunctionRequest request = service.program("blur.cu", std::string(kernels::blur_cu))
                                            .function("blur", device)
                                            .block(256)
                                            .cover(0, 1);
  using Signature = void(int, int, int, const float*, const float*, float*);
  const Blur generic = request.get<Signature>();
  const Blur blur = kiln::FunctionRequest(request).constant(2, radius).get<Signature>();

  std::vector<float> weights(static_cast<std::size_t>(2 * radius + 1));
  float total = 0;
  for (int k = -radius; k <= radius; ++k)
    total += weights[static_cast<std::size_t>(k + radius)] = std::exp(-2.0f * k * k / (radius * radius));
  for (float& weight : weights) weight /= total;
  float* device_weights = nullptr;
  must(cudaMalloc(&device_weights, weights.size() * sizeof(float)));
  must(cudaMemcpy(device_weights, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice));

  std::array<Lane, 2> lanes;
  for (Lane& lane : lanes) {
    must(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    for (float** memory : {&lane.drawn, &lane.blurred, &lane.sum})
      must(cudaMalloc(memory, kPoints * sizeof(float)));
    must(cudaMemsetAsync(lane.sum, 0, kPoints * sizeof(float), lane.stream));
  }

  // Frames by turns on two streams; then the same frames once more, as a graph of the program's.
  for (int frame = 0; frame < kFrames; ++frame)
    enqueue(lanes[frame % 2], frame, blur, radius, device_weights);
  for (const Lane& lane : lanes) must(cudaStreamSynchronize(lane.stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  must(cudaStreamBeginCapture(lanes[0].stream, cudaStreamCaptureModeGlobal));
  for (int frame = 0; frame < kFrames; ++frame) enqueue(lanes[0], frame, blur, radius, device_weights);
  must(cudaStreamEndCapture(lanes[0].stream, &graph));
  must(cudaGraphInstantiate(&executable, graph, 0));
  must(cudaGraphLaunch(executable, lanes[0].stream));
  must(cudaStreamSynchronize(lanes[0].stream));

  std::vector<float> sum(kPoints), part(kPoints);
  must(cudaMemcpy(sum.data(), lanes[0].sum, kPoints * sizeof(float), cudaMemcpyDeviceToHost));
  must(cudaMemcpy(part.data(), lanes[1].sum, kPoints * sizeof(float), cudaMemcpyDeviceToHost));
  for (std::size_t at = 0; at < sum.size(); ++at) sum[at] += part[at];
  const double worst = worst_error(sum, 2, radius, weights);

  constexpr int kRepeats = 200;
  const auto repeat = [&](const Blur& function) {
    return seconds(lanes[0].stream,
                   [&] {
                     for (int i = 0; i < kRepeats; ++i)
                       function(lanes[0].stream, kNx, kNy, radius, device_weights, lanes[0].drawn,
                                lanes[0].blurred);
                   }) /
           kRepeats;
  };
  repeat(generic);
  const double generic_seconds = repeat(generic);
  repeat(blur);
  const double seconds = repeat(blur);
  std::printf("%s: radius %d, %d x %d: blur %.1f us with the radius as an argument, %.1f us as a constant\n",
              device.name().c_str(), radius, kNx, kNy, generic_seconds * 1e6, seconds * 1e6);
  std::printf("%d frames on two streams and in a graph: largest error %.1e\n", kFrames, worst);

  must(cudaGraphExecDestroy(executable));
  must(cudaGraphDestroy(graph));
  must(cudaFree(device_weights));
  for (const Lane& lane : lanes) {
    for (float* memory : {lane.drawn, lane.blurred, lane.sum}) must(cudaFree(memory));
    must(cudaStreamDestroy(lane.stream));
  }
  return worst < 0.05 ? 0 : 1;  // of values up to 4096, in float
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const int radius = argc > 1 ? std::atoi(argv[1]) : 8;
  if (radius < 1 || radius > 512) {
    std::fprintf(stderr, "cuda_runtime: the radius has to be 1 to 512\n");
    return 2;
  }
  try {
    return run(radius);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_runtime: %s\n", error.what());
    return 2;
  }
}

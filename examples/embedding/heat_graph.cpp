// Heat conduction whose time steps are a graph: captured once, launched many times, and captured anew where
// the time step changes, which compiles nothing.
//
//   heat_graph [device] [n]      e.g.  heat_graph cuda:0 512
#include <kiln/kiln.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "kernels.h"  // made by kiln_embed_kernels()

int main(int argc, char** argv) {
  constexpr int kStepsInGraph = 20;
  constexpr int kLaunches = 25;  // of the graph, with each time step
  try {
    const kiln::Service service(kiln::Settings::for_application("kiln-heat-graph"));
    const kiln::DeviceHandle device = service.device(argc > 1 ? argv[1] : "cpu");
    const int n = argc > 2 ? std::atoi(argv[2]) : 128;
    if (n < 3 || n > 32768) throw kiln::bad_input("n has to be 3 to 32768");
    const auto step = service.program("heat_graph.cu", std::string(kernels::heat_graph_cu))
                          .function("step", device)
                          .block(128)
                          .cover(0, 1)
                          .get<void(int, int, double, const double*, double*)>();

    // sin(pi x) sin(pi y) only shrinks: the differences of 5 points have it as an eigenvector.
    const auto size = static_cast<std::size_t>(n);
    const double h = 1.0 / (n - 1);
    std::vector<double> mode(size);
    for (std::size_t i = 1; i + 1 < size; ++i)
      mode[i] = std::sin(std::numbers::pi * h * static_cast<double>(i));
    kiln::Buffer<double> u(device, size * size), v(device, size * size);
    const std::span<double> start = u.host_write();
    for (std::size_t at = 0; at < start.size(); ++at) start[at] = mode[at % size] * mode[at / size];

    const kiln::StreamHandle stream = device.create_stream();
    double* const from = u.update(stream);
    double* const to = v.write(stream);
    const auto steps = [&](double dt) {
      const double r = dt / (h * h);
      for (int k = 0; k < kStepsInGraph; k += 2) {
        step(stream.native(), n, n, r, from, to);
        step(stream.native(), n, n, r, to, from);
      }
    };

    const double eigenvalue = 4 * (std::cos(std::numbers::pi * h) - 1) / (h * h);
    double time = 0, shrunk = 1;
    kiln::GraphHandle graph;
    const kiln::EventHandle begin = stream.record();
    for (const double r : {0.1, 0.2, 0.25}) {  // in units of h^2; 0.25 is the limit of stability
      const double dt = r * h * h;
      if (time == 0)
        graph = stream.capture([&] { steps(dt); });
      else
        graph.update(stream, [&] { steps(dt); });
      for (int launch = 0; launch < kLaunches; ++launch) graph.launch(stream);
      time += dt * kStepsInGraph * kLaunches;
      shrunk *= std::pow(1 + dt * eigenvalue, kStepsInGraph * kLaunches);
    }
    const kiln::EventHandle end = stream.record();
    stream.synchronize();
    const double graph_seconds = end.seconds_since(begin);

    // The graph has changed u since it was asked for: `update` said so.
    double worst = 0;
    const auto result = u.host_read();
    for (std::size_t at = 0; at < result.size(); ++at)
      worst = std::fmax(worst, std::fabs(result[at] - shrunk * mode[at % size] * mode[at / size]));
    const double analytic = std::exp(-2 * std::numbers::pi * std::numbers::pi * time);

    const kiln::EventHandle plain_begin = stream.record();
    for (int launch = 0; launch < 3 * kLaunches; ++launch) steps(0.1 * h * h);
    const kiln::EventHandle plain_end = stream.record();
    stream.synchronize();

    constexpr int kSteps = 3 * kLaunches * kStepsInGraph;
    std::printf("%s: %d^2 points, %d steps: %.2f us a step as graphs, %.2f us launched one by one\n",
                device.name().c_str(), n, kSteps, graph_seconds / kSteps * 1e6,
                plain_end.seconds_since(plain_begin) / kSteps * 1e6);
    std::printf("largest error %.1e; at t = %.4f the amplitude is %.6f, that of the equation %.6f\n", worst,
                time, shrunk, analytic);
    const kiln::ServiceStatistics statistics = service.statistics();
    const bool one_code = statistics.compiled + statistics.disk_hits == 1;
    // The differences are of second order in h; dt is proportional to h^2.
    return one_code && worst < 1e-11 && std::fabs(shrunk - analytic) < 10 * h * h ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heat_graph: %s\n", error.what());
    return 2;
  }
}

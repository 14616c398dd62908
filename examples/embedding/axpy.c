/* A kernel of a text, called from C: y = a x + y. C99; `axpy [DEVICE]`, by default on the cpu. */
#include <kiln.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const kText =
    "template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n";

/* Ends the program with Kiln's message and its exit code. */
static void must(kiln_status status) {
  if (status == KILN_OK) return;
  fprintf(stderr, "axpy: %s\n", kiln_last_error_message());
  exit((int)status);
}

static double* on_host(kiln_buffer* buffer, kiln_access access) {
  void* address = NULL;
  must(kiln_buffer_on_host(buffer, access, &address));
  return address;
}

static double* on_device(kiln_buffer* buffer, const kiln_stream* stream, kiln_access access) {
  void* address = NULL;
  must(kiln_buffer_on_device(buffer, stream, access, &address));
  return address;
}

int main(int argc, char** argv) {
  enum { kCount = 1000 };
  const char* type = "double";
  int n = kCount, i;
  double a = 0.5, *x, *y;
  void* values[4];
  kiln_service_options options = {0};
  kiln_service* service;
  kiln_device* device;
  kiln_stream* stream;
  kiln_buffer *x_buffer, *y_buffer;
  kiln_program* program;
  kiln_function_request* request;
  kiln_function* axpy;

  options.size = sizeof options;
  options.application = "kiln-axpy"; /* a cache of its own, ~/.cache/kiln-axpy/kiln */
  must(kiln_service_create(&options, &service));
  must(kiln_device_open(service, argc > 1 ? argv[1] : "cpu", &device));
  must(kiln_stream_create(device, &stream));

  must(kiln_program_create(service, "axpy.cu", kText, &program));
  must(kiln_function_request_create(program, "axpy", device, NULL, &request));
  must(kiln_function_request_template_args(request, 1, &type));
  must(kiln_function_request_block(request, 256, 1, 1));
  must(kiln_function_request_cover(request, 0, -1, -1)); /* as many blocks as cover argument 0 */
  must(kiln_function_get(request, "int, double, const double*, double*", &axpy));

  must(kiln_buffer_create(device, kCount, sizeof(double), &x_buffer));
  must(kiln_buffer_create(device, kCount, sizeof(double), &y_buffer));
  x = on_host(x_buffer, KILN_WRITE);
  y = on_host(y_buffer, KILN_WRITE);
  for (i = 0; i < n; ++i) {
    x[i] = 1;
    y[i] = 2;
  }
  x = on_device(x_buffer, stream, KILN_READ);
  y = on_device(y_buffer, stream, KILN_UPDATE);
  values[0] = &n;
  values[1] = &a;
  values[2] = &x;
  values[3] = &y;
  must(kiln_launch(axpy, kiln_stream_native(stream), values));
  y = on_host(y_buffer, KILN_READ);
  printf("%s: y = %g\n", kiln_device_name(device), y[kCount - 1]);

  kiln_function_release(axpy);
  kiln_function_request_release(request);
  kiln_program_release(program);
  kiln_buffer_release(y_buffer);
  kiln_buffer_release(x_buffer);
  kiln_stream_release(stream);
  kiln_device_release(device);
  kiln_service_release(service);
  return 0;
}

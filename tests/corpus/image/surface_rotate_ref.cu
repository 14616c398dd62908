// A gather by bytes: element (x, y) of the result is (y, height - 1 - x) of the image.
extern "C" __global__ void rotate_ref(const unsigned char* image, unsigned char* out, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 4 * width * height) return;
  const int channel = i % 4, x = i / 4 % height, y = i / 4 / height;
  const int value = image[4 * ((height - 1 - x) * width + y) + channel];
  out[i] = (unsigned char)(channel == 3 ? value : 255 - value);
}

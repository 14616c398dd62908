#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// What a texture or surface is, by the function that accesses it.
struct TextureKind {
  int dimensions = 1;  ///< without the layers
  bool layers = false;
  bool surface = false;

  bool operator==(const TextureKind&) const = default;
};

/// A kernel's access to a texture or surface.
struct TextureFetch {
  TextureKind kind;
  std::string type;     ///< of an element, as the program writes it; empty: unknown
  bool linear = false;  ///< tex1Dfetch, by index
  bool writes = false;
};

/// The first access to each name in a kernel's body: `tex2D<float>(image, x, y)`,
/// `tex3D(&value, volume, x, y, z)`, `surf2Dwrite(value, out, x * sizeof(uchar4), y)`. Names that are no
/// textures can be among them, if they are an access' first or second argument.
[[nodiscard]] std::map<std::string, TextureFetch> texture_fetches(const std::vector<Token>& tokens,
                                                                  TokenSpan body);

/// `sample(volume, x, y)`: a function gets a texture, a surface or a function object of its caller.
struct PassedArgument {
  std::string name, function;
  std::size_t argument = 0;
};

/// A function with parameters that are textures or surfaces.
struct TextureUser {
  std::vector<std::string> parameters;  ///< names of all
  std::map<std::string, TextureFetch> fetches;
  std::vector<PassedArgument> passed;
};

/// The texture or surface objects among types, without pointers: "cudaTextureObject_t".
[[nodiscard]] bool is_texture_type(const std::string& type);

/// The calls in a body that pass one of the names on.
[[nodiscard]] std::vector<PassedArgument> passed_arguments(const std::vector<Token>& tokens, TokenSpan body,
                                                           const std::vector<std::string>& names);

/// Adds to the accesses of a caller what functions do with a texture that they get, at any depth.
void add_passed_fetches(std::map<std::string, TextureFetch>& fetches,
                        const std::vector<PassedArgument>& passed,
                        const std::multimap<std::string, TextureUser>& users);

}  // namespace kiln

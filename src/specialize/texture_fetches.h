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

}  // namespace kiln

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trial/kept_buffers.h"
#include "trial/prepared_kernel.h"
#include "trial/workspace.h"

namespace kiln {

/// Tracks the contents of a workspace's buffers, by the keys of trial/content_key.h, from the moment when
/// they are filled. Fills buffers and runs kernels that make data, or copies an earlier variant's result if
/// its dependencies have not changed. A buffer that a kernel of the step may have written counts as unchanged
/// only if it still equals its content, bit by bit. A view counts as its buffer. All objects that it refers
/// to outlive it.
class BufferContents {
 public:
  /// Decides on the device whether two pieces of its memory are equal, after all work on the stream; nullopt:
  /// the host is to look.
  using SameBits = std::function<std::optional<bool>(const void* a, const void* b, std::size_t bytes)>;

  BufferContents(const Configuration& configuration, FileSystem& files, Workspace& workspace,
                 KeptBuffers& kept);
  void compare_by(SameBits same_bits) { same_bits_ = std::move(same_bits); }

  /// Gives the buffer its initial content, if it has one of its own.
  void fill(const std::string& name);
  /// As fill, for each of them. Files of moderate size are read and converted on all cores.
  void fill_all(const std::vector<std::string>& names);
  /// Gives the kernel's buffers what `enqueue`, which launches it, makes of them.
  void run(PreparedKernel& kernel, const std::function<void()>& enqueue);
  /// Gives the buffer what another one of the same size holds.
  void copy(const std::string& name, const std::string& from);
  /// A program has run that may have changed the buffer.
  void note_written(const std::string& name) { states_[name].written = true; }

  /// The key of what the buffer holds; empty if that is not known.
  [[nodiscard]] std::string key_of(const std::string& name);
  /// The key of a launch on buffers with the contents of `key_of_buffer`; empty if one of its dependencies is
  /// unknown.
  [[nodiscard]] std::string launch_key(const PreparedKernel& kernel,
                                       const std::function<std::string(const std::string&)>& key_of_buffer);
  /// The key of what such a launch leaves in its `index`-th buffer, if it changes that.
  [[nodiscard]] static std::string output_key(const std::string& launch_key, std::size_t index);

  [[nodiscard]] KeptBuffers& kept() { return kept_; }

 private:
  struct State {
    std::string key;
    bool written = false;  ///< perhaps, since it had this key
  };
  [[nodiscard]] bool restore(const PreparedKernel& kernel, const std::string& key);
  void keep_outcome(const PreparedKernel& kernel, const std::string& key);
  [[nodiscard]] bool still_holds(const std::string& name, const std::string& key);
  void copy_in(const std::string& name, const DeviceBuffer& content);

  const Configuration& configuration_;
  FileSystem& files_;
  Workspace& workspace_;
  KeptBuffers& kept_;
  SameBits same_bits_;
  std::map<std::string, State> states_;
};

}  // namespace kiln

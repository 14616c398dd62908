#include "support/memory_file_system.h"

#include <algorithm>
#include <utility>

namespace kiln::test {
namespace {

using Path = FileSystem::Path;

[[noreturn]] void fail(const char* action, const Path& path, std::errc code) {
  throw std::filesystem::filesystem_error(action, path, std::make_error_code(code));
}

std::string parent_of(const std::string& path) {
  return Path(path).parent_path().string();
}

bool is_below(const std::string& path, const std::string& root) {
  return path.size() > root.size() && path.starts_with(root) && (root == "/" || path[root.size()] == '/');
}

}  // namespace

MemoryFileSystem::MemoryFileSystem(const Clock& clock) : clock_(clock) {
  make_node("/", FileStatus::Type::kDirectory, 0755);
}

std::optional<FileStatus> MemoryFileSystem::status(const Path& path) {
  const std::lock_guard lock(mutex_);
  const bool names_inside = path.filename() == "." || !path.has_filename();
  const Node* node = find(resolve(path, names_inside));
  return node == nullptr ? std::nullopt : std::optional(node->status);
}

std::optional<FileStatus> MemoryFileSystem::target_status(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Node* node = find(resolve(path, true));
  return node == nullptr ? std::nullopt : std::optional(node->status);
}

std::optional<std::string> MemoryFileSystem::read(const Path& path, const ReadRange& range) {
  const std::lock_guard lock(mutex_);
  const Node* node = find(resolve(path, true));
  if (node == nullptr) return std::nullopt;
  reads_.push_back(path.string());
  if (node->status.type == FileStatus::Type::kDirectory) {
    fail("cannot read", path, std::errc::is_a_directory);
  }
  const std::size_t first = std::min<std::uint64_t>(range.offset, node->bytes.size());
  return node->bytes.substr(first, range.most);
}

void MemoryFileSystem::write_file(const Path& path, std::string_view bytes, bool sync) {
  const std::lock_guard lock(mutex_);
  write(path, bytes, false);
  operations_.push_back("write " + path.string() + (sync ? " sync" : ""));
}

bool MemoryFileSystem::create_file(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  require_writable(path);
  if (find(resolve(path, false)) != nullptr) return false;
  write(path, bytes, false);
  return true;
}

void MemoryFileSystem::append_file(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  write(path, bytes, true);
  operations_.push_back("append " + path.string());
}

std::vector<std::string> MemoryFileSystem::list(const Path& directory) {
  const std::lock_guard lock(mutex_);
  const std::string root = resolve(directory, true);
  std::vector<std::string> names;
  for (const auto& [path, node] : nodes_) {
    if (path != "/" && parent_of(path) == root) names.push_back(Path(path).filename().string());
  }
  return names;
}

void MemoryFileSystem::make_directories(const Path& path, bool private_mode) {
  const std::lock_guard lock(mutex_);
  Path so_far;
  const Path plain = path.has_filename() ? path : path.parent_path();
  for (const Path& part : plain) {
    so_far /= part;
    const std::string name = resolve(so_far, true);
    const Node* node = find(name);
    if (node == nullptr) {
      require_writable(path);
      make_node(name, FileStatus::Type::kDirectory, private_mode && so_far == plain ? 0700 : 0755);
    } else if (node->status.type != FileStatus::Type::kDirectory) {
      fail("cannot create directory", path, std::errc::not_a_directory);
    }
  }
}

Path MemoryFileSystem::make_unique_directory(const Path& prefix) {
  const std::lock_guard lock(mutex_);
  require_writable(prefix);
  const std::string name = resolve(prefix, false) + std::to_string(++unique_);
  if (find(parent_of(name)) == nullptr) {
    fail("cannot create directory", name, std::errc::no_such_file_or_directory);
  }
  make_node(name, FileStatus::Type::kDirectory, 0700);
  return name;
}

bool MemoryFileSystem::rename(const Path& from, const Path& to) {
  std::unique_lock lock(mutex_);
  if (const auto action = std::exchange(before_rename_, nullptr)) {
    lock.unlock();
    action();
    lock.lock();
  }
  require_writable(to);
  const std::string source = resolve(from, false);
  const std::string target = resolve(to, false);
  const Node* moved = find(source);
  if (moved == nullptr || find(parent_of(target)) == nullptr) {
    fail("cannot rename", from, std::errc::no_such_file_or_directory);
  }
  if (const Node* there = find(target)) {
    const bool source_is_directory = moved->status.type == FileStatus::Type::kDirectory;
    const bool target_is_directory = there->status.type == FileStatus::Type::kDirectory;
    if (source_is_directory && !target_is_directory) {
      fail("cannot rename", to, std::errc::not_a_directory);
    }
    if (!source_is_directory && target_is_directory) fail("cannot rename", to, std::errc::is_a_directory);
    if (target_is_directory && has_children(target)) return false;
  }
  move_tree(source, target);
  operations_.push_back("rename " + from.string() + " " + to.string());
  return true;
}

void MemoryFileSystem::remove_all(const Path& path) {
  const std::lock_guard lock(mutex_);
  const std::string name = resolve(path, false);
  if (find(name) == nullptr) return;
  require_writable(path);
  erase_tree(name);
  operations_.push_back("remove " + path.string());
}

void MemoryFileSystem::sync_directory(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (find(resolve(path, true)) == nullptr) {
    fail("cannot sync", path, std::errc::no_such_file_or_directory);
  }
  operations_.push_back("sync " + path.string());
}

void MemoryFileSystem::fail_write(int n, std::errc code) {
  const std::lock_guard lock(mutex_);
  writes_until_failure_ = n;
  failure_ = code;
}

void MemoryFileSystem::set_full(bool full) {
  const std::lock_guard lock(mutex_);
  full_ = full;
}

void MemoryFileSystem::set_read_only(bool read_only) {
  const std::lock_guard lock(mutex_);
  read_only_ = read_only;
}

void MemoryFileSystem::set_owner(const Path& path, std::uint32_t owner) {
  const std::lock_guard lock(mutex_);
  nodes_.at(resolve(path, false)).status.owner = owner;
}

void MemoryFileSystem::set_mode(const Path& path, std::uint32_t mode) {
  const std::lock_guard lock(mutex_);
  nodes_.at(resolve(path, false)).status.mode = mode;
}

void MemoryFileSystem::add_symlink(const Path& path, const Path& target) {
  const std::lock_guard lock(mutex_);
  make_node(resolve(path, false), FileStatus::Type::kSymlink, 0777).link_target = target.string();
}

void MemoryFileSystem::before_next_rename(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  before_rename_ = std::move(action);
}

std::vector<std::string> MemoryFileSystem::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

void MemoryFileSystem::clear_reads() {
  const std::lock_guard lock(mutex_);
  reads_.clear();
}

std::vector<std::string> MemoryFileSystem::operations() const {
  const std::lock_guard lock(mutex_);
  return operations_;
}

std::vector<std::string> MemoryFileSystem::files_below(const Path& root) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  for (const auto& [path, node] : nodes_) {
    if (node.status.type == FileStatus::Type::kFile && is_below(path, root.string())) found.push_back(path);
  }
  return found;
}

std::string MemoryFileSystem::resolve(const Path& path, bool follow_last) const {
  const Path normal = path.lexically_normal();
  const Path plain = normal.has_filename() || normal == "/" ? normal : normal.parent_path();
  Path result;
  for (auto part = plain.begin(); part != plain.end(); ++part) {
    result /= *part;
    const bool last = std::next(part) == plain.end();
    for (int hops = 0; !last || follow_last; ++hops) {
      const auto node = nodes_.find(result.string());
      if (node == nodes_.end() || node->second.status.type != FileStatus::Type::kSymlink) break;
      constexpr int kMostHops = 40;
      if (hops == kMostHops) fail("cannot follow", path, std::errc::too_many_symbolic_link_levels);
      result = (result.parent_path() / node->second.link_target).lexically_normal();
    }
  }
  return result.string();
}

MemoryFileSystem::Node* MemoryFileSystem::find(const std::string& path) {
  const auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : &found->second;
}

MemoryFileSystem::Node& MemoryFileSystem::make_node(const std::string& path, FileStatus::Type type,
                                                    std::uint32_t mode) {
  Node& node = nodes_[path];
  node = Node{};
  node.status.type = type;
  node.status.mode = mode;
  node.status.owner = current_user_id();
  node.status.modified_ns = clock_.system_ns();
  node.status.inode = ++nodes_made_;
  return node;
}

void MemoryFileSystem::require_writable(const Path& path) const {
  if (read_only_) fail("cannot write", path, std::errc::read_only_file_system);
}

void MemoryFileSystem::write(const Path& path, std::string_view bytes, bool append) {
  require_writable(path);
  const std::string name = resolve(path, true);
  const Node* parent = find(parent_of(name));
  if (parent == nullptr) fail("cannot write", path, std::errc::no_such_file_or_directory);
  Node* node = find(name);
  if (node == nullptr) node = &make_node(name, FileStatus::Type::kFile, 0644);
  if (node->status.type != FileStatus::Type::kFile) fail("cannot write", path, std::errc::is_a_directory);
  if (!append) node->bytes.clear();

  const bool nth_fails = writes_until_failure_ > 0 && --writes_until_failure_ == 0;
  const bool fails = nth_fails || (full_ && !bytes.empty());
  node->bytes += fails ? bytes.substr(0, bytes.size() / 2) : bytes;
  node->status.size = node->bytes.size();
  node->status.modified_ns = clock_.system_ns();
  if (fails) fail("cannot write", path, nth_fails ? failure_ : std::errc::no_space_on_device);
}

void MemoryFileSystem::move_tree(const std::string& from, const std::string& to) {
  std::vector<std::pair<std::string, Node>> moved;
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    if (at->first == from || is_below(at->first, from)) {
      moved.emplace_back(to + at->first.substr(from.size()), std::move(at->second));
      at = nodes_.erase(at);
    } else {
      ++at;
    }
  }
  for (auto& [path, node] : moved) nodes_[path] = std::move(node);
}

void MemoryFileSystem::erase_tree(const std::string& path) {
  std::erase_if(nodes_,
                [&](const auto& entry) { return entry.first == path || is_below(entry.first, path); });
}

bool MemoryFileSystem::has_children(const std::string& path) const {
  const auto next = nodes_.upper_bound(path + "/");
  return next != nodes_.end() && is_below(next->first, path);
}

}  // namespace kiln::test

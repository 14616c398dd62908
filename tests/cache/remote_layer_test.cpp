#include "cache/remote_layer.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "cache/bundle.h"
#include "cache/disk_cache_fixture.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using test::expect_same;
using test::key_of;
using test::make_code;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// What all connections to one server see.
struct FakeServer {
  std::mutex mutex;
  std::map<std::string, std::string> values;
  int gets = 0, heads = 0, puts = 0;
  std::string failure;  ///< of every call, if it is not empty
  std::string refusal;  ///< of every put
};

class FakeTransport final : public RemoteTransport {
 public:
  explicit FakeTransport(FakeServer& server) : server_(server) {}

  std::optional<std::string> get(const std::string& name, std::uint64_t most) override {
    const std::lock_guard lock(server_.mutex);
    ++server_.gets;
    require_answer();
    const auto found = server_.values.find(name);
    if (found == server_.values.end()) return std::nullopt;
    if (found->second.size() > most) throw bad_input("it is too large");
    return found->second;
  }
  bool has(const std::string& name) override {
    const std::lock_guard lock(server_.mutex);
    ++server_.heads;
    require_answer();
    return server_.values.contains(name);
  }
  std::optional<std::string> put(const std::string& name, std::string_view value) override {
    const std::lock_guard lock(server_.mutex);
    ++server_.puts;
    require_answer();
    if (!server_.refusal.empty()) return server_.refusal;
    server_.values[name] = value;
    return std::nullopt;
  }

 private:
  void require_answer() const {
    if (!server_.failure.empty()) throw environment_error(server_.failure);
  }

  FakeServer& server_;
};

const std::string kKey(32, 'k');

/// Two machines, /here and /there, over one server.
class RemoteLayerTest : public test::DiskCacheTest {
 protected:
  std::shared_ptr<RemoteLayer> layer(const std::string& key = kKey) {
    return std::make_shared<RemoteLayer>(std::make_unique<FakeTransport>(server_), log_, "http://server",
                                         key);
  }
  std::unique_ptr<DiskCache> machine(const std::string& root, const std::shared_ptr<RemoteLayer>& remote) {
    DiskCacheOptions options{root};
    options.remote = remote;
    return std::make_unique<DiskCache>(files_, clock_, log_, options);
  }
  std::unique_ptr<DiskCache> machine(const std::string& root, const std::string& key = kKey) {
    return machine(root, layer(key));
  }
  /// One entry, made here and given to the server.
  void fill() {
    const auto here = machine("/here");
    ASSERT_TRUE(here->publish(key_, code_, label_));
    ASSERT_TRUE(here->upload(key_.digest));
  }
  std::string& value() { return server_.values.at(remote_name(key_.digest)); }
  /// The server's value is not used, for a reason that contains `why`, and is replaced by the next upload.
  void expect_rejected(const std::string& why) {
    log_.clear();
    const std::string bad = value();
    files_.remove_all("/there");
    const auto remote = layer();
    const auto there = machine("/there", remote);
    EXPECT_FALSE(there->load_or_lock(key_).code.has_value()) << why;
    EXPECT_THAT(log_.warnings(), ElementsAre(AllOf(HasSubstr(key_.digest), HasSubstr("http://server"),
                                                   HasSubstr(why), HasSubstr("and the entry replaced"))));
    EXPECT_EQ(remote->counters().damaged, 1U);
    EXPECT_EQ(remote->disabled_reason(), "");
    there->publish(key_, code_, label_);
    EXPECT_TRUE(there->upload(key_.digest)) << why;
    EXPECT_NE(value(), bad);
    EXPECT_TRUE(machine("/next")->load(key_).has_value()) << why;
    files_.remove_all("/next");
  }

  FakeServer server_;
  CodeObject code_ = make_code("of here");
};

TEST_F(RemoteLayerTest, TwoMachinesShareWhatOneHasCompiled) {
  fill();
  const auto there = machine("/there");
  CacheTurn turn = there->load_or_lock(key_);
  ASSERT_TRUE(turn.code.has_value());
  expect_same(*turn.code, code_);
  EXPECT_TRUE(turn.remote);
  EXPECT_TRUE(turn.in_root);
  EXPECT_FALSE(turn.waited);
  EXPECT_EQ(there->counters().remote, 1U);
  EXPECT_EQ(there->counters().hits, 1U);
  // From here on it is the folder's own.
  server_.failure = "it is gone";
  turn = there->find(key_);
  EXPECT_TRUE(turn.code.has_value());
  EXPECT_FALSE(turn.remote);
  EXPECT_EQ(server_.gets, 1);
  EXPECT_EQ(there->verify().entries, 1U);
  EXPECT_THAT(there->verify().damaged, IsEmpty());
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(RemoteLayerTest, TheServerIsAskedAfterAllFolders) {
  fill();
  DiskCache(files_, clock_, log_, "/site").publish(key_, make_code("of site"), label_);
  DiskCacheOptions options{"/there"};
  options.read_only = {"/site"};
  options.remote = layer();
  DiskCache there(files_, clock_, log_, options);
  const int before = server_.gets;
  EXPECT_EQ(there.load(key_)->binary, "of site");
  EXPECT_EQ(server_.gets, before);
}

TEST_F(RemoteLayerTest, WhatTheServerHasIsNotUploadedAgain) {
  fill();
  const auto other = machine("/other");
  other->publish(key_, code_, label_);
  EXPECT_FALSE(other->upload(key_.digest));
  EXPECT_EQ(server_.puts, 1);
  EXPECT_FALSE(other->upload(key_of("never made").digest));
  EXPECT_EQ(server_.puts, 1);
}

TEST_F(RemoteLayerTest, AMissCountsOnceAndCostsOneQuestion) {
  const auto here = machine("/here");
  const CacheTurn turn = here->load_or_lock(key_);
  EXPECT_FALSE(turn.code.has_value());
  EXPECT_TRUE(static_cast<bool>(turn.lock));
  EXPECT_EQ(here->counters().misses, 1U);
  EXPECT_EQ(here->counters().hits + here->counters().remote, 0U);
  EXPECT_EQ(server_.gets, 1);
}

TEST_F(RemoteLayerTest, TwoProcessesThatShareAFolderAskOnce) {
  fill();
  const int before = server_.gets;
  const auto first = machine("/there"), second = machine("/there");
  std::thread other([&] { EXPECT_TRUE(second->load_or_lock(key_).code.has_value()); });
  EXPECT_TRUE(first->load_or_lock(key_).code.has_value());
  other.join();
  EXPECT_EQ(server_.gets, before + 1);
  EXPECT_EQ(first->counters().remote + second->counters().remote, 1U);
}

TEST_F(RemoteLayerTest, TwoProcessesMayFetchAtOnceIntoOneFolder) {
  fill();
  const auto first = machine("/there"), second = machine("/there");
  std::optional<CodeObject> other;
  files_.before_next_rename([&] { other = second->find(key_).code; });
  EXPECT_TRUE(first->find(key_).code.has_value());
  EXPECT_TRUE(other.has_value());
  EXPECT_EQ(first->verify().entries, 1U);
  EXPECT_THAT(first->verify().damaged, IsEmpty());
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(RemoteLayerTest, EveryChangedByteIsFound) {
  fill();
  const std::string sound = value();
  for (std::size_t at = 0; at < sound.size(); at += 97) {
    value() = sound;
    value()[at] = static_cast<char>(value()[at] ^ 1);
    const auto there = machine("/there");
    EXPECT_FALSE(there->load(key_).has_value()) << at;
    EXPECT_FALSE(files_.status("/there/v1").has_value()) << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, std::size_t{79}, sound.size() - 1}) {
    value() = sound.substr(0, size);
    EXPECT_FALSE(machine("/there")->load(key_).has_value()) << size;
  }
}

TEST_F(RemoteLayerTest, AWrongHmacIsAWarningAndAMissAndReplaced) {
  fill();
  const std::string bundle =
      *pack_entry(files_, EntryStore(files_, "/here", EntryStore::Owners::kSelfAndRoot), key_.digest);
  value() = seal_remote_value(std::string(32, 'x'), key_.digest, bundle);
  expect_rejected("its HMAC is not that of your key");
  value() = seal_remote_value(kKey, key_of("another").digest, bundle);
  expect_rejected("its HMAC is not that of your key");
  value() = "<html>nothing of Kiln's</html>";
  expect_rejected("it does not begin with 'kiln remote 1 <HMAC>'");
  value() = std::string((std::size_t{64} << 20) + 1, 'x');
  expect_rejected("it is too large");
}

/// A holder of the key has made a mistake.
TEST_F(RemoteLayerTest, WhatIsAuthenticAndNotSoundIsRejected) {
  fill();
  const std::string bundle =
      *pack_entry(files_, EntryStore(files_, "/here", EntryStore::Owners::kSelfAndRoot), key_.digest);
  const auto seal = [&](const std::string& text) { value() = seal_remote_value(kKey, key_.digest, text); };
  seal(bundle.substr(0, bundle.size() - 512));
  expect_rejected("the end of the bundle");
  seal("");
  expect_rejected("is cut off");
  std::string changed = bundle;
  changed[changed.find("of here")] = 'O';
  seal(changed);
  expect_rejected("binary");
  const CacheKey other = key_of("another");
  DiskCache(files_, clock_, log_, "/other").publish(other, code_, label_);
  seal(*pack_entry(files_, EntryStore(files_, "/other", EntryStore::Owners::kSelfAndRoot), other.digest));
  expect_rejected("it holds entry " + other.digest);
  // Its binary is sound, and a document is not: found when it is put into the folder.
  changed = bundle;
  changed[changed.find("void axpy")] = 'V';
  seal(changed);
  expect_rejected("source.cu");
}

TEST_F(RemoteLayerTest, AServerThatFailsCostsOneWarningAndIsNotAskedAgain) {
  server_.failure = "it does not answer in time";
  const auto remote = layer();
  const auto here = machine("/here", remote);
  for (const char* name : {"a", "b", "c"}) {
    const CacheKey key = key_of(name);
    EXPECT_FALSE(here->load_or_lock(key).code.has_value());
    EXPECT_TRUE(here->publish(key, code_, label_));
    EXPECT_FALSE(here->upload(key.digest));
    EXPECT_TRUE(here->load(key).has_value());
  }
  EXPECT_EQ(server_.gets + server_.heads + server_.puts, 1);
  EXPECT_THAT(log_.warnings(), ElementsAre("the remote cache http://server is not used from now on: it does "
                                           "not answer in time"));
  EXPECT_EQ(remote->disabled_reason(), "it does not answer in time");
}

TEST_F(RemoteLayerTest, AServerThatDiesDuringAnUploadCostsOneWarning) {
  const auto here = machine("/here");
  EXPECT_FALSE(here->load_or_lock(key_).code.has_value());
  here->publish(key_, code_, label_);
  server_.failure = "it closed the connection";
  EXPECT_FALSE(here->upload(key_.digest));
  EXPECT_FALSE(here->load(key_of("next")).has_value());
  EXPECT_THAT(log_.warnings(), SizeIs(1));
  EXPECT_EQ(server_.gets, 1);
}

TEST_F(RemoteLayerTest, AServerThatTakesNothingIsStillRead) {
  fill();
  server_.refusal = "it answers PUT with HTTP status 403";
  const auto there = machine("/there");
  for (const char* name : {"a", "b"}) {
    there->publish(key_of(name), code_, label_);
    EXPECT_FALSE(there->upload(key_of(name).digest));
  }
  EXPECT_EQ(server_.puts, 2) << "one of them by fill()";
  EXPECT_TRUE(there->load(key_).has_value());
  EXPECT_THAT(log_.warnings(), ElementsAre("the remote cache http://server takes no entries from here: it "
                                           "answers PUT with HTTP status 403; it is still read"));
}

TEST_F(RemoteLayerTest, WhereTheRootCannotBeWrittenTheEntryIsUsedFromMemory) {
  fill();
  const auto there = machine("/there");
  files_.set_read_only(true);
  for (int n = 0; n < 2; ++n) {
    const CacheTurn turn = there->load_or_lock(key_);
    ASSERT_TRUE(turn.code.has_value());
    expect_same(*turn.code, code_);
    EXPECT_TRUE(turn.remote);
    EXPECT_FALSE(turn.in_root);
  }
  EXPECT_THAT(log_.warnings(), ElementsAre(StartsWith("the kernel cache in '/there' cannot be written")));
  EXPECT_EQ(there->counters().remote, 2U);
  files_.set_read_only(false);
  files_.set_full(true);
  EXPECT_TRUE(machine("/full")->load(key_).has_value());
}

TEST_F(RemoteLayerTest, ARootOfSomebodyElseIsNotWrittenTo) {
  fill();
  files_.make_directories("/there", false);
  files_.set_owner("/there", current_user_id() + 1);
  const CacheTurn turn = machine("/there")->load_or_lock(key_);
  EXPECT_TRUE(turn.code.has_value());
  EXPECT_FALSE(turn.in_root);
  EXPECT_THAT(files_.files_below("/there"), IsEmpty());
}

TEST_F(RemoteLayerTest, ADamagedEntryOfTheRootIsReplacedByTheServers) {
  fill();
  const auto there = machine("/there");
  there->publish(key_, make_code("mine"), label_);
  files_.write_file("/there/v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2) + "/binary", "x",
                    false);
  EXPECT_EQ(there->load(key_)->binary, "of here");
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("is damaged")));
  EXPECT_EQ(there->load(key_)->binary, "of here");
  EXPECT_EQ(there->counters().remote, 1U);
}

TEST_F(RemoteLayerTest, WithoutAKeyValuesAreReadAndNoneIsWritten) {
  fill();
  const auto there = machine("/there", "");
  EXPECT_TRUE(there->load(key_).has_value());
  there->publish(key_of("new"), code_, label_);
  EXPECT_FALSE(there->upload(key_of("new").digest));
  EXPECT_EQ(server_.puts, 1);
  value()[200] = static_cast<char>(value()[200] ^ 1);
  EXPECT_FALSE(machine("/fresh", "")->load(key_).has_value()) << "damage is found all the same";
  EXPECT_THAT(log_.warnings(), ElementsAre(Not(HasSubstr("replaced"))));
}

TEST_F(RemoteLayerTest, TheCapHoldsForWhatIsFetched) {
  std::vector<CacheKey> keys;
  {
    const auto here = machine("/here");
    for (int n = 0; n < 4; ++n) {
      keys.push_back(key_of(std::to_string(n)));
      here->publish(keys.back(), make_code(std::string(10'000, 'x')), label_);
      here->upload(keys.back().digest);
    }
  }
  DiskCacheOptions options{"/there"};
  options.remote = layer();
  options.max_bytes = 30'000;
  DiskCache there(files_, clock_, log_, options);
  for (const CacheKey& key : keys) EXPECT_TRUE(there.find(key).code.has_value());
  EXPECT_LT(there.verify().entries, keys.size());
}

class RemoteKey : public test::DiskCacheTest {
 protected:
  void write_key(const std::string& bytes, std::uint32_t mode = 0600) {
    files_.make_directories("/keys", true);
    files_.write_file("/keys/kiln", bytes, false);
    files_.set_mode("/keys/kiln", mode);
  }
  std::string refusal() {
    try {
      static_cast<void>(read_remote_key(files_, "/keys/kiln"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.message();
    }
    return "none";
  }
};

TEST_F(RemoteKey, IsAFileOfTheUserAlone) {
  EXPECT_EQ(refusal(), "the key file '/keys/kiln' of cache_remote_key is not there");
  for (const std::uint32_t mode : {0600U, 0400U}) {
    write_key(kKey, mode);
    EXPECT_EQ(read_remote_key(files_, "/keys/kiln"), kKey);
  }
  for (const std::uint32_t mode : {0644U, 0640U, 0660U, 0700U, 0602U}) {
    write_key(kKey, mode);
    EXPECT_THAT(refusal(), HasSubstr("expected 0600 or 0400, so that no other user reads it")) << mode;
  }
  write_key(kKey, 0644);
  EXPECT_THAT(refusal(), HasSubstr("has mode 0644;"));
  write_key(kKey);
  files_.set_owner("/keys/kiln", current_user_id() + 1);
  EXPECT_THAT(refusal(), HasSubstr("belongs to user "));
}

TEST_F(RemoteKey, HasAtLeast32Bytes) {
  write_key(std::string(31, 'k'));
  EXPECT_THAT(refusal(), HasSubstr("has 31 bytes; expected 32 to 4096"));
  write_key(std::string(4097, 'k'));
  EXPECT_THAT(refusal(), HasSubstr("has 4097 bytes"));
  write_key(std::string(32, '\n'));
  EXPECT_EQ(read_remote_key(files_, "/keys/kiln"), std::string(32, '\n')) << "bytes count as they are";
  files_.remove_all("/keys/kiln");
  files_.make_directories("/keys/kiln", true);
  EXPECT_THAT(refusal(), HasSubstr("is no plain file"));
}

TEST_F(RemoteKey, SettingsThatAreNotCompleteAreRefused) {
  Settings settings;
  EXPECT_EQ(make_remote_layer(settings, files_, log_), nullptr);
  settings.cache_remote = "redis://127.0.0.1:1";
  const auto message = [&] {
    try {
      static_cast<void>(make_remote_layer(settings, files_, log_));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.message();
    }
    return std::string("none");
  };
  EXPECT_THAT(message(), HasSubstr("there is no key to know its entries by"));
  settings.cache_remote_unauthenticated = true;
  EXPECT_EQ(message(), "none");
  settings.cache_remote_key = "/keys/kiln";
  EXPECT_THAT(message(), HasSubstr("is not there")) << "a key that is named counts";
  write_key(kKey);
  EXPECT_EQ(message(), "none");
  settings.cache_remote_timeout = 0;
  EXPECT_THAT(message(), HasSubstr("cache_remote_timeout must be more than 0"));
  settings.cache_remote_timeout = 2;
  settings.cache_remote = "nonsense";
  EXPECT_THAT(message(), HasSubstr("not the address of a server"));
}

/// The plug-in is looked for when a server is first asked, and its absence is no failure of the job.
TEST_F(RemoteKey, WithoutThePlugInAServerOfHttpIsOff) {
  Settings settings;
  settings.cache_remote = "http://127.0.0.1:1/kiln";
  settings.cache_remote_unauthenticated = true;
  settings.cache_remote_plugin = "/none/libkiln_remote.so";
  const auto remote = make_remote_layer(settings, files_, log_);
  EXPECT_THAT(log_.warnings(), IsEmpty());
  EXPECT_FALSE(remote->fetch(key_.digest).has_value());
  EXPECT_FALSE(remote->fetch(key_.digest).has_value());
  EXPECT_THAT(log_.warnings(), ElementsAre(AllOf(HasSubstr("looked for: /none/libkiln_remote.so"),
                                                 HasSubstr("KILN_REMOTE=ON"))));
}

}  // namespace
}  // namespace kiln

#include "base/file.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "config/settings.h"

using kiln::capi::deref;
using kiln::capi::guarded;
using kiln::capi::making;
using kiln::capi::text;

namespace {

kiln::Settings settings_of(const kiln_service_options& options) {
  kiln::Settings settings = options.application == nullptr
                                ? kiln::Settings::from_environment()
                                : kiln::Settings::for_application(options.application);
  if (options.settings != nullptr) {
    const std::unique_ptr<kiln::FileSystem> files = kiln::make_real_file_system();
    kiln::assign_lines(kiln::make_settings_world(*files), options.settings, settings);
  }
  return settings;
}

kiln::LogFunction log_of(const kiln_service_options& options) {
  if (options.log == nullptr) return {};
  return [log = options.log, user = options.user](kiln::LogLevel level, const std::string& message) {
    log(user, static_cast<kiln_log_level>(level), message.c_str());
  };
}

kiln::ProgressFunction progress_of(const kiln_service_options& options) {
  if (options.progress == nullptr) return {};
  return [progress = options.progress, user = options.user](const kiln::GetProgress& now) {
    return progress(user, static_cast<kiln_stage>(now.stage), now.kernel.c_str(), now.seconds) != 0;
  };
}

static_assert(static_cast<int>(kiln::GetProgress::Stage::kLooking) == KILN_STAGE_LOOKING &&
              static_cast<int>(kiln::GetProgress::Stage::kFailed) == KILN_STAGE_FAILED);
static_assert(static_cast<int>(kiln::LogLevel::kDebug) == KILN_LOG_DEBUG &&
              static_cast<int>(kiln::LogLevel::kError) == KILN_LOG_ERROR);

}  // namespace

kiln_status kiln_service_create(const kiln_service_options* options, kiln_service** service) {
  return making(service, "service", [&] {
    const kiln_service_options own =
        options == nullptr ? kiln_service_options{} : kiln::capi::read_struct(options, "options");
    return new kiln_service{kiln::Service(settings_of(own), log_of(own), progress_of(own))};
  });
}

void kiln_service_release(kiln_service* service) {
  delete service;
}

kiln_status kiln_service_add_bundle(const kiln_service* service, const void* bundle, size_t size) {
  return guarded([&] {
    const auto& bytes = deref(static_cast<const std::byte*>(bundle), "bundle");
    deref(service, "service").service.add_bundle({&bytes, size});
  });
}

kiln_status kiln_service_statistics(const kiln_service* service, kiln_statistics* statistics) {
  return guarded([&] {
    const kiln::ServiceStatistics now = deref(service, "service").service.statistics();
    kiln::capi::write_struct(
        kiln_statistics{0, now.memory_hits, now.disk_hits, now.compiled, now.waited, now.failed,
                        now.compile_seconds, now.load_seconds, now.bytes_read, now.bytes_written},
        statistics, "statistics");
  });
}

kiln_status kiln_service_share(const kiln_service* service, const kiln_communicator* communicator) {
  return guarded([&] {
    const kiln_communicator given = kiln::capi::read_struct(communicator, "communicator");
    if (given.rank == nullptr || given.ranks == nullptr || given.broadcast == nullptr)
      throw kiln::bad_input("communicator: a function is NULL; rank, ranks and broadcast are needed");
    deref(service, "service")
        .service.share({given.rank(given.user), given.ranks(given.user),
                        [given](void* data, std::size_t bytes, int root) {
                          return given.broadcast(given.user, data, bytes, root) == 0;
                        }});
  });
}

kiln_status kiln_service_write_trace(const kiln_service* service) {
  return guarded([&] { deref(service, "service").service.write_trace(); });
}

kiln_status kiln_device_open(const kiln_service* service, const char* name, kiln_device** device) {
  return making(device, "device", [&] {
    return new kiln_device{deref(service, "service").service.device(text(name, "name"))};
  });
}

void kiln_device_release(kiln_device* device) {
  delete device;
}
const char* kiln_device_id(const kiln_device* device) {
  return device == nullptr ? nullptr : device->device.id().c_str();
}
const char* kiln_device_name(const kiln_device* device) {
  return device == nullptr ? nullptr : device->device.name().c_str();
}
const char* kiln_device_arch(const kiln_device* device) {
  return device == nullptr ? nullptr : device->device.arch().c_str();
}

kiln_status kiln_device_free_memory(const kiln_device* device, uint64_t* bytes) {
  return guarded([&] { deref(bytes, "bytes") = deref(device, "device").device.free_memory_bytes(); });
}

kiln_status kiln_device_synchronize(const kiln_device* device) {
  return guarded([&] { deref(device, "device").device.synchronize(); });
}

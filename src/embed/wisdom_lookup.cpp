#include "embed/wisdom_lookup.h"

#include "base/version.h"
#include "record/code_origin.h"
#include "wisdom/wisdom_file.h"

namespace kiln {

WisdomAdvice look_up_wisdom(Engine& engine, FileSystem& files, const Clock& clock, Log& log,
                            const Workload& workload, const std::vector<WisdomSource>& sources) {
  WisdomAdvice advice;
  advice.book = WisdomBook(files, sources, workload.name, log);
  advice.now.kiln = build_info().version;
  advice.now.source = wisdom_source_digest(workload, files);
  advice.compiler = [&engine](const std::string& backend) {
    return compiler_text(engine.compilers().at(backend)->identity());
  };
  advice.today = wisdom_date(clock.system_ns());
  return advice;
}

std::vector<WisdomSource> usual_wisdom(const Settings& settings, const Workload& workload,
                                       const std::string& job_file) {
  const auto& site = settings.wisdom_read_only;
  return usual_wisdom(workload, job_file, {settings.wisdom_dir, {site.begin(), site.end()}});
}

}  // namespace kiln

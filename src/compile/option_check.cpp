#include "compile/option_check.h"

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {

void refuse_options(const Workload& workload, const std::string& backend, const Compiler& compiler) {
  for (const KernelSpec& kernel : workload.kernels) {
    for (const auto& [owner, list] : kernel.options) {
      if (!owner.empty() && owner != backend) continue;
      std::vector<std::string> words;
      for (const OptionText& option : list) words.push_back(option.text);
      const auto refused = compiler.refuse(words);
      if (!refused) continue;
      const OptionText& option = list.at(refused->at);
      throw bad_input(option.key + ": " + in_quotes(option.text) + ": " + refused->why, option.where);
    }
  }
}

}  // namespace kiln

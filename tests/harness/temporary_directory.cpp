#include "tests/harness/temporary_directory.h"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace muster::harness {

temporary_directory::temporary_directory(const std::string& purpose) {
    auto pattern =
        (std::filesystem::temp_directory_path() / ("muster-" + purpose + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
}

temporary_directory::~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace muster::harness

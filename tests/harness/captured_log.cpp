#include "tests/harness/captured_log.h"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace muster::harness {

captured_log::captured_log() : saved_stderr_(::dup(STDERR_FILENO)) {
    const int opened = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (opened < 0 || saved_stderr_ < 0) throw std::runtime_error("cannot capture standard error");
    ::dup2(opened, STDERR_FILENO);
    ::close(opened);
}

captured_log::~captured_log() {
    log_.flush();
    ::dup2(saved_stderr_, STDERR_FILENO);
    ::close(saved_stderr_);
}

std::string captured_log::text() {
    log_.flush();
    std::ifstream from(file_);
    return {std::istreambuf_iterator<char>(from), {}};
}

std::size_t captured_log::lines_with(std::string_view part) {
    std::istringstream stream(text());
    std::size_t match = 0;
    for (std::string line; std::getline(stream, line);)
        if (line.contains(part)) ++match;
    return match;
}

}  // namespace muster::harness

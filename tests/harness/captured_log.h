#pragma once

#include "runtime/log.h"
#include "tests/harness/temporary_directory.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace muster::harness {

// A logger whose lines can be read: standard error goes to a file while it lives.
class captured_log {
public:
    captured_log();
    captured_log(const captured_log&) = delete;
    captured_log& operator=(const captured_log&) = delete;
    ~captured_log();

    runtime::logger& log() { return log_; }

    std::string text();
    // How many lines contain all of it.
    std::size_t lines_with(std::string_view part);

private:
    temporary_directory directory_{"log"};
    std::filesystem::path file_ = directory_.path() / "stderr";
    int saved_stderr_;
    runtime::logger log_{{.level = runtime::log_level::debug}};
};

}  // namespace muster::harness

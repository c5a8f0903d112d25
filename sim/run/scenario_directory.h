#pragma once

#include "base/result.h"
#include "sim/run/scenario.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::sim {

// The scenario files of a directory.
class scenario_directory {
public:
    explicit scenario_directory(std::filesystem::path directory)
        : directory_(std::move(directory)) {}

    std::vector<std::string> names() const;  // in order
    result<scenario> load(const std::string& name) const;

private:
    std::filesystem::path directory_;
};

}  // namespace muster::sim

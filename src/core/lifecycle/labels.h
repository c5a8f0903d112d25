#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lifecycle {

// Tags and groups are labels: 1 to 63 letters, digits and any of "-_.:/@+". They need no quotes in
// queries, paths and command lines.
struct label_limits {
    static constexpr std::size_t bytes_max = 63;
    static constexpr std::size_t labels_max = 64;  // of one kind on one system
};

// errc::invalid with a message that names the label; `kind` is "tag" or "group".
result<void> check_labels(std::string_view kind, const std::vector<std::string>& labels);

// Sorted, without duplicates.
std::vector<std::string> sort_labels(std::vector<std::string> labels);

// Joins to the stored form, such as "db web".
std::string join_labels(const std::vector<std::string>& labels);
std::vector<std::string> split_labels(std::string_view text);

}  // namespace muster::lifecycle

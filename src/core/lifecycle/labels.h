#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lifecycle {

// Tags and groups are words: 1 to 63 letters, digits and any of "-_.:/@+", so that they can stand
// in a query, a path and a command line without quotes.
struct label_limits {
    static constexpr std::size_t bytes_max = 63;
    static constexpr std::size_t words_max = 64;  // of one kind on one system
};

// errc::invalid with a sentence that names the word; `what` is "tag" or "group".
result<void> check_labels(std::string_view text, const std::vector<std::string>& words);

// In order and each once.
std::vector<std::string> sorted_words(std::vector<std::string> words);

// "db web", as they are stored.
std::string join_words(const std::vector<std::string>& words);
std::vector<std::string> split_words(std::string_view text);

}  // namespace muster::lifecycle

#pragma once

#include "base/result.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace muster::targeting {

enum class letter_case { exact, any };

// A Perl-compatible regular expression that must match from the start of a text, as in Salt.
// Compiled once for a query. The cost of one match is bounded: after an expression has exceeded the
// limit, it matches nothing and gave_up() is true. Thread-safe.
class regex {
public:
    // errc::invalid with what is wrong and where in the pattern.
    static result<std::shared_ptr<const regex>> compile(
        const std::string& pattern, letter_case letters);

    regex(const regex&) = delete;
    regex& operator=(const regex&) = delete;
    ~regex();

    bool matches(std::string_view text) const;
    bool gave_up() const { return gave_up_.load(std::memory_order_relaxed); }

    static constexpr std::size_t pattern_bytes_max = 1024;

private:
    explicit regex(pcre2_real_code_8* code) : code_(code) {}

    pcre2_real_code_8* code_;
    mutable std::atomic<bool> gave_up_ = false;
};

}  // namespace muster::targeting

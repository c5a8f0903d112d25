#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::agent {

// The output of a program, up to a common limit for stdout and stderr. Output beyond the limit is
// dropped and noted. Not thread-safe.
class captured_output {
public:
    explicit captured_output(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void add_output(std::string_view bytes) { add(output_, bytes); }
    void add_error(std::string_view bytes) { add(error_, bytes); }

    bool truncated() const { return truncated_; }
    std::uint64_t written_bytes() const { return written_; }  // including dropped bytes

    struct document {
        std::string text;
        bool truncated = false;
    };
    // {"stdout", "stderr", "exit_code", "truncated"}; "replaced" if invalid UTF-8 was replaced.
    // Quoting may need six bytes for one, so both outputs are cut to fit into `bytes_max`. Each
    // output gets at least half of the space if it needs it.
    document payload(int exit_code, std::size_t bytes_max) const;

private:
    void add(std::string& output, std::string_view bytes);

    std::size_t bytes_max_;
    std::string output_;
    std::string error_;
    std::uint64_t written_ = 0;
    bool truncated_ = false;
};

struct utf8_text {
    std::string text;
    bool replaced = false;
};
// Replaces every byte that is not valid UTF-8 by U+FFFD.
utf8_text to_utf8(std::string_view bytes);

}  // namespace muster::agent

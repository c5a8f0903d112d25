#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::agent {

// What a program wrote, up to a limit for both of its outputs together. Beyond it nothing is kept,
// and it is known that there was more.
class captured_output {
public:
    explicit captured_output(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void add_output(std::string_view bytes) { add(output_, bytes); }
    void add_error(std::string_view bytes) { add(error_, bytes); }

    bool truncated() const { return truncated_; }
    std::uint64_t written() const { return written_; }  // bytes, kept or not

    struct document {
        std::string text;
        bool truncated = false;
    };
    // {"stdout", "stderr", "exit_code", "truncated"}; "replaced" when bytes that are not UTF-8
    // were replaced. Quoted, some bytes are six: what does not fit into `bytes_max` is cut off, and
    // of both outputs as much is left as fits, of either at least half as much.
    document payload(int exit_code, std::size_t bytes_max) const;

private:
    void add(std::string& to, std::string_view bytes);

    std::size_t bytes_max_;
    std::string output_;
    std::string error_;
    std::uint64_t written_ = 0;
    bool truncated_ = false;
};

struct clean_text {
    std::string text;
    bool replaced = false;
};
// With U+FFFD in place of every byte that is not part of UTF-8.
clean_text as_utf8(std::string_view bytes);

}  // namespace muster::agent

#pragma once

#include "base/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::sim {

// A 64-bit digest of bytes; not cryptographic.
std::uint64_t digest(std::string_view bytes);

// Folds everything observable in a run into one number: two runs that differ anywhere end with
// different hashes. With a printer, it also prints each line, for `muster-sim --trace`.
class trace {
public:
    using printer = std::function<void(const std::string& line)>;

    void print_with(printer print) { print_ = std::move(print); }
    bool prints() const { return static_cast<bool>(print_); }

    void fold(std::uint64_t number) {
        hash_ = (hash_ ^ number) * 0x9e3779b97f4a7c15;
        hash_ ^= hash_ >> 29;
    }

    // Records an event of `subject`; `payload` is a digest of its content.
    void note(
        instant when, std::string_view kind, std::string_view subject, std::uint64_t payload = 0);

    std::uint64_t hash() const { return hash_; }

private:
    std::uint64_t hash_ = 0;
    printer print_;
};

}  // namespace muster::sim

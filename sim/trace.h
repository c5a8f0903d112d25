#pragma once

#include "base/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::sim {

// A 64-bit digest of bytes. Not for secrets: it only has to differ when the bytes do.
std::uint64_t digest(std::string_view bytes);

// Everything observable in a run, folded into one number: two runs that differ anywhere end with
// different hashes. Given a printer it also tells each line, for `muster-sim --trace`.
class trace {
public:
    using printer = std::function<void(const std::string& line)>;

    void print_with(printer print) { print_ = std::move(print); }
    bool prints() const { return static_cast<bool>(print_); }

    void fold(std::uint64_t number) {
        hash_ = (hash_ ^ number) * 0x9e3779b97f4a7c15;
        hash_ ^= hash_ >> 29;
    }

    // Something happened to `who`; `payload` stands for what is in it.
    void note(
        instant when, std::string_view kind, std::string_view user, std::uint64_t payload = 0);

    std::uint64_t hash() const { return hash_; }

private:
    std::uint64_t hash_ = 0;
    printer print_;
};

}  // namespace muster::sim

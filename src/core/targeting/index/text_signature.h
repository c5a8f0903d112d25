#pragma once

#include "core/targeting/text_pattern.h"

#include <cstdint>
#include <string_view>

namespace muster::targeting {

// Some bits about a folded text: which triples of letters it has, and how it begins.
using text_signature = std::uint64_t;
text_signature signature_of(std::string_view text);

// What a pattern asks of a signature. Most texts that do not match are passed over by it, without a
// look at their letters; one that matches never is.
struct text_filter {
    text_signature mask = 0;
    text_signature wanted = 0;

    bool passes(text_signature of) const { return (of & mask) == wanted; }
};
text_filter filter_of(const text_pattern& test);

}  // namespace muster::targeting

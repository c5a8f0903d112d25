#include "core/jobs/work_kind.h"

#include <array>
#include <cstdint>
#include <xxhash.h>

namespace muster::jobs {

std::string work_kind(const job_spec& spec) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto digest = XXH3_128bits(spec.arguments.data(), spec.arguments.size());
    auto kind = spec.function + " ";
    for (const std::uint64_t half : {digest.high64, digest.low64})
        for (int shift = 60; shift >= 0; shift -= 4) kind += digits[(half >> shift) & 0xfU];
    return kind;
}

}  // namespace muster::jobs

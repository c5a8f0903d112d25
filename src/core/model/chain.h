#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

// The function that runs other functions one after the other, as one task (ADR 13).
inline constexpr std::string_view chain_function = "chain.run";

struct chain_limits {
    static constexpr std::size_t steps_max = 32;
    // Output of all steps together; the agent's journal holds it until the chain ends.
    static constexpr std::size_t output_bytes_max = std::size_t{256} * 1024;
};

}  // namespace muster

#pragma once

#include "core/targeting/text_pattern.h"

#include <string>
#include <vector>

namespace muster::targeting {

// Letters that stand side by side in every text which a pattern matches.
struct certain_piece {
    std::string letters;
    bool at_start = false;  // of the text
    bool at_end = false;

    friend bool operator==(const certain_piece&, const certain_piece&) = default;
};

// In the order in which they stand. A text without one of them does not match; one that has them
// all may, or may not. There need not be any.
std::vector<certain_piece> certain_pieces(const text_pattern& test);

}  // namespace muster::targeting

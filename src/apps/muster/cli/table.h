#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The columns of the terminal at standard output; nothing if it is not a terminal.
std::optional<std::size_t> terminal_width();

// The number of characters of a UTF-8 text.
std::size_t character_count(std::string_view text);

// Aligns the cells of all rows in columns, two blanks apart. With `width`, the longest columns are
// shortened with "…" so that lines fit; the first column, which names the row, only if it takes
// more than half of the width.
std::string align_columns(
    const std::vector<std::vector<std::string>>& rows, std::optional<std::size_t> width);

}  // namespace muster::cli

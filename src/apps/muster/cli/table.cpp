#include "apps/muster/cli/table.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <unistd.h>

namespace muster::cli {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t column_min = 6;

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The first `count` characters, the last of them "…" if some are missing.
std::string shorten(const std::string& text, std::size_t count) {
    if (character_count(text) <= count) return text;
    std::size_t bytes = 0;
    for (std::size_t characters = 0; bytes < text.size(); ++bytes) {
        if (!continues_character(text[bytes]) && ++characters == count) break;
    }
    return text.substr(0, bytes) + "…";
}

std::vector<std::size_t> natural_widths(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows) {
        if (widths.size() < cells.size()) widths.resize(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], character_count(cells[i]));
    }
    return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
    std::size_t total = 0;
    for (const auto width : widths) total += width + gap;
    return total < gap ? 0 : total - gap;
}

// Shortens the longest columns, one character at a time, until the rows fit or nothing is left.
void fit(std::vector<std::size_t>& widths, std::size_t width) {
    if (widths.empty()) return;
    const auto first_min = std::min(widths.front(), std::max(column_min, width / 2));
    while (total_width(widths) > width) {
        const auto longest = std::max_element(widths.begin() + 1, widths.end());
        if (longest != widths.end() && *longest > column_min) {
            --*longest;
        } else if (widths.front() > first_min) {
            --widths.front();
        } else {
            return;
        }
    }
}

}  // namespace

std::optional<std::size_t> terminal_width() {
    winsize window{};
    if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return std::nullopt;
    return window.ws_col;
}

std::size_t character_count(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
}

std::string align_columns(
    const std::vector<std::vector<std::string>>& rows, std::optional<std::size_t> width) {
    auto widths = natural_widths(rows);
    if (width) fit(widths, *width);
    std::string text;
    for (const auto& cells : rows) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto cell = shorten(cells[i], widths[i]);
            text += cell;
            text.append(widths[i] - character_count(cell) + gap, ' ');
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

}  // namespace muster::cli

#include "apps/agent/facts/sources.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace muster::agent {
namespace {

constexpr std::size_t text_bytes_max = std::size_t{1024} * 1024;

}  // namespace

std::optional<std::string> text_of(const std::filesystem::path& file) {
    std::error_code failure;
    if (std::filesystem::is_directory(file, failure)) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    std::string text;
    std::array<char, 4096> piece{};  // pseudo files do not say how large they are
    while (text.size() < text_bytes_max) {
        in.read(piece.data(), piece.size());
        if (in.gcount() == 0) break;
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    }
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const auto start = line.find_first_not_of(" \t");
        if (start == std::string_view::npos) return words;
        const auto end = std::min(line.find_first_of(" \t", start), line.size());
        words.push_back(line.substr(start, end - start));
        line.remove_prefix(end);
    }
}

}  // namespace muster::agent

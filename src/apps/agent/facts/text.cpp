#include "apps/agent/facts/sources.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace muster::agent {
namespace {

constexpr std::size_t text_bytes_max = std::size_t{1024} * 1024;

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& file) {
    std::error_code failure;
    if (std::filesystem::is_directory(file, failure)) return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    std::string text;
    std::array<char, 4096> buffer{};  // pseudo files report no size
    while (text.size() < text_bytes_max) {
        stream.read(buffer.data(), buffer.size());
        if (stream.gcount() == 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    }
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<std::string_view> split_words(std::string_view line) {
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

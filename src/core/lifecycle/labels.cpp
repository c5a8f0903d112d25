#include "core/lifecycle/labels.h"

#include <algorithm>

namespace muster::lifecycle {
namespace {

bool is_label_character(char character) {
    constexpr std::string_view punctuation = "-_.:/@+";
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
           || (character >= '0' && character <= '9')
           || punctuation.find(character) != std::string_view::npos;
}

bool is_label(std::string_view text) {
    return !text.empty() && text.size() <= label_limits::bytes_max
           && std::ranges::all_of(text, is_label_character);
}

}  // namespace

result<void> check_labels(std::string_view kind, const std::vector<std::string>& labels) {
    if (labels.size() > label_limits::labels_max)
        return fail(
            errc::invalid,
            "limit of " + std::to_string(label_limits::labels_max) + " " + std::string(kind)
                + "s per system exceeded");
    for (const auto& label : labels) {
        if (is_label(label)) continue;
        return fail(
            errc::invalid,
            "invalid " + std::string(kind) + " \"" + label.substr(0, label_limits::bytes_max)
                + "\"; use 1 to 63 letters, digits and -_.:/@+");
    }
    return {};
}

std::vector<std::string> sort_labels(std::vector<std::string> labels) {
    std::ranges::sort(labels);
    const auto repeated = std::ranges::unique(labels);
    labels.erase(repeated.begin(), repeated.end());
    return labels;
}

std::string join_labels(const std::vector<std::string>& labels) {
    std::string text;
    for (const auto& label : labels) {
        if (!text.empty()) text += ' ';
        text += label;
    }
    return text;
}

std::vector<std::string> split_labels(std::string_view text) {
    std::vector<std::string> labels;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        if (end > 0) labels.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return labels;
}

}  // namespace muster::lifecycle

#include "core/revision/section.h"

#include <charconv>
#include <optional>

namespace muster::revision {
namespace {

constexpr std::string_view format = "muster-section 1\n";

// Length, colon, text: no content of the text can end it.
void append(std::string& output, std::string_view text) {
    output += std::to_string(text.size());
    output += ':';
    output += text;
    output += '\n';
}

std::optional<std::string_view> consume_text(std::string_view& input) {
    std::size_t size = 0;
    const auto* const end = input.data() + input.size();
    const auto [digits_end, failure] = std::from_chars(input.data(), end, size);
    if (failure != std::errc() || digits_end == end || *digits_end != ':') return std::nullopt;
    // Only the shortest form of a number is valid.
    if (*input.data() == '0' && digits_end != input.data() + 1) return std::nullopt;
    input.remove_prefix(static_cast<std::size_t>(digits_end - input.data()) + 1);
    if (input.size() <= size || input[size] != '\n') return std::nullopt;
    const auto text = input.substr(0, size);
    input.remove_prefix(size + 1);
    return text;
}

}  // namespace

std::string canonical(const section& section) {
    std::string result(format);
    append(result, section.name);
    for (const auto& [name, item] : section.items) {
        append(result, name);
        append(result, item);
    }
    return result;
}

result<section> read_canonical(std::string_view text) {
    const auto corrupt = [] {
        return fail(errc::corrupt, "revision content is corrupt");
    };
    if (!text.starts_with(format)) return corrupt();
    text.remove_prefix(format.size());
    const auto name = consume_text(text);
    if (!name) return corrupt();
    section parsed{.name = std::string(*name), .items = {}};
    while (!text.empty()) {
        const auto key = consume_text(text);
        const auto item = key ? consume_text(text) : std::nullopt;
        if (!item) return corrupt();
        const bool in_order = parsed.items.empty() || parsed.items.rbegin()->first < *key;
        if (!in_order) return corrupt();
        parsed.items.emplace_hint(parsed.items.end(), std::string(*key), std::string(*item));
    }
    return parsed;
}

std::string canonical(const revision::digests& digests) {
    std::string result("muster-revision 1\n");
    for (const auto& [name, digest] : digests) {
        append(result, name);
        append(result, digest);
    }
    return result;
}

std::string_view to_string(difference::kind kind) {
    switch (kind) {
        case difference::kind::added:
            return "added";
        case difference::kind::removed:
            return "removed";
        case difference::kind::changed:
            break;
    }
    return "changed";
}

std::vector<difference> diff(const section& before, const section& after) {
    std::vector<difference> differences;
    auto old_item = before.items.begin();
    auto new_item = after.items.begin();
    while (old_item != before.items.end() || new_item != after.items.end()) {
        const bool removed =
            new_item == after.items.end()
            || (old_item != before.items.end() && old_item->first < new_item->first);
        const bool added =
            !removed && (old_item == before.items.end() || new_item->first < old_item->first);
        if (removed) {
            differences.push_back({.name = old_item->first, .before = &old_item->second});
            ++old_item;
            continue;
        }
        if (added) {
            differences.push_back({.name = new_item->first, .after = &new_item->second});
            ++new_item;
            continue;
        }
        if (old_item->second != new_item->second)
            differences.push_back(
                {.name = old_item->first, .before = &old_item->second, .after = &new_item->second});
        ++old_item;
        ++new_item;
    }
    return differences;
}

}  // namespace muster::revision

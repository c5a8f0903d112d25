#include "core/revision/section.h"

#include <charconv>
#include <optional>

namespace muster::revision {
namespace {

constexpr std::string_view format = "muster-section 1\n";

// Its length, a colon, the text: nothing that stands in a text can end it.
void append(std::string& to, std::string_view text) {
    to += std::to_string(text.size());
    to += ':';
    to += text;
    to += '\n';
}

std::optional<std::string_view> take(std::string_view& from) {
    std::size_t size = 0;
    const auto* const end = from.data() + from.size();
    const auto [stopped, failure] = std::from_chars(from.data(), end, size);
    if (failure != std::errc() || stopped == end || *stopped != ':') return std::nullopt;
    // The shortest way to write a number is the only one.
    if (*from.data() == '0' && stopped != from.data() + 1) return std::nullopt;
    from.remove_prefix(static_cast<std::size_t>(stopped - from.data()) + 1);
    if (from.size() <= size || from[size] != '\n') return std::nullopt;
    const auto text = from.substr(0, size);
    from.remove_prefix(size + 1);
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
    const auto wrong = [] {
        return fail(errc::corrupt, "the content of a revision is not as it was written");
    };
    if (!text.starts_with(format)) return wrong();
    text.remove_prefix(format.size());
    const auto name = take(text);
    if (!name) return wrong();
    section read{.name = std::string(*name), .items = {}};
    while (!text.empty()) {
        const auto key = take(text);
        const auto item = key ? take(text) : std::nullopt;
        if (!item) return wrong();
        const bool in_order = read.items.empty() || read.items.rbegin()->first < *key;
        if (!in_order) return wrong();
        read.items.emplace_hint(read.items.end(), std::string(*key), std::string(*item));
    }
    return read;
}

std::string canonical(const digests& of) {
    std::string result("muster-revision 1\n");
    for (const auto& [name, digest] : of) {
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
    auto old = before.items.begin();
    auto next = after.items.begin();
    while (old != before.items.end() || next != after.items.end()) {
        const bool only_old =
            next == after.items.end() || (old != before.items.end() && old->first < next->first);
        const bool only_next = !only_old && (old == before.items.end() || next->first < old->first);
        if (only_old) {
            differences.push_back({.name = old->first, .before = &old->second});
            ++old;
            continue;
        }
        if (only_next) {
            differences.push_back({.name = next->first, .after = &next->second});
            ++next;
            continue;
        }
        if (old->second != next->second)
            differences.push_back(
                {.name = old->first, .before = &old->second, .after = &next->second});
        ++old;
        ++next;
    }
    return differences;
}

}  // namespace muster::revision

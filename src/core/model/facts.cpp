#include "core/model/facts.h"

#include <cstdint>
#include <string_view>

namespace muster {
namespace {

void append_sized(std::string& out, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    for (const unsigned shift : {24U, 16U, 8U, 0U})
        out += static_cast<char>(static_cast<unsigned char>(size >> shift));
    out += text;
}

}  // namespace

std::string canonical_form(const facts& all) {
    std::string out;
    for (const auto& [path, value] : all) {
        append_sized(out, path);
        append_sized(out, value);
    }
    return out;
}

facts_difference difference(const facts& from, const facts& to) {
    facts_difference made;
    for (const auto& [path, value] : to) {
        const auto before = from.find(path);
        if (before == from.end() || before->second != value) made.set.emplace(path, value);
    }
    for (const auto& [path, value] : from) {
        if (!to.contains(path)) made.removed.push_back(path);
    }
    return made;
}

void apply(const facts_difference& what, facts& to) {
    for (const auto& [path, value] : what.set) to.insert_or_assign(path, value);
    for (const auto& path : what.removed) to.erase(path);
}

}  // namespace muster

#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::revision {

// One kind of common data as a revision holds it: items by name, each a text whose writer always
// writes the same thing the same way.
struct section {
    std::string name;
    std::map<std::string, std::string, std::less<>> items;

    friend bool operator==(const section&, const section&) = default;
};

// The whole of a revision, or what a server holds of it, by the sections' names.
using sections = std::map<std::string, section, std::less<>>;
// What stands for them: the digest of each one's canonical form.
using digests = std::map<std::string, std::string, std::less<>>;

// The one way to write a section: two have the same form exactly when they are equal. It is also
// what is kept, so that a digest names what can be read back.
std::string canonical(const section& section);
// errc::corrupt for what canonical() does not write.
result<section> read_canonical(std::string_view text);

// What the digest of the whole is made of.
std::string canonical(const digests& of);

// What became of an item from one section to another. Null: it was not there.
struct difference {
    enum class kind { added, removed, changed };

    std::string name;
    const std::string* before = nullptr;
    const std::string* after = nullptr;

    kind what() const {
        if (before == nullptr) return kind::added;
        return after == nullptr ? kind::removed : kind::changed;
    }
};

std::string_view to_string(difference::kind kind);

// In the order of names. Points into both, which must outlive it.
std::vector<difference> diff(const section& before, const section& after);

}  // namespace muster::revision

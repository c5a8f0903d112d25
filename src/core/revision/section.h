#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::revision {

// One kind of common data in a revision: items by name. Equal items have equal texts.
struct section {
    std::string name;
    std::map<std::string, std::string, std::less<>> items;

    friend bool operator==(const section&, const section&) = default;
};

// All sections of a revision, or those that a server holds, by name.
using sections = std::map<std::string, section, std::less<>>;
// Digests of the sections' canonical forms, by section name.
using digests = std::map<std::string, std::string, std::less<>>;

// The canonical form of a section: equal exactly for equal sections. It is also the stored form, so
// that a digest identifies stored content.
std::string canonical(const section& section);
// errc::corrupt for text that canonical() does not produce.
result<section> read_canonical(std::string_view text);

// The input of the digest of a whole revision.
std::string canonical(const revision::digests& digests);

// Difference of an item between two sections. Null: the item does not exist.
struct difference {
    enum class kind { added, removed, changed };

    std::string name;
    const std::string* before = nullptr;
    const std::string* after = nullptr;

    kind change_kind() const {
        if (before == nullptr) return kind::added;
        return after == nullptr ? kind::removed : kind::changed;
    }
};

std::string_view to_string(difference::kind kind);

// Ordered by name. Points into both sections, which must outlive the result.
std::vector<difference> diff(const section& before, const section& after);

}  // namespace muster::revision

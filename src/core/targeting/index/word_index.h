#pragma once

#include "core/targeting/index/posting.h"
#include "core/targeting/text_pattern.h"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::targeting {

// Systems by words that many have: tags, groups, zones.
class word_index {
public:
    void add(std::string_view word, system_number system_number);
    void remove(std::string_view word, system_number system_number);

    system_set matching(const text_pattern& test, const system_set& within) const;
    system_set ending(std::string_view end, const system_set& within) const;
    system_set having_any(const std::set<std::string>& words, const system_set& within) const;

    // The words behind `after` that systems of `within` have, in their order, and how many have
    // each.
    struct tag_page_request {
        std::string_view after;
        std::size_t limit;
    };
    using counted_words = std::vector<std::pair<std::string, std::size_t>>;
    counted_words counted(tag_page_request tag_page_request, const system_set& within) const;

private:
    std::map<std::string, posting, std::less<>> words_;
};

}  // namespace muster::targeting

#pragma once

#include "core/targeting/index/grams.h"
#include "core/targeting/index/packed_text.h"
#include "core/targeting/index/posting.h"
#include "core/targeting/index/system_indexed_array.h"
#include "core/targeting/index/word_index.h"
#include "core/targeting/text_pattern.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::targeting {

// Finds systems by pairs and triples of letters in their names; the start and the end of a name
// count as letters. The letters of a glob leave few names to examine.
class name_index {
public:
    name_index();
    name_index(const name_index&) = delete;
    name_index& operator=(const name_index&) = delete;
    ~name_index();

    // Takes the place of the name that the system had; an empty one: none.
    void set(system_number system_number, std::string_view name);
    std::string_view name_of(system_number system_number) const;

    // Those of `within` whose names look like this.
    system_set matching(const text_pattern& test, const system_set& within) const;
    system_set named(std::string_view name, const system_set& within) const;

    static constexpr std::size_t name_bytes_max = 255;  // more is not looked at

private:
    static constexpr std::size_t letters = 256;
    struct gram_page;
    // What a pattern asks for at least: all of these grams.
    struct demand {
        std::vector<gram> grams;
        bool exact = false;  // who has them all matches, without a look at the name
    };

    static demand demand_of(const text_pattern& test);
    static void add_piece(std::string_view piece, demand& to);
    void change(system_number system_number, std::string_view name, bool there);
    system_set* of(gram gram);
    const system_set* find(gram gram) const;
    system_set candidates(const demand& demand, const system_set& within) const;

    // `web*.acme.org` without a look at a name; nothing when the glob is of another kind.
    std::optional<system_set> host_and_domain(
        const text_pattern& test, const system_set& within) const;

    std::vector<std::unique_ptr<gram_page>> pages_;  // by the first two letters
    word_index starts_;                              // the first three letters
    word_index domains_;                             // from the first dot on
    system_indexed_array<packed_text> names_;
};

}  // namespace muster::targeting

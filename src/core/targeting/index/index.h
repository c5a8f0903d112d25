#pragma once

#include "core/fleet/change.h"
#include "core/targeting/index/fact_index.h"
#include "core/targeting/index/name_index.h"
#include "core/targeting/index/word_index.h"
#include "core/targeting/query.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::targeting {

// What an index does not hold and has to ask for: where systems are, and their rarely asked fields.
class other_fields {
public:
    other_fields() = default;
    other_fields(const other_fields&) = delete;
    other_fields& operator=(const other_fields&) = delete;
    virtual ~other_fields() = default;

    // Those of `within` that meet the condition, which is about state, node, print or machine.
    virtual system_set among(
        const field_condition& field_condition, const system_set& within) const = 0;
};

// The accepted systems, found by what is said about them, without a look at each. What it answers
// is what query::matches says of each system.
class index {
public:
    void apply(std::span<const fleet::change> changes);
    // What a system says of itself; to be searchable(). Of one that is not there it is forgotten.
    void set_facts(system_number system_number, std::span<const fact> facts);

    system_set answer(const query& query, const other_fields& others) const;

    const system_set& systems() const { return all_; }
    // Those of `within` that are in one of these zones.
    system_set in_zones(const std::set<std::string>& zones, const system_set& within) const {
        return zones_.having_any(zones, within);
    }
    word_index::counted_words counted_tags(
        word_index::page_wish page_wish, const system_set& within) const {
        return tags_.counted(page_wish, within);
    }
    std::vector<fact> facts_of(system_number system_number) const {
        return facts_.facts_of(system_number);
    }
    // Those of the names that no system has.
    std::vector<std::string> missing(std::span<const std::string> names) const;
    const fact_index& facts() const { return facts_; }

private:
    // Who has a number, and the words that it is found by.
    struct holder {
        std::uint64_t print = 0;  // the start of its fingerprint; zero: nobody
        packed_text words;
    };

    void take_in(const system_record& record);
    void let_go(system_number system_number, const fingerprint& print);
    void change_words(system_number system_number, std::string_view lines, bool there);

    // Those of `within` that meet the part of the expression.
    struct asking {
        const query& expression;
        const other_fields& others;
    };
    system_set part(const asking& asking, std::size_t node, const system_set& within) const;
    system_set every(const asking& asking, std::size_t node, const system_set& within) const;
    system_set term(
        const asking& asking, const condition& condition, const system_set& within) const;
    system_set field_term(
        const asking& asking,
        const field_condition& field_condition,
        const system_set& within) const;
    system_set by_number(const text_pattern& test, const system_set& within) const;

    system_set all_;
    numbered<holder> held_;
    name_index names_;
    word_index tags_;
    word_index groups_;
    word_index zones_;
    fact_index facts_;
};

}  // namespace muster::targeting

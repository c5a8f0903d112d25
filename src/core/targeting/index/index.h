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

// Fields that the index does not hold: where systems are, and rarely used fields.
class other_fields {
public:
    other_fields() = default;
    other_fields(const other_fields&) = delete;
    other_fields& operator=(const other_fields&) = delete;
    virtual ~other_fields() = default;

    // Systems of `within` that meet a condition on state, node, print or machine.
    virtual system_set among(
        const field_condition& field_condition, const system_set& within) const = 0;
};

// Finds accepted systems by their attributes without examining each. The result equals that of
// query::matches for each system. Not thread-safe.
class index {
public:
    void apply(std::span<const fleet::change> changes);
    // Sets the facts of a system; they must be searchable(). Ignored for unknown systems.
    void set_facts(system_number system_number, std::span<const fact> facts);

    system_set evaluate(const query& query, const other_fields& others) const;

    const system_set& systems() const { return all_; }
    // Systems of `within` in one of these zones.
    system_set in_zones(const std::set<std::string>& zones, const system_set& within) const {
        return zones_.having_any(zones, within);
    }
    word_index::counted_words counted_tags(
        word_index::tag_page_request tag_page_request, const system_set& within) const {
        return tags_.counted(tag_page_request, within);
    }
    std::vector<fact> facts_of(system_number system_number) const {
        return facts_.facts_of(system_number);
    }
    // The names that no system has.
    std::vector<std::string> missing(std::span<const std::string> names) const;
    const fact_index& facts() const { return facts_; }

private:
    // The system of a number, and the words under which it is indexed.
    struct indexed_system {
        std::uint64_t print = 0;  // first bytes of its fingerprint; zero: none
        packed_text words;
    };

    void add_system(const system_record& record);
    void remove_system(system_number system_number, const fingerprint& print);
    void change_words(system_number system_number, std::string_view lines, bool present);

    // Systems of `within` that match a part of the expression.
    struct evaluation {
        const query& expression;
        const other_fields& others;
    };
    system_set evaluate_node(
        const evaluation& context, std::size_t node, const system_set& within) const;
    system_set evaluate_all(
        const evaluation& context, std::size_t node, const system_set& within) const;
    system_set evaluate_term(
        const evaluation& context, const condition& condition, const system_set& within) const;
    system_set evaluate_field(
        const evaluation& context,
        const field_condition& field_condition,
        const system_set& within) const;
    system_set by_number(const text_pattern& test, const system_set& within) const;

    system_set all_;
    system_indexed_array<indexed_system> indexed_systems_;
    name_index names_;
    word_index tags_;
    word_index groups_;
    word_index zones_;
    fact_index facts_;
};

}  // namespace muster::targeting

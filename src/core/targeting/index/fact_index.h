#pragma once

#include "core/targeting/condition.h"
#include "core/targeting/index/numbered.h"
#include "core/targeting/index/packed_text.h"
#include "core/targeting/index/posting.h"
#include "core/targeting/index/text_signature.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::targeting {

struct fact_limits {
    static constexpr std::size_t facts_max = 512;  // of one system
    static constexpr std::size_t path_bytes_max = 256;
    static constexpr std::size_t text_bytes_max = 256;
    static constexpr std::size_t paths_max = 100'000;  // of the whole fleet
};

// The facts that can be searched: in order, each once, without those that are too long, and no more
// than a system may have.
std::vector<fact> searchable(std::vector<fact> facts);

// Systems by what they say of themselves. Each path and each value is held once, however many
// systems have it; a system holds the numbers of its values.
class fact_index {
public:
    // Takes the place of what the system said before. `told` is searchable().
    void set(system_number system_number, std::span<const fact> facts);
    std::vector<fact> facts_of(system_number system_number) const;  // in order

    system_set matching(const fact_condition& fact_condition, const system_set& within) const;
    system_set matching(const network_condition& network_condition, const system_set& within) const;

    // How many values must be looked at to answer for the whole fleet, about.
    std::size_t looks_for(const fact_condition& fact_condition) const;

    std::size_t values() const { return values_.size() - free_.size(); }
    std::size_t paths() const { return paths_.size(); }
    // Facts that were left out since there are too many paths.
    std::uint64_t left_out() const { return left_out_; }

private:
    using value_id = std::uint32_t;
    struct value {
        packed_text text;
        posting who;
        std::uint32_t path = 0;
    };
    struct path {
        std::string name;
        std::vector<value_id> values;            // also such that were let go of; see `live`
        std::vector<text_signature> signatures;  // of each of these
        std::size_t live = 0;
    };
    // What is left to ask of the values of one path.
    struct question {
        bool always = false;
        bool only_literals = true;
        std::vector<const text_pattern*> patterns;   // one of them matches
        const network_condition* network = nullptr;  // or the value is an address within
        std::vector<std::string_view> literals;
        std::vector<text_filter> filters;  // what passes one of them may match; without any: all

        bool holds_for(std::string_view text) const;
    };
    using questions = std::map<std::uint32_t, question>;  // by path

    value_id intern(std::uint32_t path, std::string_view text);
    void let_go(value_id id);
    void tidy_up(std::uint32_t path);
    std::optional<std::uint32_t> path_of(const std::string& name);

    // The table of values: places of ids, by the hash of path and text.
    static std::uint64_t hash_of(std::uint32_t path, std::string_view text);
    std::size_t place_of(std::uint32_t path, std::string_view text) const;
    void erase_place(std::size_t at);
    void grow();
    const value* find(std::uint32_t path, std::string_view text) const;

    questions questions_for(const fact_condition& fact_condition) const;
    static std::size_t looks_for(const path& at, const question& question);
    std::size_t looks_for(const questions& questions) const;
    system_set answer(const questions& questions, const system_set& within) const;
    system_set answer_one_by_one(const questions& questions, const system_set& within) const;
    static std::vector<value_id> candidates(const path& of, const question& question);

    std::vector<path> paths_;
    std::map<std::string, std::uint32_t, std::less<>> path_numbers_;
    std::vector<value> values_;
    std::vector<value_id> free_;
    std::vector<std::uint32_t> places_;  // id + 1; zero: free
    std::size_t used_ = 0;
    numbered<packed_text> held_;  // ids in order, as differences in bytes of seven bits
    std::uint64_t left_out_ = 0;
};

}  // namespace muster::targeting

#pragma once

#include "core/targeting/condition.h"
#include "core/targeting/index/packed_text.h"
#include "core/targeting/index/posting.h"
#include "core/targeting/index/system_indexed_array.h"
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

// Systems by their facts. Each path and each value is stored once; a system stores the numbers of
// its values. Not thread-safe.
class fact_index {
public:
    // Replaces the facts of the system. `facts` must be searchable().
    void set(system_number system_number, std::span<const fact> facts);
    std::vector<fact> facts_of(system_number system_number) const;  // in order

    system_set matching(const fact_condition& fact_condition, const system_set& within) const;
    system_set matching(const network_condition& network_condition, const system_set& within) const;

    // About how many values must be examined for the whole fleet.
    std::size_t values_examined(const fact_condition& fact_condition) const;

    std::size_t values() const { return values_.size() - free_.size(); }
    std::size_t paths() const { return paths_.size(); }
    // Facts that were left out since there are too many paths.
    std::uint64_t left_out() const { return left_out_; }

private:
    using value_id = std::uint32_t;
    struct value {
        packed_text text;
        posting systems;
        std::uint32_t path = 0;
    };
    struct path {
        std::string name;
        std::vector<value_id> values;            // also such that were let go of; see `live`
        std::vector<text_signature> signatures;  // of each of these
        std::size_t live = 0;
    };
    // Test for the values of one path.
    struct value_test {
        bool always = false;
        bool only_literals = true;
        std::vector<const text_pattern*> patterns;   // one of them matches
        const network_condition* network = nullptr;  // or the value is an address within
        std::vector<std::string_view> literals;
        std::vector<text_filter> filters;  // what passes one of them may match; without any: all

        bool passes(std::string_view text) const;
    };
    using value_tests = std::map<std::uint32_t, value_test>;  // by path

    value_id intern(std::uint32_t path, std::string_view text);
    void release_value(value_id id);
    void compact_values(std::uint32_t path);
    std::optional<std::uint32_t> path_of(const std::string& name);

    // The table of values: places of ids, by the hash of path and text.
    static std::uint64_t hash_of(std::uint32_t path, std::string_view text);
    std::size_t slot_of(std::uint32_t path, std::string_view text) const;
    void erase_slot(std::size_t slot);
    void grow();
    const value* find(std::uint32_t path, std::string_view text) const;

    value_tests build_value_tests(const fact_condition& fact_condition) const;
    static std::size_t values_examined(const path& path, const value_test& test);
    std::size_t values_examined(const value_tests& value_tests) const;
    system_set evaluate(const value_tests& value_tests, const system_set& within) const;
    system_set evaluate_by_system(const value_tests& value_tests, const system_set& within) const;
    static std::vector<value_id> candidates(const path& of, const value_test& value_test);

    std::vector<path> paths_;
    std::map<std::string, std::uint32_t, std::less<>> path_numbers_;
    std::vector<value> values_;
    std::vector<value_id> free_;
    std::vector<std::uint32_t> slots_;  // id + 1; zero: free
    std::size_t used_ = 0;
    system_indexed_array<packed_text>
        values_of_;  // ids in order, as differences in bytes of seven bits
    std::uint64_t left_out_ = 0;
};

}  // namespace muster::targeting

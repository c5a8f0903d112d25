#pragma once

#include "base/result.h"
#include "core/targeting/condition.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::targeting {

struct query_limits {
    static constexpr std::size_t bytes_max = 4096;
    static constexpr std::size_t depth_max = 32;
    static constexpr std::size_t terms_max = 256;  // with those of the groups it names
    static constexpr std::size_t list_names_max = 1000;
    static constexpr std::size_t group_depth_max = 8;  // of groups that name groups
};

// How an expression is cut into words (docs/howto/find_systems.md).
enum class dialect {
    automatic,  // compound when a word of it begins with an engine such as G@, plain otherwise
    plain,      // quotes; parentheses anywhere; two conditions side by side must both hold
    compound,   // as Salt reads it: words between blanks, operators in small letters
};

// The definition of a saved group; nothing when there is none of that name.
using group_source = std::function<std::optional<std::string>(const std::string&)>;

// A target expression. `not` binds closest, then `and`, then `or`. Immutable.
class query {
public:
    struct options {
        dialect language = dialect::automatic;
        group_source groups = nullptr;  // without: no group is known
    };

    // errc::invalid with the position, counted from one, and what to do: "at 7: …".
    static result<query> parse(std::string_view text, const options& options);
    static result<query> parse(std::string_view text) { return parse(text, {}); }

    // Whether a single system matches.
    bool matches(const subject& subject) const;

    // The expression as a tree. A negation has only its first operand.
    struct operation {
        enum class kind : std::uint8_t { both, either, negation } type = kind::both;
        std::size_t first = 0;  // of nodes()
        std::size_t second = 0;
    };
    struct term {
        targeting::condition condition;
        std::size_t at = 0;  // position in the expression, from one
    };
    using node = std::variant<term, operation>;
    const std::vector<node>& nodes() const { return nodes_; }
    std::size_t root() const { return nodes_.size() - 1; }

    // An expression with an unknown or recursive group matches no system.
    bool means_nobody() const { return !notes_.empty(); }
    // Warnings for the author, one sentence each: "at 3: there is no group `db`".
    const std::vector<std::string>& notes() const { return notes_; }

    // The names in lists, without those behind a `not`.
    std::vector<std::string> listed_names() const;

    bool needs_facts() const;

    // errc::invalid when a regular expression took too long; then no result is valid.
    result<void> check_effort() const;

private:
    friend class parser;

    bool matches_node(std::size_t node, const subject& subject) const;
    void add_listed(std::size_t node, bool negated, std::vector<std::string>& names) const;

    std::vector<node> nodes_;  // operands come first; the last node is the root
    std::vector<std::string> notes_;
};

// The position that an error text names, from one.
std::optional<std::size_t> position_of(const error& failure);

}  // namespace muster::targeting

#pragma once

#include "base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::targeting {

// One condition: `tag:db` has the field "tag"; a plain word has the field "name".
struct term {
    std::string field;
    std::string pattern;  // a glob

    friend bool operator==(const term&, const term&) = default;
};

// What a query is asked about. Only it knows what a field means.
class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    virtual bool meets(const term& condition) const = 0;
};

struct query_limits {
    static constexpr std::size_t bytes_max = 4096;
    static constexpr std::size_t depth_max = 32;
    static constexpr std::size_t terms_max = 256;
};

// The language of DESIGN §8: words and `field:word`, globs, `and`, `or`, `not`, parentheses,
// quotes. Two conditions side by side must both hold; `not` binds closest, then `and`, then `or`.
class query {
public:
    // `fields` are those that the subjects know. errc::invalid with the position, counted from one,
    // and what to do.
    static result<query> parse(std::string_view text, std::span<const std::string_view> fields);

    bool matches(const subject& asked) const;

    // The conditions, in the order they stand.
    std::vector<term> terms() const;

private:
    enum class operation { both, either, negation };
    using step = std::variant<term, operation>;
    friend class parser;

    // In postfix order, so that matching needs neither recursion nor memory.
    std::vector<step> steps_;
};

}  // namespace muster::targeting

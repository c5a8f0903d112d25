#include "core/targeting/query.h"

#include "base/assert.h"
#include "core/targeting/lexer.h"

#include <algorithm>
#include <bitset>
#include <utility>

namespace muster::targeting {

class parser {
public:
    parser(std::string_view text, std::span<const std::string_view> fields)
        : words_(text), fields_(fields) {}

    result<query> parse() {
        CHECK_OK(advance());
        CHECK_OK(any_of(0));
        if (ahead_.kind == token_kind::close)
            return fail_at(ahead_.at, "this parenthesis was never opened");
        MUSTER_ASSERT(ahead_.kind == token_kind::end);
        return std::move(built_);
    }

private:
    result<void> advance() {
        TRY(ahead_, words_.next());
        return {};
    }

    result<void> any_of(std::size_t depth) {
        CHECK_OK(all_of(depth));
        while (ahead_.kind == token_kind::either) {
            CHECK_OK(advance());
            CHECK_OK(all_of(depth));
            built_.steps_.emplace_back(query::operation::either);
        }
        return {};
    }

    result<void> all_of(std::size_t depth) {
        CHECK_OK(one(depth));
        while (ahead_.kind != token_kind::either && ahead_.kind != token_kind::close
               && ahead_.kind != token_kind::end) {
            if (ahead_.kind == token_kind::both) {
                CHECK_OK(advance());
            }
            CHECK_OK(one(depth));
            built_.steps_.emplace_back(query::operation::both);
        }
        return {};
    }

    result<void> one(std::size_t depth) {
        if (depth == query_limits::depth_max)
            return fail_at(ahead_.at, "the query is nested too deeply");
        switch (ahead_.kind) {
            case token_kind::negation:
                return negation(depth);
            case token_kind::open:
                return group(depth);
            case token_kind::word:
                return condition();
            case token_kind::both:
            case token_kind::either:
            case token_kind::close:
            case token_kind::end:
                break;
        }
        return fail_at(ahead_.at, "a condition is missing here, such as web* or tag:db");
    }

    result<void> negation(std::size_t depth) {
        CHECK_OK(advance());
        CHECK_OK(one(depth + 1));
        built_.steps_.emplace_back(query::operation::negation);
        return {};
    }

    result<void> group(std::size_t depth) {
        const auto opened = ahead_.at;
        CHECK_OK(advance());
        CHECK_OK(any_of(depth + 1));
        if (ahead_.kind != token_kind::close)
            return fail_at(opened, "the parenthesis that opens here is never closed");
        return advance();
    }

    result<void> condition() {
        if (++terms_ > query_limits::terms_max)
            return fail_at(ahead_.at, "the query has too many conditions");
        term found{
            .field = ahead_.field.empty() ? std::string("name") : std::move(ahead_.field),
            .pattern = std::move(ahead_.text)};
        if (std::ranges::find(fields_, found.field) == fields_.end())
            return fail_at(ahead_.at, unknown(found.field));
        built_.steps_.emplace_back(std::move(found));
        return advance();
    }

    std::string unknown(const std::string& field) const {
        std::string known;
        for (const auto each : fields_) known += (known.empty() ? "" : ", ") + std::string(each);
        return "there is no field `" + field + "`; fields are " + known;
    }

    lexer words_;
    std::span<const std::string_view> fields_;
    token ahead_;
    std::size_t terms_ = 0;
    query built_;
};

result<query> query::parse(std::string_view text, std::span<const std::string_view> fields) {
    if (text.size() > query_limits::bytes_max)
        return fail(
            errc::invalid,
            "the query has more than " + std::to_string(query_limits::bytes_max) + " bytes");
    return parser(text, fields).parse();
}

bool query::matches(const subject& asked) const {
    // A chain of n conditions needs two places, each nesting at most two more.
    std::bitset<2 * query_limits::depth_max + 4> stack;
    std::size_t height = 0;
    for (const auto& each : steps_) {
        if (const auto* const condition = std::get_if<term>(&each)) {
            MUSTER_ASSERT(height < stack.size());
            stack.set(height++, asked.meets(*condition));
            continue;
        }
        switch (std::get<operation>(each)) {
            case operation::both:
                --height;
                stack.set(height - 1, stack.test(height - 1) && stack.test(height));
                break;
            case operation::either:
                --height;
                stack.set(height - 1, stack.test(height - 1) || stack.test(height));
                break;
            case operation::negation:
                stack.flip(height - 1);
                break;
        }
    }
    MUSTER_ASSERT(height == 1);
    return stack.test(0);
}

std::vector<term> query::terms() const {
    std::vector<term> found;
    for (const auto& each : steps_)
        if (const auto* const condition = std::get_if<term>(&each)) found.push_back(*condition);
    return found;
}

}  // namespace muster::targeting

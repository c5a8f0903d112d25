#include "core/targeting/parser.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::targeting {

using kind = query::operation::kind;

result<query> parser::parse(std::string_view text) {
    CHECK_OK(whole(text, options_.language, 0));
    return std::move(built_);
}

result<parser::place> parser::whole(std::string_view text, dialect language, std::size_t shown_at) {
    if (language == dialect::automatic) language = dialect_of(text);
    reading in{.words = lexer(text, language), .language = language, .shown_at = shown_at};
    CHECK_OK(advance(in));
    TRY(const auto top, any_of(in, 0));
    if (in.ahead.kind == token_kind::close)
        return fail_at(in.ahead.at, "this parenthesis was never opened");
    MUSTER_ASSERT(in.ahead.kind == token_kind::end);
    return top;
}

result<void> parser::advance(reading& in) {
    TRY(in.ahead, in.words.next());
    return {};
}

result<parser::place> parser::any_of(reading& in, std::size_t depth) {
    TRY(place left, all_of(in, depth));
    while (in.ahead.kind == token_kind::either) {
        CHECK_OK(advance(in));
        TRY(const auto right, all_of(in, depth));
        left = join(kind::either, left, right);
    }
    return left;
}

result<parser::place> parser::all_of(reading& in, std::size_t depth) {
    TRY(place left, one(in, depth));
    while (in.ahead.kind != token_kind::either && in.ahead.kind != token_kind::close
           && in.ahead.kind != token_kind::end) {
        if (in.ahead.kind == token_kind::both) {
            CHECK_OK(advance(in));
        } else if (in.language == dialect::compound && in.ahead.kind != token_kind::negation) {
            return fail_at(in.ahead.at, "`and` or `or` is missing before this");
        }
        TRY(const auto right, one(in, depth));
        left = join(kind::both, left, right);
    }
    return left;
}

result<parser::place> parser::one(reading& in, std::size_t depth) {
    if (depth == query_limits::depth_max)
        return fail_at(in.ahead.at, "the query is nested too deeply");
    switch (in.ahead.kind) {
        case token_kind::negation:
            return negation(in, depth);
        case token_kind::open:
            return parenthesis(in, depth);
        case token_kind::word:
            return word(in);
        case token_kind::both:
        case token_kind::either:
        case token_kind::close:
        case token_kind::end:
            break;
    }
    return fail_at(in.ahead.at, "a condition is missing here, such as web* or tag:db");
}

result<parser::place> parser::negation(reading& in, std::size_t depth) {
    CHECK_OK(advance(in));
    if (in.language == dialect::compound && in.ahead.kind == token_kind::negation)
        return fail_at(in.ahead.at, "`not` cannot follow `not`; leave both out");
    TRY(const auto denied, one(in, depth + 1));
    return join(kind::negation, denied, denied);
}

result<parser::place> parser::parenthesis(reading& in, std::size_t depth) {
    const auto opened = in.ahead.at;
    CHECK_OK(advance(in));
    TRY(const auto inner, any_of(in, depth + 1));
    if (in.ahead.kind != token_kind::close)
        return fail_at(opened, "the parenthesis that opens here is never closed");
    CHECK_OK(advance(in));
    return inner;
}

result<parser::place> parser::word(reading& in) {
    token from = std::move(in.ahead);
    if (in.shown_at != 0) from.at = in.shown_at;
    TRY(const auto result,
        in.language == dialect::compound ? compound_condition(from) : plain_condition(from));
    CHECK_OK(advance(in));
    return result;
}

result<parser::place> parser::add(condition condition, std::size_t at) {
    if (++terms_ > query_limits::terms_max) return fail_at(at, "the query has too many conditions");
    built_.nodes_.emplace_back(query::term{.asked = std::move(condition), .at = at});
    return built_.nodes_.size() - 1;
}

parser::place parser::join(kind kind, place first, place second) {
    built_.nodes_.emplace_back(query::operation{.what = kind, .first = first, .second = second});
    return built_.nodes_.size() - 1;
}

}  // namespace muster::targeting

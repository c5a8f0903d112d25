#include "core/targeting/parser.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::targeting {

using kind = query::operation::kind;

result<query> parser::parse(std::string_view text) {
    CHECK_OK(parse_text(text, options_.language, 0));
    return std::move(query_);
}

result<parser::node_index> parser::parse_text(
    std::string_view text, dialect language, std::size_t shown_at) {
    if (language == dialect::automatic) language = dialect_of(text);
    input_text input{.words = lexer(text, language), .language = language, .shown_at = shown_at};
    CHECK_OK(advance(input));
    TRY(const auto top, parse_or(input, 0));
    if (input.next.kind == token_kind::close)
        return fail_at(input.next.at, "closing parenthesis without an opening one");
    MUSTER_ASSERT(input.next.kind == token_kind::end);
    return top;
}

result<void> parser::advance(input_text& input) {
    TRY(input.next, input.words.next());
    return {};
}

result<parser::node_index> parser::parse_or(input_text& input, std::size_t depth) {
    TRY(node_index left, parse_and(input, depth));
    while (input.next.kind == token_kind::either) {
        CHECK_OK(advance(input));
        TRY(const auto right, parse_and(input, depth));
        left = join(kind::either, left, right);
    }
    return left;
}

result<parser::node_index> parser::parse_and(input_text& input, std::size_t depth) {
    TRY(node_index left, parse_operand(input, depth));
    while (input.next.kind != token_kind::either && input.next.kind != token_kind::close
           && input.next.kind != token_kind::end) {
        if (input.next.kind == token_kind::both) {
            CHECK_OK(advance(input));
        } else if (input.language == dialect::compound && input.next.kind != token_kind::negation) {
            return fail_at(input.next.at, "missing `and` or `or` before this word");
        }
        TRY(const auto right, parse_operand(input, depth));
        left = join(kind::both, left, right);
    }
    return left;
}

result<parser::node_index> parser::parse_operand(input_text& input, std::size_t depth) {
    if (depth == query_limits::depth_max)
        return fail_at(input.next.at, "the query is nested too deeply");
    switch (input.next.kind) {
        case token_kind::negation:
            return parse_not(input, depth);
        case token_kind::open:
            return parse_parenthesis(input, depth);
        case token_kind::word:
            return parse_word(input);
        case token_kind::both:
        case token_kind::either:
        case token_kind::close:
        case token_kind::end:
            break;
    }
    return fail_at(input.next.at, "a condition is missing here, such as web* or tag:db");
}

result<parser::node_index> parser::parse_not(input_text& input, std::size_t depth) {
    CHECK_OK(advance(input));
    if (input.language == dialect::compound && input.next.kind == token_kind::negation)
        return fail_at(input.next.at, "`not` cannot follow `not`; remove both");
    TRY(const auto operand, parse_operand(input, depth + 1));
    return join(kind::negation, operand, operand);
}

result<parser::node_index> parser::parse_parenthesis(input_text& input, std::size_t depth) {
    const auto opened = input.next.at;
    CHECK_OK(advance(input));
    TRY(const auto inner, parse_or(input, depth + 1));
    if (input.next.kind != token_kind::close) return fail_at(opened, "missing closing parenthesis");
    CHECK_OK(advance(input));
    return inner;
}

result<parser::node_index> parser::parse_word(input_text& input) {
    targeting::token token = std::move(input.next);
    if (input.shown_at != 0) token.at = input.shown_at;
    TRY(const auto result,
        input.language == dialect::compound ? add_compound_condition(token)
                                            : add_plain_condition(token));
    CHECK_OK(advance(input));
    return result;
}

result<parser::node_index> parser::add(targeting::condition condition, std::size_t position) {
    if (++terms_ > query_limits::terms_max)
        return fail_at(position, "the query has too many conditions");
    query_.nodes_.emplace_back(query::term{.condition = std::move(condition), .at = position});
    return query_.nodes_.size() - 1;
}

parser::node_index parser::join(kind kind, node_index first, node_index second) {
    query_.nodes_.emplace_back(query::operation{.type = kind, .first = first, .second = second});
    return query_.nodes_.size() - 1;
}

}  // namespace muster::targeting

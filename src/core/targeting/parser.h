#pragma once

#include "core/targeting/lexer.h"
#include "core/targeting/query.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::targeting {

// Builds the tree of an expression, and of the groups it names, each as if in parentheses.
class parser {
public:
    explicit parser(const query::options& options) : options_(options) {}

    result<query> parse(std::string_view text);

private:
    using node_index = std::size_t;  // in query::nodes()

    // A text being parsed: the expression, or a group within it.
    struct input_text {
        lexer words;
        dialect language;
        token next = {};
        std::size_t shown_at = 0;  // in a group: where the expression names it
    };

    result<node_index> parse_text(std::string_view text, dialect language, std::size_t shown_at);
    static result<void> advance(input_text& input);
    result<node_index> parse_or(input_text& input, std::size_t depth);
    result<node_index> parse_and(input_text& input, std::size_t depth);
    result<node_index> parse_operand(input_text& input, std::size_t depth);
    result<node_index> parse_not(input_text& input, std::size_t depth);
    result<node_index> parse_parenthesis(input_text& input, std::size_t depth);

    // Conditions from single words (parser_words.cpp).
    result<node_index> parse_word(input_text& input);
    result<node_index> add_plain_condition(const targeting::token& token);
    result<node_index> add_compound_condition(const targeting::token& token);
    result<node_index> add_matcher_condition(
        const targeting::token& token, const std::string& text);
    result<node_index> add_field_condition(const targeting::token& token, const std::string& name);
    result<node_index> add_facts(
        const targeting::token& token,
        std::string_view expression,
        std::string_view delimiter,
        value_language language);
    result<node_index> add_list(const targeting::token& token, std::string_view names);
    result<node_index> add_label_or_group(const targeting::token& token, std::string_view pattern);
    result<node_index> add_group(const targeting::token& token, const std::string& name);

    result<node_index> add(targeting::condition condition, std::size_t position);
    node_index join(query::operation::kind kind, node_index first, node_index second);

    const query::options& options_;
    query query_;
    std::size_t terms_ = 0;
    std::vector<std::string> open_groups_;  // the groups being parsed, outermost first
};

// A group's definition as an expression. As with Salt, a plain list of names, without operators,
// stars or matchers, means these names, or regular expressions if they look like such.
std::string expression_of_group(std::string_view definition);

}  // namespace muster::targeting

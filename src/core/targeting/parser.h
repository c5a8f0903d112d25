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
    using place = std::size_t;  // of a node that was built

    // One text that is being read: the expression, or a group within it.
    struct reading {
        lexer words;
        dialect language;
        token ahead = {};
        std::size_t shown_at = 0;  // in a group: where the expression names it
    };

    result<place> whole(std::string_view text, dialect language, std::size_t shown_at);
    static result<void> advance(reading& in);
    result<place> any_of(reading& in, std::size_t depth);
    result<place> all_of(reading& in, std::size_t depth);
    result<place> one(reading& in, std::size_t depth);
    result<place> negation(reading& in, std::size_t depth);
    result<place> parenthesis(reading& in, std::size_t depth);

    // A single word.
    result<place> word(reading& in);
    result<place> plain_condition(const token& from);
    result<place> compound_condition(const token& from);
    result<place> engine_condition(const token& from, const std::string& text);
    result<place> field_condition_of(const token& from, const std::string& name);
    result<place> facts(
        const token& from,
        std::string_view expression,
        std::string_view delimiter,
        value_language language);
    result<place> list(const token& from, std::string_view names);
    result<place> label_or_group(const token& from, std::string_view pattern);
    result<place> group(const token& from, const std::string& name);

    result<place> add(condition condition, std::size_t at);
    place join(query::operation::kind kind, place first, place second);

    const query::options& options_;
    query built_;
    std::size_t terms_ = 0;
    std::vector<std::string> within_;  // the groups that are being read, outermost first
};

// A group's definition as an expression. As with Salt, one that is only a list of names, without
// operators, stars or engines, means just these: exactly, or as regular expressions if they look
// like such.
std::string expression_of_group(std::string_view definition);

}  // namespace muster::targeting

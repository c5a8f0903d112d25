#pragma once

#include "core/targeting/text_pattern.h"

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::targeting {

// A fact of a system, folded: a path such as "os.name" and the text of a value. A list has one fact
// for each member.
struct fact {
    std::string path;
    std::string text;

    friend bool operator==(const fact&, const fact&) = default;
    friend auto operator<=>(const fact&, const fact&) = default;
};

enum class value_language { glob, regex };

// What makes a value of a key below the path: that it looks like the value, or only that it is it.
enum class keys_below { by_pattern, by_name };

// What Salt calls matching in a dictionary: `os:Ubuntu`, `ec2:tags:role:web*`, `roles:*`. Every way
// to cut the expression result a path and a value is tried; a value that a key below the path looks
// like counts as there, and so does `*`; a leading `*:` looks on every level. Letters' case does
// not count.
class fact_pattern {
public:
    // errc::invalid when a regular expression in it is none. Without a delimiter in it nothing
    // matches.
    static result<fact_pattern> make(
        std::string_view expression,
        std::string_view delimiter,
        value_language language,
        keys_below keys = keys_below::by_pattern);

    // The result for a path: a match, or tests that the value must pass.
    struct path_match {
        bool always = false;
        std::vector<const text_pattern*> values;  // else: any of these
    };
    path_match match_path(std::string_view path) const;

    bool matches(const fact& fact) const;
    bool gave_up() const;

private:
    result<void> compile(value_language language);
    void match_expression(
        std::string_view expression,
        std::string_view delimiter,
        std::string_view path,
        path_match& result) const;
    void match_below(std::string_view pattern, std::string_view path, path_match& result) const;
    bool is_key(std::string_view pattern, std::string_view path) const;
    void add_value_test(std::string_view tail, path_match& result) const;

    std::string expression_;  // folded
    std::string delimiter_;
    keys_below keys_ = keys_below::by_pattern;
    // What may stand for a value is always the end of the expression: by its size.
    std::map<std::size_t, text_pattern> tails_;
};

}  // namespace muster::targeting

#include "core/targeting/fact_pattern.h"

#include "core/targeting/fold.h"

#include <algorithm>
#include <optional>
#include <set>

namespace muster::targeting {
namespace {

constexpr std::string_view usual_delimiter = ":";
constexpr std::string_view any_level = "*:";

// "os:name" as the path "os.name".
std::string to_path(std::string_view key, std::string_view delimiter) {
    std::string path;
    while (true) {
        const auto at = key.find(delimiter);
        path += key.substr(0, at);
        if (at == std::string_view::npos) return path;
        path += '.';
        key.remove_prefix(at + delimiter.size());
    }
}

// What is left of a path below `key`: empty for the key itself, nothing when it is elsewhere.
std::optional<std::string_view> relative_path(std::string_view path, std::string_view key) {
    if (!path.starts_with(key)) return std::nullopt;
    if (path.size() == key.size()) return std::string_view();
    if (path[key.size()] != '.') return std::nullopt;
    return path.substr(key.size() + 1);
}

void tails_behind(
    std::string_view expression, std::string_view delimiter, std::set<std::size_t>& sizes) {
    for (auto at = expression.find(delimiter); at != std::string_view::npos;
         at = expression.find(delimiter, at + delimiter.size()))
        sizes.insert(expression.size() - at - delimiter.size());
}

}  // namespace

result<fact_pattern> fact_pattern::make(
    std::string_view expression,
    std::string_view delimiter,
    value_language language,
    keys_below keys) {
    fact_pattern result;
    result.keys_ = keys;
    // A regular expression keeps its letters: \S is not \s.
    result.expression_ = language == value_language::glob ? folded(expression) : expression;
    result.delimiter_ = delimiter;
    CHECK_OK(result.compile(language));
    return result;
}

result<void> fact_pattern::compile(value_language language) {
    std::set<std::size_t> sizes;
    tails_behind(expression_, delimiter_, sizes);
    tails_behind(expression_, usual_delimiter, sizes);
    std::optional<error> failure;
    for (const auto size : sizes) {
        const auto tail = expression_.substr(expression_.size() - size);
        if (language == value_language::glob) {
            tails_.emplace(size, text_pattern::glob(tail, letter_case::any));
            continue;
        }
        // A cut within a group leaves no expression: only if every cut does, something is failure.
        auto compiled = text_pattern::regular(tail, letter_case::any);
        if (compiled)
            tails_.emplace(size, std::move(*compiled));
        else
            failure = compiled.error();
    }
    if (failure && tails_.empty()) return fail(*failure);
    return {};
}

void fact_pattern::add_value_test(std::string_view tail, path_match& result) const {
    const auto it = tails_.find(tail.size());
    if (it != tails_.end()) result.values.push_back(&it->second);
}

void fact_pattern::match_expression(
    std::string_view expression,
    std::string_view delimiter,
    std::string_view path,
    path_match& result) const {
    for (auto at = expression.rfind(delimiter); at != std::string_view::npos && !result.always;
         at = at == 0 ? std::string_view::npos : expression.rfind(delimiter, at - 1)) {
        const auto key = expression.substr(0, at);
        const auto tail = expression.substr(at + delimiter.size());
        if (key == "*") {
            match_below(expression, path, result);
            continue;
        }
        const auto rest = relative_path(path, folded(to_path(key, delimiter)));
        if (!rest) continue;
        if (rest->empty())
            add_value_test(tail, result);
        else
            match_below(tail, *rest, result);
    }
}

// Whether a key of the dictionary that the path leads through looks like this.
bool fact_pattern::is_key(std::string_view pattern, std::string_view path) const {
    if (relative_path(path, folded(pattern))) return true;
    if (keys_ == keys_below::by_name) return false;
    const auto test = tails_.find(pattern.size());
    return test != tails_.end() && test->second.matches(path.substr(0, path.find('.')));
}

// `path` is what is left of it below a key: the value there is a dictionary.
void fact_pattern::match_below(
    std::string_view pattern, std::string_view path, path_match& result) const {
    const bool every_level = pattern.starts_with(any_level);
    if (every_level) pattern.remove_prefix(any_level.size());
    if (pattern == "*" || is_key(pattern, path)) {
        result.always = true;
        return;
    }
    match_expression(pattern, usual_delimiter, path, result);
    if (!every_level) return;
    for (auto dot = path.find('.'); dot != std::string_view::npos && !result.always;
         dot = path.find('.')) {
        path.remove_prefix(dot + 1);
        match_below(pattern, path, result);
    }
    add_value_test(pattern, result);
}

fact_pattern::path_match fact_pattern::match_path(std::string_view path) const {
    path_match result;
    match_expression(expression_, delimiter_, path, result);
    return result;
}

bool fact_pattern::matches(const fact& fact) const {
    const auto match = match_path(fact.path);
    return match.always
           || std::ranges::any_of(match.values, [&fact](const text_pattern* text_pattern) {
                  return text_pattern->matches(fact.text);
              });
}

bool fact_pattern::gave_up() const {
    return std::ranges::any_of(tails_, [](const auto& each) { return each.second.gave_up(); });
}

}  // namespace muster::targeting

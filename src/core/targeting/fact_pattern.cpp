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
std::string dotted(std::string_view key, std::string_view delimiter) {
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
std::optional<std::string_view> below(std::string_view path, std::string_view key) {
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
    std::optional<error> wrong;
    for (const auto size : sizes) {
        const auto tail = expression_.substr(expression_.size() - size);
        if (language == value_language::glob) {
            tails_.emplace(size, text_pattern::glob(tail, letter_case::any));
            continue;
        }
        // A cut within a group leaves no expression: only if every cut does, something is wrong.
        auto compiled = text_pattern::regular(tail, letter_case::any);
        if (compiled)
            tails_.emplace(size, std::move(*compiled));
        else
            wrong = compiled.error();
    }
    if (wrong && tails_.empty()) return fail(*wrong);
    return {};
}

void fact_pattern::ask_value(std::string_view tail, verdict& into) const {
    const auto it = tails_.find(tail.size());
    if (it != tails_.end()) into.values.push_back(&it->second);
}

void fact_pattern::look(
    std::string_view expression,
    std::string_view delimiter,
    std::string_view path,
    verdict& into) const {
    for (auto at = expression.rfind(delimiter); at != std::string_view::npos && !into.always;
         at = at == 0 ? std::string_view::npos : expression.rfind(delimiter, at - 1)) {
        const auto key = expression.substr(0, at);
        const auto tail = expression.substr(at + delimiter.size());
        if (key == "*") {
            look_below(expression, path, into);
            continue;
        }
        const auto rest = below(path, folded(dotted(key, delimiter)));
        if (!rest) continue;
        if (rest->empty())
            ask_value(tail, into);
        else
            look_below(tail, *rest, into);
    }
}

// Whether a key of the dictionary that the path leads through looks like this.
bool fact_pattern::is_key(std::string_view pattern, std::string_view path) const {
    if (below(path, folded(pattern))) return true;
    if (keys_ == keys_below::by_name) return false;
    const auto test = tails_.find(pattern.size());
    return test != tails_.end() && test->second.matches(path.substr(0, path.find('.')));
}

// `path` is what is left of it below a key: the value there is a dictionary.
void fact_pattern::look_below(
    std::string_view pattern, std::string_view path, verdict& into) const {
    const bool everywhere = pattern.starts_with(any_level);
    if (everywhere) pattern.remove_prefix(any_level.size());
    if (pattern == "*" || is_key(pattern, path)) {
        into.always = true;
        return;
    }
    look(pattern, usual_delimiter, path, into);
    if (!everywhere) return;
    for (auto dot = path.find('.'); dot != std::string_view::npos && !into.always;
         dot = path.find('.')) {
        path.remove_prefix(dot + 1);
        look_below(pattern, path, into);
    }
    ask_value(pattern, into);
}

fact_pattern::verdict fact_pattern::verdict_for(std::string_view path) const {
    verdict verdict;
    look(expression_, delimiter_, path, verdict);
    return verdict;
}

bool fact_pattern::matches(const fact& fact) const {
    const auto match = verdict_for(fact.path);
    return match.always
           || std::ranges::any_of(match.values, [&fact](const text_pattern* text_pattern) {
                  return text_pattern->matches(fact.text);
              });
}

bool fact_pattern::gave_up() const {
    return std::ranges::any_of(tails_, [](const auto& each) { return each.second.gave_up(); });
}

}  // namespace muster::targeting

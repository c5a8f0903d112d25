// What single words of an expression mean: the other half of parser.h.

#include "core/targeting/glob.h"
#include "core/targeting/grain_names.h"
#include "core/targeting/matcher_prefix.h"
#include "core/targeting/parser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::targeting {
namespace {

using kind = query::operation::kind;

constexpr std::string_view fact_prefix = "fact.";

// `X@web`: looks like a matcher prefix but is none.
bool names_unknown_matcher(std::string_view word) {
    return word.size() > 2 && word[1] == '@' && word.front() >= 'A' && word.front() <= 'Z';
}

std::optional<std::string_view> fact_path(std::string_view field) {
    if (field.starts_with(fact_prefix) && field.size() > fact_prefix.size())
        return field.substr(fact_prefix.size());
    if (field.contains('.') || is_grain_name(field)) return field;
    return std::nullopt;
}

// `role=kubernetes-*`
bool is_selector(std::string_view word) {
    const auto sign = word.find('=');
    if (sign == 0 || sign == std::string_view::npos || sign + 1 == word.size()) return false;
    return std::ranges::all_of(word.substr(0, sign), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
               || (letter >= '0' && letter <= '9') || letter == '_' || letter == '-'
               || letter == '.' || letter == '/';
    });
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = text.find_first_of(separators);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

condition text_condition(field field, std::string_view pattern) {
    return field_condition{.field = field, .test = text_pattern::glob(pattern, letter_case::exact)};
}

std::string unknown_field(const std::string& name) {
    return "unknown field \"" + name + "\"; use " + field_list()
           + ", or a fact path such as os.name or fact." + name;
}

}  // namespace

std::string expression_of_group(std::string_view definition) {
    constexpr std::array<std::string_view, 5> operators{"and", "or", "not", "(", ")"};
    const auto words = split(definition, " \t\n\r");
    const bool has_syntax = std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::find(operators, word) != operators.end() || word.contains('*')
               || word.contains(':') || word.contains('=') || names_unknown_matcher(word)
               || split_matcher_prefix(word);
    });
    if (words.empty() || has_syntax) return std::string(definition);
    const bool regular = std::ranges::any_of(words, [](const std::string& word) {
        return word.find_first_of("([{\\?}])") != std::string::npos;
    });
    std::string result = regular ? "E@" : "L@";
    const char* const separator = regular ? "|" : ",";
    for (const auto& word : words) result += (result.size() > 2 ? separator : "") + word;
    return result;
}

result<parser::node_index> parser::add_plain_condition(const targeting::token& token) {
    const auto whole_word = token.field.empty() ? token.text : token.field + ":" + token.text;
    if (!token.quoted && split_matcher_prefix(whole_word))
        return add_matcher_condition(token, whole_word);
    if (!token.field.empty()) return add_field_condition(token, token.field);
    if (!token.quoted && names_unknown_matcher(token.text))
        return add_matcher_condition(token, token.text);
    if (!token.quoted && is_selector(token.text)) {
        const auto sign = token.text.find('=');
        const auto path = token.text.substr(0, sign);
        TRY(const auto by_tag, add(text_condition(field::tag, token.text), token.at));
        TRY(const auto by_fact,
            add_facts(token, path + ":" + token.text.substr(sign + 1), ":", value_language::glob));
        return join(kind::either, by_tag, by_fact);
    }
    return add(text_condition(field::name, token.text), token.at);
}

result<parser::node_index> parser::add_compound_condition(const targeting::token& token) {
    const auto& text = token.text;
    if (split_matcher_prefix(text) || names_unknown_matcher(text))
        return add_matcher_condition(token, text);
    const bool attached =
        text.starts_with('(') && (split_matcher_prefix(text.substr(1)) || text.contains(':'));
    if (attached)
        return fail_at(token.at, "put spaces around parentheses next to words such as G@os:x");
    const auto colon = text.find(':');
    if (colon != std::string::npos && colon + 1 < text.size()) {
        const auto name = text.substr(0, colon);
        if (parse_field(name) || fact_path(name)) {
            targeting::token value = token;
            value.text = text.substr(colon + 1);
            return add_field_condition(value, name);
        }
    }
    return add(text_condition(field::name, text), token.at);
}

result<parser::node_index> parser::add_field_condition(
    const targeting::token& token, const std::string& name) {
    const auto known_field = parse_field(name);
    if (known_field == field::group) return add_label_or_group(token, token.text);
    if (known_field) return add(text_condition(*known_field, token.text), token.at);
    const auto path = fact_path(name);
    if (!path) return fail_at(token.at, unknown_field(name));
    return add_facts(token, std::string(*path) + ":" + token.text, ":", value_language::glob);
}

result<parser::node_index> parser::add_matcher_condition(
    const targeting::token& token, const std::string& text) {
    const auto prefix = split_matcher_prefix(text);
    if (!prefix)
        return fail_at(
            token.at, "unknown matcher " + text.substr(0, 2) + "; use G@ P@ I@ J@ E@ L@ S@ or N@");
    switch (prefix->engine) {
        case 'G':
            return add_facts(token, prefix->pattern, prefix->delimiter, value_language::glob);
        case 'P':
            return add_facts(token, prefix->pattern, prefix->delimiter, value_language::regex);
        case 'I':
        case 'J':
            return add(never_matches{}, token.at);  // no system has pillar data yet
        case 'E': {
            auto test = text_pattern::regular(std::string(prefix->pattern), letter_case::exact);
            if (!test) return fail_at(token.at, test.error().detail());
            return add(field_condition{.field = field::name, .test = *std::move(test)}, token.at);
        }
        case 'L':
            return add_list(token, prefix->pattern);
        case 'S': {
            const auto network = muster::network::parse(prefix->pattern);
            if (!network) return fail_at(token.at, network.error().detail());
            const bool ipv6 = prefix->pattern.contains(':');
            return add(network_condition{.network = *network, .ipv6 = ipv6}, token.at);
        }
        case 'N':
            return add_group(token, std::string(prefix->pattern));
        default:
            return fail_at(token.at, "range matchers (R@) are not supported");
    }
}

result<parser::node_index> parser::add_facts(
    const targeting::token& token,
    std::string_view expression,
    std::string_view delimiter,
    value_language language) {
    auto fact_condition = make_fact_condition(expression, delimiter, language);
    if (!fact_condition) return fail_at(token.at, fact_condition.error().detail());
    return add(*std::move(fact_condition), token.at);
}

result<parser::node_index> parser::add_list(const targeting::token& token, std::string_view names) {
    list_condition list_condition{.names = split(names, ",")};
    if (list_condition.names.size() > query_limits::list_names_max)
        return fail_at(
            token.at,
            "limit of " + std::to_string(query_limits::list_names_max)
                + " names per list exceeded");
    std::ranges::sort(list_condition.names);
    const auto duplicates = std::ranges::unique(list_condition.names);
    list_condition.names.erase(duplicates.begin(), duplicates.end());
    return add(std::move(list_condition), token.at);
}

// Groups are labels of systems or saved expressions; the word means both.
result<parser::node_index> parser::add_label_or_group(
    const targeting::token& token, std::string_view pattern) {
    TRY(const auto labelled, add(text_condition(field::group, pattern), token.at));
    const std::string name(pattern);
    if (is_glob(pattern) || !options_.groups || !options_.groups(name)) return labelled;
    TRY(const auto saved, add_group(token, name));
    return join(kind::either, labelled, saved);
}

result<parser::node_index> parser::add_group(
    const targeting::token& token, const std::string& name) {
    const auto match_nothing = [&](const std::string& reason) {
        query_.notes_.push_back("at " + std::to_string(token.at) + ": " + reason);
        return add(never_matches{}, token.at);
    };
    const auto definition = options_.groups ? options_.groups(name) : std::nullopt;
    if (!definition) return match_nothing("group \"" + name + "\" not found");
    if (std::ranges::find(open_groups_, name) != open_groups_.end())
        return match_nothing("group \"" + name + "\" contains itself");
    if (open_groups_.size() == query_limits::group_depth_max)
        return match_nothing("group \"" + name + "\" is nested too deeply");
    open_groups_.push_back(name);
    const auto text = expression_of_group(*definition);
    auto inner = parse_text(text, dialect::automatic, token.at);
    open_groups_.pop_back();
    if (!inner) {
        // Shows the position in the definition, but reports the position of the group in the query.
        auto why = inner.error().detail();
        return fail_at(token.at, "in group \"" + name + "\": " + why);
    }
    return *inner;
}

}  // namespace muster::targeting

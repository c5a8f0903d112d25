// What single words of an expression mean: the other half of parser.h.

#include "core/targeting/engine.h"
#include "core/targeting/glob.h"
#include "core/targeting/grain_names.h"
#include "core/targeting/parser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::targeting {
namespace {

using kind = query::operation::kind;

constexpr std::string_view fact_prefix = "fact.";

// `X@web`: looks like an engine and is none.
bool names_unknown_engine(std::string_view word) {
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

std::vector<std::string> split(std::string_view text, std::string_view at_any_of) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = text.find_first_of(at_any_of);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

condition text_condition(field field, std::string_view pattern) {
    return field_condition{.which = field, .test = text_pattern::glob(pattern, letter_case::exact)};
}

std::string unknown_field(const std::string& name) {
    return "there is no field `" + name + "`; fields are " + field_list()
           + ", and facts by their path, such as os.name or fact." + name;
}

}  // namespace

std::string expression_of_group(std::string_view definition) {
    constexpr std::array<std::string_view, 5> operators{"and", "or", "not", "(", ")"};
    const auto words = split(definition, " \t\n\r");
    const bool says_how = std::ranges::any_of(words, [&](const std::string& each) {
        return std::ranges::find(operators, each) != operators.end() || each.contains('*')
               || each.contains(':') || each.contains('=') || names_unknown_engine(each)
               || split_engine(each);
    });
    if (words.empty() || says_how) return std::string(definition);
    const bool regular = std::ranges::any_of(words, [](const std::string& each) {
        return each.find_first_of("([{\\?}])") != std::string::npos;
    });
    std::string result = regular ? "E@" : "L@";
    const char* const between = regular ? "|" : ",";
    for (const auto& word : words) result += (result.size() > 2 ? between : "") + word;
    return result;
}

result<parser::place> parser::plain_condition(const token& from) {
    const auto whole_word = from.field.empty() ? from.text : from.field + ":" + from.text;
    if (!from.quoted && split_engine(whole_word)) return engine_condition(from, whole_word);
    if (!from.field.empty()) return field_condition_of(from, from.field);
    if (!from.quoted && names_unknown_engine(from.text)) return engine_condition(from, from.text);
    if (!from.quoted && is_selector(from.text)) {
        const auto sign = from.text.find('=');
        const auto path = from.text.substr(0, sign);
        TRY(const auto tagged, add(text_condition(field::tag, from.text), from.at));
        TRY(const auto response,
            facts(from, path + ":" + from.text.substr(sign + 1), ":", value_language::glob));
        return join(kind::either, tagged, response);
    }
    return add(text_condition(field::name, from.text), from.at);
}

result<parser::place> parser::compound_condition(const token& from) {
    const auto& text = from.text;
    if (split_engine(text) || names_unknown_engine(text)) return engine_condition(from, text);
    const bool attached =
        text.starts_with('(') && (split_engine(text.substr(1)) || text.contains(':'));
    if (attached)
        return fail_at(
            from.at, "a parenthesis must have blanks around it beside words like G@os:x");
    const auto colon = text.find(':');
    if (colon != std::string::npos && colon + 1 < text.size()) {
        const auto name = text.substr(0, colon);
        if (parse_field(name) || fact_path(name)) {
            token cut = from;
            cut.text = text.substr(colon + 1);
            return field_condition_of(cut, name);
        }
    }
    return add(text_condition(field::name, text), from.at);
}

result<parser::place> parser::field_condition_of(const token& from, const std::string& name) {
    const auto existing = parse_field(name);
    if (existing == field::group) return label_or_group(from, from.text);
    if (existing) return add(text_condition(*existing, from.text), from.at);
    const auto path = fact_path(name);
    if (!path) return fail_at(from.at, unknown_field(name));
    return facts(from, std::string(*path) + ":" + from.text, ":", value_language::glob);
}

result<parser::place> parser::engine_condition(const token& from, const std::string& text) {
    const auto message = split_engine(text);
    if (!message)
        return fail_at(
            from.at, "there is no engine " + text.substr(0, 2) + "; engines are G P I J E L S N");
    switch (message->engine) {
        case 'G':
            return facts(from, message->pattern, message->delimiter, value_language::glob);
        case 'P':
            return facts(from, message->pattern, message->delimiter, value_language::regex);
        case 'I':
        case 'J':
            return add(impossible{}, from.at);  // no system has pillar data yet
        case 'E': {
            auto test = text_pattern::regular(std::string(message->pattern), letter_case::exact);
            if (!test) return fail_at(from.at, test.error().detail());
            return add(field_condition{.which = field::name, .test = *std::move(test)}, from.at);
        }
        case 'L':
            return list(from, message->pattern);
        case 'S': {
            const auto within = network::parse(message->pattern);
            if (!within) return fail_at(from.at, within.error().detail());
            const bool ipv6 = message->pattern.contains(':');
            return add(network_condition{.within = *within, .ipv6 = ipv6}, from.at);
        }
        case 'N':
            return group(from, std::string(message->pattern));
        default:
            return fail_at(from.at, "ranges (R@) need a range server and are not supported");
    }
}

result<parser::place> parser::facts(
    const token& from,
    std::string_view expression,
    std::string_view delimiter,
    value_language language) {
    auto fact_condition = make_fact_condition(expression, delimiter, language);
    if (!fact_condition) return fail_at(from.at, fact_condition.error().detail());
    return add(*std::move(fact_condition), from.at);
}

result<parser::place> parser::list(const token& from, std::string_view names) {
    list_condition list_condition{.names = split(names, ",")};
    if (list_condition.names.size() > query_limits::list_names_max)
        return fail_at(
            from.at,
            "a list has at most " + std::to_string(query_limits::list_names_max) + " names");
    std::ranges::sort(list_condition.names);
    const auto doubled = std::ranges::unique(list_condition.names);
    list_condition.names.erase(doubled.begin(), doubled.end());
    return add(std::move(list_condition), from.at);
}

// Systems are put into groups by label, and groups are saved as expressions: the word means both.
result<parser::place> parser::label_or_group(const token& from, std::string_view pattern) {
    TRY(const auto labelled, add(text_condition(field::group, pattern), from.at));
    const std::string name(pattern);
    if (is_glob(pattern) || !options_.groups || !options_.groups(name)) return labelled;
    TRY(const auto saved, group(from, name));
    return join(kind::either, labelled, saved);
}

result<parser::place> parser::group(const token& from, const std::string& name) {
    const auto nobody = [&](const std::string& why) {
        built_.notes_.push_back("at " + std::to_string(from.at) + ": " + why);
        return add(impossible{}, from.at);
    };
    const auto definition = options_.groups ? options_.groups(name) : std::nullopt;
    if (!definition) return nobody("there is no group `" + name + "`");
    if (std::ranges::find(within_, name) != within_.end())
        return nobody("the group `" + name + "` contains itself");
    if (within_.size() == query_limits::group_depth_max)
        return nobody("the group `" + name + "` is nested too deeply");
    within_.push_back(name);
    const auto text = expression_of_group(*definition);
    auto inner = whole(text, dialect::automatic, from.at);
    within_.pop_back();
    if (!inner) {
        // The position within the definition is told, but does not pass for one of the expression.
        auto why = inner.error().detail();
        return fail_at(from.at, "in the group `" + name + "`: " + why);
    }
    return *inner;
}

}  // namespace muster::targeting

#include "core/targeting/salt_target.h"

#include "core/targeting/lexer.h"
#include "core/targeting/matcher_prefix.h"

#include <algorithm>

namespace muster::targeting {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view no_pillar =
    "pillar data is not stored on the servers; target by facts (`grain`, G@…) or by tags";

bool has_blank(std::string_view text) {
    return text.find_first_of(blanks) != std::string_view::npos;
}

std::string quote(std::string_view text) {
    std::string result = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') result += '\\';
        result += letter;
    }
    return result + "\"";
}

// In a regular expression a blank has another spelling, which is one word.
std::string escape_blanks(std::string_view pattern) {
    std::string result;
    for (const char letter : pattern) {
        if (letter == ' ') {
            result += "\\x20";
        } else {
            result += letter;
        }
    }
    return result;
}

result<std::string> to_grain_expression(std::string_view expression) {
    if (!has_blank(expression)) return "G@" + std::string(expression);
    const auto colon = expression.find(':');
    const auto path = expression.substr(0, colon);
    if (colon == std::string_view::npos || has_blank(path))
        return fail(errc::invalid, "grain target must be name:value, such as os:Debian");
    return "fact." + std::string(path) + ":" + quote(expression.substr(colon + 1));
}

result<std::string> to_list_expression(std::string_view expression) {
    std::string names;
    for (const char letter : expression)
        if (letter != ' ') names += letter;
    return "L@" + names;
}

result<std::string> one_word(std::string_view engine, std::string_view expression) {
    if (has_blank(expression)) return fail(errc::invalid, "target must not contain spaces");
    return std::string(engine) + std::string(expression);
}

}  // namespace

result<std::string> expression_of(const salt_target& salt_target) {
    const auto& [type, expression] = salt_target;
    if (expression.empty()) return fail(errc::invalid, "target is empty; use * for all systems");
    if (type == "glob") return "name:" + quote(expression);
    if (type == "pcre") return "E@" + escape_blanks(expression);
    if (type == "list") return to_list_expression(expression);
    if (type == "grain") return to_grain_expression(expression);
    if (type == "grain_pcre") return "P@" + escape_blanks(expression);
    if (type == "ipcidr") return one_word("S@", expression);
    if (type == "nodegroup") return one_word("N@", expression);
    if (type == "compound") return std::string(expression);
    if (type.contains("pillar")) return fail(errc::invalid, std::string(no_pillar));
    if (type == "range") return fail(errc::invalid, "range targets are not supported");
    return fail(
        errc::invalid,
        "unknown target type \"" + std::string(type)
            + "\"; use glob, pcre, list, grain, grain_pcre, ipcidr, nodegroup or compound");
}

result<void> refuse_pillar(std::string_view expression) {
    constexpr std::string_view between = " \t\r\n()";
    for (std::size_t at = 0; at < expression.size();) {
        const auto start = expression.find_first_not_of(between, at);
        if (start == std::string_view::npos) break;
        at = std::min(expression.find_first_of(between, start), expression.size());
        const auto engine = split_matcher_prefix(expression.substr(start, at - start));
        if (engine && (engine->engine == 'I' || engine->engine == 'J'))
            return fail_at(start + 1, std::string(no_pillar));
    }
    return {};
}

}  // namespace muster::targeting

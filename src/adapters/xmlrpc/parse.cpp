#include "adapters/pki/base64.h"
#include "adapters/xmlrpc/codec.h"
#include "core/table/utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <pugixml.hpp>
#include <set>

namespace muster::xmlrpc {
namespace {

using api::value;

constexpr std::string_view white_space = " \t\r\n";

std::unexpected<error> wrong(const std::string& text) {
    return fail(errc::invalid, text);
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(white_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

bool is_element(const pugi::xml_node& node) {
    return node.type() == pugi::node_element;
}

bool is_text(const pugi::xml_node& node) {
    return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
}

// All text right under a node; an element among it is an error.
result<std::string> text_of(const pugi::xml_node& node) {
    std::string text;
    for (const auto& child : node.children()) {
        if (!is_text(child))
            return wrong(std::string("only text may stand in <") + node.name() + ">");
        text += child.value();
    }
    // Also what a reference such as &#55296; made of it.
    if (!table::is_utf8_without_nul(text))
        return wrong(std::string("the text in <") + node.name() + "> is not UTF-8");
    return text;
}

// The only element right under a node; null when there is none.
result<pugi::xml_node> only_element(const pugi::xml_node& node) {
    pugi::xml_node xml_node;
    for (const auto& child : node.children()) {
        if (is_text(child) && trimmed(child.value()).empty()) continue;
        if (!is_element(child) || xml_node)
            return wrong(std::string("one element is wanted in <") + node.name() + ">");
        xml_node = child;
    }
    return xml_node;
}

template <class T>
result<T> number_in(const std::string& text) {
    auto digits = trimmed(text);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    T number{};
    const auto* const end = digits.data() + digits.size();
    const auto [stopped, failure] = std::from_chars(digits.data(), end, number);
    if (failure != std::errc() || stopped != end || digits.empty())
        return wrong("`" + text.substr(0, 64) + "` is not a number of the type it is said to be");
    return number;
}

std::optional<unsigned> digits_at(std::string_view text, std::size_t at, std::size_t count) {
    unsigned number = 0;
    const auto part = text.substr(at, count);
    const auto* const end = part.data() + part.size();
    const auto [stopped, failure] = std::from_chars(part.data(), end, number);
    if (failure != std::errc() || stopped != end || part.size() != count) return std::nullopt;
    return number;
}

// "20261116T22:00:00", with dashes or without, a Z at the end or not.
result<wall_time> time_in(const std::string& input) {
    std::string text(trimmed(input));
    const auto refuse = [&] {
        return wrong("`" + input.substr(0, 64) + "` is not a time such as 20261116T22:00:00");
    };
    if (text.ends_with('Z')) text.pop_back();
    std::erase(text, '-');
    constexpr std::size_t size = std::string_view("20261116T22:00:00").size();
    if (text.size() != size || text[8] != 'T' || text[11] != ':' || text[14] != ':')
        return refuse();
    const auto year = digits_at(text, 0, 4);
    const auto month = digits_at(text, 4, 2);
    const auto day = digits_at(text, 6, 2);
    const auto hour = digits_at(text, 9, 2);
    const auto minute = digits_at(text, 12, 2);
    const auto second = digits_at(text, 15, 2);
    if (!year || !month || !day || !hour || !minute || !second) return refuse();
    const std::chrono::year_month_day date{
        std::chrono::year(static_cast<int>(*year)),
        std::chrono::month(*month),
        std::chrono::day(*day)};
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return refuse();
    return wall_time(std::chrono::sys_days(date)) + std::chrono::hours(*hour)
           + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

class reader {
public:
    // Whether white space at a text's ends belongs to it.
    enum class ends { cut, kept };

    result<value> read_value(
        const pugi::xml_node& node, std::size_t depth, ends of_texts = ends::cut) {
        if (depth > depth_max) return wrong("values are nested too deeply");
        if (++values_ > values_max) return wrong("a call has too many values");
        TRY(const auto typed, typed_in(node));
        if (!typed) {
            TRY(const auto text, text_of(node));
            return value(trimmed(text));
        }
        const std::string_view type = typed.name();
        if (type == "array") return read_array(typed, depth);
        if (type == "struct") return read_struct(typed, depth);
        TRY(const auto text, text_of(typed));
        if (type == "string" && of_texts == ends::kept) return value(text);
        return read_scalar(type, text);
    }

private:
    // The element that says the type; null for a bare text.
    static result<pugi::xml_node> typed_in(const pugi::xml_node& node) {
        const auto elements = std::ranges::count_if(node.children(), is_element);
        if (elements == 0) return pugi::xml_node();
        return only_element(node);
    }

    static result<value> read_scalar(std::string_view type, const std::string& text) {
        if (type == "string") return value(trimmed(text));
        if (type == "nil") return value();
        if (type == "int" || type == "i4" || type == "i8") {
            TRY(const auto number, number_in<std::int64_t>(text));
            return value(number);
        }
        if (type == "boolean") {
            TRY(const auto number, number_in<std::int64_t>(text));
            if (number != 0 && number != 1) return wrong("a boolean is 0 or 1");
            return value(number == 1);
        }
        if (type == "double") {
            TRY(const auto number, number_in<double>(text));
            if (!std::isfinite(number)) return wrong("a double must be finite");
            return value(number);
        }
        if (type == "dateTime.iso8601") {
            TRY(const auto when, time_in(text));
            return value(when);
        }
        if (type == "base64") return read_base64(text);
        return wrong("there is no type `" + std::string(type.substr(0, 64)) + "`");
    }

    static result<value> read_base64(std::string text) {
        std::erase_if(text, [](char c) { return white_space.contains(c); });
        TRY(auto content, pki::from_base64(text));
        return value(value::bytes{std::move(content)});
    }

    result<value> read_array(const pugi::xml_node& node, std::size_t depth) {
        TRY(const auto data, only_element(node));
        if (!data || std::strcmp(data.name(), "data") != 0)
            return wrong("an <array> has one <data>");
        value::list items;
        for (const auto& child : data.children()) {
            if (!is_element(child)) continue;
            if (std::strcmp(child.name(), "value") != 0) return wrong("<data> has <value>s only");
            TRY(auto item, read_value(child, depth + 1));
            items.push_back(std::move(item));
        }
        return value(std::move(items));
    }

    result<value> read_struct(const pugi::xml_node& node, std::size_t depth) {
        value::record members;
        std::set<std::string> names;
        for (const auto& child : node.children()) {
            if (!is_element(child)) continue;
            const auto name = child.child("name");
            const auto content = child.child("value");
            if (std::strcmp(child.name(), "member") != 0 || !name || !content)
                return wrong("a <struct> has <member>s with <name> and <value>");
            TRY(const auto word, text_of(name));
            // What files and settings hold comes in structs.
            TRY(auto item, read_value(content, depth + 1, ends::kept));
            if (!names.insert(word).second)
                return wrong("`" + word.substr(0, 64) + "` stands twice in a <struct>");
            members.push_back({word, std::move(item)});
        }
        return value(std::move(members));
    }

    std::size_t values_ = 0;
};

result<void> check_prologue(const pugi::xml_document& document) {
    for (const auto& node : document.children()) {
        if (node.type() == pugi::node_doctype) return wrong("a DOCTYPE is not taken");
    }
    return {};
}

}  // namespace

result<method_call> parse_call(std::string_view text) {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(
        text.data(),
        text.size(),
        pugi::parse_escapes | pugi::parse_cdata | pugi::parse_eol | pugi::parse_doctype
            | pugi::parse_ws_pcdata_single,
        pugi::encoding_utf8);
    if (!parsed)
        return wrong(
            "the call is not XML: " + std::string(parsed.description()) + " at byte "
            + std::to_string(parsed.offset));
    CHECK_OK(check_prologue(document));
    const auto root = document.child("methodCall");
    const auto name = root.child("methodName");
    if (!root || !name) return wrong("a call is a <methodCall> with a <methodName>");
    method_call call;
    TRY(const auto method, text_of(name));
    call.method = trimmed(method);
    reader values;
    for (const auto& param : root.child("params").children()) {
        if (!is_element(param)) continue;
        TRY(const auto only, only_element(param));
        if (std::strcmp(param.name(), "param") != 0 || !only
            || std::strcmp(only.name(), "value") != 0)
            return wrong("<params> has <param>s with one <value>");
        TRY(auto argument, values.read_value(only, 0));
        call.arguments.push_back(std::move(argument));
    }
    return call;
}

}  // namespace muster::xmlrpc

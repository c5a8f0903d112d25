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

std::unexpected<error> invalid(const std::string& text) {
    return fail(errc::invalid, text);
}

std::string_view trim(std::string_view text) {
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

// All text right under a node; child elements are errors.
result<std::string> read_text(const pugi::xml_node& node) {
    std::string text;
    for (const auto& child : node.children()) {
        if (!is_text(child))
            return invalid(std::string("<") + node.name() + "> must contain only text");
        text += child.value();
    }
    // Also checks references such as &#55296;.
    if (!table::is_utf8_without_nul(text))
        return invalid(std::string("text of <") + node.name() + "> is not UTF-8");
    return text;
}

// The only element right under a node; a null node if there is none.
result<pugi::xml_node> only_element(const pugi::xml_node& node) {
    pugi::xml_node element;
    for (const auto& child : node.children()) {
        if (is_text(child) && trim(child.value()).empty()) continue;
        if (!is_element(child) || element)
            return invalid(std::string("<") + node.name() + "> must contain one element");
        element = child;
    }
    return element;
}

template <class T>
result<T> parse_number(const std::string& text) {
    auto digits = trim(text);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    T number{};
    const auto* const end = digits.data() + digits.size();
    const auto [stopped, failure] = std::from_chars(digits.data(), end, number);
    if (failure != std::errc() || stopped != end || digits.empty())
        return invalid("`" + text.substr(0, 64) + "` is not a number of the declared type");
    return number;
}

std::optional<unsigned> parse_digits(std::string_view text, std::size_t offset, std::size_t count) {
    unsigned number = 0;
    const auto part = text.substr(offset, count);
    const auto* const end = part.data() + part.size();
    const auto [stopped, failure] = std::from_chars(part.data(), end, number);
    if (failure != std::errc() || stopped != end || part.size() != count) return std::nullopt;
    return number;
}

// "20261116T22:00:00", with dashes or without, a Z at the end or not.
result<wall_time> parse_time(const std::string& input) {
    std::string text(trim(input));
    const auto refuse = [&] {
        return invalid("`" + input.substr(0, 64) + "` is not a time such as 20261116T22:00:00");
    };
    if (text.ends_with('Z')) text.pop_back();
    std::erase(text, '-');
    constexpr std::size_t size = std::string_view("20261116T22:00:00").size();
    if (text.size() != size || text[8] != 'T' || text[11] != ':' || text[14] != ':')
        return refuse();
    const auto year = parse_digits(text, 0, 4);
    const auto month = parse_digits(text, 4, 2);
    const auto day = parse_digits(text, 6, 2);
    const auto hour = parse_digits(text, 9, 2);
    const auto minute = parse_digits(text, 12, 2);
    const auto second = parse_digits(text, 15, 2);
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
    // How white space around texts is handled.
    enum class white_space_mode { trim, keep };

    result<value> read_value(
        const pugi::xml_node& node,
        std::size_t depth,
        white_space_mode mode = white_space_mode::trim) {
        if (depth > depth_max) return invalid("values are nested too deeply");
        if (++values_ > values_max) return invalid("call has too many values");
        TRY(const auto typed_node, find_typed(node));
        if (!typed_node) {
            TRY(const auto text, read_text(node));
            return value(trim(text));
        }
        const std::string_view type = typed_node.name();
        if (type == "array") return read_array(typed_node, depth);
        if (type == "struct") return read_struct(typed_node, depth);
        TRY(const auto text, read_text(typed_node));
        if (type == "string" && mode == white_space_mode::keep) return value(text);
        return read_scalar(type, text);
    }

private:
    // The element that names the type; a null node for a bare text.
    static result<pugi::xml_node> find_typed(const pugi::xml_node& node) {
        const auto elements = std::ranges::count_if(node.children(), is_element);
        if (elements == 0) return pugi::xml_node();
        return only_element(node);
    }

    static result<value> read_scalar(std::string_view type, const std::string& text) {
        if (type == "string") return value(trim(text));
        if (type == "nil") return value();
        if (type == "int" || type == "i4" || type == "i8") {
            TRY(const auto number, parse_number<std::int64_t>(text));
            return value(number);
        }
        if (type == "boolean") {
            TRY(const auto number, parse_number<std::int64_t>(text));
            if (number != 0 && number != 1) return invalid("boolean must be 0 or 1");
            return value(number == 1);
        }
        if (type == "double") {
            TRY(const auto number, parse_number<double>(text));
            if (!std::isfinite(number)) return invalid("double must be finite");
            return value(number);
        }
        if (type == "dateTime.iso8601") {
            TRY(const auto time, parse_time(text));
            return value(time);
        }
        if (type == "base64") return read_base64(text);
        return invalid("unknown type `" + std::string(type.substr(0, 64)) + "`");
    }

    static result<value> read_base64(std::string text) {
        std::erase_if(text, [](char c) { return white_space.contains(c); });
        TRY(auto content, pki::from_base64(text));
        return value(value::bytes{std::move(content)});
    }

    result<value> read_array(const pugi::xml_node& node, std::size_t depth) {
        TRY(const auto data, only_element(node));
        if (!data || std::strcmp(data.name(), "data") != 0)
            return invalid("<array> must have one <data>");
        value::list items;
        for (const auto& child : data.children()) {
            if (!is_element(child)) continue;
            if (std::strcmp(child.name(), "value") != 0)
                return invalid("<data> must contain only <value> elements");
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
                return invalid("<struct> must contain <member> elements with <name> and <value>");
            TRY(const auto member_name, read_text(name));
            // Contents of files and settings come in structs: keep their white space.
            TRY(auto item, read_value(content, depth + 1, white_space_mode::keep));
            if (!names.insert(member_name).second)
                return invalid("`" + member_name.substr(0, 64) + "` occurs twice in a <struct>");
            members.push_back({member_name, std::move(item)});
        }
        return value(std::move(members));
    }

    std::size_t values_ = 0;
};

result<void> check_prologue(const pugi::xml_document& document) {
    for (const auto& node : document.children()) {
        if (node.type() == pugi::node_doctype) return invalid("DOCTYPE is not allowed");
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
        return invalid(
            "call is not XML: " + std::string(parsed.description()) + " at byte "
            + std::to_string(parsed.offset));
    CHECK_OK(check_prologue(document));
    const auto root = document.child("methodCall");
    const auto name = root.child("methodName");
    if (!root || !name) return invalid("call must be a <methodCall> with a <methodName>");
    method_call call;
    TRY(const auto method, read_text(name));
    call.method = trim(method);
    reader value_reader;
    for (const auto& param : root.child("params").children()) {
        if (!is_element(param)) continue;
        TRY(const auto value_node, only_element(param));
        if (std::strcmp(param.name(), "param") != 0 || !value_node
            || std::strcmp(value_node.name(), "value") != 0)
            return invalid("<params> must contain <param> elements with one <value>");
        TRY(auto argument, value_reader.read_value(value_node, 0));
        call.arguments.push_back(std::move(argument));
    }
    return call;
}

}  // namespace muster::xmlrpc

#include "core/api/shape.h"

#include "base/assert.h"
#include "base/iso_time.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace muster::api {
namespace {

constexpr std::int64_t name_bytes_max = 255;

using kind = shape::kind;

std::unexpected<error> invalid(std::string_view path, const std::string& text) {
    if (path.empty()) return fail(errc::invalid, text);
    return fail(errc::invalid, "`" + std::string(path) + "`: " + text);
}

std::string_view kind_name(kind value) {
    switch (value) {
        case kind::anything:
            return "anything";
        case kind::flag:
            return "true or false";
        case kind::integer:
            return "an integer";
        case kind::number:
            return "a number";
        case kind::text:
            return "a string";
        case kind::time:
            return "a time such as 2026-11-16T22:00:00Z";
        case kind::bytes:
            return "bytes in base64";
        case kind::list:
            return "a list";
        case kind::map:
        case kind::record:
            break;
    }
    return "an object";
}

std::unexpected<error> wrong_kind(const value& input, const shape& shape, std::string_view path) {
    return invalid(
        path,
        "expected " + std::string(kind_name(shape.what())) + ", got "
            + std::string(kind_of(input)));
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

result<void> check_size(
    std::size_t size, const shape& shape, std::string_view path, const std::string& unit) {
    const auto count = static_cast<std::int64_t>(size);
    if (count < shape.least())
        return invalid(
            path, "at least " + std::to_string(shape.least()) + " " + unit + " required");
    if (count > shape.most())
        return invalid(
            path,
            "at most " + std::to_string(shape.most()) + " " + unit + " allowed, got "
                + std::to_string(count));
    return {};
}

result<void> check_text(const std::string& text, const shape& shape, std::string_view path) {
    CHECK_OK(check_size(text.size(), shape, path, "bytes"));
    if (text.find('\0') != std::string::npos)
        return invalid(path, "NUL characters are not allowed");
    const auto& choices = shape.choices();
    if (choices.empty() || std::ranges::find(choices, text) != choices.end()) return {};
    return invalid(
        path, "expected one of " + join(choices) + "; got \"" + text.substr(0, 64) + "\"");
}

std::string member_path(std::string_view path, std::string_view name) {
    if (path.empty()) return std::string(name);
    return std::string(path) + "." + std::string(name);
}

result<void> check_list(const value::list& items, const shape& shape, std::string_view path) {
    CHECK_OK(check_size(items.size(), shape, path, "items"));
    for (std::size_t index = 0; index < items.size(); ++index) {
        const auto inner = std::string(path) + "[" + std::to_string(index) + "]";
        CHECK_OK(check(items[index], shape.element(), inner));
    }
    return {};
}

result<void> check_map(const value::record& members, const shape& shape, std::string_view path) {
    CHECK_OK(check_size(members.size(), shape, path, "members"));
    for (const auto& member : members) {
        CHECK_OK(check(member.of, shape.element(), member_path(path, member.name)));
    }
    return {};
}

result<void> check_record(const value& input, const shape& shape, std::string_view path) {
    const auto& members = shape.members();
    for (const auto& member : *input.get<value::record>()) {
        const auto it = std::ranges::find(members, member.name, &shape_member::name);
        if (it == members.end())
            return invalid(member_path(path, member.name.substr(0, 64)), "unknown field");
        CHECK_OK(check(member.of, it->of, member_path(path, member.name)));
    }
    for (const auto& member : members) {
        if (member.required && !input.find(member.name))
            return invalid(member_path(path, member.name), "required field is missing");
    }
    return {};
}

result<void> check_integer(std::int64_t value, const shape& shape, std::string_view path) {
    if (value >= shape.least() && value <= shape.most()) return {};
    return invalid(
        path,
        "expected an integer from " + std::to_string(shape.least()) + " to "
            + std::to_string(shape.most()));
}

result<void> check_time(const value& input, const shape& shape, std::string_view path) {
    if (input.holds<wall_time>()) return {};
    const auto* text = input.get<std::string>();
    if (text && parse_iso_time(*text)) return {};
    return wrong_kind(input, shape, path);
}

result<void> check_content(const value& input, const shape& shape, std::string_view path) {
    const auto refuse = [&] {
        return wrong_kind(input, shape, path);
    };
    switch (shape.what()) {
        case kind::anything:
            return {};
        case kind::flag:
            return input.holds<bool>() ? result<void>() : refuse();
        case kind::integer:
            if (const auto* integer = input.get<std::int64_t>())
                return check_integer(*integer, shape, path);
            return refuse();
        case kind::number:
            return input.holds<double>() || input.holds<std::int64_t>() ? result<void>() : refuse();
        case kind::text:
            if (const auto* text = input.get<std::string>()) return check_text(*text, shape, path);
            return refuse();
        case kind::time:
            return check_time(input, shape, path);
        case kind::bytes:
            if (const auto* content = input.get<value::bytes>())
                return check_size(content->content.size(), shape, path, "bytes");
            return refuse();
        case kind::list:
            if (const auto* items = input.get<value::list>())
                return check_list(*items, shape, path);
            return refuse();
        case kind::map:
            if (const auto* all = input.get<value::record>()) return check_map(*all, shape, path);
            return refuse();
        case kind::record:
            break;
    }
    return input.holds<value::record>() ? check_record(input, shape, path) : refuse();
}

value parse_value(std::string_view text, const shape& shape);

template <class T>
std::optional<T> parse_number(std::string_view text) {
    T number{};
    const auto* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end || text.empty()) return std::nullopt;
    return number;
}

value parse_list(std::string_view text, const shape& element) {
    value::list items;
    while (!text.empty()) {
        const auto end = text.find(',');
        items.push_back(parse_value(text.substr(0, end), element));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return items;
}

// A text of another kind stays a text; check() refuses it then.
value parse_value(std::string_view text, const shape& shape) {
    switch (shape.what()) {
        case kind::integer:
            if (const auto integer = parse_number<std::int64_t>(text)) return *integer;
            break;
        case kind::number:
            if (const auto number = parse_number<double>(text); number && std::isfinite(*number))
                return *number;
            break;
        case kind::flag:
            if (text == "true" || text == "false") return text == "true";
            break;
        case kind::list:
            return parse_list(text, shape.element());
        default:
            break;
    }
    return text;
}

}  // namespace

shape::shape(kind kind) : what_(kind), most_(std::numeric_limits<std::int64_t>::max()) {}

shape shape::with_bounds(std::int64_t least, std::int64_t most) && {
    MUSTER_ASSERT(least <= most);
    least_ = least;
    most_ = most;
    return std::move(*this);
}

shape shape::with_about(std::string text) && {
    about_ = std::move(text);
    return std::move(*this);
}

shape shape::with_choices(std::vector<std::string> choices) && {
    choices_ = std::move(choices);
    return std::move(*this);
}

shape shape::or_nothing() && {
    nullable_ = true;
    return std::move(*this);
}

shape anything() {
    return shape(kind::anything);
}

shape flag() {
    return shape(kind::flag);
}

shape integer(std::int64_t least, std::int64_t most) {
    return shape(kind::integer).with_bounds(least, most);
}

shape number() {
    return shape(kind::number);
}

shape text(std::int64_t bytes_max) {
    return shape(kind::text).with_bounds(0, bytes_max);
}

shape name() {
    return shape(kind::text).with_bounds(1, name_bytes_max);
}

shape time() {
    return shape(kind::time);
}

shape bytes(std::int64_t bytes_max) {
    return shape(kind::bytes).with_bounds(0, bytes_max);
}

shape list_of(shape element, std::int64_t most) {
    auto result = shape(kind::list).with_bounds(0, most);
    result.inner_.push_back(std::move(element));
    return result;
}

shape map_of(shape element, std::int64_t most) {
    auto result = shape(kind::map).with_bounds(0, most);
    result.inner_.push_back(std::move(element));
    return result;
}

shape record_of(std::vector<shape_member> members) {
    auto result = shape(kind::record);
    result.members_ = std::move(members);
    return result;
}

shape page_of(shape element) {
    return record_of(
        {required("items", list_of(std::move(element))),
         required(
             "next",
             text().or_nothing().with_about(
                 "Value of `after` for the next page; null on the last page"))});
}

shape_member required(std::string name, shape schema) {
    return {.name = std::move(name), .of = std::move(schema), .required = true};
}

shape_member optional(std::string name, shape schema) {
    return {.name = std::move(name), .of = std::move(schema), .required = false};
}

result<void> check(const value& input, const shape& shape, std::string_view path) {
    if (input.is_nothing() && shape.may_be_nothing()) return {};
    return check_content(input, shape, path);
}

result<value> read(std::string_view text, const shape& shape, std::string_view path) {
    auto result = parse_value(text, shape);
    CHECK_OK(check(result, shape, path));
    return result;
}

}  // namespace muster::api

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

std::unexpected<error> wrong(std::string_view place, const std::string& text) {
    if (place.empty()) return fail(errc::invalid, text);
    return fail(errc::invalid, "`" + std::string(place) + "`: " + text);
}

std::string_view wanted_name(kind what) {
    switch (what) {
        case kind::anything:
            return "anything";
        case kind::flag:
            return "true or false";
        case kind::integer:
            return "an integer";
        case kind::number:
            return "a number";
        case kind::text:
            return "a text";
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

std::unexpected<error> other_kind(const value& what, const shape& shape, std::string_view place) {
    return wrong(
        place,
        std::string(wanted_name(shape.what())) + " is wanted, not " + std::string(kind_of(what)));
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

result<void> check_size(
    std::size_t size, const shape& shape, std::string_view place, const std::string& unit) {
    const auto count = static_cast<std::int64_t>(size);
    if (count < shape.least())
        return wrong(place, "at least " + std::to_string(shape.least()) + " " + unit);
    if (count > shape.most())
        return wrong(
            place,
            "at most " + std::to_string(shape.most()) + " " + unit + ", not "
                + std::to_string(count));
    return {};
}

result<void> check_text(const std::string& text, const shape& shape, std::string_view place) {
    CHECK_OK(check_size(text.size(), shape, place, "bytes"));
    if (text.find('\0') != std::string::npos) return wrong(place, "a text without NUL is wanted");
    const auto& choices = shape.choices();
    if (choices.empty() || std::ranges::find(choices, text) != choices.end()) return {};
    return wrong(
        place, "one of " + joined(choices) + " is wanted, not `" + text.substr(0, 64) + "`");
}

std::string inside(std::string_view place, std::string_view name) {
    if (place.empty()) return std::string(name);
    return std::string(place) + "." + std::string(name);
}

result<void> check_list(const value::list& items, const shape& shape, std::string_view place) {
    CHECK_OK(check_size(items.size(), shape, place, "items"));
    for (std::size_t at = 0; at < items.size(); ++at) {
        const auto inner = std::string(place) + "[" + std::to_string(at) + "]";
        CHECK_OK(check(items[at], shape.element(), inner));
    }
    return {};
}

result<void> check_map(const value::record& members, const shape& shape, std::string_view place) {
    CHECK_OK(check_size(members.size(), shape, place, "members"));
    for (const auto& member : members) {
        CHECK_OK(check(member.of, shape.element(), inside(place, member.name)));
    }
    return {};
}

result<void> check_record(const value& what, const shape& shape, std::string_view place) {
    const auto& existing = shape.members();
    for (const auto& each : *what.get<value::record>()) {
        const auto it = std::ranges::find(existing, each.name, &shape_member::name);
        if (it == existing.end())
            return wrong(
                inside(place, each.name.substr(0, 64)), "nothing of this name is known here");
        CHECK_OK(check(each.of, it->of, inside(place, each.name)));
    }
    for (const auto& each : existing) {
        if (each.required && !what.find(each.name))
            return wrong(inside(place, each.name), "is missing");
    }
    return {};
}

result<void> check_integer(std::int64_t value, const shape& shape, std::string_view place) {
    if (value >= shape.least() && value <= shape.most()) return {};
    return wrong(
        place,
        "an integer from " + std::to_string(shape.least()) + " to " + std::to_string(shape.most())
            + " is wanted");
}

result<void> check_time(const value& what, const shape& shape, std::string_view place) {
    if (what.holds<wall_time>()) return {};
    const auto* text = what.get<std::string>();
    if (text && parse_iso_time(*text)) return {};
    return other_kind(what, shape, place);
}

result<void> check_content(const value& what, const shape& shape, std::string_view place) {
    const auto refuse = [&] {
        return other_kind(what, shape, place);
    };
    switch (shape.what()) {
        case kind::anything:
            return {};
        case kind::flag:
            return what.holds<bool>() ? result<void>() : refuse();
        case kind::integer:
            if (const auto* integer = what.get<std::int64_t>())
                return check_integer(*integer, shape, place);
            return refuse();
        case kind::number:
            return what.holds<double>() || what.holds<std::int64_t>() ? result<void>() : refuse();
        case kind::text:
            if (const auto* text = what.get<std::string>()) return check_text(*text, shape, place);
            return refuse();
        case kind::time:
            return check_time(what, shape, place);
        case kind::bytes:
            if (const auto* content = what.get<value::bytes>())
                return check_size(content->content.size(), shape, place, "bytes");
            return refuse();
        case kind::list:
            if (const auto* items = what.get<value::list>())
                return check_list(*items, shape, place);
            return refuse();
        case kind::map:
            if (const auto* all = what.get<value::record>()) return check_map(*all, shape, place);
            return refuse();
        case kind::record:
            break;
    }
    return what.holds<value::record>() ? check_record(what, shape, place) : refuse();
}

value meant(std::string_view text, const shape& shape);

template <class T>
std::optional<T> parsed(std::string_view text) {
    T number{};
    const auto* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end || text.empty()) return std::nullopt;
    return number;
}

value listed(std::string_view text, const shape& element) {
    value::list items;
    while (!text.empty()) {
        const auto end = text.find(',');
        items.push_back(meant(text.substr(0, end), element));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return items;
}

// What cannot be what is wanted stays a text, for the check to refuse it.
value meant(std::string_view text, const shape& shape) {
    switch (shape.what()) {
        case kind::integer:
            if (const auto integer = parsed<std::int64_t>(text)) return *integer;
            break;
        case kind::number:
            if (const auto number = parsed<double>(text); number && std::isfinite(*number))
                return *number;
            break;
        case kind::flag:
            if (text == "true" || text == "false") return text == "true";
            break;
        case kind::list:
            return listed(text, shape.element());
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
         required("next", text().or_nothing().with_about("`after` of the next page"))});
}

shape_member required(std::string name, shape of) {
    return {.name = std::move(name), .of = std::move(of), .required = true};
}

shape_member optional(std::string name, shape of) {
    return {.name = std::move(name), .of = std::move(of), .required = false};
}

result<void> check(const value& what, const shape& shape, std::string_view place) {
    if (what.is_nothing() && shape.may_be_nothing()) return {};
    return check_content(what, shape, place);
}

result<value> read(std::string_view text, const shape& shape, std::string_view place) {
    auto result = meant(text, shape);
    CHECK_OK(check(result, shape, place));
    return result;
}

}  // namespace muster::api

#include "core/api/value.h"

#include <algorithm>

namespace muster::api {
namespace {

struct kind_namer {
    std::string_view operator()(value::nothing) const { return "nothing"; }
    std::string_view operator()(bool) const { return "true or false"; }
    std::string_view operator()(std::int64_t) const { return "an integer"; }
    std::string_view operator()(double) const { return "a number"; }
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(wall_time) const { return "a time"; }
    std::string_view operator()(const value::bytes&) const { return "bytes"; }
    std::string_view operator()(const value::list&) const { return "a list"; }
    std::string_view operator()(const value::record&) const { return "an object"; }
};

}  // namespace

value::value() = default;
value::value(const value& other) = default;
value::value(value&& other) noexcept = default;
value& value::operator=(const value& other) = default;
value& value::operator=(value&& other) noexcept = default;
value::~value() = default;

value::value(bool flag) : what_(flag) {}

value::value(int integer) : what_(std::int64_t{integer}) {}

value::value(std::int64_t integer) : what_(integer) {}

value::value(double number) : what_(number) {}

value::value(const char* text) : what_(std::string(text)) {}

value::value(std::string_view text) : what_(std::string(text)) {}

value::value(std::string text) : what_(std::move(text)) {}

value::value(wall_time when) : what_(when) {}

value::value(bytes content) : what_(std::move(content)) {}

value::value(list items) : what_(std::move(items)) {}

value::value(record members) : what_(std::move(members)) {}

const value* value::find(std::string_view name) const {
    const auto* members = get<record>();
    if (!members) return nullptr;
    const auto it = std::ranges::find(*members, name, &member::name);
    return it == members->end() ? nullptr : &it->of;
}

bool operator==(const value& a, const value& b) {
    return a.what_ == b.what_;
}

std::string_view kind_of(const value& what) {
    return what.visit(kind_namer());
}

}  // namespace muster::api
